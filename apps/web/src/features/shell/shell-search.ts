import { isEnvironmentName } from '@candela/kernel';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useSyncExternalStore } from 'react';
import { textParam } from '../../lib/search-params.ts';
import {
  DEFAULT_RANGE,
  isTimeText,
  resolveRange,
  type TimeRange,
  type TimeWindow,
} from '../../lib/time-range.ts';

/** What every page has in its URL. */
export interface ShellSearch {
  from?: string;
  to?: string;
  env?: string;
}

export function validateShellSearch(raw: Record<string, unknown>): ShellSearch {
  const env = textParam(raw, 'env', 63);
  return {
    ...(isTimeText(raw['from']) ? { from: raw['from'] } : {}),
    ...(isTimeText(raw['to']) ? { to: raw['to'] } : {}),
    ...(env !== undefined && isEnvironmentName(env) ? { env } : {}),
  };
}

/** `now` stands still between refreshes, so that rows, chart and facets of one picture cover the same window. */
let now = Date.now();
const listeners = new Set<() => void>();
export function refreshNow(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
const useNow = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );

const root = getRouteApi('__root__');

export interface ShellState {
  readonly range: TimeRange;
  readonly window: TimeWindow;
  readonly environment: string | undefined;
  setRange(range: TimeRange): void;
  setEnvironment(name: string | undefined): void;
}

/** Time range and environment of the whole product, read from and written to the URL. */
export function useShell(): ShellState {
  const search = root.useSearch();
  const navigate = root.useNavigate();
  const at = useNow();
  const { from = DEFAULT_RANGE.from, to = DEFAULT_RANGE.to, env } = search;
  return useMemo(
    () => ({
      range: { from, to },
      window: resolveRange({ from, to }, at),
      environment: env,
      setRange(range) {
        refreshNow();
        void navigate({
          to: '.',
          search: (before: ShellSearch) => ({
            ...before,
            from: range.from === DEFAULT_RANGE.from ? undefined : range.from,
            to: range.to === DEFAULT_RANGE.to ? undefined : range.to,
          }),
        } as Parameters<typeof navigate>[0]);
      },
      setEnvironment(name) {
        void navigate({
          to: '.',
          search: (before: ShellSearch) => ({ ...before, env: name }),
        } as Parameters<typeof navigate>[0]);
      },
    }),
    [from, to, env, at, navigate],
  );
}
