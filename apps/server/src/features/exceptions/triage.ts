import type { ExceptionTriage, Filter } from '@candela/contract';
import type { Clock, RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredTriage } from '@candela/metadata-store';
import type { ExceptionQueries } from '@candela/telemetry-store';

const NANOS_PER_MS = 1_000_000n;
/** Values of one condition. */
const CHUNK = 200;

const UNTOUCHED: ExceptionTriage = {
  status: 'open',
  assignee: null,
  changedBy: null,
  changedAt: null,
};

type Status = ExceptionTriage['status'] | 'any';

/** What people decided about groups of exceptions, and which came back since. */
export function triageOf(queries: ExceptionQueries, metadata: MetadataStore, clock: Clock) {
  /** Resolved groups that happened after it, whatever time range is looked at. */
  async function regressed(
    context: RequestContext,
    states: readonly StoredTriage[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const resolved = states.filter(({ status }) => status === 'resolved');
    const found = new Set<string>();
    for (let at = 0; at < resolved.length; at += CHUNK) {
      const some = resolved.slice(at, at + CHUNK);
      const since = Math.min(...some.map(({ statusAt }) => statusAt));
      const { data } = await queries.search(
        context,
        {
          window: {
            from: BigInt(since) * NANOS_PER_MS,
            to: BigInt(Math.max(clock.now(), since) + 1) * NANOS_PER_MS,
          },
          filter: inAny(some),
          sort: '-lastSeen',
          limit: CHUNK,
          cursor: undefined,
        },
        signal,
      );
      const last = new Map(data.map((row) => [row.fingerprint, Date.parse(row.lastSeen)]));
      for (const { fingerprint, statusAt } of some)
        if ((last.get(fingerprint) ?? 0) > statusAt) found.add(fingerprint);
    }
    return found;
  }

  return {
    /** How each of the groups stands. */
    async of(
      context: RequestContext,
      fingerprints: readonly string[],
      signal: AbortSignal,
    ): Promise<(fingerprint: string) => ExceptionTriage> {
      const wanted = new Set(fingerprints);
      const all = await metadata.exceptionTriage.list(context.projectId);
      const states = all.filter(({ fingerprint }) => wanted.has(fingerprint));
      const back = await regressed(context, states, signal);
      const shown = new Map(states.map((state) => [state.fingerprint, shownOf(state, back)]));
      return (fingerprint) => shown.get(fingerprint) ?? UNTOUCHED;
    },

    /** A filter with those of one status alone; null: there are none. */
    async narrowed(
      context: RequestContext,
      filter: Filter | undefined,
      status: Status,
      signal: AbortSignal,
    ): Promise<Filter | undefined | null> {
      if (status === 'any') return filter;
      const states = await metadata.exceptionTriage.list(context.projectId);
      const back = await regressed(context, states, signal);
      const is = (wanted: Status) => states.filter((state) => shownOf(state, back).status === wanted);
      const own = filter === undefined ? [] : [filter];
      if (status === 'open') {
        const done = [...is('resolved'), ...is('ignored')];
        return done.length === 0 ? filter : { and: [...own, { not: inAny(done) }] };
      }
      const those = is(status);
      return those.length === 0 ? null : { and: [...own, inAny(those)] };
    },
  };
}

/** Of one of the groups. */
function inAny(states: readonly StoredTriage[]): Filter {
  const chunks: Filter[] = [];
  for (let at = 0; at < states.length; at += CHUNK) {
    const value = states.slice(at, at + CHUNK).map(({ fingerprint }) => fingerprint);
    chunks.push({ field: 'fingerprint', op: 'in', value });
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : { or: chunks };
}

function shownOf(state: StoredTriage, back: ReadonlySet<string>): ExceptionTriage {
  return {
    status: state.status === 'resolved' && back.has(state.fingerprint) ? 'regressed' : state.status,
    assignee: state.assignee,
    changedBy: state.changedBy,
    changedAt: new Date(state.changedAt).toISOString(),
  };
}
