import { type Filter, LIST_LIMITS, type Measure, requireField } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { INPUT_TOKENS_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';
import { levelName } from '../core/source.ts';
import { SPANS, SPAN_FIELDS } from './span-fields.ts';

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
/** Buckets times groups that one answer may hold. */
const MAX_POINTS = 100_000;

/** Width of a bucket in seconds for about 60 buckets over a window. */
function autoBucket(window: Window): number {
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

/** `T` time, `G0`, `G1`, ... group values, `V0`, `V1`, ... figures, `N` number of groups. */
type RawRow = Readonly<Record<string, string | number | null>>;

const figures = (measures: readonly Measure[]): string =>
  measures.map((measure, index) => `${MEASURE_SQL[measure]} AS V${index}`).join(', ');

const groups = (groupBy: readonly string[], params: Params): string[] =>
  groupBy.map((field, index) => `${fieldSql(field, params)} AS G${index}`);

function shape(row: RawRow, input: AggregateInput, time: string | null): AggregateResult['rows'][number] {
  return {
    time,
    group: input.groupBy.map((_, index) => String(row[`G${index}`] ?? '')),
    values: input.measures.map((_, index) => finite(row[`V${index}`])),
  };
}

/** The value of a field as one expression. @throws bad_query */
function fieldSql(name: string, params: Params): string {
  const resolved = requireField(name, 'spans');
  if (resolved.kind === 'key') {
    return `${SPANS.mapOf(resolved.source, resolved.key)}[${params.bind(resolved.key, 'String')}]`;
  }
  const field = SPAN_FIELDS[resolved.name as keyof typeof SPAN_FIELDS];
  switch (field.kind) {
    case 'text':
      return field.show;
    case 'enum':
      return `lower(${field.sql})`;
    case 'level':
      return levelName(field);
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
  const scope = Scope.of(context, SPANS).during(input.window).matching(input.filter);
  const by = input.groupBy.map((_, index) => `G${index}`).join(', ');
  const raw = await runner.run<RawRow>(
    scope,
    `SELECT ${[...groups(input.groupBy, scope.params), figures(input.measures)].join(', ')}, count() OVER () AS N
     ${scope.from} GROUP BY ${by} ORDER BY V0 DESC NULLS LAST, ${by} LIMIT ${input.limit}`,
  );
  return { rows: raw.map((row) => shape(row, input, null)), groups: Number(raw[0]?.['N'] ?? 0) };
}

/** Character between joined group values; a value that holds it could only ever make a group too many. */
const JOIN = '\u001F';

async function series(
  runner: Runner,
  context: RequestContext,
  input: AggregateInput,
  bucketSeconds: number | null,
  chosen: readonly string[][] | undefined,
): Promise<AggregateResult['rows']> {
  if (chosen?.length === 0) return [];
  let scope = Scope.of(context, SPANS).during(input.window).matching(input.filter);
  const { params } = scope;
  const columns = groups(input.groupBy, params);
  if (chosen !== undefined) {
    const joined = input.groupBy.map((field) => `toString(${fieldSql(field, params)})`);
    const wanted = params.bind(
      chosen.map((values) => values.join(JOIN)),
      'Array(String)',
    );
    scope = scope.and(
      `arrayStringConcat([${joined.join(', ')}], ${params.bind(JOIN, 'String')}) IN ${wanted}`,
    );
  }
  const keys = input.groupBy.map((_, index) => `G${index}`);
  if (bucketSeconds !== null) {
    const width = params.bind(bucketSeconds, 'UInt32');
    columns.unshift(`intDiv(toUnixTimestamp(Timestamp), ${width}) * ${width} AS T`);
    keys.unshift('T');
  }
  const by = keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')} ORDER BY ${keys.join(', ')}`;
  const raw = await runner.run<RawRow>(
    scope,
    `SELECT ${[...columns, figures(input.measures)].join(', ')} ${scope.from} ${by} LIMIT ${MAX_POINTS}`,
  );
  return raw.map((row) =>
    shape(row, input, bucketSeconds === null ? null : new Date(Number(row['T']) * 1_000).toISOString()),
  );
}

const finite = (value: string | number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
