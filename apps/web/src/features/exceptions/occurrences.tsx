import type { ExceptionOccurrence } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { formatIso, formatTime } from '../../lib/format.ts';
import { quoted } from '../../lib/query-text.ts';
import { zonePreference } from '../../lib/zone.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { textCell } from '../explore/cells.tsx';
import { oneLine } from '../logs/log-text.ts';

const SOURCES: Record<ExceptionOccurrence['source'], { label: string; title: string }> = {
  event: { label: 'event', title: 'Recorded as an event of the span' },
  log: { label: 'log', title: 'Recorded in a log record' },
  status: { label: 'status', title: 'The span failed and names its error type; no exception was recorded' },
};

/** Every time it happened, newest first, with the way to the span, or to the log record where there is none. */
export function Occurrences({ rows }: { rows: readonly ExceptionOccurrence[] }) {
  const zone = zonePreference.use();
  const heads = ['Time', 'Span', 'Service', 'Version', 'Model', 'User', 'Message', 'Source'];
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Table of occurrences">
      <table className="w-full min-w-[56rem] table-fixed text-left">
        <colgroup>
          <col className="w-40" />
          <col className="w-38" />
          <col className="w-28" />
          <col className="w-18" />
          <col className="w-28" />
          <col className="w-24" />
          <col />
          <col className="w-15" />
        </colgroup>
        <thead className="text-sm text-muted">
          <tr className="border-b border-line">
            {heads.map((head) => (
              <th key={head} scope="col" className="px-2 py-1 font-normal">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const ms = Date.parse(row.timestamp);
            return (
              <tr key={row.id} className="border-b border-line/60 hover:bg-hover">
                <td className="truncate px-2 py-1 font-mono text-sm" title={formatIso(ms)}>
                  {formatTime(ms, zone)}
                </td>
                <td className="truncate px-2 py-1">
                  {row.traceId === null ? (
                    row.source === 'log' ? (
                      <LogLink service={row.service} ms={ms} />
                    ) : (
                      textCell(null)
                    )
                  ) : (
                    <Link
                      to="/traces/$traceId"
                      params={{ traceId: row.traceId }}
                      search={row.spanId === null ? {} : { span: row.spanId }}
                      title={`Open ${row.spanId === null ? 'the trace' : 'the span in its trace'}`}
                      className="text-accent hover:underline"
                    >
                      <MiddleTruncation name={row.spanName ?? row.traceId.slice(0, 8)} />
                    </Link>
                  )}
                </td>
                <td className="truncate px-2 py-1">{textCell(row.service)}</td>
                <td className="truncate px-2 py-1">{textCell(row.version)}</td>
                <td className="truncate px-2 py-1">{textCell(row.model)}</td>
                <td className="truncate px-2 py-1">
                  {row.userId === null || row.userId === '' ? (
                    textCell(null)
                  ) : (
                    <Link
                      to="/users/$user"
                      params={{ user: entityKey(row.userId) }}
                      title={`Open the user ${row.userId}`}
                      className="hover:underline"
                    >
                      <MiddleTruncation name={row.userId} title="" />
                    </Link>
                  )}
                </td>
                <td className="truncate px-2 py-1 text-muted" title={row.message}>
                  {oneLine(row.message)}
                </td>
                <td className="truncate px-2 py-1 text-sm text-muted" title={SOURCES[row.source].title}>
                  {SOURCES[row.source].label}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** To the record of an occurrence that no trace has: what its service logged as thrown in that second. */
function LogLink({ service, ms }: { service: string; ms: number }) {
  const second = Math.floor(ms / 1_000) * 1_000;
  return (
    <Link
      to="/logs"
      search={{
        q: `service:${quoted(service)} (attributes.exception.type:* or attributes.exception.message:*)`,
        from: new Date(second).toISOString(),
        to: new Date(second + 1_000).toISOString(),
      }}
      title="Open the log records of that second"
      className="text-accent hover:underline"
    >
      Log record
    </Link>
  );
}
