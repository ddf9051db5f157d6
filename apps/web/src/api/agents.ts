import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { windowSearch } from './activity.ts';
import { addressOf, call } from './client.ts';

/** Time range and environment of the header. */
export interface Place {
  readonly window: TimeWindow;
  readonly environment: string | undefined;
}

const agentsSearch = (place: Place, text: string) => ({
  ...windowSearch(place.window),
  search: text === '' ? undefined : text,
});

export const agentsPath = (place: Place, text: string): string =>
  addressOf('listAgents', { query: agentsSearch(place, text) });

export const agentsQuery = (place: Place, text: string) =>
  queryOptions({
    queryKey: ['agents', place, text],
    queryFn: ({ signal }) =>
      call('listAgents', { query: agentsSearch(place, text), environment: place.environment, signal }).then(
        (answer) => answer.data,
      ),
  });

export const agentQuery = (place: Place, key: string) =>
  queryOptions({
    queryKey: ['agent', place, key],
    queryFn: ({ signal }) =>
      call('getAgent', {
        params: { agent: key },
        query: windowSearch(place.window),
        environment: place.environment,
        signal,
      }).then((answer) => answer.data),
  });

export const versionQuery = (place: Place, key: string, version: string) =>
  queryOptions({
    queryKey: ['agent-version', key, version, place],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      call('getAgentVersion', {
        params: { agent: key, version },
        query: windowSearch(place.window),
        environment: place.environment,
        signal,
      }).then((answer) => answer.data),
  });

export const graphQuery = (place: Place, key: string) =>
  queryOptions({
    queryKey: ['agent-graph', place, key],
    queryFn: ({ signal }) =>
      call('agentGraph', {
        params: { agent: key },
        query: windowSearch(place.window),
        environment: place.environment,
        signal,
      }).then((answer) => answer.data),
  });
