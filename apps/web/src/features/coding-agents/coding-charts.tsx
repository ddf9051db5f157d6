import type { CodingPeriod } from '@candela/contract';
import type { ChartSeries } from '../../charts/prepare/time-chart.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import type { TimeWindow } from '../../lib/time-range.ts';

type Step = CodingPeriod['series'][number];

const COST = { main: 'Conversation', subagent: 'Sub-agents', side: 'Side calls' } as const;

/** Sessions, cost by what it served, and lines over time. */
export default function CodingCharts(props: { data: CodingPeriod; onZoom: (window: TimeWindow) => void }) {
  const { data } = props;
  const window = { fromMs: Date.parse(data.from), toMs: Date.parse(data.to) };
  const line = (key: string, label: string, read: (step: Step) => number): ChartSeries => ({
    key,
    label,
    points: data.series.map((step) => ({ timeMs: Date.parse(step.start), value: read(step) })),
  });
  const charts = [
    { title: 'Sessions', unit: '', series: [line('sessions', 'Sessions', (step) => step.sessions)] },
    {
      title: 'Cost',
      unit: 'USD',
      series: (['main', 'subagent', 'side'] as const).map((source) =>
        line(source, COST[source], (step) => step.costBySource[source]),
      ),
    },
    {
      title: 'Lines',
      unit: '',
      series: [
        line('added', 'Added', (step) => step.lines.added),
        line('removed', 'Removed', (step) => step.lines.removed),
      ],
    },
  ];
  return (
    <div className="grid gap-3 lg:grid-cols-3">
      {charts.map(({ title, unit, series }) => (
        <section key={title} aria-label={title} className="min-w-0 rounded-md border border-line p-2">
          <h2 className="mb-1 text-sm text-muted">{title}</h2>
          <TimeChart
            label={`${title} of coding agents over time`}
            series={series}
            window={window}
            stepSeconds={data.stepSeconds}
            kind="bars"
            unit={unit}
            missing="zero"
            legend={series.length > 1}
            onZoom={props.onZoom}
          />
        </section>
      ))}
    </div>
  );
}
