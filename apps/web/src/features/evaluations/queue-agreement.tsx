import type { AnnotationQueue } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { queueAgreementQuery } from '../../api/evaluations.ts';
import { DASH, formatCount } from '../../lib/format.ts';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useShell } from '../shell/shell-search.ts';

/** How far the reviewers of a queue agree, by what they label. */
export function QueueAgreement({ queue }: { queue: AnnotationQueue }) {
  const { environment } = useShell();
  const query = useQuery(queueAgreementQuery(environment, queue.id));
  if (query.isPending) return <SkeletonRows rows={2} label="Loading the agreement" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <section aria-label={`Agreement of ${queue.name}`} className="flex flex-col gap-2">
      <h2 className="text-sm font-medium">{queue.name}: how far the reviewers agree</h2>
      <Table
        label="Agreement"
        rows={query.data ?? []}
        keyOf={({ field }) => field}
        empty="Numbers only: agreement is told of choices."
        columns={[
          { label: 'What is labelled', cell: ({ field }) => field },
          { label: 'Labelled by two', align: 'end', cell: ({ pairs }) => formatCount(pairs) },
          {
            label: 'The same',
            align: 'end',
            cell: ({ pairs, agreed }) =>
              pairs === 0 ? DASH : `${formatCount(agreed)} (${Math.round((agreed / pairs) * 100)} %)`,
          },
          {
            label: "Cohen's kappa",
            align: 'end',
            cell: ({ kappa }) => (kappa === null ? DASH : kappa.toFixed(2)),
          },
        ]}
      />
      {queue.reviewers < 2 && (
        <p className="text-sm text-muted">Each span of this queue is labelled once, so nobody is compared.</p>
      )}
    </section>
  );
}
