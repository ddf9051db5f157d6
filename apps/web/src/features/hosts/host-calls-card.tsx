import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { hostCallsPath, hostCallsQuery } from '../../api/hosts.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { valueTerm } from '../explore/filter-term.ts';
import { useShell } from '../shell/shell-search.ts';
import { GUTTER } from './curve-card.tsx';
import { seriesOf } from './curves.ts';

/** Model calls of the host on the same time axis. */
export function HostCallsCard({ host, environment }: { host: string; environment: string | undefined }) {
  const { window, range, setRange } = useShell();
  const scope = useMemo(() => ({ window, environment }), [window, environment]);
  const calls = useQuery({ ...hostCallsQuery(scope, host), placeholderData: keepPreviousData });
  const { data } = calls;
  const series = useMemo(
    () =>
      data === undefined
        ? []
        : [
            seriesOf('calls', 'calls', data.times, data.callsPerSecond),
            { ...seriesOf('failed', 'failed', data.times, data.errorsPerSecond), tone: 'danger' as const },
          ],
    [data],
  );
  return (
    <ChartCard
      title="Model calls of this host"
      state={calls}
      isEmpty={data?.total.calls === 0}
      empty="No model call came from this host."
      height={120}
      query={{
        path: hostCallsPath(host, range),
        environment,
        rows: { to: '/traces', search: { view: 'spans', q: valueTerm('resource.host.name', host) } },
      }}
    >
      <TimeChart
        label="Model calls a second"
        kind="line"
        unit="{call}/s"
        missing="zero"
        series={series}
        window={window}
        stepSeconds={data?.bucketSeconds ?? 60}
        height={120}
        gutter={GUTTER}
        onZoom={(chosen) =>
          setRange({ from: new Date(chosen.fromMs).toISOString(), to: new Date(chosen.toMs).toISOString() })
        }
      />
    </ChartCard>
  );
}
