import type { FacetField, Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from './run.ts';
import { SpanScope, type Window } from './scope.ts';
import { SPAN_FIELDS } from './span-fields.ts';

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

/** The most frequent values of each field, one pass each over one narrow column. */
export async function facetsOfSpans(
  runner: Runner,
  context: RequestContext,
  input: FacetsInput,
): Promise<Facet[]> {
  const fields = [...new Set(input.fields)];
  const scope = SpanScope.of(context).during(input.window).matching(input.filter);
  const parts = fields.map((field, index) => {
    const { columns, show } = facetColumns(field);
    // Counted by the stored columns, which is quick, and only then turned into text.
    return `SELECT ${index} AS F, toString(${show}) AS Value, sum(C) AS Spans
       FROM (SELECT ${columns}, count() AS C ${scope.from} GROUP BY ${columns})
       GROUP BY Value HAVING Value != '' ORDER BY Spans DESC, Value LIMIT ${input.limit + 1}`;
  });
  const rows = await runner.run<{ F: number; Value: string; Spans: number }>(
    scope,
    `SELECT F, Value, Spans FROM (${parts.join(' UNION ALL ')}) ORDER BY F, Spans DESC, Value`,
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

function facetColumns(name: FacetField): { columns: string; show: string } {
  const field = SPAN_FIELDS[name];
  if (field.kind === 'enum') return { columns: field.sql, show: `lower(${field.sql})` };
  if (field.kind === 'text') return { columns: field.sql.join(', '), show: field.show };
  throw new RangeError(`${name} is no facet`);
}
