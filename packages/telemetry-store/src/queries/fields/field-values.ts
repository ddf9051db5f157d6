import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { fieldReading } from '../core/field-reading.ts';
import { newestPart, newestWidePart } from '../core/newest.ts';
import type { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import { fold, foldedSql } from '../core/fold.ts';

export interface ValuesInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Values that begin with it come first, then those that contain it; any case. */
  readonly prefix: string;
  readonly limit: number;
}

export interface FieldValuesInput extends ValuesInput {
  readonly field: string;
}

export interface FieldValues {
  readonly sampled: number;
  readonly values: { value: string; count: number }[];
  readonly more: boolean;
}

/** Rows that are looked at, the newest: of a named field those that have it, of a key all. */
const VALUES_SAMPLE = 20_000;
/** Longer values are cut: they are for completion, not for reading. */
const VALUE_CHARACTERS = 300;

/** Values of a field among the newest rows that have it. @throws bad_query for a field that has no values */
export const fieldValues = (
  runner: Runner,
  context: RequestContext,
  source: Source,
  input: FieldValuesInput,
): Promise<FieldValues> =>
  valuesRead(runner, context, { source, ...fieldReading(source, input.field) }, input);

/** Values of whatever can be read of a row. */
export async function valuesRead(
  runner: Runner,
  context: RequestContext,
  { source, exists, value, wide }: ReturnType<typeof fieldReading> & { readonly source: Source },
  input: ValuesInput,
): Promise<FieldValues> {
  const needle = fold(input.prefix);
  const contains = (sql: string, params: Params) =>
    `position(${foldedSql(sql, needle)}, ${params.bind(needle, 'String')}) > 0`;
  const matching = (scope: Scope) => scope.matching(input.filter);
  const having = (scope: Scope) => matching(scope).and(exists(scope.params));
  const searching = (scope: Scope) => having(scope).and(contains(value(scope.params), scope.params));
  // A narrow column is searched in the whole window, so that rare values are found too; a map only in the sample.
  const limit = wide ? matching : needle === '' ? having : searching;
  const newest = wide ? newestWidePart : newestPart;
  const { window } = await newest(runner, context, source, {
    window: input.window,
    rows: VALUES_SAMPLE,
    limit,
  });
  const scope = (wide ? having : limit)(Scope.of(context, source).during(window));
  const { params } = scope;
  const starts = `startsWith(${foldedSql('V', needle)}, ${params.bind(needle, 'String')})`;
  const found = await runner.run<{ V: string; C: number; Sampled: number }>(
    scope,
    `SELECT V, C, Sampled FROM (
       SELECT V, count() AS C, sum(C) OVER () AS Sampled FROM (
         SELECT substringUTF8(${value(params)}, 1, ${VALUE_CHARACTERS}) AS V ${scope.from}
         ORDER BY ${source.time} DESC LIMIT ${VALUES_SAMPLE})
       GROUP BY V)
     WHERE V != '' AND ${contains('V', params)}
     ORDER BY ${starts} DESC, C DESC, V LIMIT ${input.limit + 1}`,
  );
  return {
    sampled: found[0]?.Sampled ?? 0,
    values: found.slice(0, input.limit).map(({ V, C }) => ({ value: V, count: C })),
    more: found.length > input.limit,
  };
}
