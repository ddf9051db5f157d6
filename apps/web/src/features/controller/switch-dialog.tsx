import type { ControllerService } from '@candela/contract';
import { useState } from 'react';
import { injectSdk, instrumentService, takeSdkBack, uninstrumentService } from '../../api/controller.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';

export type Switch = 'on' | 'off' | 'sdk';

const TITLES = { on: 'Switch on', off: 'Switch off', sdk: 'SDK of' } as const;
const SDK_STEPS = [
  { value: 'plan', label: 'Show what would change' },
  { value: 'apply', label: 'Write the files' },
  { value: 'remove', label: 'Take the files back' },
];

/** Asks for the reason, which is kept; content has a second confirmation of its own. */
export function SwitchDialog(props: { what: Switch; service: ControllerService; onClose: () => void }) {
  const { environment } = useShell();
  const { what, service } = props;
  const [reason, setReason] = useState('');
  const [content, setContent] = useState(false);
  const [confirmed, setConfirmed] = useState(false);
  const [step, setStep] = useState('plan');
  const run = useApiMutation(
    () => {
      if (what === 'on')
        return instrumentService(environment, service.id, { reason, content, confirmContent: confirmed });
      if (what === 'off') return uninstrumentService(environment, service.id, reason);
      if (step === 'remove') return takeSdkBack(environment, service.id, reason);
      return injectSdk(environment, service.id, reason, step === 'apply');
    },
    { touches: [['controller-services'], ['controller-actions']], onDone: props.onClose },
  );
  return (
    <FormDialog
      title={`${TITLES[what]} ${service.name}`}
      action={what === 'on' ? 'Switch on' : what === 'off' ? 'Switch off' : 'Ask for it'}
      busy={run.isPending}
      error={run.error}
      ready={reason.trim().length >= 3 && (!content || confirmed)}
      onSubmit={() => run.mutate(undefined)}
      onClose={props.onClose}
    >
      <TextField
        label="Reason"
        value={reason}
        onValue={setReason}
        maxLength={500}
        hint="Stands in the audit log."
        required
        autoFocus
      />
      {what === 'on' && (
        <>
          <CheckField
            label="Keep what is said, too"
            checked={content}
            onChange={(value) => {
              setContent(value);
              setConfirmed(false);
            }}
          />
          {content && (
            <CheckField
              label="I may have messages of this program's users stored"
              checked={confirmed}
              onChange={setConfirmed}
            />
          )}
        </>
      )}
      {what === 'sdk' && (
        <>
          <SelectField label="What to do" value={step} onValue={setStep} options={SDK_STEPS} />
          <p className="text-sm text-muted">
            The change stands in the history below as a diff. Nothing is restarted: it takes effect when the
            program is started again.
          </p>
        </>
      )}
    </FormDialog>
  );
}
