import type { LogRow } from '@candela/contract';
import { cx } from '../../lib/cx.ts';

export type LogSeverity = LogRow['severity'];

const LOOKS: Record<LogSeverity, { label: string; look: string; bar: string }> = {
  fatal: { label: 'Fatal', look: 'bg-danger-soft text-danger font-semibold', bar: 'bg-danger' },
  error: { label: 'Error', look: 'text-danger font-medium', bar: 'bg-danger' },
  warn: { label: 'Warn', look: 'text-warn font-medium', bar: 'bg-warn' },
  info: { label: 'Info', look: 'text-text', bar: 'bg-faint' },
  debug: { label: 'Debug', look: 'text-muted', bar: 'bg-line-strong' },
  trace: { label: 'Trace', look: 'text-muted', bar: 'bg-line-strong' },
  unset: { label: 'None', look: 'text-muted', bar: 'bg-line-strong' },
};

/** A severity by its name and its colour; what the sender called it is the title. */
export function SeverityLabel({ severity, text }: { severity: LogSeverity; text: string | null }) {
  const { label, look, bar } = LOOKS[severity];
  const title = severity === 'unset' ? 'The record names no severity' : `Severity ${text ?? label}`;
  return (
    <span title={title} className="flex items-center gap-1.5">
      <span aria-hidden data-mark className={cx('h-4 w-1 rounded-sm', bar)} />
      <span className={cx('rounded px-1 text-sm', look)}>{label}</span>
    </span>
  );
}
