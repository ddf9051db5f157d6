import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { authStatusQuery, beginProvider, sendSignIn } from '../../api/auth.ts';
import { returnPath } from '../../lib/return-to.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Form } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { Card } from './card.tsx';
import { CodeStep } from './code-step.tsx';
import { enter } from './enter.ts';

const route = getRouteApi('/sign-in/');

/** E-mail and password, the code when the account has a second factor, other places, or an API key for this tab. */
export function SignInPage() {
  const next = returnPath(route.useSearch({ select: (search) => search.next }));
  const status = useQuery(authStatusQuery());
  const [step, setStep] = useState<'password' | 'code' | 'key'>('password');
  const known = status.data?.person !== null && status.data !== undefined;
  useEffect(() => {
    if (known) enter(next);
  }, [known, next]);
  if (step === 'code')
    return (
      <Card title="Second step">
        <CodeStep onDone={() => enter(next)} onBack={() => setStep('password')} />
      </Card>
    );
  if (step === 'key')
    return (
      <Card title="Use an API key">
        <KeyForm onDone={(key) => enter(next, key)} onBack={() => setStep('password')} />
      </Card>
    );
  return (
    <Card title="Sign in">
      {status.data?.owned === false && (
        <p role="note" className="rounded-md border border-line bg-sunken px-3 py-2 text-sm">
          Nobody owns this installation yet. Open the setup link that was printed when it started, on the
          machine that runs it.
        </p>
      )}
      <ErrorLine error={status.error} />
      <PasswordForm onDone={() => enter(next)} onCode={() => setStep('code')} />
      <Providers providers={status.data?.providers ?? []} next={next} />
      <p className="text-sm text-muted">
        Without an account:{' '}
        <button
          type="button"
          className="min-h-6 text-accent underline"
          onClick={() => {
            setStep('key');
          }}
        >
          use an API key
        </button>
      </p>
    </Card>
  );
}

function PasswordForm(props: { onDone: () => void; onCode: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const send = useMutation({
    mutationFn: () => sendSignIn({ email: email.trim(), password }),
    onSuccess: (answer) => (answer.next === 'totp' ? props.onCode() : props.onDone()),
  });
  return (
    <Form label="Sign in" busy={send.isPending} onSubmit={() => send.mutate()}>
      <TextField
        label="E-mail"
        type="email"
        autoComplete="username"
        required
        autoFocus
        maxLength={254}
        value={email}
        onValue={setEmail}
      />
      <PasswordField label="Password" kind="current" value={password} onValue={setPassword} />
      <ErrorLine error={send.error} />
      <Button look="primary" type="submit" disabled={send.isPending} className="h-8 justify-center">
        Sign in
      </Button>
    </Form>
  );
}

/** Buttons that lead to the other places one may sign in at. */
export function Providers(props: {
  providers: readonly { readonly id: string; readonly name: string }[];
  next: string;
  invitation?: string;
}) {
  const begin = useMutation({
    mutationFn: (provider: string) =>
      beginProvider(provider, {
        returnTo: props.next,
        ...(props.invitation === undefined ? {} : { invitation: props.invitation }),
      }),
    onSuccess: (url) => location.assign(url),
  });
  if (props.providers.length === 0) return null;
  return (
    <section aria-label="Other ways" className="flex flex-col gap-2 border-t border-line pt-4">
      {props.providers.map((provider) => (
        <Button
          key={provider.id}
          className="h-8 justify-center"
          disabled={begin.isPending}
          onClick={() => begin.mutate(provider.id)}
        >
          Continue with {provider.name}
        </Button>
      ))}
      <ErrorLine error={begin.error} />
    </section>
  );
}

function KeyForm(props: { onDone: (key: string) => void; onBack: () => void }) {
  const [key, setKey] = useState('');
  return (
    <Form
      label="Use an API key"
      busy={false}
      onSubmit={() => {
        props.onDone(key.trim());
      }}
    >
      <TextField
        label="API key"
        type="password"
        autoComplete="off"
        placeholder="pk_…"
        required
        autoFocus
        value={key}
        onValue={setKey}
        hint="It stays in this tab and is forgotten when the tab closes. It reads telemetry; settings need an account."
      />
      <div className="flex gap-2">
        <Button look="primary" type="submit" disabled={key.trim() === ''} className="h-8">
          Use this key
        </Button>
        <Button className="h-8" onClick={props.onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}
