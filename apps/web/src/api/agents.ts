import type { agentGraph, getAgent, getAgentVersion, listAgents, ResponseOf } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { windowSearch } from './activity.ts';
import { call } from './client.ts';

/** Time range and environment of the header. */
export interface Place {
  readonly window: TimeWindow;
  readonly environment: string | undefined;
}

const search = (place: Place, more: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({ ...windowSearch(place.window), ...more });
const path = (key: string) => `/api/telemetry/agents/${encodeURIComponent(key)}`;

export const agentsPath = (place: Place, text: string): string =>
  `/api/telemetry/agents?${search(place, text === '' ? {} : { search: text })}`;

export const agentsQuery = (place: Place, text: string) =>
  queryOptions({
    queryKey: ['agents', place, text],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof listAgents>>(agentsPath(place, text), place, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const agentQuery = (place: Place, key: string) =>
  queryOptions({
    queryKey: ['agent', place, key],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getAgent>>(`${path(key)}?${search(place)}`, place, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const versionQuery = (place: Place, key: string, version: string) =>
  queryOptions({
    queryKey: ['agent-version', key, version, place],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getAgentVersion>>(`${path(key)}/versions/${version}?${search(place)}`, place, {
        signal,
      }).then((answer) => answer.data),
  });

export const graphQuery = (place: Place, key: string) =>
  queryOptions({
    queryKey: ['agent-graph', place, key],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof agentGraph>>(`${path(key)}/graph?${search(place)}`, place, { signal }).then(
        (answer) => answer.data,
      ),
  });
