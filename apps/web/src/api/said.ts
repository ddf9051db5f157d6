import type { SaidHit } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { bounds, type Scope } from './telemetry.ts';

type Rows = 'traces' | 'sessions' | 'spans';

/** Where the texts of the search were said first in rows of a page, by their ids: after the rows. */
export const saidQuery = (of: Rows, ids: readonly string[], scope: Scope) =>
  queryOptions({
    queryKey: ['said', of, ids, scope.q, scope.environment],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, SaidHit>> => {
      if (ids.length === 0 || scope.q.trim() === '') return new Map();
      const { data } = await call('findSaid', {
        environment: scope.environment,
        signal,
        body: { ...bounds(scope), of, ids: [...ids] },
      });
      return new Map(data.map((hit) => [hit.id, hit]));
    },
  });
