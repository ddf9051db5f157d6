import type { Clock } from '@candela/kernel';
import type { LogQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, patienceOf, windowOf } from '../telemetry/service.ts';

type LogHandlers = Pick<Handlers, 'searchLogs' | 'getLog' | 'getLogContext'>;

export function logHandlers(queries: LogQueries, clock: Clock): LogHandlers {
  return {
    searchLogs: ({ context, body, signal }) =>
      queries.search(
        context,
        {
          window: windowOf(body, clock),
          filter: filterOf(body, 'logs'),
          sort: body.sort,
          limit: body.limit,
          cursor: body.cursor,
          patienceMs: patienceOf(body),
        },
        signal,
      ),
    getLog: async ({ context, params, signal }) => ({ data: await queries.log(context, params.id, signal) }),
    getLogContext: async ({ context, params, query, signal }) => ({
      data: await queries.around(context, { id: params.id, ...query }, signal),
    }),
  };
}
