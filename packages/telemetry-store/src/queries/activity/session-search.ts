import { type Filter, MAX_SAID_HITS, type SaidHit } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { saidHits } from '../spans/said-hits.ts';
import { tracePlaces } from './session.ts';

/** How far a trace may reach beyond those of its spans that name the session. */
const HOUR = 3_600_000_000_000n;

/**
 * Messages of a session that hold the texts of a filter, in order; what later calls repeat is one hit.
 * @throws not_found, bad_query
 */
export async function searchInSession(
  runner: Runner,
  context: RequestContext,
  input: { sessionId: string; window: Window; filter: Filter },
): Promise<{ hits: SaidHit[]; truncated: boolean }> {
  const places = await tracePlaces(runner, context, input);
  if (places.length === 0) throw fail('not_found', { what: 'The session' });
  const from = places.map(({ StartNs }) => BigInt(StartNs)).reduce((a, b) => (a < b ? a : b));
  const to = places.map(({ EndNs }) => BigInt(EndNs)).reduce((a, b) => (a > b ? a : b));
  const hits = await saidHits(runner, context, {
    window: { from: from > HOUR ? from - HOUR : 0n, to: to + HOUR },
    filter: input.filter,
    of: 'traces',
    ids: places.map(({ TraceId }) => TraceId),
    each: MAX_SAID_HITS,
    oneConversation: true,
  });
  return { hits, truncated: hits.length >= MAX_SAID_HITS };
}
