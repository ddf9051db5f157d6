import type { Clock } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { ExceptionQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { actorName, record } from '../audit/service.ts';
import { filterOf, windowOf } from '../telemetry/service.ts';
import { triageOf } from './triage.ts';

type ExceptionHandlers = Pick<Handlers, 'searchExceptions' | 'getException' | 'triageException'>;

export function exceptionHandlers(
  queries: ExceptionQueries,
  clock: Clock,
  metadata: MetadataStore,
): ExceptionHandlers {
  const triage = triageOf(queries, metadata, clock);
  return {
    searchExceptions: async ({ context, body, signal }) => {
      const filter = await triage.narrowed(context, filterOf(body, 'exceptions'), body.status, signal);
      if (filter === null) return { data: [], nextCursor: null };
      const { data, nextCursor } = await queries.search(
        context,
        { window: windowOf(body, clock), filter, sort: body.sort, limit: body.limit, cursor: body.cursor },
        signal,
      );
      const names = data.map(({ fingerprint }) => fingerprint);
      const of = await triage.of(context, names, signal);
      return { data: data.map((row) => ({ ...row, triage: of(row.fingerprint) })), nextCursor };
    },
    getException: async ({ context, params, query, signal }) => {
      const { data, nextCursor } = await queries.group(
        context,
        {
          fingerprint: params.fingerprint,
          window: windowOf(query, clock),
          filter: filterOf({ q: query.q, filter: undefined }, 'exceptions'),
          limit: query.limit,
          cursor: query.cursor,
        },
        signal,
      );
      const of = await triage.of(context, [params.fingerprint], signal);
      return { data: { ...data, triage: of(params.fingerprint) }, nextCursor };
    },
    triageException: async ({ context, params, body, header, signal }) => {
      const { fingerprint } = params;
      const by = actorName(context);
      const call = callOf(context, 'triageException', header('idempotency-key'), { ...params, ...body });
      await metadata.change(call, async (repositories) => {
        const set = await repositories.exceptionTriage.set(context.projectId, fingerprint, { ...body, by });
        await record(repositories, context, {
          action: 'exception.triage',
          objectKind: 'exception',
          objectId: fingerprint,
          details: { status: set.status, assignee: set.assignee },
        });
        return set;
      });
      const of = await triage.of(context, [fingerprint], signal);
      return { data: of(fingerprint) };
    },
  };
}
