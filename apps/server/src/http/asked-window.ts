import type { Clock, RequestContext } from '@candela/kernel';
import { windowOf } from '../features/telemetry/service.ts';
import type { Handlers } from './handlers.ts';

interface Asked {
  readonly context?: RequestContext;
  readonly body?: unknown;
  readonly query?: unknown;
}

type Times = { readonly from?: string | number; readonly to?: string | number };

/**
 * The time range that a request names in its body or query. What is no time is none here: its handler says so.
 */
function windowIn({ body, query }: Asked, clock: Clock): RequestContext['window'] {
  for (const times of [body, query] as (Times | undefined)[]) {
    const from = times?.from;
    if (typeof from !== 'string' && typeof from !== 'number') continue;
    try {
      return windowOf({ from, to: times?.to ?? 'now' }, clock);
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Handlers that know the time range they are asked for wherever they read: the floor of users of coding agents counts in it. */
export function withAskedWindow(handlers: Handlers, clock: Clock): Handlers {
  const wrapped = Object.entries(handlers as unknown as Record<string, (input: Asked) => unknown>).map(
    ([id, handler]) => [
      id,
      (input: Asked) => {
        const window = input.context && windowIn(input, clock);
        return handler(
          input.context === undefined || window === undefined
            ? input
            : { ...input, context: { ...input.context, window } },
        );
      },
    ],
  );
  return Object.fromEntries(wrapped) as unknown as Handlers;
}
