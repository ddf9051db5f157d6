import { cx } from '../../lib/cx.ts';
import { formatTick } from '../../lib/format.ts';
import type { PreparedChart } from '../prepare/time-chart.ts';
import { timeLabels } from '../prepare/time-labels.ts';

/** Round times below a plot. */
export function TimeAxis(props: {
  chart: Pick<PreparedChart, 'ticks' | 'fromMs' | 'toMs'>;
  zone: 'local' | 'utc';
  width: number;
}) {
  const spanMs = props.chart.toMs - props.chart.fromMs;
  return (
    <div className="relative h-4 text-xs text-faint" aria-hidden>
      {timeLabels(props.chart, props.width).map(({ tick, at, side }) => (
        <span
          key={tick}
          className={cx(
            'absolute whitespace-nowrap',
            side === 'start' ? 'left-0' : side === 'end' ? 'right-0' : '-translate-x-1/2',
          )}
          style={side === 'middle' ? { left: `${at * 100}%` } : {}}
        >
          {formatTick(tick, spanMs, props.zone)}
        </span>
      ))}
    </div>
  );
}
