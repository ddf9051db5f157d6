import type { LogRow } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { formatIso, formatTime } from '../../lib/format.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Muted, textCell } from '../explore/cells.tsx';
import type { RowColumn } from '../explore/columns.ts';
import { Line } from './log-line.tsx';
import { structuredLine, withoutAnsi } from './log-text.ts';
import { SeverityLabel } from './severity.tsx';

/** To the millisecond: log lines come close to each other. */
function Time({ iso }: { iso: string }) {
  const zone = zonePreference.use();
  const ms = Date.parse(iso);
  return (
    <span className="font-mono text-sm" title={formatIso(ms)}>
      {formatTime(ms, zone)}
    </span>
  );
}

/** The same with its line breaks. */
function Wrapped({ row }: { row: LogRow }) {
  const structured = structuredLine(row.body);
  return structured === undefined && row.body !== '' && row.body !== row.eventName ? (
    <span className="block max-h-96 overflow-y-auto font-mono text-sm break-words whitespace-pre-wrap">
      {row.eventName !== null && (
        <span className="mr-1.5 rounded bg-sunken px-1 text-muted">{row.eventName}</span>
      )}
      {withoutAnsi(row.body)}
      {row.bodyTruncated && <Muted> … cut; open the record for all of it</Muted>}
    </span>
  ) : (
    <Line row={row} whole />
  );
}

/** Columns of the log rows, in order; `shown` are those of a first visit. */
export const logColumns = (wrap: boolean): readonly RowColumn<LogRow>[] => [
  {
    id: 'time',
    label: 'Time',
    width: 164,
    sort: 'time',
    shown: true,
    cell: (row) => <Time iso={row.timestamp} />,
  },
  {
    id: 'severity',
    label: 'Severity',
    width: 84,
    shown: true,
    cell: (row) => <SeverityLabel severity={row.severity} text={row.severityText} />,
  },
  { id: 'service', label: 'Service', width: 116, shown: true, cell: (row) => textCell(row.service) },
  {
    id: 'body',
    label: 'Body',
    width: 320,
    grow: 1,
    shown: true,
    record: 'text',
    ...(wrap ? { wraps: true as const } : {}),
    cell: (row) => (wrap ? <Wrapped row={row} /> : <Line row={row} />),
  },
  {
    id: 'trace',
    label: 'Trace',
    width: 92,
    shown: true,
    cell: (row, tabIndex) =>
      row.traceId === null ? (
        textCell(null)
      ) : (
        <Link
          tabIndex={tabIndex}
          to="/traces/$traceId"
          params={{ traceId: row.traceId }}
          search={row.spanId === null ? {} : { span: row.spanId }}
          title={`Open trace ${row.traceId}`}
          className="font-mono text-sm text-accent hover:underline"
        >
          {row.traceId.slice(0, 8)}
        </Link>
      ),
  },
  { id: 'event', label: 'Event', width: 160, shown: false, cell: (row) => textCell(row.eventName) },
  {
    id: 'environment',
    label: 'Environment',
    width: 110,
    shown: false,
    cell: (row) => textCell(row.environment),
  },
  { id: 'scope', label: 'Scope', width: 160, shown: false, cell: (row) => textCell(row.scopeName) },
  {
    id: 'severity_text',
    label: 'Severity text',
    width: 110,
    shown: false,
    cell: (row) => textCell(row.severityText),
  },
  { id: 'span', label: 'Span id', width: 150, shown: false, cell: (row) => textCell(row.spanId) },
];
