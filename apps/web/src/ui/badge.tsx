import type { ReactNode } from 'react';
import { cx } from '../lib/cx.ts';

type Tone = 'plain' | 'accent' | 'ok' | 'warn' | 'danger';

const TONES: Record<Tone, string> = {
  plain: 'border-line text-muted',
  accent: 'border-accent-fill/50 text-accent',
  ok: 'border-ok/40 text-ok',
  warn: 'border-warn/40 text-warn',
  danger: 'border-danger/40 text-danger',
};

/** A word about a row: its role, its state. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={cx('rounded border px-1.5 text-xs leading-5 whitespace-nowrap', TONES[tone])}>
      {children}
    </span>
  );
}
