import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { gpuCurvesPath } from '../../api/hosts.ts';
import { metricQuery, questionBody } from '../../api/metrics.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { valueTerm } from '../explore/filter-term.ts';
import { linesOf } from '../metrics/explore-series.ts';
import { useShell } from '../shell/shell-search.ts';
import { CurveCard, type CurveSource, GUTTER } from './curve-card.tsx';
import { type Name, prepareCurves } from './curves.ts';

const WORDS: Readonly<Record<string, string>> = {
  sm: 'multiprocessors active',
  occupancy: 'multiprocessors full',
  engine: 'graphics engine active',
  memory_bandwidth: 'memory bandwidth used',
  simd: 'SIMD units used',
};
const inWords: Name = ({ part }) => ({ key: part, label: WORDS[part] ?? part });

const PIPES = {
  metric: 'hw.gpu.pipe.utilization',
  aggregation: 'avg',
  groupBy: ['attributes.hw.gpu.pipe'],
} as const;

/** What only a profiling library or a performance monitor tells of a GPU; nothing where there is none. */
export function GpuActivity(props: { source: CurveSource; host: string; gpu: string }) {
  const { source, host, gpu } = props;
  const { setRange } = useShell();
  const { window, environment } = source;
  const activity = prepareCurves(source.query.data, 'gpu_activity');
  const scope = useMemo(
    () => ({
      window,
      environment,
      q: `${valueTerm('resource.host.name', host)} ${valueTerm('attributes.hw.id', gpu)}`,
    }),
    [window, environment, host, gpu],
  );
  const pipes = useQuery({
    ...metricQuery(scope, PIPES),
    placeholderData: keepPreviousData,
    enabled: !activity.isEmpty,
  });
  const series = useMemo(
    () => (pipes.data === undefined ? [] : linesOf(pipes.data, undefined)),
    [pipes.data],
  );
  if (activity.isEmpty) return null;
  return (
    <>
      <CurveCard
        source={{ ...source, pathOf: (chart, range) => gpuCurvesPath(host, gpu, chart, range) }}
        chart="gpu_activity"
        title="Inside the GPU"
        note="how busy its parts were"
        name={inWords}
      />
      {series.length > 0 && (
        <ChartCard
          title="Pipes"
          note="share of time each was active"
          state={pipes}
          height={120}
          query={{
            path: addressOf('queryMetric'),
            body: questionBody(scope, PIPES),
            environment,
          }}
        >
          <TimeChart
            label="Pipes"
            kind="line"
            unit="1"
            series={series}
            window={window}
            stepSeconds={pipes.data?.stepSeconds ?? 60}
            height={120}
            gutter={GUTTER}
            onZoom={(chosen) =>
              setRange({
                from: new Date(chosen.fromMs).toISOString(),
                to: new Date(chosen.toMs).toISOString(),
              })
            }
          />
        </ChartCard>
      )}
    </>
  );
}
