import type { RoutedSignal, SignalRouting } from '@candela/contract';
import type { RoutingChange } from '../../api/connectors.ts';

/** What stands in a place of the matrix: `inherit`, `nowhere`, or `to ` and the id of a connector. */
export type Choice = string;

/** A place of the matrix as the key of a map; the environment may be any valid name. */
export const placeKey = (environment: string | null, signal: RoutedSignal): string =>
  `${signal} ${environment ?? ''}`;

/** The binding that was made for a place. */
export function chosenOf(routing: SignalRouting, environment: string | null, signal: RoutedSignal): Choice {
  const made = routing.bindings.find(
    (binding) => binding.environment === environment && binding.signal === signal,
  );
  if (made === undefined) return 'inherit';
  return made.connectorId === null ? 'nowhere' : `to ${made.connectorId}`;
}

/** What the edits change of the routing, as it is sent. */
export function changesOf(routing: SignalRouting, edits: ReadonlyMap<string, Choice>): RoutingChange[] {
  const changes: RoutingChange[] = [];
  for (const environment of [null, ...routing.environments])
    for (const signal of ['traces', 'metrics', 'logs', 'platform'] as const) {
      const choice = edits.get(placeKey(environment, signal));
      if (choice === undefined || choice === chosenOf(routing, environment, signal)) continue;
      changes.push({
        environment,
        signal,
        ...(choice === 'inherit'
          ? {}
          : { connectorId: choice === 'nowhere' ? null : choice.slice('to '.length) }),
      });
    }
  return changes;
}
