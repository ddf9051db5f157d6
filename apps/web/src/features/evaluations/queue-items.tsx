import type { AnnotationItem, AnnotationQueue } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { queueItemsQuery } from '../../api/evaluations.ts';
import { DASH, formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useShell } from '../shell/shell-search.ts';
import { labelText } from './label-text.ts';

const STATES = {
  open: { label: 'Open', tone: 'plain' },
  disputed: { label: 'Disputed', tone: 'warn' },
  skipped: { label: 'Skipped', tone: 'warn' },
  done: { label: 'Done', tone: 'ok' },
} as const;

const IN_ORDER = ['open', 'disputed', 'skipped', 'done'] as const;

/** The spans of a queue and what reviewers said of them, as far as the reader may see it. */
export function QueueItems({ queue }: { queue: AnnotationQueue }) {
  const { environment } = useShell();
  const [state, setState] = useState<AnnotationItem['status']>();
  const query = useQuery({
    ...queueItemsQuery(environment, queue.id, state),
    placeholderData: keepPreviousData,
  });
  if (query.isPending) return <SkeletonRows rows={3} label="Loading the spans" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data ?? [];
  const { open, disputed, skipped, done } = queue.counts;
  const all = state === undefined ? open + disputed + skipped + done : queue.counts[state];
  return (
    <section aria-label={`Spans of ${queue.name}`} className="flex flex-col gap-2">
      <h2 className="text-sm font-medium">{queue.name}: spans</h2>
      <SelectField
        label="State"
        className="self-start"
        value={state ?? ''}
        options={[
          { value: '', label: 'All states' },
          ...IN_ORDER.map((value) => ({ value, label: STATES[value].label })),
        ]}
        onValue={(value) => setState(IN_ORDER.find((one) => one === value))}
      />
      <Table
        label="Spans"
        rows={rows}
        keyOf={({ id }) => id}
        empty={
          state === undefined ? 'Nothing is in this queue yet.' : 'No span of this queue is in that state.'
        }
        columns={[
          {
            label: 'Trace',
            cell: ({ traceId, spanId }) => (
              <Link
                to="/traces/$traceId"
                params={{ traceId }}
                search={spanId === null ? {} : { span: spanId }}
                className="font-mono text-accent hover:underline"
              >
                {traceId.slice(0, 12)}
              </Link>
            ),
          },
          {
            label: 'State',
            cell: ({ status }) => <Badge tone={STATES[status].tone}>{STATES[status].label}</Badge>,
          },
          { label: 'Labels', className: 'w-full', cell: (item) => <Labels item={item} /> },
        ]}
      />
      {rows.length < all && (
        <p className="text-sm text-muted">
          The first {formatCount(rows.length)} of {formatCount(all)}.
        </p>
      )}
    </section>
  );
}

function Labels({ item: { labels, hidden } }: { item: AnnotationItem }) {
  if (labels.length === 0 && hidden === 0) return DASH;
  return (
    <div className="flex flex-col whitespace-normal">
      {labels.map((one) => (
        <span key={`${one.reviewer} ${one.at}`} className="wrap-anywhere">
          {labelText(one)}
        </span>
      ))}
      {hidden > 0 && (
        <span className="text-muted">
          {hidden === 1 ? '1 label of another reviewer' : `${hidden} labels of others`}, hidden until all are
          in
        </span>
      )}
    </div>
  );
}
