import { Worker } from 'node:worker_threads';
import { noteStuckThread } from '../../stuck-threads.ts';
import type { Blocks } from './volume.ts';

/** What a place turned out to be. */
export interface Answer extends Blocks {
  readonly isDirectory: boolean;
  /** Number of the device, as `stat` has it. */
  readonly dev: number;
}

/** How long one file system may take before it counts as hanging. */
const ANSWER_MS = 500;
/** After this nobody is asked any more in a tick: with the last answer it stays below the budget of a source. */
const ROUND_MS = 1_200;
/** Threads that may hang at the same time; each holds some 6 MB. Once all do, nothing risky is asked. */
export const MAX_STUCK = 3;

/**
 * The program of the thread, as text: one file then is enough for a single binary. It asks one place after another and
 * is for ever in the call that hangs.
 */
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
  } catch (thrown) {
    parentPort.postMessage(String(thrown && thrown.code));
  }
});
`;

interface Thread {
  readonly worker: Worker;
  /** Waits for the answer that is due. */
  take: ((answer: Answer | string) => void) | undefined;
}

export interface RiskyPlace {
  readonly path: string;
  /** Places of one server hang together. */
  readonly server: string;
}

/**
 * Asks places that may never answer. Such a call cannot be given up, only abandoned: its thread is lost until the server
 * is back. Node's own pool has four threads for all files and names of the process, so the calls are made in threads of
 * their own, one at a time. Who hangs is remembered and not asked again before that call has returned.
 */
export class PatientStatfs {
  readonly #hanging = new Set<string>();
  readonly #askedAt = new Map<string, number>();
  readonly #tell: (server: string, hangs: boolean, noneLeft: boolean) => void;
  #thread: Thread | undefined;
  #stuck = 0;
  #round = 0;

  /**
   * `tell` hears of every server that stops answering, or answers again. `noneLeft`: with it as many hang as may, and
   * nobody risky is asked until one is back.
   */
  constructor(tell: (server: string, hangs: boolean, noneLeft: boolean) => void) {
    this.#tell = tell;
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
      if (this.#hanging.has(server)) continue;
      if (this.#stuck >= MAX_STUCK || signal.aborted || performance.now() > until) break;
      this.#askedAt.set(path, this.#round);
      // One at a time: that is how it is known which one hangs.
      const answer = await this.#one(path, server);
      if (answer !== undefined) answers.set(path, answer);
    }
    const known = new Set(places.map(({ path }) => path));
    for (const path of this.#askedAt.keys()) if (!known.has(path)) this.#askedAt.delete(path);
    return answers;
  }

  async #one(path: string, server: string): Promise<Answer | undefined> {
    const thread = this.#thread ?? this.#begin();
    const reply = new Promise<Answer | string>((resolve) => {
      thread.take = resolve;
    });
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), ANSWER_MS);
    thread.worker.postMessage(path);
    const answer = await Promise.race([reply, late.promise]);
    clearTimeout(timer);
    if (answer === undefined) this.#abandon(thread, reply, server);
    return typeof answer === 'string' ? undefined : answer;
  }

  #begin(): Thread {
    const worker = new Worker(PROGRAM, {
      eval: true,
      name: 'statfs',
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
    });
    const thread: Thread = { worker, take: undefined };
    const lost = (): void => {
      if (this.#thread === thread) this.#thread = undefined;
      thread.take?.('lost');
    };
    worker.on('message', (answer: Answer | string) => thread.take?.(answer));
    worker.on('error', lost);
    worker.on('exit', lost);
    // A thread that hangs must not keep the process from ending.
    worker.unref();
    this.#thread = thread;
    return thread;
  }

  #abandon(thread: Thread, reply: Promise<unknown>, server: string): void {
    this.#thread = undefined;
    this.#hanging.add(server);
    this.#stuck += 1;
    const goesOn = noteStuckThread();
    this.#tell(server, true, this.#stuck >= MAX_STUCK);
    void reply.then(() => {
      this.#hanging.delete(server);
      this.#stuck -= 1;
      goesOn();
      this.#tell(server, false, false);
      return thread.worker.terminate();
    });
  }

  /** Ends the thread that is idle. One that hangs ends with the process. */
  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }
}
