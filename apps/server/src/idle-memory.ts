import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often it is looked whether the process is at rest; two looks in a row have to find it so. */
const LOOK_MS = 5_000;
/** A thread that runs for a larger part of the time than this is at work. */
const AT_REST = 0.05;
/**
 * So large the young generation has to be for a collection to be worth its pause. Any work makes it as large as it may be
 * (12 MiB as `npm start` runs the server), so it also shows that there is something to give back in the old one.
 */
const WORTH_BYTES = 6 * 1_048_576;

/**
 * Gives memory back that a start or a burst of load left behind, once the thread is at rest: V8 keeps the young
 * generation as large as it ever was. Keeps no process alive; returns what ends it.
 */
export function collectWhenIdle(lookMs = LOOK_MS): () => void {
  let collect: NodeJS.GCFunction | undefined;
  let before = performance.eventLoopUtilization();
  let rested = false;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const resting = performance.eventLoopUtilization(now, before).utilization < AT_REST;
    before = now;
    if (resting && rested && youngBytes() >= WORTH_BYTES) {
      collect ??= collector();
      // The kind that V8 does before it gives up: it alone shrinks the spaces.
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    }
    rested = resting;
  }, lookMs).unref();
  return () => clearInterval(timer);
}

/** Memory of the young generation, in use or not. */
export const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.physical_space_size ?? 0;

/** V8's own collector. A context made after the flag has it; this one stays without. */
function collector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as NodeJS.GCFunction;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
