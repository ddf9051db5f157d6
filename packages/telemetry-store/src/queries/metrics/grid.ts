import { LIST_LIMITS, METRIC_LIMITS } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { Window } from '../core/scope.ts';

const SECOND = 1_000_000_000n;

/** Steps that people read well, in seconds. */
const STEPS = [
  1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 900, 1_200, 1_800, 3_600, 7_200, 10_800, 14_400, 21_600,
  43_200, 86_400, 172_800, 432_000, 864_000, 1_728_000, 2_592_000, 7_776_000, 31_536_000,
];

/** Series times buckets that one query may hold. */
const MAX_CELLS = 4_000_000;

/** Which buckets are asked for. */
export interface Steps {
  /** Their width; undefined: a readable one. */
  readonly stepSeconds?: number | undefined;
  /** Where they begin, after the multiples of their width since 1970: the buckets of two periods so lie beside each other. Default 0. */
  readonly offsetMs?: number | undefined;
}

/** The buckets of an answer, aligned to UTC but for their offset. */
export interface Grid {
  readonly step: number;
  /** Nanoseconds from a multiple of the step to where a bucket begins: at least 0, less than the step. */
  readonly offset: bigint;
  readonly window: Window;
  /** Numbers of the first and last bucket: see {@link beginMs}. */
  readonly first: number;
  readonly last: number;
}

/**
 * The step asked for, or the smallest readable one that gives at most 300 buckets, holds two points of a series (one
 * bucket without a point would look like a gap) and keeps the work bounded. @throws bad_query
 */
export function gridOf(
  window: Window,
  asked: number | undefined,
  interval: number | null,
  series: number,
  offsetMs = 0,
): Grid {
  const seconds = Number(window.to - window.from) / 1e9;
  const most = Math.min(LIST_LIMITS.maxBuckets, Math.max(1, Math.floor(MAX_CELLS / Math.max(1, series))));
  if (asked !== undefined) {
    if (seconds / asked > most) {
      throw fail('bad_query', {
        detail: `${Math.round(seconds)} s in steps of ${asked} s are more than the ${most} buckets that ${series} series may have. Use a stepSeconds of at least ${readable(seconds / most)}, a shorter time range or a filter.`,
      });
    }
    return grid(window, asked, offsetMs);
  }
  const wanted = Math.max(
    seconds / Math.min(METRIC_LIMITS.autoBuckets, most),
    // A clock that wanders by some milliseconds is no slower sender.
    interval === null ? 1 : interval * 1.99,
  );
  return grid(window, readable(Math.min(wanted, Math.max(seconds, 1))), offsetMs);
}

const readable = (seconds: number): number =>
  STEPS.find((step) => step >= seconds) ?? Math.ceil(seconds / 31_536_000) * 31_536_000;

function grid(window: Window, step: number, offsetMs: number): Grid {
  const width = BigInt(step) * SECOND;
  const offset = (BigInt(offsetMs) * 1_000_000n) % width;
  // Before 1970 nothing was measured: the bucket around its begin is the first one.
  const at = (time: bigint) => Number((time > offset ? time - offset : 0n) / width);
  return { step, offset, window, first: at(window.from), last: at(window.to - 1n) };
}

/** When a bucket begins, in milliseconds since 1970. */
export const beginMs = ({ step, offset }: Grid, bucket: number): number =>
  bucket * step * 1_000 + Number(offset / 1_000_000n);

/** Cuts the window at bucket borders into `parts` windows of about the same length. */
export function cut({ step, offset, window, first, last }: Grid, parts: number): Window[] {
  const width = BigInt(step) * SECOND;
  const buckets = last - first + 1;
  const each = Math.ceil(buckets / Math.max(1, Math.min(parts, buckets)));
  const windows: Window[] = [];
  for (let at = first; at <= last; at += each) {
    const from = BigInt(at) * width + offset;
    const to = BigInt(at + each) * width + offset;
    windows.push({
      from: from < window.from ? window.from : from,
      to: to > window.to ? window.to : to,
    });
  }
  return windows;
}
