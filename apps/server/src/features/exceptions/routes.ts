import type { Clock } from '@candela/kernel';
import type { ExceptionQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, windowOf } from '../telemetry/service.ts';

type ExceptionHandlers = Pick<Handlers, 'searchExceptions' | 'getException'>;

export function exceptionHandlers(queries: ExceptionQueries, clock: Clock): ExceptionHandlers {
  return {
    searchExceptions: ({ context, body, signal }) =>
      queries.search(
        context,
        {
          window: windowOf(body, clock),
          filter: filterOf(body, 'exceptions'),
          sort: body.sort,
          limit: body.limit,
          cursor: body.cursor,
        },
        signal,
      ),
    getException: ({ context, params, query, signal }) =>
      queries.group(
        context,
        {
          fingerprint: params.fingerprint,
          window: windowOf(query, clock),
          filter: filterOf({ q: query.q, filter: undefined }, 'exceptions'),
          limit: query.limit,
          cursor: query.cursor,
        },
        signal,
      ),
  };
}
