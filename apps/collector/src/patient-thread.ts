import { Worker } from 'node:worker_threads';
import { noteStuckThread } from './stuck-threads.ts';

/** How long one question may take before whoever was asked counts as hanging. */
const ANSWER_MS = 500;
/** After this nobody more is asked in a tick: with the last answer it stays below the budget of a source. */
export const ROUND_MS = 1_200;
/** Threads that one source may lose at the same time; each holds some 6 MB. Once all are, nothing risky is asked. */
export const MAX_STUCK = 3;

interface Thread {
  readonly worker: Worker;
  /** Waits for the answer that is due. */
  take: ((answer: unknown) => void) | undefined;
}

export interface PatientProgram {
  /** Name of the thread. */
  readonly name: string;
  /**
   * Its program, as text: one file then is enough for a single binary. It answers every message with one message,
   * whatever happens; `undefined` says that there is nothing to tell.
   */
  readonly source: string;
}

/**
 * Asks what may never answer: a dead file server, a driver that waits for its firmware. Such a call cannot be given up,
 * only abandoned: its thread is lost until the call returns. Node's own pool has four threads for all files and names
 * of the process, so the calls are made in threads of their own, one at a time. Who hangs is remembered and not asked
 * again before that call has returned.
 */
export class PatientThread<Question, Answer> {
  readonly #hanging = new Set<string>();
  readonly #program: PatientProgram;
  readonly #tell: (group: string, hangs: boolean, noneLeft: boolean) => void;
  #thread: Thread | undefined;
  #stuck = 0;

  /**
   * `tell` hears of every group that stops answering, or answers again. `noneLeft`: with it as many hang as may, and
   * nobody risky is asked until one is back.
   */
  constructor(program: PatientProgram, tell: (group: string, hangs: boolean, noneLeft: boolean) => void) {
    this.#program = program;
    this.#tell = tell;
  }

  /** Whether a question to this group would be asked now. */
  mayAsk(group: string): boolean {
    return this.#stuck < MAX_STUCK && !this.#hanging.has(group);
  }

  /**
   * One question to `group`: what hangs together. Undefined: it hangs, or has no answer. Not to be called again before
   * it has settled: one at a time, that is how it is known which one hangs.
   */
  async ask(question: Question, group: string): Promise<Answer | undefined> {
    if (!this.mayAsk(group)) return undefined;
    const thread = this.#thread ?? this.#begin();
    const reply = new Promise<Answer | undefined>((resolve) => {
      // The program is ours: what it posts is an answer.
      thread.take = resolve as (answer: unknown) => void;
    });
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), ANSWER_MS);
    thread.worker.postMessage(question);
    const answer = await Promise.race([reply, late.promise]);
    clearTimeout(timer);
    if (answer !== 'late') return answer;
    this.#abandon(thread, reply, group);
    return undefined;
  }

  #begin(): Thread {
    const worker = new Worker(this.#program.source, {
      eval: true,
      name: this.#program.name,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
    });
    const thread: Thread = { worker, take: undefined };
    const lost = (): void => {
      if (this.#thread === thread) this.#thread = undefined;
      thread.take?.(undefined);
    };
    worker.on('message', (answer: unknown) => thread.take?.(answer));
    worker.on('error', lost);
    worker.on('exit', lost);
    // A thread that hangs must not keep the process from ending.
    worker.unref();
    this.#thread = thread;
    return thread;
  }

  #abandon(thread: Thread, reply: Promise<unknown>, group: string): void {
    this.#thread = undefined;
    this.#hanging.add(group);
    this.#stuck += 1;
    const goesOn = noteStuckThread();
    this.#tell(group, true, this.#stuck >= MAX_STUCK);
    void reply.then(() => {
      this.#hanging.delete(group);
      this.#stuck -= 1;
      goesOn();
      this.#tell(group, false, false);
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
