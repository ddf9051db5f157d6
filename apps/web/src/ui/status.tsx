import { CircleAlert, CircleCheck, CircleDot } from 'lucide-react';

/** Outcome by shape and colour; `partly` is a success with failures inside. */
export function StatusIcon({ status }: { status: 'ok' | 'error' | 'partly' }) {
  if (status === 'error')
    return <CircleAlert size={14} role="img" aria-label="Failed" className="text-danger" />;
  if (status === 'partly')
    return (
      <CircleDot size={14} role="img" aria-label="Succeeded with failures inside" className="text-warn" />
    );
  return <CircleCheck size={14} role="img" aria-label="Succeeded" className="text-ok" />;
}
