import type { ExceptionSort } from '@candela/contract';
import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';
import { type ExploreSearch, validateExploreSearch } from '../explore/explore-search.ts';

const SORTS = [
  'lastSeen',
  '-firstSeen',
  'firstSeen',
  '-count',
  'count',
  '-users',
  'users',
] as const satisfies readonly ExceptionSort[];

/** What is asked for by what was decided; absent: all of them. */
export const TRIAGE = ['open', 'regressed', 'resolved', 'ignored'] as const;

export interface ExceptionsSearch extends ExploreSearch {
  status?: (typeof TRIAGE)[number];
}

/** What the Exceptions page has in its URL; a row is a fingerprint. */
export function validateExceptionsSearch(raw: Record<string, unknown>): ExceptionsSearch {
  const status = choiceParam(raw, 'status', TRIAGE);
  const { q, cols, facets, panel } = validateExploreSearch(raw);
  const sort = choiceParam(raw, 'sort', SORTS);
  const row = textParam(raw, 'row', 16);
  return {
    ...(q === undefined ? {} : { q }),
    ...(cols === undefined ? {} : { cols }),
    ...(facets === undefined ? {} : { facets }),
    ...(panel === undefined ? {} : { panel }),
    ...(sort === undefined ? {} : { sort }),
    ...(status === undefined ? {} : { status }),
    ...(row === undefined || !/^[0-9a-f]{16}$/.test(row) ? {} : { row }),
  };
}

export const persistedExceptions = persistedSearch(validateExceptionsSearch);

/** What the page of one group has in its URL. */
export interface ExceptionSearch {
  q?: string;
}

export function validateExceptionSearch(raw: Record<string, unknown>): ExceptionSearch {
  const q = textParam(raw, 'q');
  return q === undefined ? {} : { q };
}
