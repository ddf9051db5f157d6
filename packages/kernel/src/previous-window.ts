/** Nanoseconds since the epoch, `to` not in it. */
interface Span {
  readonly from: bigint;
  readonly to: bigint;
}

const SECOND = 1_000_000_000n;
const MS = 1_000_000n;

/**
 * The period before a window. Whole calendar months (UTC; so also quarters and years) go back by as many months, since
 * months differ in length; everything else, days and weeks among it, by its own length. The millisecond by which `now`
 * is rounded up is no part of that length. Undefined when it would begin before 1970.
 */
export function previousWindow({ from, to }: Span): Span | undefined {
  const months = wholeMonths(from, to);
  if (months !== undefined) {
    const start = new Date(Number(from / MS));
    const before = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months, 1);
    return before < 0 ? undefined : { from: BigInt(before) * MS, to: from };
  }
  const length = to - from;
  const shift = length > SECOND && length % SECOND === MS ? length - MS : length;
  return from < shift ? undefined : { from: from - shift, to: from };
}

function wholeMonths(from: bigint, to: bigint): number | undefined {
  const start = monthOf(from);
  const end = monthOf(to);
  return start === undefined || end === undefined ? undefined : end - start;
}

/** Months since year 0 when the time is the first instant of a month. */
function monthOf(nanos: bigint): number | undefined {
  if (nanos % (86_400n * SECOND) !== 0n) return undefined;
  const date = new Date(Number(nanos / MS));
  return date.getUTCDate() === 1 ? date.getUTCFullYear() * 12 + date.getUTCMonth() : undefined;
}
