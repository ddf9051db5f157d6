import type { Handlers } from '../../http/handlers.ts';
import { filterOf, momentOf } from '../telemetry/service.ts';
import { createTail, type TailParts } from './service.ts';

export function tailHandlers(parts: TailParts): Pick<Handlers, 'tail'> {
  const tail = createTail(parts);
  return {
    tail: async ({ context, query, signal, header }) => {
      const { projectId, environment } = context;
      const input = {
        signal: query.signal,
        filter: filterOf({ q: query.q, filter: undefined }, query.signal),
        question: JSON.stringify([projectId, environment ?? null, query.signal, query.q ?? '']),
        since: query.since === undefined ? undefined : momentOf('since', query.since, parts.clock),
        lastEventId: header('last-event-id'),
      };
      return { events: await tail.open(context, input, signal) };
    },
  };
}
