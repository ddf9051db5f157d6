import { Worker } from 'node:worker_threads';
import { noteStuckThread } from '../stuck-threads.ts';
import type { Answer, Ask, Said, ThreadData } from './thread-main.ts';
import type { Tell } from './vendor.ts';

/**
 * The program is `main.ts`, which sees that it runs in a thread: a bundle (the single binary, the portable file) holds
 * nothing else that could be started.
 */
const HERE = import.meta.url;
const PROGRAM = HERE.endsWith('/gpu/thread.ts') ? new URL('../main.ts', HERE) : new URL(HERE);
/** A vendor's thread keeps little; its libraries have their own memory. */
const LIMITS = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 4, stackSizeMb: 4 };
const STOP_MS = 1_000;

export type Outcome = Answer | { readonly op: 'late' } | { readonly op: 'ended'; readonly message: string };

/**
 * A thread in which one vendor is asked one thing at a time. A call that does not come back cannot be given up, only
 * abandoned with its thread: then `ask` says `late` and the thread is of no more use, but for telling when it is back.
 */
export class VendorThread {
  readonly #worker: Worker;
  #take: ((outcome: Outcome) => void) | undefined;
  #ended: string | undefined;

  constructor(data: ThreadData, tell: Tell) {
    this.#worker = new Worker(PROGRAM, {
      workerData: data,
      name: `gpu ${data.vendor}`,
      env: {},
      execArgv: [],
      resourceLimits: LIMITS,
    });
    this.#worker.on('message', (said: Said) => {
      if (said.kind === 'tell') tell(...said.said);
      else this.#settle(said.answer);
    });
    this.#worker.on('error', (error) => this.#end(error instanceof Error ? error.message : String(error)));
    this.#worker.on('exit', () => this.#end('its thread ended'));
    // A thread that hangs must not keep the process from ending.
    this.#worker.unref();
  }

  #settle(outcome: Outcome): void {
    const take = this.#take;
    this.#take = undefined;
    take?.(outcome);
  }

  #end(message: string): void {
    this.#ended ??= message;
    this.#settle({ op: 'ended', message: this.#ended });
  }

  /** Asks, and waits `milliseconds`. After `late`, `back` is called when the call has returned after all. */
  async ask(ask: Ask, milliseconds: number, back: () => void): Promise<Outcome> {
    if (this.#ended !== undefined) return { op: 'ended', message: this.#ended };
    const answered = new Promise<Outcome>((resolve) => {
      this.#take = resolve;
    });
    this.#worker.postMessage(ask);
    const late = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => late.resolve({ op: 'late' }), milliseconds);
    const outcome = await Promise.race([answered, late.promise]);
    clearTimeout(timer);
    if (outcome.op === 'late') {
      const goesOn = noteStuckThread();
      void answered.then(() => {
        goesOn();
        back();
        return this.#worker.terminate();
      });
    }
    return outcome;
  }

  /** Lets the vendor put its things away, for a moment. */
  async stop(): Promise<void> {
    const outcome = await this.ask({ op: 'stop' }, STOP_MS, () => undefined);
    if (outcome.op !== 'late') await this.#worker.terminate();
  }
}
