import { cx } from '../../lib/cx.ts';
import { rulerMarks } from './ruler-marks.ts';
import type { Focus } from './trace-search.ts';

/** Round times above the bars of the spans; as wide as the bars' own place. */
export function TimeRuler({
  focus,
  most = 4,
  className,
}: {
  focus: Focus;
  most?: number;
  className?: string;
}) {
  return (
    <div aria-hidden data-testid="time-ruler" className={cx('relative h-5 text-xs text-faint', className)}>
      {rulerMarks(focus, most).map(({ share, label }) => (
        <span
          key={label}
          className="absolute h-full border-l border-line pl-1 whitespace-nowrap"
          style={{ left: `${share * 100}%` }}
        >
          {label}
        </span>
      ))}
    </div>
  );
}
