import type { AnnotationQueue } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { deleteQueue, fillQueue, JUDGE_KEY, queuesQuery } from '../../api/evaluations.ts';
import { formatCount } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useShell } from '../shell/shell-search.ts';
import { QueueAgreement } from './queue-agreement.tsx';
import { QueueItems } from './queue-items.tsx';

const NewQueue = lazy(() => import('./new-queue.tsx'));
const Review = lazy(() => import('./review.tsx'));

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
  if (working)
    return (
      <Suspense fallback={<SkeletonRows rows={3} label="Loading the form" />}>
        <Review queue={working} onClose={() => setWorking(undefined)} />
      </Suspense>
    );
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
          walked
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
                  title="Its spans, their labels, and how far the reviewers agree"
                  onClick={() => setTold(id === told ? '' : id)}
                >
                  {name}
                </button>
              ),
            },
            { label: 'Reviewers', align: 'end', cell: ({ reviewers }) => reviewers },
            { label: 'Open', align: 'end', cell: ({ counts }) => formatCount(counts.open) },
            { label: 'Disputed', align: 'end', cell: ({ counts }) => formatCount(counts.disputed) },
            { label: 'Skipped', align: 'end', cell: ({ counts }) => formatCount(counts.skipped) },
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
          <div key={queue.id} className="flex flex-col gap-4">
            <QueueAgreement queue={queue} />
            <QueueItems queue={queue} />
          </div>
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
      {making && (
        <Suspense>
          <NewQueue onClose={() => setMaking(false)} />
        </Suspense>
      )}
      {filling && <FillDialog queue={filling} onClose={() => setFilling(undefined)} />}
    </div>
  );
}

function FillDialog({ queue, onClose }: { queue: AnnotationQueue; onClose: () => void }) {
  const { environment } = useShell();
  const [q, setQ] = useState('operation:chat completion:*');
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
