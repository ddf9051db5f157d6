import { type Filter, filterSchema } from '@candela/contract';
import { type Clock, fail, parseEntityKey } from '@candela/kernel';
import type { Window } from '@candela/telemetry-store';
import { NestedTooDeeply, parseShallowJson } from '../../http/body.ts';
import { filterOf, windowOf } from '../telemetry/service.ts';

/** The id behind a key of a path. @throws not_found: a damaged key names nothing */
export function idOf(key: string, what: string): string {
  const id = parseEntityKey(key);
  if (id === undefined) throw fail('not_found', { what });
  return id;
}

/** The window of one thing; without a beginning all of it. @throws bad_query */
export function wholeWindowOf(
  query: { readonly from?: string | number | undefined; readonly to: string | number },
  clock: Clock,
): Window {
  return windowOf({ from: query.from ?? 0, to: query.to }, clock);
}

/** The filter of a list asked for by GET: search text, and the filter object as JSON. @throws bad_query */
export function queryFilterOf(query: {
  readonly q?: string | undefined;
  readonly filter?: string | undefined;
}): Filter | undefined {
  return filterOf(
    { q: query.q, filter: query.filter === undefined ? undefined : parsed(query.filter) },
    'spans',
  );
}

function parsed(text: string): Filter {
  const refuse = (detail: string) => fail('bad_query', { detail: `"filter" in the query ${detail}` });
  let value: unknown;
  try {
    value = parseShallowJson(text);
  } catch (cause) {
    if (cause instanceof NestedTooDeeply) throw refuse(`is ${cause.message}.`);
    throw refuse('is not the JSON of a filter.');
  }
  const result = filterSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.').slice(0, 120) ?? '';
  throw refuse(`is no filter: ${path === '' ? '' : `"${path}": `}${issue?.message ?? ''}`);
}
