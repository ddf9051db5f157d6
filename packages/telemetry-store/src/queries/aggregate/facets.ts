import { MAX_FACET_BYTES } from '@candela/contract';
import { alignedParts } from '../core/aligned.ts';
import { extentOf } from '../core/extent.ts';
import { Params } from '../core/params.ts';
import type { ReadContext } from '../core/snapshot.ts';
import type { Runner } from '../core/run.ts';
import type { Sample } from '../core/sample.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import { EXCEPTIONS } from '../exceptions/exception-fields.ts';
import { exceptionFacets } from '../exceptions/facets.ts';
import { countedOf } from './aggregate.ts';
import { type Counted, countsField, countsFilter } from './counted.ts';
import { type FacetColumn, facetColumn, requireFacets } from './facet-column.ts';
import { lookedAt, shareOf } from './estimate.ts';
import type { Facet, FacetsAnswer, FacetsInput } from './facets-input.ts';
import { sampleFor } from './sample-for.ts';
import { fold, foldedSql } from '../core/fold.ts';

/** The most frequent values of each field among matching rows. @throws bad_query */
export async function facets(
  runner: Runner,
  context: ReadContext,
  input: FacetsInput,
): Promise<FacetsAnswer> {
  const signal = input.signal ?? 'spans';
  const names = requireFacets(
    signal === 'exceptions' ? EXCEPTIONS : countedOf(signal, context).rows,
    input.fields,
  );
  // Two names of one field are counted once.
  const fields = [...new Set(names.values())];
  const { data, sample } = await (signal === 'exceptions'
    ? exceptionFacets(runner, context, { ...input, fields }).then(allLookedAt)
    : countedFacets(runner, context, { ...input, fields }, countedOf(signal, context)));
  const byField = new Map(data.map((facet) => [facet.field, facet]));
  return {
    data: [...names].flatMap(([asked, field]) => {
      const facet = byField.get(field);
      return facet === undefined ? [] : { ...facet, field: asked };
    }),
    sample,
  };
}

const allLookedAt = (data: Facet[]): FacetsAnswer => ({ data, sample: null });

async function countedFacets(
  runner: Runner,
  context: ReadContext,
  input: FacetsInput,
  counted: Counted,
): Promise<FacetsAnswer> {
  const { fields } = input;
  const known = countsFilter(counted, input.filter)
    ? fields.filter((field) => countsField(counted, field))
    : [];
  const rest = fields.filter((field) => !known.includes(field));
  const [ofRollup, ofRows] = await Promise.all([
    valuesOf(runner, context, input, counted, known, 'rollup'),
    rest.length === 0 ? allLookedAt([]) : valuesOfRows(runner, context, input, counted, rest),
  ]);
  return { data: [...ofRollup, ...ofRows.data], sample: ofRows.sample };
}

/** Counted among the rows, or among a sample of them where that was asked for and all take long. */
async function valuesOfRows(
  runner: Runner,
  context: ReadContext,
  input: FacetsInput,
  counted: Counted,
  fields: readonly string[],
): Promise<FacetsAnswer> {
  const sample =
    input.early === true
      ? await sampleFor(runner, context, counted.rows, input, (params) => {
          for (const field of fields) facetColumn(counted.rows, field, params);
        })
      : undefined;
  const values = valuesOf(runner, context, input, counted, fields, 'rows', sample);
  if (sample === undefined) return allLookedAt(await values);
  const { window } = input;
  const [found, looked] = await Promise.all([
    values,
    lookedAt(runner, context, counted.rows, { window, bucketSeconds: null, shift: 0n, sample }),
  ]);
  const share = shareOf(looked);
  const all = (count: number) => Math.round(count / share);
  return {
    data: found.map((facet) => ({
      ...facet,
      values: facet.values.map(({ value, count }) => ({ value, count: all(count) })),
    })),
    sample: share,
  };
}

async function valuesOf(
  runner: Runner,
  context: ReadContext,
  input: FacetsInput,
  counted: Counted,
  fields: readonly string[],
  from: 'rollup' | 'rows',
  sample?: Sample,
): Promise<Facet[]> {
  if (fields.length === 0) return [];
  const params = new Params(context);
  const part = (source: Source, windows: readonly Window[], count: string, together: boolean) => {
    const scope = Scope.of(context, source, params).duringAny(windows).matching(input.filter).sampled(sample);
    const counts = fields.map((name) => facetColumn(source, name, params));
    // What is one column is one pass either way.
    const isOne = counts.length === 1 && counts[0]?.columns.length === 1;
    const all = !isOne && (together || input.filter !== undefined) ? allAtOnce : oneByOne;
    return { scope, sql: all(scope, counts, count) };
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
  const wanted = fold(input.search ?? '');
  const search =
    wanted === '' ? '' : `AND position(${foldedSql('Value', wanted)}, ${params.bind(wanted, 'String')}) > 0`;
  const rows = await runner.run<{ F: number; Value: string; Rows: number }>(
    first.scope,
    `SELECT F, Value, sum(C) AS Rows FROM (${parts.join(' UNION ALL ')}) WHERE Value != '' AND length(Value) <= ${MAX_FACET_BYTES} ${search}
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
const isSmall = async (runner: Runner, scope: Scope): Promise<boolean> =>
  (await extentOf(runner, scope)).rows <= SMALL_ROWS;

/** Quickest over many rows without a filter: one narrow column after the other. */
function oneByOne(scope: Scope, facets: readonly FacetColumn[], count: string): string {
  const parts = facets.flatMap(({ columns, shown }, index) =>
    columns.map((column, position) => {
      const rest = columns.slice(0, position).map((before) => `${before} = ''`);
      const part = scope.andAll(rest);
      // Counted by the stored column and only then turned into text: that keeps it narrow.
      return `SELECT ${index} AS F, ${shown('V')} AS Value, C
        FROM (SELECT ${column} AS V, ${count} AS C ${part.from} GROUP BY V)`;
    }),
  );
  return parts.join(' UNION ALL ');
}

/** One pass: a filter is worked out only once. */
function allAtOnce(scope: Scope, facets: readonly FacetColumn[], count: string): string {
  const keys = facets.map(({ columns, shown }, index) => {
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
