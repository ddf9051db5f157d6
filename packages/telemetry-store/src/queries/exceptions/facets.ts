import { MAX_FACET_BYTES } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Facet, FacetsInput } from '../aggregate/facets-input.ts';
import { facetColumn } from '../aggregate/facet-column.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { COUNT_SQL, EXCEPTIONS } from './exception-fields.ts';
import { fold, foldedSql } from '../core/fold.ts';

/** The most frequent values of each field among matching exceptions; one on a span counts once. */
export async function exceptionFacets(
  runner: Runner,
  context: RequestContext,
  input: FacetsInput,
): Promise<Facet[]> {
  const scope = Scope.of(context, EXCEPTIONS).during(input.window).matching(input.filter);
  const shownOf = (field: string): string => {
    const { columns, shown } = facetColumn(EXCEPTIONS, field, scope.params);
    return shown(columns[0] ?? '');
  };
  const pairs = input.fields.map((field, index) => `(${index}, ${shownOf(field)})`);
  const wanted = fold(input.search ?? '');
  const like =
    wanted === ''
      ? ''
      : `AND position(${foldedSql('V', wanted)}, ${scope.params.bind(wanted, 'String')}) > 0`;
  const rows = await runner.run<{ F: number; V: string; C: number }>(
    scope,
    `SELECT Pair.1 AS F, Pair.2 AS V, ${COUNT_SQL} AS C
     FROM (SELECT arrayJoin([${pairs.join(', ')}]) AS Pair, Occurrence, Records ${scope.from})
     WHERE V != '' AND length(V) <= ${MAX_FACET_BYTES} ${like} GROUP BY F, V ORDER BY F, C DESC, V LIMIT ${input.limit + 1} BY F`,
  );
  return input.fields.map((field, index) => {
    const own = rows.filter((row) => row.F === index);
    return {
      field,
      values: own.slice(0, input.limit).map(({ V, C }) => ({ value: V, count: C })),
      more: own.length > input.limit,
    };
  });
}
