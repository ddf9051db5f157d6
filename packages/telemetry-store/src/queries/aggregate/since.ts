import type { RequestContext } from '@candela/kernel';
import { LAST_SECOND, ROLLUP_BUCKET_SECONDS } from '../../rollups/rollup.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Counted } from './counted.ts';

const SECOND = 1_000_000_000n;
const BUCKET = BigInt(ROLLUP_BUCKET_SECONDS) * SECOND;

/**
 * Rows that arrived when their clock says, give or take two days. Others are of an import, or of a clock that is wrong: one
 * span of 1970 does not tell that anything was sent before.
 */
const IN_TIME = 'ReceivedDay <= toDate(Bucket) + 2';

/** Buckets with rows that make an import, and the share of all since its first one; a wrong clock fills fewer. */
const IMPORT = { buckets: 12, share: 1 / 4 } as const;
/** Buckets that are looked at before a short period, for an import to be told from a wrong clock. */
const LOOK_BACK = 24n * BUCKET;

/**
 * From when on a period has rows of the signal, of whatever filter: before that nothing had been sent yet, or retention
 * took it, and there is nothing to compare with. Null when there are rows as old as the period; its end when there are
 * none in it either. Rows of clocks far off count for neither. Nanoseconds.
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
  const found = await runner.run(older, `SELECT 1 ${older.from} AND ${IN_TIME} LIMIT 1`);
  if (found.length > 0) return null;
  const length = period.to - first;
  const back = first - (length > LOOK_BACK ? length : LOOK_BACK);
  const around = Scope.of(context, counted.counts).during({ from: back > 0n ? back : 0n, to: period.to });
  const [row] = await runner.run<{ Sent: number; First: number; Imported: number; FirstImported: number }>(
    around,
    `SELECT countIf(${IN_TIME}) > 0 AS Sent, toUInt32(minIf(Bucket, ${IN_TIME})) AS First,
       toUInt32(uniqExactIf(Bucket, NOT (${IN_TIME}))) AS Imported,
       toUInt32(minIf(Bucket, NOT (${IN_TIME}))) AS FirstImported ${around.from}`,
  );
  if (row === undefined) return period.to;
  const begins: number[] = row.Sent > 0 ? [row.First] : [];
  const spanned = Number((period.to - BigInt(row.FirstImported) * SECOND) / BUCKET) + 1;
  if (row.Imported >= Math.max(IMPORT.buckets, spanned * IMPORT.share)) begins.push(row.FirstImported);
  if (begins.length === 0) return period.to;
  const oldest = Math.min(...begins);
  const from = BigInt(oldest) * SECOND;
  if (from < first) return null;
  // The last bucket holds all that is later.
  const isCut = oldest >= LAST_SECOND || from + BUCKET > period.to;
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
