import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { authStatusQuery, invitationQuery, sendAcceptInvitation } from '../../api/auth.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Form } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { Card } from './card.tsx';
import { enter } from './enter.ts';
import { useLinkToken } from './link-token.ts';
import { Providers } from './sign-in-page.tsx';

/** Accepts an invitation: with a new account, or with the one that is signed in. */
export function InvitationPage() {
  const token = useLinkToken();
  const look = useQuery({ ...invitationQuery(token), enabled: token !== '' });
  const status = useQuery(authStatusQuery());
  if (token === '')
    return (
      <Card title="Invitation">
        <p className="text-muted">This page needs the whole link of an invitation.</p>
      </Card>
    );
  if (look.isError)
    return (
      <Card title="Invitation">
        <ErrorLine error={look.error} />
        <p className="text-muted">Ask whoever invited you for a new link.</p>
      </Card>
    );
  if (look.data === undefined)
    return (
      <Card title="Invitation">
        <div role="status" aria-label="Loading the invitation" className="skeleton h-24" />
      </Card>
    );
  const { organisation, email, role, account } = look.data;
  return (
    <Card title={`Join ${organisation}`}>
      <p className="flex flex-wrap items-center gap-2 text-muted">
        <span>{email}</span>
        <Badge>{role}</Badge>
      </p>
      {account === 'sign-in' ? (
        <>
          <p className="text-muted">There is an account with this address. Sign in with it first.</p>
          <Link
            to="/sign-in"
            search={{ next: location.pathname + location.search + location.hash }}
            className="text-accent underline"
          >
            Sign in
          </Link>
        </>
      ) : (
        <>
          <Accept token={token} isNew={account === 'new'} />
          {account === 'new' && (
            <Providers providers={status.data?.providers ?? []} next="/" invitation={token} />
          )}
        </>
      )}
    </Card>
  );
}

function Accept({ token, isNew }: { token: string; isNew: boolean }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const send = useMutation({
    mutationFn: () => sendAcceptInvitation(isNew ? { token, name: name.trim(), password } : { token }),
    onSuccess: () => enter('/'),
  });
  return (
    <Form label="Accept the invitation" busy={send.isPending} onSubmit={() => send.mutate()}>
      {isNew && (
        <>
          <TextField
            label="Your name"
            autoComplete="name"
            required
            autoFocus
            maxLength={100}
            value={name}
            onValue={setName}
          />
          <PasswordField
            label="Password"
            kind="new"
            hint="At least 8 characters. Use a passphrase."
            value={password}
            onValue={setPassword}
          />
        </>
      )}
      <ErrorLine error={send.error} />
      <Button look="primary" type="submit" disabled={send.isPending} className="h-8 justify-center">
        Accept the invitation
      </Button>
    </Form>
  );
}
