import type { AnnotationItem, AnnotationQueue } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  claimItem,
  createQueue,
  deleteQueue,
  fillQueue,
  JUDGE_KEY,
  labelItem,
  queuesQuery,
} from '../../api/evaluations.ts';
import { spanQuery } from '../../api/trace.ts';
import { formatCount } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useShell } from '../shell/shell-search.ts';
import { QueueAgreement } from './queue-agreement.tsx';

/** Queues of spans that people label, and the one that is being worked on. */
export function Annotation({ mayChange }: { mayChange: boolean }) {
  const { environment } = useShell();
  const query = useQuery(queuesQuery(environment));
  const [making, setMaking] = useState(false);
  const [filling, setFilling] = useState<AnnotationQueue>();
  const [told, setTold] = useState('');
  const [working, setWorking] = useState<AnnotationQueue>();
  const [leaving, setLeaving] = useState<AnnotationQueue>();
  const remove = useApiMutation((id: string) => deleteQueue(environment, id), {
    touches: [JUDGE_KEY],
    onDone: () => setLeaving(undefined),
  });
  if (query.isPending) return <SkeletonRows rows={3} label="Loading the queues" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (working) return <Review queue={working} onClose={() => setWorking(undefined)} />;
  const rows = query.data ?? [];
  return (
    <div className="flex flex-col gap-3">
      {mayChange && (
        <Button look="primary" className="self-end" onClick={() => setMaking(true)}>
          <Plus size={14} aria-hidden />
          New queue
        </Button>
      )}
      {rows.length === 0 ? (
        <Notice title="No annotation queues yet">
          People label spans here, blind to each other; what they agree on becomes a score.
        </Notice>
      ) : (
        <Table
          label="Annotation queues"
          rows={rows}
          keyOf={({ id }) => id}
          empty=""
          columns={[
            {
              label: 'Queue',
              cell: ({ id, name }) => (
                <button
                  type="button"
                  className="hover:underline"
                  aria-expanded={id === told}
                  title="How far the reviewers agree"
                  onClick={() => setTold(id === told ? '' : id)}
                >
                  {name}
                </button>
              ),
            },
            { label: 'Reviewers', align: 'end', cell: ({ reviewers }) => reviewers },
            { label: 'Open', align: 'end', cell: ({ counts }) => formatCount(counts.open) },
            { label: 'Disputed', align: 'end', cell: ({ counts }) => formatCount(counts.disputed) },
            { label: 'Done', align: 'end', cell: ({ counts }) => formatCount(counts.done) },
            {
              label: '',
              cell: (row) =>
                mayChange && (
                  <span className="flex justify-end gap-2">
                    <Button look="primary" onClick={() => setWorking(row)}>
                      Review
                    </Button>
                    <Button onClick={() => setFilling(row)}>Fill …</Button>
                    <Button onClick={() => setLeaving(row)}>Delete</Button>
                  </span>
                ),
            },
          ]}
        />
      )}
      {rows
        .filter(({ id }) => id === told)
        .map((queue) => (
          <QueueAgreement key={queue.id} queue={queue} />
        ))}
      {leaving && (
        <ConfirmDialog
          title={`Delete ${leaving.name}?`}
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          Its items and the labels of its reviewers go with it; the scores that came of them stay.
        </ConfirmDialog>
      )}
      {making && <NewQueue onClose={() => setMaking(false)} />}
      {filling && <FillDialog queue={filling} onClose={() => setFilling(undefined)} />}
    </div>
  );
}

function NewQueue({ onClose }: { onClose: () => void }) {
  const { environment } = useShell();
  const [form, setForm] = useState({
    name: '',
    instructions: '',
    field: 'quality',
    kind: 'pass_fail',
    options: '',
    reviewers: '1',
  });
  const set = (key: keyof typeof form) => (value: string) =>
    setForm((before) => ({ ...before, [key]: value }));
  const kind = form.kind === 'category' || form.kind === 'number' ? form.kind : 'pass_fail';
  const make = useApiMutation(
    () =>
      createQueue(environment, {
        name: form.name,
        instructions: form.instructions,
        reviewers: Number(form.reviewers),
        fields: [
          {
            name: form.field,
            kind,
            options: form.options.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()])),
          },
        ],
      }),
    { touches: [JUDGE_KEY], onDone: onClose },
  );
  return (
    <FormDialog
      title="New annotation queue"
      action="Create"
      busy={make.isPending}
      error={make.error}
      ready={form.name.trim() !== '' && form.field.trim() !== ''}
      onSubmit={() => make.mutate(undefined)}
      onClose={onClose}
    >
      <TextField label="Name" value={form.name} onValue={set('name')} required autoFocus />
      <TextArea label="Instructions" value={form.instructions} onValue={set('instructions')} />
      <TextField
        label="What is labelled"
        value={form.field}
        onValue={set('field')}
        hint="The name of the score."
      />
      <SelectField
        label="How"
        value={form.kind}
        onValue={set('kind')}
        options={[
          { value: 'pass_fail', label: 'Pass or fail' },
          { value: 'category', label: 'One of several' },
          { value: 'number', label: 'A number' },
        ]}
      />
      {kind === 'category' && (
        <TextField
          label="Options"
          value={form.options}
          onValue={set('options')}
          hint="Comma-separated, at most nine."
        />
      )}
      <TextField
        label="Reviewers of each"
        value={form.reviewers}
        onValue={set('reviewers')}
        inputMode="numeric"
      />
    </FormDialog>
  );
}

function FillDialog({ queue, onClose }: { queue: AnnotationQueue; onClose: () => void }) {
  const { environment } = useShell();
  const [q, setQ] = useState('operation:chat');
  const fill = useApiMutation(() => fillQueue(environment, queue.id, { q }), {
    touches: [JUDGE_KEY],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={`Fill ${queue.name}`}
      action="Add"
      busy={fill.isPending}
      error={fill.error}
      onSubmit={() => fill.mutate(undefined)}
      onClose={onClose}
    >
      <TextField
        label="Spans that match"
        value={q}
        onValue={setQ}
        hint="The newest 50 of the last 30 days; those that are in the queue are passed over."
      />
    </FormDialog>
  );
}

/** One item after another: the conversation beside the form. Keys choose, save and skip. */
function Review({ queue, onClose }: { queue: AnnotationQueue; onClose: () => void }) {
  const { environment } = useShell();
  const [item, setItem] = useState<AnnotationItem | null>();
  const [values, setValues] = useState<Record<string, string | number>>({});
  const [comment, setComment] = useState('');
  const claim = useApiMutation(() => claimItem(environment, queue.id), {
    touches: [],
    onDone: (next) => {
      setItem(next);
      setValues({});
      setComment('');
    },
  });
  const label = useApiMutation(
    (body: { values?: Record<string, string | number>; skip?: string }) =>
      labelItem(
        environment,
        { id: queue.id, itemId: item?.id ?? '' },
        { ...body, ...(comment === '' ? {} : { comment }) },
      ),
    { touches: [JUDGE_KEY], onDone: () => claim.mutate(undefined) },
  );
  const first = claim.mutate;
  useEffect(() => first(undefined), [first]);
  const isReady = queue.fields.every(({ name }) => values[name] !== undefined);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
      if (event.ctrlKey || event.metaKey || event.altKey || !item) return;
      // A digit answers the first field that waits for one, else the last again.
      const choices = queue.fields.filter(({ kind }) => kind !== 'number');
      const field = choices.find(({ name }) => values[name] === undefined) ?? choices.at(-1);
      const option = field && optionsOf(field)[Number(event.key) - 1];
      if (field !== undefined && option !== undefined)
        setValues((before) => ({ ...before, [field.name]: option }));
      else if (event.key === 'Enter' && isReady && !(event.target instanceof HTMLButtonElement))
        label.mutate({ values });
      else if (event.key === 's') {
        event.preventDefault();
        document.querySelector<HTMLTextAreaElement>('form[aria-label=Label] textarea')?.focus();
      }
    };
    globalThis.addEventListener('keydown', onKey);
    return () => globalThis.removeEventListener('keydown', onKey);
  });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-3">
        <h2 className="font-semibold">{queue.name}</h2>
        <p className="text-sm text-muted">{queue.instructions}</p>
        <Button className="ml-auto" onClick={onClose}>
          Back to the queues
        </Button>
      </div>
      <ErrorLine error={claim.error ?? label.error} />
      {item === null && <Notice title="Nothing is left for you">Others may still have to label some.</Notice>}
      {item && (
        <div className="grid gap-4 md:grid-cols-[2fr_1fr]">
          <Conversation traceId={item.traceId} spanId={item.spanId} />
          <form
            aria-label="Label"
            className="flex flex-col gap-3"
            onSubmit={(event) => {
              event.preventDefault();
              if (isReady) label.mutate({ values });
            }}
          >
            <p className="text-sm text-muted">Keys 1 to 9 choose, Enter saves, s writes why it is skipped.</p>
            {queue.fields.map(({ name, kind, options }) =>
              kind === 'number' ? (
                <TextField
                  // The next item begins with an empty field.
                  key={`${item.id} ${name}`}
                  label={name}
                  type="number"
                  step="any"
                  value={String(values[name] ?? '')}
                  onValue={(text) =>
                    setValues(({ [name]: _before, ...others }) =>
                      text === '' ? others : { ...others, [name]: Number(text) },
                    )
                  }
                />
              ) : (
                <fieldset key={name} className="flex flex-wrap gap-2">
                  <legend className="mb-1 text-sm font-medium">{name}</legend>
                  {optionsOf({ kind, options }).map((option, at) => (
                    <Button
                      key={option}
                      look={values[name] === option ? 'primary' : 'outline'}
                      aria-pressed={values[name] === option}
                      onClick={() => setValues((before) => ({ ...before, [name]: option }))}
                    >
                      {at + 1} {option}
                    </Button>
                  ))}
                </fieldset>
              ),
            )}
            <TextArea label="Comment" value={comment} onValue={setComment} />
            {item.labels.map(({ reviewer, values: theirs }) => (
              <p key={reviewer} className="text-sm text-muted">
                {reviewer}: {Object.values(theirs).join(', ')}
              </p>
            ))}
            <div className="flex gap-2">
              <Button type="submit" look="primary" disabled={!isReady} busy={label.isPending}>
                Save and next
              </Button>
              <Button
                disabled={comment.trim() === ''}
                title="Write the reason as comment first."
                onClick={() => label.mutate({ skip: comment })}
              >
                Skip with this reason
              </Button>
            </div>
          </form>
        </div>
      )}
    </div>
  );
}

const optionsOf = ({ kind, options }: Pick<AnnotationQueue['fields'][number], 'kind' | 'options'>) =>
  kind === 'pass_fail' ? ['pass', 'fail'] : options;

function Conversation({ traceId, spanId }: { traceId: string; spanId: string | null }) {
  const query = useQuery({ ...spanQuery(traceId, spanId ?? '', undefined), enabled: spanId !== null });
  const { input = [], output = [] } = query.data?.conversation ?? {};
  return (
    <section aria-label="Conversation" className="flex max-h-[70vh] flex-col gap-2 overflow-auto">
      <Link to="/traces/$traceId" params={{ traceId }} className="text-sm text-accent hover:underline">
        Open the trace
      </Link>
      {query.isPending && <SkeletonRows rows={3} label="Loading the span" />}
      {query.isLoadingError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {[...input, ...output].map((message, at) => (
        <article key={at} className="rounded-md border border-line p-2">
          <h3 className="text-xs text-muted">{message.role}</h3>
          {message.parts.map((part, index) => (
            <p key={index} className="text-sm wrap-anywhere whitespace-pre-wrap">
              {'text' in part ? part.text : JSON.stringify(part)}
            </p>
          ))}
        </article>
      ))}
    </section>
  );
}
