import type { Clock } from '@candela/kernel';
import type { FieldQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, windowOf } from '../telemetry/service.ts';

type FieldHandlers = Pick<Handlers, 'listFields' | 'listFieldValues'>;

/** What can be searched for, for people who type. */
export function fieldHandlers(queries: FieldQueries, clock: Clock): FieldHandlers {
  return {
    listFields: async ({ context, query, signal }) => ({
      data: await queries.list(
        context,
        query.signal,
        {
          window: windowOf(query, clock),
          filter: filterOf({ q: query.q, filter: undefined }, query.signal),
          prefix: query.prefix,
        },
        signal,
      ),
    }),
    listFieldValues: async ({ context, query, signal }) => ({
      data: await queries.values(
        context,
        query.signal,
        {
          window: windowOf(query, clock),
          filter: filterOf({ q: query.q, filter: undefined }, query.signal),
          field: query.field,
          prefix: query.prefix,
          limit: query.limit,
        },
        signal,
      ),
    }),
  };
}
