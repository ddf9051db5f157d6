import { EXCEPTION_FACETS, type FacetField, LOG_FACETS, SPAN_FACETS } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { alignedParts } from '../core/aligned.ts';
import { fieldOf } from '../core/filter.ts';
import { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { levelName, type Source } from '../core/source.ts';
import { exceptionFacets } from '../exceptions/facets.ts';
import { COUNTED } from './aggregate.ts';
import { type Counted, countsField, countsFilter } from './counted.ts';
import type { Facet, FacetsInput } from './facets-input.ts';

const FACETS: Readonly<Record<'spans' | 'logs' | 'exceptions', ReadonlySet<string>>> = {
  spans: new Set(SPAN_FACETS),
  logs: new Set(LOG_FACETS),
  exceptions: new Set(EXCEPTION_FACETS),
};

/** The most frequent values of each field among matching rows. @throws bad_query */
export async function facets(runner: Runner, context: RequestContext, input: FacetsInput): Promise<Facet[]> {
  const signal = input.signal ?? 'spans';
  const fields = [...new Set(input.fields)];
  const wrong = fields.find((field) => !FACETS[signal].has(field));
  if (wrong !== undefined) {
    throw fail('bad_query', {
      detail: `"${wrong}" is no facet of ${signal}. There are: ${[...FACETS[signal]].join(', ')}.`,
    });
  }
  if (signal === 'exceptions') return exceptionFacets(runner, context, { ...input, fields });
  const counted = COUNTED[signal];
  const known = countsFilter(counted, input.filter)
    ? fields.filter((field) => countsField(counted, field))
    : [];
  const rest = fields.filter((field) => !known.includes(field));
  const found = await Promise.all([
    valuesOf(runner, context, input, counted, known, 'rollup'),
    valuesOf(runner, context, input, counted, rest, 'rows'),
  ]);
  const byField = new Map(found.flat().map((facet) => [facet.field, facet]));
  return fields.flatMap((field) => byField.get(field) ?? []);
}

async function valuesOf(
  runner: Runner,
  context: RequestContext,
  input: FacetsInput,
  counted: Counted,
  fields: readonly FacetField[],
  from: 'rollup' | 'rows',
): Promise<Facet[]> {
  if (fields.length === 0) return [];
  const params = new Params();
  const part = (source: Source, windows: readonly Window[], count: string, together: boolean) => {
    const scope = Scope.of(context, source, params).duringAny(windows).matching(input.filter);
    const all = together || input.filter !== undefined ? allAtOnce : oneByOne;
    return { scope, sql: all(scope, source, fields, count) };
  };
  const aligned = from === 'rollup' ? alignedParts(input.window) : undefined;
  const rowsOf = (windows: readonly Window[], together: boolean) =>
    part(counted.rows, windows, counted.count.rows, together);
  const first =
    aligned === undefined
      ? rowsOf([input.window], false)
      : part(
          counted.counts,
          [aligned.middle],
          counted.count.counts,
          await isSmall(runner, Scope.of(context, counted.counts).during(aligned.middle)),
        );
  const parts = [first.sql];
  if (aligned !== undefined && aligned.edges.length > 0) parts.push(rowsOf(aligned.edges, true).sql);
  const search =
    input.search === undefined || input.search === ''
      ? ''
      : `AND position(lowerUTF8(Value), ${params.bind(input.search.toLowerCase(), 'String')}) > 0`;
  const rows = await runner.run<{ F: number; Value: string; Rows: number }>(
    first.scope,
    `SELECT F, Value, sum(C) AS Rows FROM (${parts.join(' UNION ALL ')}) WHERE Value != '' ${search}
     GROUP BY F, Value ORDER BY F, Rows DESC, Value LIMIT ${input.limit + 1} BY F`,
  );
  return fields.map((field, index) => {
    const own = rows.filter((row) => row.F === index);
    return {
      field,
      values: own.slice(0, input.limit).map((row) => ({ value: row.Value, count: row.Rows })),
      more: own.length > input.limit,
    };
  });
}

/** Up to so many rows, counting all fields in one pass is quicker than opening every column by itself. */
const SMALL_ROWS = 1_000_000;

/** True when there is little to read. Names with ids in them make a rollup as long as its rows. */
async function isSmall(runner: Runner, scope: Scope): Promise<boolean> {
  const found = await runner.run<{ Rows: number }>(
    scope,
    `SELECT sum(rows) AS Rows FROM (EXPLAIN ESTIMATE SELECT count() ${scope.from})`,
  );
  return (found[0]?.Rows ?? 0) <= SMALL_ROWS;
}

/** What a facet is counted by, and how that becomes the text that is shown. */
interface Column {
  /** The second counts where the first is empty. */
  readonly columns: readonly string[];
  shown(value: string): string;
}

function columnOf(source: Source, name: FacetField): Column {
  const field = fieldOf(source, name);
  switch (field.kind) {
    case 'enum':
      return { columns: [field.sql], shown: (value) => `lower(toString(${value}))` };
    case 'text':
      return { columns: field.sql, shown: (value) => `toString(${value})` };
    case 'level':
      return { columns: [field.sql], shown: (value) => levelName({ ...field, sql: value }) };
    case 'boolean':
      return { columns: [field.sql], shown: (value) => `if(${value}, 'true', 'false')` };
    default:
      throw new RangeError(`${name} is no facet`);
  }
}

/** Quickest over many rows without a filter: one narrow column after the other. */
function oneByOne(scope: Scope, source: Source, fields: readonly FacetField[], count: string): string {
  const parts = fields.flatMap((field, index) => {
    const { columns, shown } = columnOf(source, field);
    return columns.map((column, position) => {
      const rest = columns.slice(0, position).map((before) => `${before} = ''`);
      const part = rest.length === 0 ? scope : scope.and(rest.join(' AND '));
      // Counted by the stored column and only then turned into text: that keeps it narrow.
      return `SELECT ${index} AS F, ${shown('V')} AS Value, C
        FROM (SELECT ${column} AS V, ${count} AS C ${part.from} GROUP BY V)`;
    });
  });
  return parts.join(' UNION ALL ');
}

/** One pass: a filter is worked out only once. */
function allAtOnce(scope: Scope, source: Source, fields: readonly FacetField[], count: string): string {
  const keys = fields.map((field, index) => {
    const { columns, shown } = columnOf(source, field);
    const [first = '', second] = columns;
    const value = second === undefined ? first : `if(${first} != '', ${first}, ${second})`;
    return { name: `K${index}`, value, shown };
  });
  const pick = (of: (key: (typeof keys)[number], index: number) => string): string => {
    const cases = keys.map((key, index) => `G${index} = 0, ${of(key, index)}`);
    return `multiIf(${cases.join(', ')}, ${keys[0] === undefined ? "''" : of(keys[0], 0)})`;
  };
  return `SELECT ${pick((_, index) => String(index))} AS F, ${pick((key) => key.shown(key.name))} AS Value, C
    FROM (
      SELECT ${keys.map(({ value, name }) => `${value} AS ${name}`).join(', ')}, ${count} AS C,
        ${keys.map(({ name }, index) => `grouping(${name}) AS G${index}`).join(', ')}
      ${scope.from} GROUP BY GROUPING SETS (${keys.map(({ name }) => `(${name})`).join(', ')})
    )`;
}
