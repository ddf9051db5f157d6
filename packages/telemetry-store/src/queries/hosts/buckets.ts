import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { SELDOM, usualGapSql } from './fresh.ts';
import { type HostKey, points } from './sources.ts';

const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
];
const WANTED = 120;
const DEFAULT_INTERVAL = 60;
const SECOND = 1_000_000_000n;
const USUAL = [
  'system.memory.usage',
  'system.cpu.logical.count',
  'hw.gpu.memory.limit',
  'hw.gpu.utilization',
];

/** Equal steps over a window, the first beginning at or before it. */
export interface Buckets {
  readonly seconds: number;
  /** Number of the first bucket, counted from the epoch. */
  readonly first: bigint;
  readonly count: number;
  /** Starts in epoch milliseconds. */
  readonly times: readonly number[];
}

/** About `WANTED` buckets of at least so many seconds. */
export function bucketsOf(window: Window, least: number, wanted = WANTED): Buckets {
  const span = Number((window.to - window.from) / SECOND) + 1;
  const wish = Math.max(least, span / wanted);
  const seconds = STEPS.find((step) => step >= wish) ?? Math.ceil(wish / 86_400) * 86_400;
  const width = BigInt(seconds) * SECOND;
  const first = window.from / width;
  const count = Number((window.to - 1n) / width - first) + 1;
  return {
    seconds,
    first,
    count,
    times: Array.from({ length: count }, (_, index) => Number(first + BigInt(index)) * seconds * 1_000),
  };
}

/** Expression of a point's bucket, counted from the first. */
export const bucketSql = (buckets: Buckets): string =>
  `toInt32(intDiv(toUnixTimestamp64Nano(TimeUnix), ${BigInt(buckets.seconds) * SECOND}) - ${buckets.first})`;

/** How many seconds lie between two reports of a host: narrower buckets would be half empty. */
export async function reportInterval(
  run: Runner,
  context: RequestContext,
  window: Window,
  host: HostKey,
): Promise<number> {
  const from = window.to - 3_600n * SECOND;
  const recent = { from: from > window.from ? from : window.from, to: window.to };
  const gapOf = async (metrics: readonly string[]): Promise<number> => {
    const scope = points(context, metrics, recent, host);
    const [row] = await run.run<{ Gap: number }>(
      scope,
      `SELECT max(Each) AS Gap FROM (
       SELECT arraySort(groupUniqArray(2000)(toUnixTimestamp(TimeUnix))) AS At,
         ${usualGapSql('At')} AS Each
       ${scope.from} GROUP BY Agent, MetricName
     )`,
    );
    return Number(row?.Gap ?? 0);
  };
  return (await gapOf(USUAL)) || (await gapOf(SELDOM)) || DEFAULT_INTERVAL;
}
