import type { LogRow } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { logContextQuery } from '../../api/logs.ts';
import { cx } from '../../lib/cx.ts';
import { formatIso, formatTime } from '../../lib/format.ts';
import { leadOn } from '../../lib/lead-on.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Failure, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { Line } from './columns.tsx';
import { SeverityLabel } from './severity.tsx';

const FIRST_LINES = 20;
const MOST_LINES = 200;

/** The lines of the same instance around a record. */
export function LogContext({ id, onOpen }: { id: string; onOpen: (row: LogRow) => void }) {
  const [lines, setLines] = useState(FIRST_LINES);
  const zone = zonePreference.use();
  const query = useQuery({ ...logContextQuery(id, lines), placeholderData: keepPreviousData });
  const own = useRef<HTMLLIElement>(null);
  /** Whether a line of the list was opened: it is the record then, and no button any more. */
  const walked = useRef(false);
  const loaded = query.data !== undefined && !query.isPlaceholderData;
  useEffect(() => {
    if (!loaded) return;
    own.current?.scrollIntoView({ block: 'center' });
    if (walked.current) own.current?.focus({ preventScroll: true });
    walked.current = false;
  }, [loaded, id, lines]);
  const open = (row: LogRow) => {
    walked.current = true;
    onOpen(row);
  };
  if (query.isPending) return <SkeletonRows rows={10} label="Loading the lines around it" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const { before, log, after, instance } = query.data;
  const dayOf = (row: LogRow) => formatTime(Date.parse(row.timestamp), zone).slice(0, 6);
  const day = new Set([...before, log, ...after].map(dayOf)).size > 1;
  const isMore = lines < MOST_LINES && (before.length >= lines || after.length >= lines);
  return (
    <div
      aria-busy={query.isPlaceholderData}
      className={cx('flex flex-col gap-2 p-3', query.isPlaceholderData && 'opacity-60')}
    >
      <NotRefreshed error={query.error} onRetry={() => void query.refetch({ cancelRefetch: false })} />
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
            leadOn(event.currentTarget, () => own.current);
            setLines(Math.min(MOST_LINES, lines * 3));
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
  onOpen?: (row: LogRow) => void;
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
          onClick={() => onOpen(row)}
          className="flex w-full items-center gap-2 px-2 py-0.5 text-left hover:bg-hover"
        >
          {text}
        </button>
      )}
    </li>
  );
}
