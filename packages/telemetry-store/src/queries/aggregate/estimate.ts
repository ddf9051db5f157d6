import { Params } from '../core/params.ts';
import type { ReadContext } from '../core/snapshot.ts';
import type { Runner } from '../core/run.ts';
import { isTaken, type Sample } from '../core/sample.ts';
import { Scope } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import { type Plan, timeColumn } from './plan.ts';

/** What a figure of a sample says of all rows: it grows with their number, to a `whole` number or to an `amount`, or it `stays`. */
export type Scale = 'whole' | 'amount' | 'stays';

/** How many rows there are in a bucket, whatever the filter, and how many of them are in the sample. */
export interface Looked {
  /** ISO; null where there are no buckets. */
  readonly time: string | null;
  readonly rows: number;
  readonly looked: number;
}

/** Of the rows of a window and a sample of them, in the order of time. */
export async function lookedAt(
  runner: Runner,
  context: ReadContext,
  source: Source,
  plan: Pick<Plan, 'window' | 'bucketSeconds' | 'shift'> & { readonly sample: Sample },
): Promise<Looked[]> {
  const params = new Params(context);
  const scope = Scope.of(context, source, params).during(plan.window);
  const [time] = timeColumn(plan, source, params);
  const rows = await runner.run<{ T?: number; N: number; Taken: number }>(
    scope,
    `SELECT ${time === undefined ? '' : `${time}, `}count() AS N, countIf(${isTaken(plan.sample, params)}) AS Taken
     ${scope.from} ${time === undefined ? '' : 'GROUP BY T ORDER BY T'}`,
  );
  return rows.map(({ T, N, Taken }) => ({
    time: T === undefined ? null : new Date(T * 1_000).toISOString(),
    rows: N,
    looked: Taken,
  }));
}

/** The part of the rows that was looked at. */
export function shareOf(looked: readonly Looked[]): number {
  const sum = (of: (one: Looked) => number) => looked.reduce((total, one) => total + of(one), 0);
  return (
    sum((one) => one.looked) /
    Math.max(
      1,
      sum(({ rows }) => rows),
    )
  );
}

/** Runs of a sample that tell about a bucket. */
const RUNS = 2;

/** Figures of a bucket and group. */
interface Row {
  readonly time: string | null;
  readonly group: string[];
  readonly values: (number | null)[];
}

/**
 * What the figures of a sample say of all rows. A bucket narrower than what lies between two runs of the sample may have been passed
 * by, so what part of its rows matches is taken from as many buckets around it as have so many rows of the sample.
 * @param rows of the sample, a row a bucket and group @param scales of their values
 */
export function estimated(
  rows: readonly Row[],
  looked: readonly Looked[],
  scales: readonly Scale[],
  { run }: Pick<Sample, 'run'>,
): Row[] {
  const around = looked.map((_, index) => bucketsAround(looked, index, RUNS * run));
  const groups = Map.groupBy(rows, ({ group }) => JSON.stringify(group));
  const all = [...groups.values()].flatMap((own) => {
    const byTime = new Map(own.map((row) => [row.time, row.values]));
    const values = looked.map(({ time }) => byTime.get(time));
    const found = sumsUpTo(values.map((one) => (one === undefined ? 0 : 1)));
    const sums = scales.map((_, place) => sumsUpTo(values.map((one) => one?.[place] ?? 0)));
    const known = scales.map((_, place) => sumsUpTo(values.map((one) => (one?.[place] == null ? 0 : 1))));
    const group = own[0]?.group ?? [];
    return looked.flatMap(({ time, rows: there }, index): Row[] => {
      const part = around[index];
      if (there === 0 || part === undefined || within(found, part) === 0) return [];
      const told = scales.map((scale, place) => {
        if (scale === 'stays') return values[index]?.[place] ?? null;
        if (within(known[place], part) === 0) return null;
        const value = (within(sums[place], part) * there) / part.looked;
        return scale === 'whole' ? Math.round(value) : value;
      });
      return [{ time, group, values: told }];
    });
  });
  return all.sort((a, b) => (a.time === b.time ? 0 : (a.time ?? '') < (b.time ?? '') ? -1 : 1));
}

/** Sums of the first so many: a chart may have a thousand buckets of many groups, and each asks for those around it. */
function sumsUpTo(values: readonly number[]): number[] {
  const sums = [0];
  for (const value of values) sums.push((sums.at(-1) ?? 0) + value);
  return sums;
}

/** The sum from one bucket up to another. */
const within = (sums: readonly number[] = [], { from, to }: { from: number; to: number }): number =>
  (sums[to] ?? 0) - (sums[from] ?? 0);

/** The buckets from one to both sides that have so many rows of the sample together, or all. */
function bucketsAround(
  looked: readonly Looked[],
  index: number,
  least: number,
): { from: number; to: number; looked: number } | undefined {
  let [from, to] = [index, index + 1];
  let sum = looked[index]?.looked ?? 0;
  while (sum < least && (from > 0 || to < looked.length)) {
    if (from > 0) sum += looked[--from]?.looked ?? 0;
    if (to < looked.length) sum += looked[to++]?.looked ?? 0;
  }
  return sum === 0 ? undefined : { from, to, looked: sum };
}
