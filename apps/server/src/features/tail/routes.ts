import type { Handlers } from '../../http/handlers.ts';
import { filterOf } from '../telemetry/service.ts';
import { createTail, type TailParts } from './service.ts';

export function tailHandlers(parts: TailParts): Pick<Handlers, 'tail'> {
  const tail = createTail(parts);
  return {
    tail: ({ context, query, signal, header }) => {
      const { projectId, environment } = context;
      const input = {
        signal: query.signal,
        filter: filterOf({ q: query.q, filter: undefined }, query.signal),
        question: JSON.stringify([projectId, environment ?? null, query.signal, query.q ?? '']),
        since: query.since === undefined ? undefined : Date.parse(query.since),
        lastEventId: header('last-event-id'),
      };
      return { events: tail.events(context, input, signal) };
    },
  };
}
