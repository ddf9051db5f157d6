import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ingestHealthQuery } from '../../api/ingest-health.ts';
import { Sparkline } from '../../charts/visualise/sparkline.tsx';
import { cx } from '../../lib/cx.ts';
import { exact, formatCount, formatDuration } from '../../lib/format.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { hourText, recordsWord, refusedText, sinceText } from '../ingest-health/words.ts';

/** Whether records arrive and go in, in one line. */
export function IngestStrip() {
  const { data, isLoadingError, isError } = useQuery(ingestHealthQuery());
  const frame =
    'flex min-h-9 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 rounded-md border border-line bg-surface px-3 py-1 text-sm';
  if (isLoadingError) return <p className={cx(frame, 'text-muted')}>Ingest health could not be read.</p>;
  if (!data)
    return <div role="status" aria-label="Loading ingest health" className="skeleton h-9 shrink-0" />;
  const { pipeline } = data;
  const now = Date.parse(data.now);
  const refused = refusedText(data.troubles, now);
  const lastHour = data.minutes.reduce((sum, minute) => sum + minute.accepted, 0);
  return (
    <section aria-label="Ingest health" className={frame}>
      <span className="flex items-center gap-1.5 font-medium">
        <StatusIcon status={data.state === 'ok' ? (refused.isRecent ? 'partly' : 'ok') : 'error'} />
        <Link to="/settings/ingest" className="hover:underline">
          Ingest
        </Link>
      </span>
      {data.reasons[0] !== undefined && (
        <span className="text-danger" title={data.reasons.join('\n')}>
          {data.reasons[0]}
          {data.reasons.length > 1 && ` and ${data.reasons.length - 1} more`}
        </span>
      )}
      <span className="flex items-center gap-2" title="Records accepted in each minute of the last hour">
        <Sparkline
          label="Records accepted a minute"
          values={data.minutes.map((minute) => minute.accepted)}
          kind="bars"
          width={120}
          height={18}
        />
        <span className="text-muted">
          {recordsWord(lastHour)} {hourText(data.since, now)}
        </span>
      </span>
      {data.signals.map((signal) => (
        <span key={signal.signal} className="text-muted">
          {signal.signal} <span className="text-text">{sinceText(signal.lastTime, now)}</span>
        </span>
      ))}
      <span className="text-muted" title="Age of the oldest request that is not yet in the store">
        lag <span className="text-text">{formatDuration(pipeline.lagMs)}</span>
      </span>
      <span className="text-muted" title={`${exact(pipeline.logBytes)} bytes of the write-ahead log`}>
        backlog <span className="text-text">{formatCount(pipeline.backlogRequests)}</span>
      </span>
      {isError && <span className="text-danger">Not up to date: the server does not answer.</span>}
      <Link
        to="/settings/ingest"
        className={cx('ml-auto hover:underline', refused.isRecent ? 'text-danger' : 'text-muted')}
      >
        {refused.text}
      </Link>
    </section>
  );
}
