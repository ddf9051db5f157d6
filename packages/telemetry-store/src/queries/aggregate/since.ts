import type { RequestContext } from '@candela/kernel';
import { LAST_SECOND, ROLLUP_BUCKET_SECONDS } from '../../rollups/rollup.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Counted } from './counted.ts';

const SECOND = 1_000_000_000n;
const BUCKET = BigInt(ROLLUP_BUCKET_SECONDS) * SECOND;

/**
 * From when on a period has rows of the signal, of whatever filter: before that nothing had been sent yet, or retention
 * took it, and there is nothing to compare with. Null when there are rows as old as the period; its end when there are
 * none in it either. Nanoseconds.
 */
export async function sinceOf(
  runner: Runner,
  context: RequestContext,
  counted: Counted,
  period: Window,
): Promise<bigint | null> {
  const first = (period.from / BUCKET) * BUCKET;
  const counts = Scope.of(context, counted.counts);
  // Ends with the first row that it meets: wherever rows are older, and soon that is everywhere, nothing more is read.
  const older = counts.and(`Bucket < ${counts.params.time(first)}`);
  const found = await runner.run(older, `SELECT 1 ${older.from} LIMIT 1`);
  if (found.length > 0) return null;
  const inside = Scope.of(context, counted.counts).during({ from: first, to: period.to });
  const [oldest] = await runner.run<{ Rows: number; Seconds: number }>(
    inside,
    `SELECT count() > 0 AS Rows, toUInt32(min(Bucket)) AS Seconds ${inside.from}`,
  );
  if (oldest === undefined || oldest.Rows === 0) return period.to;
  const from = BigInt(oldest.Seconds) * SECOND;
  // The last bucket holds all that is later.
  const isCut = oldest.Seconds >= LAST_SECOND || from + BUCKET > period.to;
  const rows = Scope.of(context, counted.rows).during({ from, to: isCut ? period.to : from + BUCKET });
  const [exact] = await runner.run<{ Rows: number; Ns: string }>(
    rows,
    `SELECT count() > 0 AS Rows, toString(toUnixTimestamp64Nano(min(${counted.rows.time}))) AS Ns ${rows.from}`,
  );
  // Sums may be kept a day longer than their rows; of a bucket that is cut, all may lie after the period.
  const empty = isCut ? period.to : from;
  const since = exact === undefined || exact.Rows === 0 ? empty : BigInt(exact.Ns);
  return since > period.from ? since : null;
}
