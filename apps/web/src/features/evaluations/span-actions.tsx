import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  addDatasetItems,
  datasetsQuery,
  evaluatorsQuery,
  fillQueue,
  JUDGE_KEY,
  queuesQuery,
  startEvaluation,
} from '../../api/evaluations.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { CheckList, SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';

interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}
/** What is judged: spans, or the model calls of traces or of a session. */
type Judged =
  | { readonly spans: SpanIds[] }
  | { readonly traceIds: string[] }
  | { readonly sessionId: string };

/** Evaluate, add to a dataset, put into a queue: what can be done with spans that were read or chosen. */
export function SpanActions({ spans }: { spans: SpanIds[] }) {
  const [open, setOpen] = useState<'evaluate' | 'dataset' | 'queue'>();
  const [said, setSaid] = useState('');
  const done = (text: string) => {
    setSaid(text);
    setOpen(undefined);
  };
  const close = () => setOpen(undefined);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button onClick={() => setOpen('evaluate')}>Evaluate …</Button>
      <Button onClick={() => setOpen('dataset')}>Add to dataset …</Button>
      <Button onClick={() => setOpen('queue')}>Add to queue …</Button>
      <span role="status" className="text-sm text-muted">
        {said}
      </span>
      {open === 'evaluate' && <EvaluateDialog judged={{ spans }} onDone={done} onClose={close} />}
      {open === 'dataset' && <DatasetDialog spans={spans} onDone={done} onClose={close} />}
      {open === 'queue' && <QueueDialog spans={spans} onDone={done} onClose={close} />}
    </div>
  );
}

interface DialogProps {
  onDone: (said: string) => void;
  onClose: () => void;
}

/** Chooses evaluators and has them judge now. */
export function EvaluateDialog(props: DialogProps & { judged: Judged }) {
  const { environment } = useShell();
  const evaluators = useQuery(evaluatorsQuery(environment));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const start = useApiMutation(
    () => startEvaluation(environment, { evaluators: [...chosen], ...props.judged }),
    {
      touches: [JUDGE_KEY],
      onDone: ({ data: { queued, known } }) =>
        props.onDone(known > 0 ? `${queued} judged soon, ${known} known already.` : 'Judged soon.'),
    },
  );
  return (
    <FormDialog
      title="Evaluate now"
      action="Evaluate"
      busy={start.isPending}
      error={start.error ?? evaluators.error}
      ready={chosen.length > 0}
      onSubmit={() => start.mutate(undefined)}
      onClose={props.onClose}
    >
      <CheckList
        label="Evaluators"
        options={(evaluators.data?.data ?? []).map(({ id, label }) => ({ value: id, label }))}
        chosen={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  );
}

function DatasetDialog(props: DialogProps & { spans: SpanIds[] }) {
  const { environment } = useShell();
  const datasets = useQuery(datasetsQuery(environment));
  const [id, setId] = useState('');
  const add = useApiMutation(() => addDatasetItems(environment, id, { spans: props.spans }), {
    touches: [JUDGE_KEY],
    onDone: ({ revision }) => props.onDone(`Added: revision ${revision}.`),
  });
  return (
    <FormDialog
      title="Add to a dataset"
      action="Add"
      busy={add.isPending}
      error={add.error ?? datasets.error}
      ready={id !== ''}
      onSubmit={() => add.mutate(undefined)}
      onClose={props.onClose}
    >
      <SelectField
        label="Dataset"
        value={id}
        onValue={setId}
        hint="The input becomes the item's input, the answer what is expected."
        options={[
          { value: '', label: datasets.data?.length === 0 ? 'There is none yet' : 'Choose …' },
          ...(datasets.data ?? []).map((one) => ({ value: one.id, label: one.name })),
        ]}
      />
    </FormDialog>
  );
}

function QueueDialog(props: DialogProps & { spans: SpanIds[] }) {
  const { environment } = useShell();
  const queues = useQuery(queuesQuery(environment));
  const [id, setId] = useState('');
  const add = useApiMutation(() => fillQueue(environment, id, { spans: props.spans }), {
    touches: [JUDGE_KEY],
    onDone: ({ added }) =>
      props.onDone(
        added === 0
          ? 'In the queue already.'
          : `Added to the queue${added < props.spans.length ? `: ${added}, the others were in it` : ''}.`,
      ),
  });
  return (
    <FormDialog
      title="Add to a queue"
      action="Add"
      busy={add.isPending}
      error={add.error ?? queues.error}
      ready={id !== ''}
      onSubmit={() => add.mutate(undefined)}
      onClose={props.onClose}
    >
      <SelectField
        label="Annotation queue"
        value={id}
        onValue={setId}
        options={[
          { value: '', label: queues.data?.length === 0 ? 'There is none yet' : 'Choose …' },
          ...(queues.data ?? []).map((one) => ({ value: one.id, label: one.name })),
        ]}
      />
    </FormDialog>
  );
}
