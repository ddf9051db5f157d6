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

/** Buckets by their numbers, the first of the window being zero. */
interface NumberedBuckets {
  readonly size: number;
  /** The number of a row's. */
  readonly number: string;
  /** When one begins, in seconds. */
  time(number: string): string;
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

/** Undefined for times before 1970: they are divided towards it, which a bucket with a number does not do. */
export function numberedBuckets(
  { window, bucketSeconds, shift }: Buckets & { readonly bucketSeconds: number },
  source: Source,
  params: Params,
): NumberedBuckets | undefined {
  const width = BigInt(bucketSeconds) * SECOND;
  const [from, last] = [window.from + shift, window.to + shift - 1n];
  if (from < 0n) return undefined;
  const first = from / width;
  // Without a sign, and past zero where it has to be: that is what the engine divides quickest.
  const moved = params.bind(BigInt.asUintN(64, shift - first * width), 'UInt64');
  const seconds = params.bind(bucketSeconds, 'UInt32');
  const begin = params.bind(first, 'Int64');
  return {
    size: Math.max(1, Number(last / width - first) + 1),
    number: `intDiv(reinterpretAsUInt64(${source.time}) + ${moved}, ${params.bind(width, 'UInt64')})`,
    time: (number) => `(${begin} + ${number}) * ${seconds}`,
  };
}

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
    const buckets = numberedBuckets({ ...plan, bucketSeconds: plan.bucketSeconds }, source, params);
    if (buckets === undefined) return undefined;
    size = buckets.size;
    terms.push(buckets.number);
    columns.push(`${buckets.time(`K % ${params.bind(size, 'UInt64')}`)} AS T`);
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
