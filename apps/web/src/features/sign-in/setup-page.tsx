import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { authStatusQuery, sendSetUp } from '../../api/auth.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Form } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { Card } from './card.tsx';
import { enter } from './enter.ts';
import { useLinkToken } from './link-token.ts';

/** Makes the first owner, with the link that was printed when the installation started. */
export function SetupPage() {
  const token = useLinkToken();
  const status = useQuery(authStatusQuery());
  if (status.data?.owned === true)
    return (
      <Card title="This installation has an owner">
        <p className="text-muted">It was set up already. Whoever did it can invite you.</p>
        <Link to="/sign-in" className="text-accent underline">
          Sign in
        </Link>
      </Card>
    );
  if (token === '')
    return (
      <Card title="Set up Candela">
        <p className="text-muted">
          This page needs the setup link that was printed when Candela started. Copy the whole link, or start
          it again to get a new one.
        </p>
      </Card>
    );
  return (
    <Card title="Set up Candela">
      <p className="text-muted">You become the owner: you invite the others and decide what they may do.</p>
      <SetupForm token={token} />
    </Card>
  );
}

function SetupForm({ token }: { token: string }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [organisation, setOrganisation] = useState('');
  const send = useMutation({
    mutationFn: () =>
      sendSetUp({
        token,
        name: name.trim(),
        email: email.trim(),
        password,
        ...(organisation.trim() === '' ? {} : { organisation: organisation.trim() }),
      }),
    onSuccess: () => enter('/'),
  });
  return (
    <Form label="Set up Candela" busy={send.isPending} onSubmit={() => send.mutate()}>
      <TextField
        label="Your name"
        autoComplete="name"
        required
        autoFocus
        maxLength={100}
        value={name}
        onValue={setName}
      />
      <TextField
        label="E-mail"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        value={email}
        onValue={setEmail}
      />
      <PasswordField
        label="Password"
        kind="new"
        hint="At least 8 characters. Use a passphrase."
        value={password}
        onValue={setPassword}
      />
      <TextField
        label="Name of the organisation"
        autoComplete="organization"
        placeholder="Default"
        maxLength={100}
        value={organisation}
        onValue={setOrganisation}
        hint="Can be left empty and changed later."
      />
      <ErrorLine error={send.error} />
      <Button look="primary" type="submit" disabled={send.isPending} className="h-8 justify-center">
        Become the owner
      </Button>
    </Form>
  );
}
