import { CircleAlert, CircleCheck, CircleDashed, CircleDot } from 'lucide-react';

type Outcome = 'ok' | 'error' | 'partly' | 'running';

/** Outcome by shape and colour; `partly` is a success with failures inside, `running` has no outcome yet. */
export function StatusIcon({ status }: { status: Outcome }) {
  if (status === 'error')
    return <CircleAlert size={14} role="img" aria-label="Failed" className="shrink-0 text-danger" />;
  if (status === 'running')
    return <CircleDashed size={14} role="img" aria-label="No end yet" className="shrink-0 text-muted" />;
  if (status === 'partly')
    return (
      <CircleDot
        size={14}
        role="img"
        aria-label="Succeeded with failures inside"
        className="shrink-0 text-warn"
      />
    );
  return <CircleCheck size={14} role="img" aria-label="Succeeded" className="shrink-0 text-ok" />;
}

/** How something went that failed or not, has an end or not, and may have failures inside. */
export function outcomeOf(one: {
  readonly status: string;
  readonly unfinished: boolean;
  readonly errorCount?: number;
}): Outcome {
  if (one.status === 'error') return 'error';
  if (one.unfinished) return 'running';
  return (one.errorCount ?? 0) > 0 ? 'partly' : 'ok';
}
