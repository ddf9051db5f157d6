import type { SaidHit } from '@candela/contract';
import { call } from './client.ts';
import { bounds, type Scope } from './telemetry.ts';

export type SaidRows = 'traces' | 'sessions' | 'spans';

/** Where the texts of the search were said first in rows of a page, by their ids. */
export async function findSaid(
  of: SaidRows,
  ids: readonly string[],
  scope: Scope,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SaidHit>> {
  const { data } = await call('findSaid', {
    environment: scope.environment,
    signal,
    body: { ...bounds(scope), of, ids: [...ids] },
  });
  return new Map(data.map((hit) => [hit.id, hit]));
}
