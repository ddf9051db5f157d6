import type { Account } from '@candela/contract';
import { useState } from 'react';
import { beginTotp, endTotp, proveTotp, renewRecoveryCodes } from '../../api/account.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { CopyBox, SecretOnce } from '../../ui/secret-once.tsx';
import { Section } from '../settings/page.tsx';

const TOUCHES = [['account'], ['auth-status']];
type Doing =
  | { readonly what: 'begin' | 'renew' | 'end' }
  | { readonly what: 'codes'; readonly codes: readonly string[] };

/** The authenticator: putting it in force, new recovery codes, taking it away. */
export function SecondFactor({ account }: { account: Account }) {
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const show = (codes: readonly string[]) => setDoing({ what: 'codes', codes });
  return (
    <Section
      title="Second factor"
      about="After the password, sign-in asks for a code of an authenticator app on your telephone."
    >
      <div className="flex flex-wrap items-center gap-2">
        {account.totp ? (
          <>
            <Badge tone="ok">on</Badge>
            <span className="text-sm text-muted">{account.recoveryCodesLeft} recovery codes left</span>
            <Button className="ml-auto" onClick={() => setDoing({ what: 'renew' })}>
              New recovery codes
            </Button>
            <Button onClick={() => setDoing({ what: 'end' })}>Turn off</Button>
          </>
        ) : (
          <>
            <Badge>off</Badge>
            <Button className="ml-auto" onClick={() => setDoing({ what: 'begin' })}>
              Turn on
            </Button>
          </>
        )}
      </div>
      {doing?.what === 'begin' && <Begin account={account} onCodes={show} onClose={close} />}
      {doing?.what === 'renew' && <Renew account={account} onCodes={show} onClose={close} />}
      {doing?.what === 'end' && <End account={account} onClose={close} />}
      {doing?.what === 'codes' && (
        <SecretOnce
          title="Recovery codes"
          secrets={[{ label: 'Codes', text: doing.codes.join(' ') }]}
          onClose={close}
        >
          <p>
            Each signs in once in place of a code, should the telephone be lost. They are shown only now: keep
            them where the telephone is not.
          </p>
        </SecretOnce>
      )}
    </Section>
  );
}

type OnCodes = (codes: readonly string[]) => void;

function Begin(props: { account: Account; onCodes: OnCodes; onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const begin = useApiMutation(beginTotp, { touches: [] });
  const prove = useApiMutation(proveTotp, { touches: TOUCHES, onDone: props.onCodes });
  const started = begin.data;
  if (started === undefined)
    return (
      <FormDialog
        title="Turn the second factor on"
        action="Continue"
        busy={begin.isPending}
        error={begin.error}
        onSubmit={() => begin.mutate(props.account.hasPassword ? { password } : {})}
        onClose={props.onClose}
      >
        {props.account.hasPassword ? (
          <PasswordField
            label="Your password"
            kind="current"
            autoFocus
            value={password}
            onValue={setPassword}
          />
        ) : (
          <p className="text-muted">You will need an authenticator app.</p>
        )}
      </FormDialog>
    );
  return (
    <FormDialog
      title="Turn the second factor on"
      action="Turn on"
      busy={prove.isPending}
      error={prove.error}
      ready={code.trim().length >= 6}
      onSubmit={() => prove.mutate({ code: code.trim() })}
      onClose={props.onClose}
    >
      <div className="flex gap-4 max-sm:flex-col">
        <QrCode label="QR code for the authenticator" text={started.uri} />
        <div className="flex min-w-0 flex-col gap-2">
          <p className="text-muted">Scan this with the authenticator, or type the secret:</p>
          <CopyBox label="Secret" text={started.secret} />
        </div>
      </div>
      <CodeField code={code} onCode={setCode} hint="The six digits that the authenticator shows now." />
    </FormDialog>
  );
}

function CodeField(props: { code: string; onCode: (code: string) => void; hint: string }) {
  return (
    <TextField
      label="Code"
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      autoFocus
      minLength={6}
      maxLength={20}
      value={props.code}
      onValue={props.onCode}
      hint={props.hint}
    />
  );
}

/** Password and code, which the server asks for before it lessens the protection of an account. */
function useProof(account: Account) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const hint = 'Of the authenticator, or a recovery code.';
  return {
    ready: code.trim().length >= 6 && (!account.hasPassword || password !== ''),
    body: account.hasPassword ? { password, code: code.trim() } : { code: code.trim() },
    fields: (
      <>
        <CodeField code={code} onCode={setCode} hint={hint} />
        {account.hasPassword && (
          <PasswordField label="Your password" kind="current" value={password} onValue={setPassword} />
        )}
      </>
    ),
  };
}

function Renew(props: { account: Account; onCodes: OnCodes; onClose: () => void }) {
  const proof = useProof(props.account);
  const renew = useApiMutation(renewRecoveryCodes, { touches: TOUCHES, onDone: props.onCodes });
  return (
    <FormDialog
      title="New recovery codes"
      action="Make new codes"
      busy={renew.isPending}
      error={renew.error}
      ready={proof.ready}
      onSubmit={() => renew.mutate(proof.body)}
      onClose={props.onClose}
    >
      <p className="text-muted">The old codes stop working.</p>
      {proof.fields}
    </FormDialog>
  );
}

function End(props: { account: Account; onClose: () => void }) {
  const proof = useProof(props.account);
  const end = useApiMutation(endTotp, { touches: TOUCHES, onDone: props.onClose });
  return (
    <FormDialog
      title="Turn the second factor off"
      action="Turn off"
      busy={end.isPending}
      error={end.error}
      ready={proof.ready}
      onSubmit={() => end.mutate(proof.body)}
      onClose={props.onClose}
    >
      <p className="text-muted">Sign-in asks for the password alone from then on.</p>
      {proof.fields}
    </FormDialog>
  );
}
