import { type Filter, LIST_LIMITS, type Measure, requireField } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { mapOf } from './compile.ts';
import type { Params } from './params.ts';
import type { Runner } from './run.ts';
import { SpanScope, type Window } from './scope.ts';
import { INPUT_TOKENS_SQL, OUTPUT_TOKENS_SQL, SPAN_FIELDS } from './span-fields.ts';

export interface AggregateInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly groupBy: readonly string[];
  readonly measures: readonly Measure[];
  /** Undefined: one row a group. */
  readonly bucketSeconds: number | 'auto' | undefined;
  readonly limit: number;
}

export interface AggregateResult {
  readonly bucketSeconds: number | null;
  readonly rows: { time: string | null; group: string[]; values: (number | null)[] }[];
  readonly groups: number;
}

const MEASURE_SQL: Record<Measure, string> = {
  count: 'count()',
  errors: "countIf(StatusCode = 'Error')",
  traces: 'uniq(TraceId)',
  duration_avg: 'avg(Duration) / 1e6',
  duration_p50: 'quantileTDigest(0.5)(Duration) / 1e6',
  duration_p95: 'quantileTDigest(0.95)(Duration) / 1e6',
  duration_p99: 'quantileTDigest(0.99)(Duration) / 1e6',
  input_tokens: `sumIf(${INPUT_TOKENS_SQL}, CountsUsage = 1)`,
  output_tokens: `sumIf(${OUTPUT_TOKENS_SQL}, CountsUsage = 1)`,
  cost: 'sumIf(CostUsd, CountsUsage = 1)',
};

const NICE_SECONDS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800,
  604_800, 2_592_000, 31_536_000,
];
const SECOND = 1_000_000_000n;

/** Width of a bucket in seconds for about 60 buckets over a window. */
export function autoBucket(window: Window): number {
  const wanted = Number((window.to - window.from) / SECOND) / 60;
  return NICE_SECONDS.find((seconds) => seconds >= wanted) ?? 31_536_000;
}

/** Figures of matching spans by time and by fields. @throws bad_query */
export async function aggregateSpans(
  runner: Runner,
  context: RequestContext,
  input: AggregateInput,
): Promise<AggregateResult> {
  const bucketSeconds =
    input.bucketSeconds === 'auto' ? autoBucket(input.window) : (input.bucketSeconds ?? null);
  if (bucketSeconds !== null) {
    const buckets = Number((input.window.to - input.window.from) / SECOND) / bucketSeconds;
    if (buckets > LIST_LIMITS.maxBuckets) {
      throw fail('bad_query', {
        detail: `That makes ${Math.ceil(buckets)} buckets. At most ${LIST_LIMITS.maxBuckets} are possible: take wider ones.`,
      });
    }
  }
  const top = input.groupBy.length === 0 ? undefined : await topGroups(runner, context, input);
  if (bucketSeconds === null && top !== undefined) return { bucketSeconds, ...top };
  const rows = await series(
    runner,
    context,
    input,
    bucketSeconds,
    top?.rows.map((row) => row.group),
  );
  return { bucketSeconds, rows, groups: top?.groups ?? (rows.length > 0 ? 1 : 0) };
}

interface RawRow {
  readonly T?: number;
  readonly G: string[];
  readonly V: (number | null)[];
  readonly N?: number;
}

const figures = (measures: readonly Measure[]): string =>
  `[${measures.map((measure) => `toNullable(toFloat64(${MEASURE_SQL[measure]}))`).join(', ')}] AS V`;

function groupSql(groupBy: readonly string[], params: Params): string {
  return `[${groupBy.map((field) => `toString(${fieldSql(field, params)})`).join(', ')}]`;
}

/** The value of a field as one expression. @throws bad_query */
export function fieldSql(name: string, params: Params): string {
  const resolved = requireField(name, 'spans');
  if (resolved.kind === 'key') {
    return `${mapOf(resolved.source, resolved.key)}[${params.bind(resolved.key, 'String')}]`;
  }
  const field = SPAN_FIELDS[resolved.name as keyof typeof SPAN_FIELDS];
  switch (field.kind) {
    case 'text':
      return field.show;
    case 'enum':
      return `lower(${field.sql})`;
    case 'id':
      return field.sql;
    case 'boolean':
      return `if(${field.sql}, 'true', 'false')`;
    case 'number':
    case 'words':
      throw fail('bad_query', { detail: `"${resolved.name}" cannot be grouped by.` });
  }
}

/** The largest groups by the first measure, and how many there are. */
async function topGroups(
  runner: Runner,
  context: RequestContext,
  input: AggregateInput,
): Promise<Pick<AggregateResult, 'rows' | 'groups'>> {
  const scope = SpanScope.of(context).during(input.window).matching(input.filter);
  const raw = await runner.run<RawRow>(
    scope,
    `SELECT ${groupSql(input.groupBy, scope.params)} AS G, ${figures(input.measures)}, count() OVER () AS N
     ${scope.from} GROUP BY G ORDER BY V[1] DESC NULLS LAST, G LIMIT ${input.limit}`,
  );
  return {
    rows: raw.map((row) => ({ time: null, group: row.G, values: row.V.map(finite) })),
    groups: raw[0]?.N ?? 0,
  };
}

async function series(
  runner: Runner,
  context: RequestContext,
  input: AggregateInput,
  bucketSeconds: number | null,
  groups: readonly string[][] | undefined,
): Promise<AggregateResult['rows']> {
  if (groups?.length === 0) return [];
  let scope = SpanScope.of(context).during(input.window).matching(input.filter);
  const group = groupSql(input.groupBy, scope.params);
  if (groups !== undefined) {
    // Joined by a character no chosen group holds: one bound list instead of a list of lists.
    const joined = groups.map((values) => values.join('\u001F'));
    scope = scope.and(
      `arrayStringConcat(${group}, '\u001F') IN ${scope.params.bind(joined, 'Array(String)')}`,
    );
  }
  const bucket =
    bucketSeconds === null
      ? '0'
      : `toUnixTimestamp(toStartOfInterval(Timestamp, toIntervalSecond(${scope.params.bind(bucketSeconds, 'UInt32')}), 'UTC'))`;
  const raw = await runner.run<RawRow>(
    scope,
    `SELECT ${bucket} AS T, ${groups === undefined ? 'emptyArrayString()' : group} AS G, ${figures(input.measures)}
     ${scope.from} GROUP BY T, G ORDER BY T, G LIMIT 100000`,
  );
  return raw.map((row) => ({
    time: bucketSeconds === null ? null : new Date((row.T ?? 0) * 1_000).toISOString(),
    group: row.G,
    values: row.V.map(finite),
  }));
}

const finite = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;
