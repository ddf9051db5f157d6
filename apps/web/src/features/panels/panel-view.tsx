import type { Frame, Panel } from '@candela/contract';
import { lazy, Suspense, useMemo } from 'react';
import { BarList } from '../../charts/visualise/bar-list.tsx';
import { Stat } from '../../charts/visualise/stat.tsx';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { cx } from '../../lib/cx.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { withModelNames } from '../../lib/models.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import {
  cellsOfFrame,
  figureOfFrame,
  isZeroWhereMissing,
  itemsOfFrame,
  partsOf,
  seriesOfFrame,
  type SharedLook,
  toneOf,
} from './prepare-frame.ts';

// Most pages draw none of these.
const SafeMarkdown = lazy(() => import('../../ui/markdown.tsx'));
const Heatmap = lazy(async () => ({ default: (await import('../../charts/visualise/heatmap.tsx')).Heatmap }));
const Pie = lazy(async () => ({ default: (await import('../../charts/visualise/pie.tsx')).Pie }));
const FrameTable = lazy(async () => ({ default: (await import('./frame-table.tsx')).FrameTable }));

export interface PanelViewProps {
  readonly title: string;
  readonly panel: Panel;
  readonly frame: Frame;
  readonly window: TimeWindow;
  /** Of the drawing, in pixels. */
  readonly height: number;
  readonly pending?: boolean;
  readonly onZoom?: ((window: TimeWindow) => void) | undefined;
  /** Where it is read together with other panels. */
  readonly shared?: SharedLook | undefined;
  /** Leads to the rows: of a bucket of time, of a group, or of all. */
  readonly onDrill?: ((at: { readonly window?: TimeWindow; readonly group?: string }) => void) | undefined;
}

/** Draws the answer of a panel by its visual: the one place that knows all types. */
export function PanelView(props: PanelViewProps) {
  return (
    <Suspense>
      <Visual {...props} />
    </Suspense>
  );
}

function Visual(props: PanelViewProps) {
  const { panel, frame, title, onDrill } = props;
  const { visual } = panel;
  switch (visual.type) {
    case 'markdown':
      return (
        <div className="overflow-auto" style={{ maxHeight: props.height }}>
          <SafeMarkdown text={String(frame.rows[0]?.[0] ?? '')} />
        </div>
      );
    case 'stat':
      return <OneFigure {...props} />;
    case 'table':
      return <FrameTable title={title} frame={frame} height={props.height} />;
    case 'heatmap':
      return <Heat {...props} />;
    case 'pie': {
      const items = itemsOfFrame(frame, visual);
      return (
        <Pie
          label={title}
          unit={partsOf(frame, visual).unit}
          height={props.height}
          slices={items.flatMap(({ key, label, value }) => (value === null ? [] : [{ key, label, value }]))}
          {...(onDrill ? { onChoose: (group: string) => onDrill({ group }) } : {})}
        />
      );
    }
    default:
      return partsOf(frame, visual).time === -1 ? <Ranked {...props} /> : <OverTime {...props} />;
  }
}

const TONES = { warn: 'text-warn', danger: 'text-danger', ok: 'text-ok' } as const;

function OneFigure({ panel: { visual }, frame, title, onDrill }: PanelViewProps) {
  const { value, previous } = figureOfFrame(frame, visual);
  const { unit } = partsOf(frame, visual);
  const tone = toneOf(value, visual.thresholds);
  return (
    <div className={cx('flex h-full items-center', tone !== undefined && TONES[tone])}>
      <Stat
        label=""
        value={
          visual.decimals === undefined || value === null ? value : Number(value.toFixed(visual.decimals))
        }
        unit={unit}
        previous={visual.compare === true ? (previous ?? null) : undefined}
        better={visual.better ?? 'neither'}
        {...(onDrill ? { onChoose: () => onDrill({}) } : {})}
      />
      {tone !== undefined && <span className="sr-only">{`${title}: ${tone}`}</span>}
    </div>
  );
}

function Ranked({ panel: { visual }, frame, title, height, onDrill }: PanelViewProps) {
  const { unit } = partsOf(frame, visual);
  const items = itemsOfFrame(frame, visual);
  return (
    <div className="overflow-y-auto" style={{ maxHeight: height }}>
      <BarList
        label={title}
        unit={unit}
        items={items.map(({ key, label, value, before }) => {
          const tone = toneOf(value, visual.thresholds);
          return {
            key,
            label,
            value,
            ...(tone === undefined ? {} : { tone }),
            ...(visual.compare === true && before != null
              ? {
                  note: <span title={exactValue(before, unit)}>{`before ${formatValue(before, unit)}`}</span>,
                }
              : {}),
          };
        })}
        total={frame.groups ?? items.length}
        {...(onDrill ? { onChoose: (group: string) => onDrill({ group }) } : {})}
      />
    </div>
  );
}

const KINDS = { bar: 'bars', area: 'area', line: 'line' } as const;
/** Room of the axis and the legend below the plot. */
const AXIS = 22;
const LEGEND = 22;

function OverTime(props: PanelViewProps) {
  const { panel, frame, onDrill } = props;
  const { visual, query } = panel;
  const { series, previous } = useMemo(() => {
    const made = seriesOfFrame(frame, visual);
    const isModel = frame.columns.some(({ name }) => name === 'model');
    return isModel ? { ...made, series: withModelNames(made.series, props.shared?.names) } : made;
  }, [frame, visual, props.shared]);
  // Groups of which nothing is known are not among those that are drawn: behind them are only others like them.
  const total = useMemo(() => {
    if (frame.groups === null || frame.groups <= series.length) return undefined;
    const { groups } = partsOf(frame, visual);
    const answered = new Set(frame.rows.map((row) => JSON.stringify(groups.map((at) => row[at])))).size;
    return series.length < answered ? undefined : frame.groups;
  }, [frame, visual, series]);
  const hasLegend = visual.legend ?? series.length > 1;
  const type =
    visual.type === 'bar' || visual.type === 'area' ? visual.type : visual.stacked === true ? 'area' : 'line';
  return (
    <TimeChart
      label={props.title}
      kind={KINDS[type]}
      stacked={visual.stacked !== false}
      {...(visual.thresholds ? { levels: visual.thresholds } : {})}
      unit={partsOf(frame, visual).unit}
      missing={isZeroWhereMissing(frame, visual, query.kind) ? 'zero' : 'gap'}
      series={series}
      {...(total === undefined ? {} : { total })}
      {...(props.shared === undefined ? {} : { colours: props.shared.colours })}
      {...(previous.length > 0 ? { previous } : {})}
      window={props.window}
      stepSeconds={frame.stepSeconds ?? 60}
      height={Math.max(60, props.height - AXIS - (hasLegend ? LEGEND : 0))}
      legend={hasLegend}
      pending={props.pending === true}
      {...(props.onZoom ? { onZoom: props.onZoom } : {})}
      {...(onDrill
        ? {
            onDrill: (window: TimeWindow, group: string | undefined) =>
              onDrill({ window, ...(group === undefined ? {} : { group }) }),
          }
        : {})}
    />
  );
}

function Heat({ title, panel: { visual }, frame, window, height, pending, onZoom }: PanelViewProps) {
  const cells = useMemo(() => cellsOfFrame(frame), [frame]);
  return (
    <Heatmap
      label={title}
      cells={cells}
      window={window}
      stepSeconds={frame.stepSeconds ?? 60}
      unit={visual.unit ?? frame.columns[1]?.unit ?? ''}
      noun="measurements"
      height={Math.max(60, height - AXIS)}
      pending={pending === true}
      {...(onZoom ? { onSelect: ({ fromMs, toMs }: TimeWindow) => onZoom({ fromMs, toMs }) } : {})}
    />
  );
}
