import type { Filter, Measure } from '@candela/contract';
import { ROLLUP_BUCKET_SECONDS } from '../../rollups/rollup.ts';
import { type Aligned, alignedParts } from '../core/aligned.ts';
import { Params } from '../core/params.ts';
import { pricedFrom, readsCost } from '../core/repriced.ts';
import type { ReadContext } from '../core/snapshot.ts';
import type { Sample } from '../core/sample.ts';
import { Scope, type Window } from '../core/scope.ts';
import { shownSql } from '../core/show.ts';
import type { Source } from '../core/source.ts';
import { numberedOf, type Values } from './numbered.ts';
import { addUp, type Counted, countsField, countsFilter, figuresOf, measuredOf, rowsSql } from './counted.ts';

/** How the figures of one window are worked out. */
export interface Plan {
  readonly counted: Counted;
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly groupBy: readonly string[];
  readonly measures: readonly Measure[];
  readonly bucketSeconds: number | null;
  /** Moves the times of the rows, nanoseconds: buckets of an earlier window onto those of a later one. */
  readonly shift: bigint;
  /** The parts of the window for the rollup and for the rows; undefined: all from the rows. */
  readonly aligned: Aligned | undefined;
  /** Of a plan for the rows: only these are looked at. */
  readonly sample?: Sample;
}

const SECOND = 1_000_000_000n;
const ROLLUP_NANOS = BigInt(ROLLUP_BUCKET_SECONDS) * SECOND;

/** The rollup answers when it knows every field and every measure, and its buckets fit into those asked for. */
export function planOf(
  counted: Counted,
  asked: Pick<Plan, 'filter' | 'groupBy' | 'measures'>,
  window: Window,
  bucketSeconds: number | null,
  shift: bigint,
): Plan {
  const fits =
    countsFilter(counted, asked.filter) &&
    asked.groupBy.every((field) => countsField(counted, field)) &&
    addUp(counted, figuresOf(asked.measures.map((measure) => measuredOf(counted, measure)))) &&
    (bucketSeconds === null || (bucketSeconds % ROLLUP_BUCKET_SECONDS === 0 && shift % ROLLUP_NANOS === 0n));
  const { filter, groupBy, measures } = asked;
  return {
    counted,
    window,
    filter,
    groupBy,
    measures,
    bucketSeconds,
    shift,
    aligned: fits ? alignedParts(window) : undefined,
  };
}

interface Grouping {
  /** Of each field the values that are wanted: rows with others are left out. */
  readonly only?: Values | undefined;
  /** Of each field the values that rows should have; where one has another, `Unlisted` is 1 in all of the answer. */
  readonly listed?: Values | undefined;
}

/** A SELECT of `T` (seconds), `G0`, ... and `V0`, ... of a plan, one row a bucket and group, in no order. */
export function grouped(
  context: ReadContext,
  plan: Plan,
  { only, listed }: Grouping = {},
): { scope: Scope; sql: string } {
  const { counted, measures, aligned } = plan;
  const measured = measures.map((measure) => measuredOf(counted, measure));
  const params = new Params(context);
  const keys = [
    ...(plan.bucketSeconds === null ? [] : ['T']),
    ...plan.groupBy.map((_, index) => `G${index}`),
  ];
  const by = keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`;
  const lists = (only ?? listed)?.map((values) => ({
    sql: params.bind(values, 'Array(String)'),
    length: values.length,
  }));
  const scopeOf = (source: Source, windows: readonly Window[], fields: readonly string[]) => {
    const scope = Scope.of(context, source, params)
      .duringAny(windows)
      .matching(plan.filter)
      .sampled(plan.sample);
    if (only === undefined || lists === undefined) return scope;
    return scope.andAll(fields.map((field, index) => `${field} IN ${lists[index]?.sql ?? ''}`));
  };
  const fieldsOf = (source: Source) => plan.groupBy.map((field) => shownSql(source, field, params));
  const select = (
    source: Source,
    windows: readonly Window[],
    values: readonly string[],
    fromOf: (scope: Scope) => string = ({ from }) => from,
  ) => {
    const fields = fieldsOf(source);
    const scope = scopeOf(source, windows, fields);
    const groups = fields.map((field, index) => `toString(${field}) AS G${index}`);
    const columns = [...timeColumn(plan, source, params), ...groups, ...values].join(', ');
    return { scope, sql: `SELECT ${columns} ${fromOf(scope)} ${by}` };
  };
  if (aligned === undefined) {
    const values = measured.map((one, index) => `${rowsSql(counted, one)} AS V${index}`);
    const fields = lists === undefined ? [] : fieldsOf(counted.rows);
    const numbered = lists && numberedOf(plan, counted.rows, params, fields, lists);
    if (numbered !== undefined) {
      const scope = scopeOf(counted.rows, [plan.window], fields);
      const unlisted = listed === undefined ? [] : [`max(${numbered.unlisted}) OVER () AS Unlisted`];
      const columns = [...numbered.columns, ...unlisted, ...values.map((_, index) => `V${index}`)];
      return {
        scope,
        sql: `SELECT ${columns.join(', ')} FROM (SELECT ${numbered.key} AS K, ${values.join(', ')} ${scope.from} GROUP BY K)`,
      };
    }
    return select(counted.rows, [plan.window], values);
  }
  const figures = figuresOf(measured);
  const partly = (side: 'rows' | 'counts') =>
    figures.map((name, index) => `${counted.figures[name]?.[side] ?? ''} AS F${index}`);
  const sums = partly('counts');
  const middle = select(counted.counts, [aligned.middle], sums, (scope) =>
    counted.rollup !== undefined && readsCost(sums.join(' '))
      ? pricedFrom(scope, counted.rollup, aligned.middle)
      : scope.from,
  );
  const parts = [middle.sql];
  if (aligned.edges.length > 0) parts.push(select(counted.rows, aligned.edges, partly('rows')).sql);
  const values = measured.map((one, index) => {
    const sum = (name: string) => `sum(F${figures.indexOf(name)})`;
    return `${one(sum)} AS V${index}`;
  });
  return {
    scope: middle.scope,
    sql: `SELECT ${[...keys, ...values].join(', ')} FROM (${parts.join(' UNION ALL ')}) ${by}`,
  };
}

/** The bucket of a row as `T`, seconds; nothing where there are no buckets. */
export function timeColumn(
  plan: Pick<Plan, 'bucketSeconds' | 'shift'>,
  source: Source,
  params: Params,
): string[] {
  if (plan.bucketSeconds === null) return [];
  const width = params.bind(plan.bucketSeconds, 'UInt32');
  const seconds =
    source.time === 'Bucket'
      ? `toInt64(${source.time}) + ${params.bind(plan.shift / SECOND, 'Int64')}`
      : `intDiv(toUnixTimestamp64Nano(${source.time}) + ${params.bind(plan.shift, 'Int64')}, 1000000000)`;
  return [`intDiv(${seconds}, ${width}) * ${width} AS T`];
}
