import { cx } from '../../lib/cx.ts';
import { formatTick } from '../../lib/format.ts';
import type { PreparedChart } from '../prepare/time-chart.ts';

/** Pixels that the longest label takes, with a little room. */
const LABEL = 84;

/** Round times below a plot. */
export function TimeAxis(props: {
  chart: Pick<PreparedChart, 'ticks' | 'fromMs' | 'toMs'>;
  zone: 'local' | 'utc';
  width: number;
}) {
  const { ticks, fromMs, toMs } = props.chart;
  const spanMs = toMs - fromMs;
  // Each label needs its room; a narrow chart leaves some out.
  const every = Math.max(1, Math.ceil((ticks.length * LABEL) / Math.max(1, props.width)));
  /** A label so near to an end of the plot would stand out over it. */
  const near = (share: number) => share * props.width < LABEL / 2;
  return (
    <div className="relative h-4 text-xs text-faint" aria-hidden>
      {ticks.map((tick, index) => {
        const at = (tick - fromMs) / spanMs;
        return index % every === 0 && at > 0.02 && at < 0.97 ? (
          <span
            key={tick}
            className={cx(
              'absolute whitespace-nowrap',
              near(1 - at) ? 'right-0' : near(at) ? 'left-0' : '-translate-x-1/2',
            )}
            style={near(at) || near(1 - at) ? {} : { left: `${at * 100}%` }}
          >
            {formatTick(tick, spanMs, props.zone)}
          </span>
        ) : null;
      })}
    </div>
  );
}
