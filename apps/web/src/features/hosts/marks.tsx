import { Flame, HardDrive, Radio, TriangleAlert, Wrench } from 'lucide-react';
import { cx } from '../../lib/cx.ts';
import type { Attention } from './attention.ts';

const ICONS = { silent: Radio, errors: TriangleAlert, hot: Flame, status: Wrench, full: HardDrive } as const;

/** What is wrong, as a shape and in words; the colour only repeats how bad. */
export function Marks({ list, most = 3 }: { list: readonly Attention[]; most?: number }) {
  return list.slice(0, most).map((one) => {
    const Icon = ICONS[one.what];
    return (
      <span
        key={`${one.what} ${one.text}`}
        title={one.text}
        className={cx(
          'flex min-w-0 items-center gap-1 text-xs',
          one.level === 'danger' ? 'text-danger' : 'text-warn',
        )}
      >
        <Icon size={11} aria-hidden className="shrink-0" />
        <span className="truncate">{one.text}</span>
      </span>
    );
  });
}
