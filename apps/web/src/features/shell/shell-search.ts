import { isEnvironmentName } from '@candela/kernel';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useMatches, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { isProjectId } from '../../api/client.ts';
import type { Zone } from '../../lib/format.ts';
import { flagParam, textParam } from '../../lib/search-params.ts';
import {
  calendarBefore,
  DEFAULT_RANGE,
  isRangeText,
  isTimeText,
  plainRange,
  resolveRange,
  type TimeRange,
  type TimeWindow,
} from '../../lib/time-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import type { RangeUse } from './navigation.ts';

/** What every page has in its URL. */
export interface ShellSearch {
  from?: string;
  to?: string;
  env?: string;
  /** Absent: the only project there is, or the one that the credential belongs to. */
  project?: string;
  /** Figures are compared with the period before, or not; absent: as the page does by itself. */
  compare?: true | 'off';
}

export function validateShellSearch(raw: Record<string, unknown>): ShellSearch {
  const env = textParam(raw, 'env', 63);
  const project = textParam(raw, 'project', 64);
  return {
    ...(isRangeText(raw['from']) ? { from: raw['from'] } : {}),
    ...(isTimeText(raw['to']) ? { to: raw['to'] } : {}),
    ...(env !== undefined && isEnvironmentName(env) ? { env } : {}),
    ...(project !== undefined && isProjectId(project) ? { project } : {}),
    ...(flagParam(raw, 'compare') ? { compare: true } : raw['compare'] === 'off' ? { compare: 'off' } : {}),
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

/** What is chosen as one text; a range of the calendar is another one in another zone. */
export function choiceOf(
  chosen: TimeRange & { readonly env: string | undefined; readonly project: string | undefined },
  range: TimeRange,
  zone: Zone,
): string {
  const { from, to, env = '', project = '' } = chosen;
  return JSON.stringify([from, to, env, project, range.from === from ? '' : zone]);
}

const root = getRouteApi('__root__');

const useRangeUse = (): RangeUse | undefined =>
  useMatches({ select: (matches) => matches.at(-1)?.staticData.range });

/** What Refresh does: the time range ends now; a page without one asks again for what it shows. */
export function useRefresh(): () => void {
  const client = useQueryClient();
  const hasRange = useRangeUse() !== undefined;
  return useCallback(() => {
    if (hasRange) refreshNow();
    else void client.refetchQueries({ type: 'active' });
  }, [client, hasRange]);
}

export interface ShellState {
  /** As the server reads it: relative text stays, a range of the calendar is its times. */
  readonly range: TimeRange;
  /** As chosen: the name of a calendar range, too. */
  readonly chosen: TimeRange;
  /** All that is chosen in the header, as one text: it stays while time goes on and the page asks for newer figures. */
  readonly choice: string;
  readonly window: TimeWindow;
  readonly environment: string | undefined;
  readonly project: string | undefined;
  /** What the time range does on the page that is open; undefined: nothing. */
  readonly rangeUse: RangeUse | undefined;
  /** Whether pages show figures of the period before beside those of the time range. */
  readonly compare: boolean;
  /** What figures are compared with: the period before as the server knows it, or the one of the calendar. */
  readonly before: true | TimeRange;
  setCompare(compare: boolean): void;
  setRange(range: TimeRange): void;
  setEnvironment(name: string | undefined): void;
  /** The same page of another project, in all its environments and without what was chosen on the page. */
  setProject(id: string): void;
}

/** Time range and environment of the whole product, read from and written to the URL. */
export function useShell(): ShellState {
  const search = root.useSearch();
  // Of no route in particular: from the root's own, `.` would be the start page and not the page that is open.
  const navigate = useNavigate();
  const at = useNow();
  const rangeUse = useRangeUse();
  const byItself = rangeUse === 'compared';
  const { from = DEFAULT_RANGE.from, to = DEFAULT_RANGE.to, env, project } = search;
  const compare = search.compare === undefined ? byItself : search.compare === true;
  const zone = zonePreference.use();
  return useMemo(() => {
    const range = plainRange({ from, to }, at, zone);
    return {
      range,
      chosen: { from, to },
      choice: choiceOf({ from, to, env, project }, range, zone),
      // To the second: charts of several people who look at the same time ask the same, and are answered once.
      window: resolveRange(range, Math.ceil(at / 1_000) * 1_000),
      rangeUse,
      compare,
      before: calendarBefore({ from, to }, at, zone) ?? true,
      setCompare(next) {
        void navigate({
          to: '.',
          search: (before: ShellSearch) => ({
            ...before,
            compare: next === byItself ? undefined : next ? true : 'off',
          }),
        } as Parameters<typeof navigate>[0]);
      },
      environment: env,
      project,
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
      setProject(id) {
        void navigate({
          to: '.',
          search: (before: ShellSearch) => ({
            ...validateShellSearch({ ...before }),
            env: undefined,
            project: id,
          }),
        } as Parameters<typeof navigate>[0]);
      },
    };
  }, [from, to, env, project, compare, rangeUse, byItself, at, zone, navigate]);
}
