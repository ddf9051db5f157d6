import { PatientThread, ROUND_MS } from '../../patient-thread.ts';
import type { Blocks } from './volume.ts';

/** What a place turned out to be. */
export interface Answer extends Blocks {
  readonly isDirectory: boolean;
  /** Number of the device, as `stat` has it. */
  readonly dev: number;
}

const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const { statSync, statfsSync } = require('node:fs');
parentPort.on('message', (path) => {
  try {
    const stat = statSync(path);
    const { dev } = stat;
    const isDirectory = stat.isDirectory();
    const { bsize, frsize, blocks, bfree, bavail } = statfsSync(path);
    parentPort.postMessage({ dev, isDirectory, bsize, frsize, blocks, bfree, bavail });
  } catch {
    parentPort.postMessage(undefined);
  }
});
`;

export interface RiskyPlace {
  readonly path: string;
  /** Places of one server hang together. */
  readonly server: string;
}

/** Asks places that may never answer, in rounds: nobody waits for ever for a turn. */
export class PatientStatfs {
  readonly #askedAt = new Map<string, number>();
  readonly #thread: PatientThread<string, Answer>;
  #round = 0;

  /** `tell`: see PatientThread. */
  constructor(tell: (server: string, hangs: boolean, noneLeft: boolean) => void) {
    this.#thread = new PatientThread({ name: 'statfs', source: PROGRAM }, tell);
  }

  /** Answers by path. Absent: it hangs, failed, or its turn comes in the next round. */
  async ask(places: readonly RiskyPlace[], signal: AbortSignal): Promise<Map<string, Answer>> {
    const answers = new Map<string, Answer>();
    this.#round += 1;
    const until = performance.now() + ROUND_MS;
    // Who had no turn in the round before comes first.
    const order = places.toSorted(
      (a, b) => (this.#askedAt.get(a.path) ?? 0) - (this.#askedAt.get(b.path) ?? 0),
    );
    for (const { path, server } of order) {
      if (signal.aborted || performance.now() > until) break;
      if (!this.#thread.mayAsk(server)) continue;
      this.#askedAt.set(path, this.#round);
      const answer = await this.#thread.ask(path, server);
      if (answer !== undefined) answers.set(path, answer);
    }
    const known = new Set(places.map(({ path }) => path));
    for (const path of this.#askedAt.keys()) if (!known.has(path)) this.#askedAt.delete(path);
    return answers;
  }

  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
