import type { CodingSession } from '@candela/contract';
import { useState } from 'react';
import { createDispute } from '../../api/coding-agents.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';

/** What a session is disputed to be, and why. An admin decides. */
export default function DisputeDialog({ session, onClose }: { session: CodingSession; onClose: () => void }) {
  const { sessionId, agent, classification } = session;
  const choices = (['work', 'personal'] as const).filter((value) => value !== classification);
  const [requested, setRequested] = useState(choices[0] ?? 'work');
  const [rationale, setRationale] = useState('');
  const begin = useApiMutation(() => createDispute({ sessionId, agent, requested, rationale }), {
    touches: [['coding-disputes']],
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Dispute the classification"
      action="Dispute"
      busy={begin.isPending}
      error={begin.error}
      ready={rationale.trim() !== ''}
      onSubmit={() => begin.mutate()}
      onClose={onClose}
    >
      <p className="text-sm text-muted">
        The session is called {classification}. An admin accepts or rejects the dispute; each step is in the
        audit log.
      </p>
      <SelectField
        label="It is"
        value={requested}
        onValue={(value) => setRequested(choices.find((one) => one === value) ?? requested)}
        options={choices.map((value) => ({ value, label: value }))}
      />
      <TextArea label="Reason" value={rationale} onValue={setRationale} maxLength={1_000} required />
    </FormDialog>
  );
}
