import type { SaidHit } from '@candela/contract';
import { useQueries } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { saidQuery } from '../../api/said.ts';
import type { Scope } from '../../api/telemetry.ts';

type Hits = ReadonlyMap<string, SaidHit>;

const NONE: Hits = new Map();

/** Where what is sought was said, by the id of the row. */
export const SaidHits = createContext<Hits>(NONE);

/** Hits in the rows of the pages that are here; none without a search. */
export function useSaidHits(
  of: 'traces' | 'sessions' | 'spans',
  pages: readonly (readonly string[])[],
  scope: Scope,
): Hits {
  return useQueries({
    queries: scope.q.trim() === '' ? [] : pages.map((ids) => saidQuery(of, ids, scope)),
    combine: hitsOf,
  });
}

function hitsOf(answers: readonly { readonly data?: Hits | undefined }[]): Hits {
  const found = answers.flatMap(({ data }) => [...(data ?? [])]);
  return found.length === 0 ? NONE : new Map(found);
}

/** The hit of a row, if any. */
export const useSaidHit = (id: string): SaidHit | undefined => use(SaidHits).get(id);

/** Who said it, and the text around with what is sought marked. */
export function SaidSnippet({ hit }: { hit: SaidHit }) {
  return (
    <span
      className="text-muted"
      title={`${hit.role}: ${hit.before}${hit.match}${hit.after}`}
      data-testid="said"
    >
      <span className="text-xs">{hit.role}</span> <bdi>{hit.before.slice(-24)}</bdi>
      <mark className="bg-accent-fill/40 text-text">{hit.match}</mark>
      <bdi>{hit.after}</bdi>
    </span>
  );
}
