/** High half of a time from 2^63 ns (year 2262) on: DateTime64(9) cannot hold it. */
export const OUT_OF_RANGE = 0x8000_0000;

/** A time in milliseconds as nanoseconds in two 32-bit halves. */
export function nanosOf(milliseconds: number): { readonly low: number; readonly high: number } {
  const nanos = BigInt(Math.trunc(milliseconds)) * 1_000_000n;
  return { low: Number(nanos & 0xffff_ffffn), high: Number(nanos >> 32n) };
}
