import type { FilterTextError } from '@candela/contract/filter';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { flagParam, textParam } from '../../lib/search-params.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { useShell } from '../shell/shell-search.ts';
import type { ExploreConfig } from './explore-config.ts';
import { queryTrouble } from './query-trouble.ts';

/** What every explorer has in its URL besides time range and environment. */
export interface ExploreSearch {
  q?: string;
  sort?: string;
  /** Column ids, comma separated; absent: the default ones. */
  cols?: string;
  live?: true;
  /** Key of the selected row. */
  row?: string;
}

/** What of it changes; undefined takes a part out. */
export type ExploreChange = Partial<Record<keyof ExploreSearch, string | true | undefined>>;

/** The parts of the URL that mean the same on every explorer; `sort` and `row` are each page's own to validate. */
export function validateExploreSearch(
  raw: Record<string, unknown>,
): Pick<ExploreSearch, 'q' | 'cols' | 'live'> {
  const q = textParam(raw, 'q');
  const cols = textParam(raw, 'cols', 1_000);
  const live = flagParam(raw, 'live');
  return {
    ...(q === undefined ? {} : { q }),
    ...(cols === undefined ? {} : { cols }),
    ...(live === undefined ? {} : { live }),
  };
}

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
  const trouble = useMemo(() => queryTrouble(q, config.signal), [q, config.signal]);
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
