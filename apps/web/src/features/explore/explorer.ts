import type { FilterTextError } from '@candela/contract/filter';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { useShell } from '../shell/shell-search.ts';
import type { ExploreConfig } from './explore-config.ts';
import type { ExploreChange, ExploreSearch } from './explore-search.ts';
import { loadGrammar, useGrammar } from './use-grammar.ts';

// The types only: who validates an address must not bring the parser of queries into the first load.
export type { ExploreChange, ExploreSearch } from './explore-search.ts';

export interface Explorer {
  readonly scope: Scope;
  readonly q: string;
  /** Why the query cannot be read; then nothing is asked of the server. */
  readonly trouble: FilterTextError | undefined;
  setQuery(text: string): void;
  setRow(key: string): void;
  /** Takes the part of the time range that was brushed. */
  zoom(window: TimeWindow): void;
}

/** Search text, time range and environment of an explorer as one, with what its parts call. */
export function useExplorer(
  config: ExploreConfig,
  search: ExploreSearch,
  change: (next: ExploreChange, replace?: boolean) => void,
): Explorer {
  const router = useRouter();
  const { window, environment, setRange } = useShell();
  const q = search.q ?? '';
  const scope = useMemo(() => ({ window, q, environment }), [window, q, environment]);
  const grammar = useGrammar();
  // A search that a click made comes without the grammar, and can be read.
  const trouble = useMemo(
    () => (q === '' ? undefined : grammar?.queryTrouble(q, config.signal)),
    [grammar, q, config.signal],
  );
  useEffect(() => {
    if (q !== '') void loadGrammar();
  }, [q]);
  return {
    scope,
    q,
    trouble,
    setQuery: (text) => change({ q: text === '' ? undefined : text, row: undefined }),
    setRow(row) {
      change({ row: row === '' ? undefined : row }, true);
      // Opening the row comes next: written now, the entry that Back returns to knows it.
      router.history.flush();
    },
    zoom: (chosen) =>
      setRange({ from: new Date(chosen.fromMs).toISOString(), to: new Date(chosen.toMs).toISOString() }),
  };
}
