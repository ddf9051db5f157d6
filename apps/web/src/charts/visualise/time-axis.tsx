import { formatTick } from '../../lib/format.ts';
import type { PreparedChart } from '../prepare/time-chart.ts';

/** Round times below a plot. */
export function TimeAxis(props: {
  chart: Pick<PreparedChart, 'ticks' | 'fromMs' | 'toMs'>;
  zone: 'local' | 'utc';
  width: number;
}) {
  const { ticks, fromMs, toMs } = props.chart;
  const spanMs = toMs - fromMs;
  // Each label needs its room; a narrow chart leaves some out.
  const every = Math.max(1, Math.ceil((ticks.length * 84) / Math.max(1, props.width)));
  return (
    <div className="relative h-4 text-xs text-faint" aria-hidden>
      {ticks.map((tick, index) => {
        const at = (tick - fromMs) / spanMs;
        return index % every === 0 && at > 0.02 && at < 0.97 ? (
          <span
            key={tick}
            className="absolute -translate-x-1/2 whitespace-nowrap"
            style={{ left: `${at * 100}%` }}
          >
            {formatTick(tick, spanMs, props.zone)}
          </span>
        ) : null;
      })}
    </div>
  );
}
