import { canonicalFilter, parseFilterOrFail } from '@candela/contract';
import { type Clock, fail } from '@candela/kernel';
import type { CompareQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, windowOf } from '../telemetry/service.ts';

/** What differs between a selection and the rest. */
export function compareHandlers(queries: CompareQueries, clock: Clock): Pick<Handlers, 'compare'> {
  return {
    compare: async ({ context, body, signal: abort }) => {
      const { signal, selection } = body;
      const chosen =
        typeof selection === 'string'
          ? parseFilterOrFail(selection, signal)
          : canonicalFilter(selection, signal);
      if (chosen === undefined)
        throw fail('bad_query', { detail: '"selection" selects nothing in particular.' });
      const input = {
        window: windowOf(body, clock),
        filter: filterOf(body, signal),
        selection: chosen,
        limit: body.limit,
      };
      return { data: await queries.compare(context, signal, input, abort) };
    },
  };
}
