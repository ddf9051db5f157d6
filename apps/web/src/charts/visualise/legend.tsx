import { cx } from '../../lib/cx.ts';
import { exact } from '../../lib/format.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { PreparedChart, PreparedSeries } from '../prepare/time-chart.ts';

/** Names of the series; pointing at one fades the others, a click shows it alone. */
export function Legend(props: {
  chart: PreparedChart;
  noun: string;
  /** Names a single series too. */
  always?: boolean;
  solo: string | undefined;
  onSolo: (key: string | undefined) => void;
  onPoint: (key: string | undefined) => void;
}) {
  const { chart, solo } = props;
  if (chart.series.length < (props.always === true ? 1 : 2) && chart.hidden === 0) return null;
  // Its share of the line, however long it is: of many series enough to tell them apart.
  const widest = `min(100%, max(14rem, ${100 / chart.series.length}% - 0.25rem))`;
  return (
    <ul
      className="flex max-h-12 flex-wrap gap-x-1 overflow-y-auto text-sm max-sm:max-h-24"
      aria-label={`Legend: ${props.noun}`}
    >
      {/* First: however narrow it is, it says that there are more. */}
      {chart.hidden > 0 && (
        <li className="flex h-6 items-center px-1 text-faint">
          {chart.series.length} of {exact(chart.total)}
        </li>
      )}
      {chart.series.map((series) => (
        <li key={series.key} className="min-w-0" style={{ maxWidth: widest }}>
          <button
            type="button"
            aria-pressed={solo === series.key}
            title={`${series.title}: ${solo === series.key ? 'show all' : 'show alone'}`}
            onClick={() => props.onSolo(solo === series.key ? undefined : series.key)}
            onPointerEnter={() => props.onPoint(series.key)}
            onPointerLeave={() => props.onPoint(undefined)}
            onFocus={() => props.onPoint(series.key)}
            onBlur={() => props.onPoint(undefined)}
            className={cx(
              'flex h-6 max-w-full items-center gap-1.5 rounded px-1 hover:bg-hover aria-pressed:bg-selected',
              solo !== undefined && solo !== series.key ? 'text-faint' : 'text-muted hover:text-text',
            )}
          >
            <Swatch series={series} />
            <MiddleTruncation name={series.label} title="" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The colour of a series; hollow for one of several of the same colour. */
export function Swatch({ series }: { series: Pick<PreparedSeries, 'colour' | 'twin'> }) {
  return (
    <span
      data-mark
      className="size-2 shrink-0 rounded-xs border"
      style={{ borderColor: series.colour, ...(series.twin === 0 ? { background: series.colour } : {}) }}
      aria-hidden
    />
  );
}
