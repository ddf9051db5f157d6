import { shellShots } from './shell.ts';
import type { ShotGroup } from './shot.ts';
import { traceShots } from './trace.ts';
import { tracesShots } from './traces.ts';

/** Every feature's pictures; the one registry. */
export const SHOT_GROUPS: readonly ShotGroup[] = [tracesShots, traceShots, shellShots];
