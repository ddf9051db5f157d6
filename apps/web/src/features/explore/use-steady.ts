import { useState } from 'react';
import type { Scope } from '../../api/telemetry.ts';

/** So much newer than what is shown has to be what takes its place while the time range moves on by itself. */
const STEADY_MS = 30_000;

interface Held {
  readonly scope: Scope;
  /** What somebody chose: the time range as it is named, the search. */
  readonly chosen: string;
}

/** The scope to ask for: the one held while it is of the same choice and not old, and the time range moves on by itself. */
export const steadyScope = (held: Held, next: Held, isMoving: boolean): Scope =>
  isMoving && held.chosen === next.chosen && next.scope.window.toMs - held.scope.window.toMs < STEADY_MS
    ? held.scope
    : next.scope;

/**
 * A scope that follows the time range at its own pace: what takes the server a while is not asked with every arrival of a
 * live view.
 */
export function useSteady(scope: Scope, chosen: string, isMoving: boolean): Scope {
  const [held, setHeld] = useState<Held>({ scope, chosen });
  const steady = steadyScope(held, { scope, chosen }, isMoving);
  if (steady !== held.scope || chosen !== held.chosen) setHeld({ scope: steady, chosen });
  return steady;
}
