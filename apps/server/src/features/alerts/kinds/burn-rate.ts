import type { AlertQuery } from '@candela/contract';
import type { LevelKind } from './kind.ts';
import { keyOf, measure } from './measure.ts';

const HOUR = 3_600_000;
/**
 * Factors and windows of a 30-day objective: both windows of a pair must burn. After the SRE workbook, chapter
 * "Alerting on SLOs", table 5-8.
 */
const PAIRS = [
  { factor: 14.4, long: HOUR, short: HOUR / 12 },
  { factor: 6, long: 6 * HOUR, short: HOUR / 2 },
  { factor: 1, long: 72 * HOUR, short: 6 * HOUR },
] as const;
/** Beyond 1 a pair burns faster than its factor. */
const CONDITION = { op: '>=', value: 1, recovery: 0.9 } as const;

/** An error budget that is spent too fast: the worst pair, as a multiple of its factor. */
export const burnRate: LevelKind<'burn_rate'> = {
  mode: 'level',
  async read(sources, { q, objective, groupBy }, asked) {
    const query: AlertQuery = {
      kind: 'aggregate',
      body: {
        signal: 'spans',
        ...(q === undefined ? {} : { q }),
        groupBy,
        measures: ['error_rate'],
        limit: 50,
        comparePrevious: false,
      },
    };
    const over = (length: number) =>
      measure(sources, query, { ...asked, from: asked.end - length, to: asked.end });
    const windows = await Promise.all(
      PAIRS.map(async ({ factor, long, short }) => {
        const [slow, fast] = await Promise.all([over(long), over(short)]);
        return { factor, slow, fast: new Map(fast.all.map((one) => [keyOf(one.labels), one.value ?? 0])) };
      }),
    );
    const worst = new Map<
      string,
      { labels: (typeof windows)[0]['slow']['all'][0]['labels']; value: number | null }
    >();
    for (const { factor, slow, fast } of windows) {
      for (const { labels, value, samples } of slow.all) {
        const key = keyOf(labels);
        const before = worst.get(key) ?? { labels, value: null };
        const enough = (samples ?? 0) > 0 && (samples ?? 0) >= asked.minSamples;
        const burn = enough ? Math.min(value ?? 0, fast.get(key) ?? 0) / (1 - objective) / factor : null;
        worst.set(key, {
          labels,
          value: burn === null ? before.value : Math.max(burn, before.value ?? 0),
        });
      }
    }
    return {
      readings: Array.from(worst.values(), (one) => ({ ...one, condition: CONDITION })),
      note: windows[0]?.slow.note,
    };
  },
};
