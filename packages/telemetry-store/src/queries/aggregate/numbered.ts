import type { Params } from '../core/params.ts';
import type { Source } from '../core/source.ts';
import type { Window } from '../core/scope.ts';

/** Of each field that is grouped by, values that rows have. */
export type Values = readonly (readonly string[])[];

/** Values of a field, each once, as they are bound. */
interface List {
  readonly sql: string;
  readonly length: number;
}

/** The buckets of a plan. */
interface Buckets {
  readonly window: Window;
  readonly bucketSeconds: number | null;
  /** Moves the times of the rows, nanoseconds. */
  readonly shift: bigint;
}

/** Buckets and groups as one small number. */
interface Numbered {
  /** The number of a row. */
  readonly key: string;
  /** `T` and `G0`, ... of a number `K`. */
  readonly columns: readonly string[];
  /** Whether `K` is of rows with a value that is not in its list. */
  readonly unlisted: string;
}

/** What doubles hold exactly, and so every language. */
const LARGEST = 2 ** 53;
const SECOND = 1_000_000_000n;

/**
 * Groups of listed values, and buckets, as one number: the engine then looks a row up in a table by its place, where
 * texts and times together are copied, hashed and compared for each row. A column of few values is numbered by its
 * dictionary. Undefined where there is nothing to number, or more than a number holds.
 */
export function numberedOf(
  plan: Buckets,
  source: Source,
  params: Params,
  fields: readonly string[],
  lists: readonly List[],
): Numbered | undefined {
  const terms: string[] = [];
  const columns: string[] = [];
  const unlisted: string[] = [];
  let size = 1;
  if (plan.bucketSeconds !== null) {
    const width = BigInt(plan.bucketSeconds) * SECOND;
    const [from, last] = [plan.window.from + plan.shift, plan.window.to + plan.shift - 1n];
    // Times before 1970 are divided towards it, which a bucket with a number does not do.
    if (from < 0n) return undefined;
    const first = from / width;
    size = Math.max(1, Number(last / width - first) + 1);
    // Without a sign, and past zero where it has to be: that is what the engine divides quickest.
    const moved = params.bind(BigInt.asUintN(64, plan.shift - first * width), 'UInt64');
    terms.push(`intDiv(reinterpretAsUInt64(${source.time}) + ${moved}, ${params.bind(width, 'UInt64')})`);
    const seconds = params.bind(plan.bucketSeconds, 'UInt32');
    columns.push(`(${params.bind(first, 'Int64')} + K % ${params.bind(size, 'UInt64')}) * ${seconds} AS T`);
  }
  for (const [index, field] of fields.entries()) {
    const { sql, length } = lists[index] ?? { sql: '', length: 0 };
    const [step, count] = [params.bind(size, 'UInt64'), params.bind(length + 1, 'UInt32')];
    terms.push(
      `transform(${field}, ${sql}, CAST(range(1, ${count}), 'Array(UInt32)'), toUInt32(0)) * ${step}`,
    );
    const place = `intDiv(K, ${step}) % ${count}`;
    columns.push(`${sql}[${place}] AS G${index}`);
    unlisted.push(`${place} = 0`);
    size *= length + 1;
    if (size > LARGEST) return undefined;
  }
  if (terms.length === 0) return undefined;
  const type = size <= 2 ** 16 ? 'UInt16' : size <= 2 ** 32 ? 'UInt32' : 'UInt64';
  return { key: `CAST(${terms.join(' + ')}, '${type}')`, columns, unlisted: unlisted.join(' OR ') };
}
