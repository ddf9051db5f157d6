import type { Account } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery, renameAccount, sendPassword } from '../../api/account.ts';
import { nounOf } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Form } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { Loaded, Section, SettingsPage } from '../settings/page.tsx';
import { Applications } from './applications.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

/** A person's own account: name, password, second factor, where they are signed in. */
export function AccountPage() {
  const query = useQuery(accountQuery());
  return (
    <SettingsPage title="Your account" about={query.data?.email ?? ''}>
      <Loaded query={query} label="the account">
        {(account) => (
          <>
            <Section title="Name">
              <Name key={account.name} name={account.name} />
            </Section>
            <Section title="Password" about="A new one signs out every other session.">
              <Password account={account} />
            </Section>
            <SecondFactor account={account} />
            <Sessions />
            <Applications />
          </>
        )}
      </Loaded>
    </SettingsPage>
  );
}

function Name({ name }: { name: string }) {
  const [text, setText] = useState(name);
  const rename = useApiMutation(renameAccount, { touches: [['account'], ['auth-status'], ['members']] });
  return (
    <Form
      label="Name"
      busy={rename.isPending}
      className="max-w-md"
      onSubmit={() => rename.mutate(text.trim())}
    >
      <TextField
        label="Your name"
        required
        maxLength={100}
        autoComplete="name"
        value={text}
        onValue={setText}
      />
      <ErrorLine error={rename.error} />
      <div>
        <Button type="submit" disabled={rename.isPending || text.trim() === '' || text.trim() === name}>
          Save
        </Button>
      </div>
    </Form>
  );
}

function Password({ account }: { account: Account }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useApiMutation(sendPassword, {
    touches: [['account']],
    onDone: () => {
      setCurrent('');
      setNext('');
    },
  });
  return (
    <Form
      label="Password"
      busy={change.isPending}
      className="max-w-md"
      onSubmit={() =>
        change.mutate(
          account.hasPassword ? { currentPassword: current, newPassword: next } : { newPassword: next },
        )
      }
    >
      {/* For the browser's store of passwords: whose this is. */}
      <input type="text" autoComplete="username" value={account.email} readOnly hidden />
      {account.hasPassword && (
        <PasswordField label="Current password" kind="current" value={current} onValue={setCurrent} />
      )}
      <PasswordField
        label="New password"
        kind="new"
        hint="At least 8 characters. Use a passphrase."
        value={next}
        onValue={setNext}
      />
      <ErrorLine error={change.error} />
      {change.isSuccess && (
        <p role="status" className="text-sm text-ok">
          Changed. {change.data} other {nounOf(change.data, 'sessions')} signed out.
        </p>
      )}
      <div>
        <Button type="submit" disabled={change.isPending || next === ''}>
          Change the password
        </Button>
      </div>
    </Form>
  );
}
