import { canonicalFilter, type EventKind, type Filter, parseFilterOrFail } from '@candela/contract';
import { type Clock, fail, previousWindow } from '@candela/kernel';
import type { CompareQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, period, windowOf } from '../telemetry/service.ts';

/** What differs between a selection and the rest, or a period before. */
export function compareHandlers(queries: CompareQueries, clock: Clock): Pick<Handlers, 'compare'> {
  return {
    compare: async ({ context, body, signal: abort }) => {
      const { signal, against } = body;
      const window = windowOf(body, clock);
      const selection = selectionOf(body.selection, signal);
      if (against === 'rest' && selection === undefined)
        throw fail('bad_query', {
          detail: 'Give a "selection", or an "against" period to compare everything with.',
        });
      const before =
        against === 'rest'
          ? undefined
          : against === 'before'
            ? previousWindow(window)
            : windowOf(against, clock);
      if (against === 'before' && before === undefined)
        throw fail('bad_query', { detail: 'The period before would begin before 1970.' });
      const input = { window, filter: filterOf(body, signal), selection, before, limit: body.limit };
      const found = await queries.compare(context, signal, input, abort);
      return { data: { ...found, against: before === undefined ? null : period(before) } };
    },
  };
}

function selectionOf(given: string | Filter | undefined, signal: EventKind): Filter | undefined {
  if (given === undefined) return undefined;
  const chosen =
    typeof given === 'string' ? parseFilterOrFail(given, signal) : canonicalFilter(given, signal);
  if (chosen === undefined) throw fail('bad_query', { detail: '"selection" selects nothing in particular.' });
  return chosen;
}
