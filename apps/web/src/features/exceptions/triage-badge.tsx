import type { ExceptionTriage } from '@candela/contract';
import { cx } from '../../lib/cx.ts';

const TITLES: Record<ExceptionTriage['status'], string> = {
  open: '',
  regressed: 'It was resolved and happened again',
  resolved: 'Resolved; it has not happened since',
  ignored: 'Ignored',
};

/** What was decided about a group; nothing for one that is open and nobody's. */
export function TriageBadge({ triage: { status, assignee } }: { triage: ExceptionTriage }) {
  return (
    <>
      {status !== 'open' && (
        <span
          title={TITLES[status]}
          className={cx(
            'shrink-0 rounded border border-line px-1 text-xs first-letter:capitalize',
            status === 'regressed' ? 'text-danger' : 'text-muted',
          )}
        >
          <span className="inline-block first-letter:capitalize">{status}</span>
        </span>
      )}
      {assignee !== null && (
        <span title={`Assigned to ${assignee}`} className="max-w-32 shrink-0 truncate text-xs text-muted">
          @<bdi>{assignee}</bdi>
        </span>
      )}
    </>
  );
}
