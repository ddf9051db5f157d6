import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { sendTotp } from '../../api/auth.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Form } from '../../ui/form.tsx';

/** The code of the authenticator, after the password. */
export function CodeStep(props: { onDone: () => void; onBack: () => void }) {
  const [code, setCode] = useState('');
  const send = useMutation({
    mutationFn: () => sendTotp(code.trim()),
    onSuccess: props.onDone,
    onError: () => setCode(''),
  });
  return (
    <Form label="Second step" busy={send.isPending} onSubmit={() => send.mutate()}>
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
        minLength={6}
        maxLength={20}
        value={code}
        onValue={setCode}
        hint="Six digits of the authenticator, or one of the recovery codes."
      />
      <ErrorLine error={send.error} />
      <div className="flex gap-2">
        <Button look="primary" type="submit" disabled={send.isPending} className="h-8">
          Continue
        </Button>
        <Button className="h-8" onClick={props.onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}
