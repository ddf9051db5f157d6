/**
 * How many spans a span counts for: itself, and those that sampling took away for it. The column is no column of the writer: what
 * comes in stands for itself. Only `retention/sample-traces.ts` sets it.
 */
export const WEIGHT_SQL = '(toUInt64(ExtraCount) + 1)';

/** One of so many traces is kept: the choices, for numbers of traces are told by each. */
export const ONE_IN = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const;
