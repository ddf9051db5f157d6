import type { TriagedException } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { Sparkline } from '../../charts/visualise/sparkline.tsx';
import { typeName } from '../../lib/failure-words.ts';
import { countCell, modelsCell, Muted, textCell, TIME_WIDTH, TimeCell } from '../explore/cells.tsx';
import type { RowColumn } from '../explore/columns.ts';
import { oneLine } from '../logs/log-text.ts';
import { NewBadge } from './new-badge.tsx';
import { TriageBadge } from './triage-badge.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';

/** Columns of the exception rows, in order; `shown` are those of a first visit. */
export const exceptionColumns = (q: string): readonly RowColumn<TriagedException>[] => [
  {
    id: 'exception',
    label: 'Exception',
    width: 280,
    grow: 1,
    shown: true,
    record: 'lead',
    cell: (row, tabIndex) => (
      <span className="flex min-w-0 items-center gap-2">
        <Link
          tabIndex={tabIndex}
          to="/exceptions/$fingerprint"
          params={{ fingerprint: row.fingerprint }}
          search={q === '' ? {} : { q }}
          className="max-w-[50%] shrink-0 font-medium text-danger hover:underline"
        >
          <MiddleTruncation name={typeName(row.type)} title={row.type} />
        </Link>
        {row.isNew && <NewBadge />}
        <TriageBadge triage={row.triage} />
        <span className="truncate text-muted" title={row.message}>
          {oneLine(row.message)}
        </span>
      </span>
    ),
  },
  {
    id: 'trend',
    label: 'Trend',
    width: 108,
    shown: true,
    cell: (row) => (
      <span className="flex h-6 items-center">
        <Sparkline
          label="Occurrences over time"
          kind="bars"
          tone="danger"
          width={92}
          values={row.trend.counts}
        />
      </span>
    ),
  },
  {
    id: 'count',
    label: 'Count',
    width: 62,
    align: 'end',
    sort: 'count',
    shown: true,
    cell: (row) => countCell(row.count),
  },
  {
    id: 'users',
    label: 'Users',
    width: 60,
    align: 'end',
    sort: 'users',
    shown: true,
    cell: (row) => countCell(row.users),
  },
  {
    id: 'traces',
    label: 'Traces',
    width: 60,
    align: 'end',
    shown: false,
    cell: (row) => countCell(row.traces),
  },
  {
    id: 'service',
    label: 'Service',
    width: 106,
    shown: true,
    cell: (row) =>
      row.services > 1 ? (
        <span title={`Last seen in ${row.service}`} className="flex gap-1">
          <MiddleTruncation name={row.service} title="" />
          <Muted>+{row.services - 1}</Muted>
        </span>
      ) : (
        textCell(row.service)
      ),
  },
  { id: 'models', label: 'Models', width: 108, shown: true, cell: (row) => modelsCell(row.models) },
  {
    id: 'lastSeen',
    label: 'Last seen',
    width: TIME_WIDTH,
    sort: 'lastSeen',
    shown: true,
    cell: (row) => <TimeCell iso={row.lastSeen} />,
  },
  {
    id: 'firstSeen',
    label: 'First seen',
    width: TIME_WIDTH,
    sort: 'firstSeen',
    shown: true,
    cell: (row) => <TimeCell iso={row.firstSeen} />,
  },
];
