import type { HostCurves } from '@candela/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import type { TimeWindow } from '../../lib/time-range.ts';
import { ChartCard } from '../explore/chart-card.tsx';
import { useShell } from '../shell/shell-search.ts';
import { type Name, prepareCurves } from './curves.ts';

/** What all charts of a page share. */
export interface CurveSource {
  readonly query: UseQueryResult<HostCurves>;
  readonly window: TimeWindow;
  /** Path of the request for one chart. */
  readonly pathOf: (chart: string, range: { readonly from: string; readonly to: string }) => string;
  readonly environment: string | undefined;
}

/** Curves of all that a chart is about. */
const WHOLE: ReadonlySet<string> = new Set(['all', 'busy']);
/** Room for `768 MiB/s`: what stands below each other on a page has its times in one line. */
export const GUTTER = 68;

/** A chart of one set of curves, with the request behind it. */
export function CurveCard(props: {
  source: CurveSource;
  chart: string;
  title: string;
  note?: ReactNode;
  kind?: 'line' | 'area' | 'bars';
  name?: Name;
  empty?: string;
  height?: number;
  /** As of `TimeChart`. */
  gutter?: number;
  className?: string;
}) {
  const { source, chart, name } = props;
  const { setRange, range } = useShell();
  const { data } = source.query;
  const prepared = useMemo(() => prepareCurves(data, chart, name), [data, chart, name]);
  const height = props.height ?? 120;
  const [only] = prepared.series;
  // One curve alone is named too where it is one of several that there could be.
  const named = prepared.series.length === 1 && only !== undefined && !WHOLE.has(only.label);
  return (
    <ChartCard
      title={props.title}
      note={props.note}
      state={source.query}
      isEmpty={prepared.isEmpty}
      empty={props.empty ?? 'Not reported in this time range.'}
      height={height}
      {...(props.className === undefined ? {} : { className: props.className })}
      query={{
        path: source.pathOf(chart, { from: range.from, to: range.to }),
        environment: source.environment,
      }}
    >
      <TimeChart
        label={props.title}
        kind={props.kind ?? 'line'}
        unit={prepared.unit}
        series={prepared.series}
        window={source.window}
        stepSeconds={prepared.stepSeconds}
        height={height}
        gutter={props.gutter ?? GUTTER}
        {...(named ? { legend: true } : {})}
        onZoom={(chosen) =>
          setRange({ from: new Date(chosen.fromMs).toISOString(), to: new Date(chosen.toMs).toISOString() })
        }
      />
    </ChartCard>
  );
}
