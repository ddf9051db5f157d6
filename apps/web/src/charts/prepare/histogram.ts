import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';

export interface HistogramRow {
  readonly timeMs: number;
  readonly count: number;
  readonly errors: number;
}

interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
  readonly errors: number;
}

export interface Histogram {
  /** One bar a bucket over the whole window; a bucket without rows truly counted nothing. */
  readonly bars: readonly Bar[];
  readonly stepMs: number;
  readonly highest: number;
  readonly total: number;
  readonly errors: number;
  /** Round times to write below the axis. */
  readonly ticks: readonly number[];
}

/** Lays counted buckets over the window, filling the gaps and leaving out what lies beyond it. */
export function prepareHistogram(
  rows: readonly HistogramRow[],
  window: TimeWindow,
  stepSeconds: number,
): Histogram {
  const stepMs = stepSeconds * 1_000;
  const first = Math.floor(window.fromMs / stepMs) * stepMs;
  const size = Math.max(1, Math.ceil((window.toMs - first) / stepMs));
  const counts = new Float64Array(size);
  const failed = new Float64Array(size);
  for (const row of rows) {
    const slot = Math.floor((row.timeMs - first) / stepMs);
    if (slot < 0 || slot >= size) continue;
    counts[slot] = (counts[slot] as number) + row.count;
    failed[slot] = (failed[slot] as number) + Math.min(row.errors, row.count);
  }
  const bars = Array.from(counts, (count, slot) => ({
    fromMs: first + slot * stepMs,
    toMs: first + (slot + 1) * stepMs,
    count,
    errors: failed[slot] as number,
  }));
  return {
    bars,
    stepMs,
    highest: counts.reduce((most, count) => Math.max(most, count), 0),
    total: counts.reduce((sum, count) => sum + count, 0),
    errors: failed.reduce((sum, count) => sum + count, 0),
    ticks: ticksOf(window),
  };
}

function ticksOf(window: TimeWindow): number[] {
  const step = bucketSeconds(window, 8) * 1_000;
  const ticks: number[] = [];
  for (let at = Math.ceil(window.fromMs / step) * step; at < window.toMs; at += step) ticks.push(at);
  return ticks;
}

/** The buckets between two positions (0..1) of a brush, whole buckets only; undefined when it is a mere click. */
export function brushed(histogram: Histogram, a: number, b: number): TimeWindow | undefined {
  const { bars } = histogram;
  const slot = (x: number) => Math.min(bars.length - 1, Math.max(0, Math.floor(x * bars.length)));
  const [low, high] = [slot(Math.min(a, b)), slot(Math.max(a, b))];
  const [first, last] = [bars[low], bars[high]];
  return first && last ? { fromMs: first.fromMs, toMs: last.toMs } : undefined;
}
