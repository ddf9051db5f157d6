import type { LogRow } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { logContextQuery } from '../../api/logs.ts';
import { cx } from '../../lib/cx.ts';
import { formatIso, formatTime } from '../../lib/format.ts';
import { transferFocus } from '../../lib/transfer-focus.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Failure, FailureLine, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { Line } from './log-line.tsx';
import { SeverityLabel } from './severity.tsx';

const FIRST_LINES = 20;
const MOST_LINES = 200;

/** The lines of the same instance around a record. */
export function LogContext({ id, onOpen }: { id: string; onOpen: (row: LogRow) => void }) {
  // Another record begins with few lines again.
  const [asked, setAsked] = useState({ id, lines: FIRST_LINES });
  const lines = asked.id === id ? asked.lines : FIRST_LINES;
  const zone = zonePreference.use();
  const query = useQuery({ ...logContextQuery(id, lines), placeholderData: keepPreviousData });
  const standing = useStaleData(query, id);
  const own = useRef<HTMLLIElement>(null);
  const loaded = query.data !== undefined && !query.isPlaceholderData;
  useEffect(() => {
    if (loaded) own.current?.scrollIntoView({ block: 'center' });
  }, [loaded, id, lines]);
  /** What is pressed goes: an opened line is the record then, and no button any more. */
  const toRecord = (event: MouseEvent) => transferFocus(event.currentTarget, () => own.current);
  const open = (row: LogRow, event: MouseEvent) => {
    toRecord(event);
    onOpen(row);
  };
  if (standing.isPending) return <SkeletonRows rows={10} label="Loading the lines around it" />;
  if (standing.data === undefined) return <Failure error={standing.error} onRetry={standing.refetch} />;
  const { before, log, after, instance } = standing.data;
  const dayOf = (row: LogRow) => formatTime(Date.parse(row.timestamp), zone).slice(0, 6);
  const day = new Set([...before, log, ...after].map(dayOf)).size > 1;
  const isMore = lines < MOST_LINES && (before.length >= lines || after.length >= lines);
  return (
    <div
      aria-busy={query.isPlaceholderData}
      className={cx('flex flex-col gap-2 p-3', query.isPlaceholderData && 'opacity-60')}
    >
      {query.isLoadingError ? (
        <FailureLine what="More lines" error={standing.missed} onRetry={standing.refetch} />
      ) : (
        <NotRefreshed error={standing.missed} onRetry={standing.refetch} />
      )}
      <p className="text-sm text-muted">
        Lines of <span className="text-text">{log.service || 'a service without a name'}</span>
        {instance.length > 0 && ` with ${instance.map(({ key, value }) => `${key} ${value}`).join(', ')}`}, up
        to a day away.
      </p>
      <ol aria-label="Lines around the record" className="rounded-md border border-line bg-surface py-1">
        {before.length === 0 && <li className="px-2 text-sm text-muted">No line before it.</li>}
        {before.map((row) => (
          <ContextLine key={row.id} row={row} onOpen={open} day={day} />
        ))}
        <ContextLine row={log} own={own} day={day} />
        {after.map((row) => (
          <ContextLine key={row.id} row={row} onOpen={open} day={day} />
        ))}
        {after.length === 0 && <li className="px-2 text-sm text-muted">No line after it.</li>}
      </ol>
      {isMore && (
        <Button
          className="self-center"
          onClick={(event) => {
            toRecord(event);
            setAsked({ id, lines: Math.min(MOST_LINES, lines * 3) });
          }}
        >
          More lines
        </Button>
      )}
    </div>
  );
}

function ContextLine(props: {
  row: LogRow;
  own?: React.RefObject<HTMLLIElement | null>;
  onOpen?: (row: LogRow, event: MouseEvent) => void;
  /** Lines of several days are told with their day. */
  day: boolean;
}) {
  const { row, own, onOpen } = props;
  const zone = zonePreference.use();
  const ms = Date.parse(row.timestamp);
  const text = (
    <>
      <span className="shrink-0 font-mono text-sm text-muted" title={formatIso(ms)}>
        {formatTime(ms, zone).slice(props.day ? 0 : 7)}
      </span>
      <span className="w-16 shrink-0">
        <SeverityLabel severity={row.severity} text={row.severityText} />
      </span>
      <span className="min-w-0 grow truncate">
        <Line row={row} />
      </span>
    </>
  );
  return (
    <li
      ref={own}
      tabIndex={own ? -1 : undefined}
      aria-current={own ? 'true' : undefined}
      className={cx(own && 'bg-selected')}
    >
      {onOpen === undefined ? (
        <div className="flex items-center gap-2 px-2 py-0.5">{text}</div>
      ) : (
        <button
          type="button"
          onClick={(event) => onOpen(row, event)}
          className="flex w-full items-center gap-2 px-2 py-0.5 text-left hover:bg-hover"
        >
          {text}
        </button>
      )}
    </li>
  );
}
