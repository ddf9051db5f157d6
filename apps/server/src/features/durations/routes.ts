import type { Clock } from '@candela/kernel';
import type { DurationQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, windowOf } from '../telemetry/service.ts';

/** How long spans took, over time. */
export function durationHandlers(queries: DurationQueries, clock: Clock): Pick<Handlers, 'spanDurations'> {
  return {
    spanDurations: async ({ context, body, signal }) => {
      const { bucketSeconds, early } = body;
      const input = { window: windowOf(body, clock), filter: filterOf(body, 'spans'), bucketSeconds, early };
      const { cells, running, sample } = await queries.durations(context, input, signal);
      return {
        data: {
          bucketSeconds,
          cells: cells.map(({ startMs, ...cell }) => ({ time: new Date(startMs).toISOString(), ...cell })),
          running,
          sample,
        },
      };
    },
  };
}
