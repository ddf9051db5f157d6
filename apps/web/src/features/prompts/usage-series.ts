import type { PromptUsage } from '@candela/contract';
import type { ChartSeries } from '../../charts/prepare/time-chart.ts';

/** Fetches by day, one series a version or a source, the largest first. */
export function usageSeries(rows: PromptUsage['rows'], by: 'version' | 'source'): ChartSeries[] {
  const found = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const days = found.get(row[by]) ?? new Map<string, number>();
    found.set(row[by], days.set(row.day, (days.get(row.day) ?? 0) + row.count));
  }
  const sum = (days: ReadonlyMap<string, number>) =>
    [...days.values()].reduce((total, count) => total + count, 0);
  return [...found]
    .toSorted(([a, one], [b, other]) => sum(other) - sum(one) || a.localeCompare(b))
    .map(([key, days]) => ({
      key: `${by} ${key}`,
      label: key,
      points: [...days]
        .map(([day, value]) => ({ timeMs: Date.parse(`${day}T00:00:00Z`), value }))
        .toSorted((a, b) => a.timeMs - b.timeMs),
    }));
}
