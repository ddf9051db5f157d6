import type { Filter, Measure } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { ROLLUP_BUCKET_SECONDS } from '../../rollups/rollup.ts';
import { type Aligned, alignedParts } from '../core/aligned.ts';
import { Params } from '../core/params.ts';
import { Scope, type Window } from '../core/scope.ts';
import { shownSql } from '../core/show.ts';
import type { Source } from '../core/source.ts';
import { type Counted, countsField, countsFilter, figuresOf, measuredOf, rowsSql } from './counted.ts';

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
}

const ROLLUP_NANOS = BigInt(ROLLUP_BUCKET_SECONDS) * 1_000_000_000n;

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
    asked.measures.every((measure) => measuredOf(counted, measure).from === 'figures') &&
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
  /** Conditions on the rows of a source beyond window and filter. */
  readonly more?: (source: Source, params: Params) => readonly string[];
  /** A row of each group over all buckets as well, in which `S` is 1; only where all comes from the rows. */
  readonly totals?: boolean;
}

/** A SELECT of `T` (seconds), `G0`, ... and `V0`, ... of a plan, one row a bucket and group, in no order. */
export function grouped(
  context: RequestContext,
  plan: Plan,
  { more = () => [], totals = false }: Grouping = {},
): { scope: Scope; sql: string } {
  const { counted, measures, aligned } = plan;
  const measured = measures.map((measure) => measuredOf(counted, measure));
  const params = new Params();
  const keys = [
    ...(plan.bucketSeconds === null ? [] : ['T']),
    ...plan.groupBy.map((_, index) => `G${index}`),
  ];
  const sets = `GROUPING SETS ((${keys.slice(1).join(', ')}), (${keys.join(', ')}))`;
  const by = keys.length === 0 ? '' : `GROUP BY ${totals ? sets : keys.join(', ')}`;
  const select = (source: Source, windows: readonly Window[], values: readonly string[]) => {
    const scope = Scope.of(context, source, params)
      .duringAny(windows)
      .matching(plan.filter)
      .andAll(more(source, params));
    const columns = [...keyColumns(plan, source, params), ...values].join(', ');
    return { scope, sql: `SELECT ${columns} ${scope.from} ${by}` };
  };
  if (aligned === undefined) {
    const values = measured.map((one, index) => `${rowsSql(counted, one)} AS V${index}`);
    if (totals) values.push('grouping(T) AS S');
    return select(counted.rows, [plan.window], values);
  }
  const figures = figuresOf(measured);
  const partly = (side: 'rows' | 'counts') =>
    figures.map((name, index) => `${counted.figures[name]?.[side] ?? ''} AS F${index}`);
  const middle = select(counted.counts, [aligned.middle], partly('counts'));
  const parts = [middle.sql];
  if (aligned.edges.length > 0) parts.push(select(counted.rows, aligned.edges, partly('rows')).sql);
  const values = measured.map((one, index) => {
    const sum = (name: string) => `sum(F${figures.indexOf(name)})`;
    return `${one.from === 'figures' ? one.value(sum) : ''} AS V${index}`;
  });
  return {
    scope: middle.scope,
    sql: `SELECT ${[...keys, ...values].join(', ')} FROM (${parts.join(' UNION ALL ')}) ${by}`,
  };
}

function keyColumns(plan: Plan, source: Source, params: Params): string[] {
  const groups = plan.groupBy.map(
    (field, index) => `toString(${shownSql(source, field, params)}) AS G${index}`,
  );
  if (plan.bucketSeconds === null) return groups;
  const width = params.bind(plan.bucketSeconds, 'UInt32');
  const seconds =
    source.time === 'Bucket'
      ? `toInt64(${source.time}) + ${params.bind(plan.shift / 1_000_000_000n, 'Int64')}`
      : `intDiv(toUnixTimestamp64Nano(${source.time}) + ${params.bind(plan.shift, 'Int64')}, 1000000000)`;
  return [`intDiv(${seconds}, ${width}) * ${width} AS T`, ...groups];
}
