import { Worker } from 'node:worker_threads';
import { noteStuckThread } from '../stuck-threads.ts';
import type { ProfilerAnswer, ProfilerAsk, ProfilerThreadData } from './profiling/thread-main.ts';
import type { EbpfAnswer, EbpfAsk, EbpfThreadData } from '../ebpf/cuda/thread-main.ts';
import type { Answer, Ask, ThreadData } from './thread-main.ts';
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

type Outcome<R> = R | { readonly op: 'late' } | { readonly op: 'ended'; readonly message: string };

/** What comes out of a thread. */
type Said<R> =
  | { readonly kind: 'answer'; readonly answer: R }
  | { readonly kind: 'tell'; readonly said: Parameters<Tell> };

/**
 * A thread in which one library is asked one thing at a time. A call that does not come back cannot be given up, only
 * abandoned with its thread: then `ask` says `late` and the thread is of no more use, but for telling when it is back.
 */
class GpuThread<A, R> {
  readonly #worker: Worker;
  /** Who waits for an answer; they come in the order of the asking. */
  readonly #waiting: ((outcome: Outcome<R>) => void)[] = [];
  #ended: string | undefined;

  readonly #last: A;

  /** `last` is what it is asked at its end. */
  constructor(data: ThreadData | ProfilerThreadData | EbpfThreadData, name: string, last: A, tell: Tell) {
    this.#last = last;
    this.#worker = new Worker(PROGRAM, {
      workerData: data,
      name,
      env: {},
      execArgv: [],
      resourceLimits: LIMITS,
      // Descriptors come from calls that Node knows nothing of: it would warn of each that is closed.
      trackUnmanagedFds: false,
    });
    this.#worker.on('message', (said: Said<R>) => {
      if (said.kind === 'tell') tell(...said.said);
      else this.#waiting.shift()?.(said.answer);
    });
    this.#worker.on('error', (error) => this.#end(error instanceof Error ? error.message : String(error)));
    this.#worker.on('exit', () => this.#end('its thread ended'));
    // A thread that hangs must not keep the process from ending.
    this.#worker.unref();
  }

  #end(message: string): void {
    this.#ended ??= message;
    for (const take of this.#waiting.splice(0)) take({ op: 'ended', message: this.#ended });
  }

  /** Asks, and waits `milliseconds`. After `late`, `back` is called when the call has returned after all. */
  async ask(ask: A, milliseconds: number, back: () => void): Promise<Outcome<R>> {
    if (this.#ended !== undefined) return { op: 'ended', message: this.#ended };
    const answered = new Promise<Outcome<R>>((resolve) => {
      this.#waiting.push(resolve);
    });
    this.#worker.postMessage(ask);
    const late = Promise.withResolvers<{ readonly op: 'late' }>();
    const timer = setTimeout(() => late.resolve({ op: 'late' }), milliseconds);
    const outcome = await Promise.race([answered, late.promise]);
    clearTimeout(timer);
    if (isLate(outcome)) {
      const goesOn = noteStuckThread();
      void answered.then(() => {
        goesOn();
        back();
        return this.stop();
      });
    }
    return outcome;
  }

  /** Lets the library put its things away, for a moment. */
  async stop(): Promise<void> {
    const outcome = await this.ask(this.#last, STOP_MS, () => undefined);
    if (!isLate(outcome)) await this.#worker.terminate();
  }
}

const isLate = (outcome: unknown): boolean =>
  typeof outcome === 'object' && outcome !== null && 'op' in outcome && outcome.op === 'late';

/** The thread of a vendor. */
export class VendorThread extends GpuThread<Ask, Answer> {
  constructor(data: ThreadData, tell: Tell) {
    super(data, `gpu ${data.vendor}`, { op: 'stop' }, tell);
  }
}

/** The thread of a profiling library. */
export class ProfilerThread extends GpuThread<ProfilerAsk, ProfilerAnswer> {
  constructor(data: ProfilerThreadData, tell: Tell) {
    super(data, `gpu ${data.profiler}`, { op: 'stop' }, tell);
  }
}

/** The thread that traces CUDA. */
export class EbpfThread extends GpuThread<EbpfAsk, EbpfAnswer> {
  constructor(data: EbpfThreadData, tell: Tell) {
    super(data, 'ebpf cuda', { op: 'stop' }, tell);
  }
}
