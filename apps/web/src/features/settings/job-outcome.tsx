import type { JobRunView } from '@candela/contract';
import { DASH, formatDuration } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';

const TONES = { ok: 'ok', failed: 'danger', lost: 'warn' } as const;

/** How a run ended and how long it took. */
export function JobOutcome({ run }: { run: JobRunView | null }) {
  if (run === null) return <span className="text-muted">{DASH}</span>;
  if (run.outcome === null) return <Badge tone="accent">running</Badge>;
  return (
    <>
      <Badge tone={TONES[run.outcome]}>{run.outcome}</Badge>{' '}
      {run.endedAt !== null && (
        <span className="text-muted">
          {formatDuration(Date.parse(run.endedAt) - Date.parse(run.startedAt))}
        </span>
      )}
    </>
  );
}
