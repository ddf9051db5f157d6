import type { AlertEvent, AlertStatus } from '@candela/contract';
import { Badge } from '../../ui/badge.tsx';

const TONES = {
  ok: 'ok',
  resolved: 'ok',
  pending: 'warn',
  firing: 'danger',
  no_data: 'warn',
  error: 'danger',
  occurred: 'accent',
} as const;
const WORDS = {
  ok: 'ok',
  resolved: 'resolved',
  pending: 'pending',
  firing: 'firing',
  no_data: 'no data',
  error: 'error',
  occurred: 'new',
} as const;

/** The state of an alert, of a group, or what happened to it. */
export function StateBadge({ status }: { status: AlertStatus | AlertEvent['status'] }) {
  return <Badge tone={TONES[status]}>{WORDS[status]}</Badge>;
}

/** Labels of a group in one line. */
export function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  const all = Object.entries(labels);
  if (all.length === 0) return <span className="text-muted">all</span>;
  return (
    <span
      className="inline-block max-w-96 truncate align-bottom"
      title={all.map((one) => one.join(' = ')).join('\n')}
    >
      {all.map(([label, value]) => (
        <span key={label} className="mr-2">
          <span className="text-muted">{label} </span>
          {value === '' ? '(empty)' : value}
        </span>
      ))}
    </span>
  );
}
