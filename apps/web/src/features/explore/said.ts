import type { SaidHit } from '@candela/contract';
import { useQueries } from '@tanstack/react-query';
import { createContext, lazy, use } from 'react';
import type { SaidRows } from '../../api/said.ts';
import type { Scope } from '../../api/telemetry.ts';

type Hits = ReadonlyMap<string, SaidHit>;
const NONE: Hits = new Map();

/** Where what is sought was said, by the id of the row. */
export const SaidHits = createContext<Hits>(NONE);
// Comes with the first that is found.
export const SaidSnippet = lazy(() => import('./said-snippet.tsx'));

/** Hits in the rows of the pages that are here, after the rows; none without a search. */
export const useSaidHits = (of: SaidRows, pages: readonly (readonly string[])[], scope: Scope): Hits =>
  useQueries({
    queries: pages
      .filter((ids) => ids.length > 0 && scope.q.trim() !== '')
      .map((ids) => ({
        queryKey: ['said', of, ids, scope.q, scope.environment],
        staleTime: 60_000,
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          (await import('../../api/said.ts')).findSaid(of, ids, scope, signal),
      })),
    combine: hitsOf,
  });

function hitsOf(answers: readonly { readonly data?: Hits | undefined }[]): Hits {
  const found = answers.flatMap(({ data }) => [...(data ?? [])]);
  return found.length === 0 ? NONE : new Map(found);
}

/** The hit of a row, if any. */
export const useSaidHit = (id: string): SaidHit | undefined => use(SaidHits).get(id);
