import type { FacetField, Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS, SPAN_FIELDS } from './span-fields.ts';

export interface FacetsInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly fields: readonly FacetField[];
  readonly limit: number;
}

export interface Facet {
  readonly field: FacetField;
  readonly values: { value: string; count: number }[];
  readonly more: boolean;
}

/** The most frequent values of each field among matching spans. */
export async function facetsOfSpans(
  runner: Runner,
  context: RequestContext,
  input: FacetsInput,
): Promise<Facet[]> {
  const fields = [...new Set(input.fields)];
  const scope = Scope.of(context, SPANS).during(input.window).matching(input.filter);
  // Without a filter one narrow column after the other is quickest; with one, the filter is worked out only once.
  const counted = input.filter === undefined ? oneByOne(scope, fields) : allAtOnce(scope, fields);
  const rows = await runner.run<{ F: number; Value: string; Spans: number }>(
    scope,
    `SELECT F, Value, sum(C) AS Spans FROM (${counted}) WHERE Value != ''
     GROUP BY F, Value ORDER BY F, Spans DESC, Value LIMIT ${input.limit + 1} BY F`,
  );
  return fields.map((field, index) => {
    const own = rows.filter((row) => row.F === index);
    return {
      field,
      values: own.slice(0, input.limit).map((row) => ({ value: row.Value, count: row.Spans })),
      more: own.length > input.limit,
    };
  });
}

/** The columns that together make the value: the second counts where the first is empty. */
function columnsOf(name: FacetField): { columns: readonly string[]; lower: boolean } {
  const field = SPAN_FIELDS[name];
  if (field.kind === 'enum') return { columns: [field.sql], lower: true };
  if (field.kind === 'text') return { columns: field.sql, lower: false };
  throw new RangeError(`${name} is no facet`);
}

const shown = (sql: string, lower: boolean): string =>
  lower ? `lower(toString(${sql}))` : `toString(${sql})`;

function oneByOne(scope: Scope, fields: readonly FacetField[]): string {
  const parts = fields.flatMap((field, index) => {
    const { columns, lower } = columnsOf(field);
    return columns.map((column, position) => {
      const rest = columns.slice(0, position).map((before) => `${before} = ''`);
      const part = rest.length === 0 ? scope : scope.and(rest.join(' AND '));
      // Counted by the stored column and only then turned into text: that keeps it narrow.
      return `SELECT ${index} AS F, ${shown('V', lower)} AS Value, C
        FROM (SELECT ${column} AS V, count() AS C ${part.from} GROUP BY V)`;
    });
  });
  return parts.join(' UNION ALL ');
}

function allAtOnce(scope: Scope, fields: readonly FacetField[]): string {
  const keys = fields.map((field, index) => {
    const { columns, lower } = columnsOf(field);
    const [first = '', second] = columns;
    const value = second === undefined ? first : `if(${first} != '', ${first}, ${second})`;
    return { name: `K${index}`, value, lower };
  });
  const pick = (of: (key: (typeof keys)[number], index: number) => string): string =>
    `multiIf(${keys.map((key, index) => `G${index} = 0, ${of(key, index)}`).join(', ')}, ${of(keys[0] ?? { name: "''", value: '', lower: false }, 0)})`;
  return `SELECT ${pick((_, index) => String(index))} AS F, ${pick((key) => shown(key.name, key.lower))} AS Value, C
    FROM (
      SELECT ${keys.map(({ value, name }) => `${value} AS ${name}`).join(', ')}, count() AS C,
        ${keys.map(({ name }, index) => `grouping(${name}) AS G${index}`).join(', ')}
      ${scope.from} GROUP BY GROUPING SETS (${keys.map(({ name }) => `(${name})`).join(', ')})
    )`;
}
