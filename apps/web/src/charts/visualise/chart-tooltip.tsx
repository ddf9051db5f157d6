import { formatTime, type Zone } from '../../lib/format.ts';
import { tipValue } from '../../lib/format-value.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { PreparedChart, PreparedSeries } from '../prepare/time-chart.ts';
import { BesidePlace } from './beside-place.tsx';
import { Swatch } from './legend.tsx';

/** Both ends of a step: `20 Nov 10:30:00` and `10:35:00`, over midnight `20 Nov 23:55:00` and `21 Nov 00:00:00`. */
function stepEnds(chart: PreparedChart, step: number, zone: Zone): readonly [string, string] {
  const fromMs = chart.fromMs + step * chart.stepMs;
  const from = formatTime(fromMs, zone).slice(0, -4);
  const to = formatTime(fromMs + chart.stepMs, zone).slice(0, -4);
  const day = from.slice(0, from.lastIndexOf(' '));
  return [from, to.startsWith(`${day} `) ? to.slice(day.length + 1) : to];
}

/** The values of a step, as drawn from above to below. */
function stepValues(chart: PreparedChart, step: number): { series: PreparedSeries; value: number }[] {
  const found = chart.series.flatMap((series) => {
    const value = series.values[step];
    return value === null || value === undefined ? [] : [{ series, value }];
  });
  return chart.stacked ? found.reverse() : found.sort((a, b) => b.value - a.value);
}

/** What the period before has at a step: of series that this one has, too, by their key, and those that only it has. */
function stepBefore(chart: PreparedChart, step: number) {
  const keys = new Set(chart.series.map((series) => series.key));
  const valueOf = (series: PreparedSeries) => series.values[step] ?? null;
  return {
    byKey: new Map(chart.previous.map((series) => [series.key, valueOf(series)])),
    alone: chart.previous
      .filter((series) => !keys.has(series.key))
      .map((series) => ({ series, value: valueOf(series) })),
  };
}

/** The same step for those who hear it: all that the tooltip shows. */
export function stepSpoken(chart: PreparedChart, step: number, unit: string, zone: Zone): string {
  const before = stepBefore(chart, step);
  const rows = stepValues(chart, step).map(({ series, value }) => {
    const old = before.byKey.get(series.key) ?? null;
    return `${series.label} ${tipValue(value, unit)}${old === null ? '' : `, was ${tipValue(old, unit)}`}`;
  });
  return [
    stepEnds(chart, step, zone).join(' – '),
    ...before.alone.map(({ series, value }) => `${series.label} ${tipValue(value, unit)}`),
    ...(rows.length === 0 ? ['nothing measured'] : rows),
  ].join(', ');
}

/** Exact values of the pointed step, beside the pointer. */
export function ChartTooltip(props: {
  chart: PreparedChart;
  step: number;
  unit: string;
  zone: Zone;
  /** 0..1 over the plot. */
  at: number;
  /** The series nearest to the pointer. */
  pointed: string | undefined;
}) {
  const { chart, step, unit } = props;
  const rows = stepValues(chart, step);
  const total =
    chart.stacked && rows.length > 1 ? rows.reduce((sum, { value }) => sum + value, 0) : undefined;
  const before = stepBefore(chart, step);
  const [from, to] = stepEnds(chart, step, props.zone);
  return (
    <BesidePlace from={props.at} to={props.at} testId="chart-tooltip">
      <p className="text-muted">
        <span className="whitespace-nowrap">{from} –</span> <span className="whitespace-nowrap">{to}</span>
      </p>
      {total !== undefined && (
        <p className="flex">
          <span>total</span>
          <span className="ml-auto pl-3">{tipValue(total, unit)}</span>
        </p>
      )}
      {before.alone.map(({ series, value }) => (
        <p key={series.key} className="flex text-muted">
          <span>{series.label}</span>
          <span className="ml-auto pl-3">{tipValue(value, unit)}</span>
        </p>
      ))}
      {rows.length === 0 && <p className="text-muted">nothing measured</p>}
      {rows.map(({ series, value }) => {
        const old = before.byKey.get(series.key);
        return (
          <p key={series.key} className="flex items-baseline gap-1.5">
            <Swatch series={series} />
            <MiddleTruncation
              name={series.label}
              className={props.pointed === series.key ? 'font-medium' : undefined}
            />
            <span className="ml-auto pl-3 whitespace-nowrap">
              {tipValue(value, unit)}
              {old !== undefined && old !== null && (
                <span className="text-muted"> was {tipValue(old, unit)}</span>
              )}
            </span>
          </p>
        );
      })}
    </BesidePlace>
  );
}
