import type { ROUTES, ResponseOf } from '@candela/contract';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';

type Day = ResponseOf<typeof ROUTES.trendFindings>['data'][number];

/** Open findings by day, with those that came and those that were fixed. */
export default function Trend({ days }: { days: readonly Day[] }) {
  const times = days.map(({ day }) => Date.parse(day));
  const line = (key: 'open' | 'found' | 'fixed', label: string, tone: 'accent' | 'danger' | 'ok') => ({
    key,
    label,
    tone,
    points: days.map((one, at) => ({ timeMs: times[at] ?? 0, value: one[key] })),
  });
  return (
    <section aria-label="Trend" className="min-w-0 rounded-md border border-line p-2">
      <TimeChart
        label="Findings over the last 30 days"
        series={[
          line('open', 'Open', 'accent'),
          line('found', 'Found', 'danger'),
          line('fixed', 'Fixed', 'ok'),
        ]}
        window={{ fromMs: times[0] ?? 0, toMs: (times.at(-1) ?? 0) + 86_400_000 }}
        stepSeconds={86_400}
        kind="line"
        unit=""
        missing="zero"
        legend
        onZoom={() => undefined}
      />
    </section>
  );
}
