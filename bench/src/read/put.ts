import type { Api } from '../lib/api.ts';
import { Latencies } from '../lib/latency.ts';
import { memoryLatency } from '../lib/memory-latency.ts';
import type { Question } from './question.ts';

/** Questions slower than this are asked less often: their figure is clear without. */
const SLOW_MS = 2_000;

/** Asks so many times, after two rounds for caches and plans, as in a running system. */
export async function measure(repeats: number, once: (turn: number) => Promise<void>): Promise<Latencies> {
  for (let turn = 0; turn < 3; turn++) await once(turn);
  const latencies = new Latencies();
  for (let turn = 0; turn < repeats; turn++) {
    const startedAt = performance.now();
    await once(turn + 3);
    latencies.add(performance.now() - startedAt);
  }
  return latencies;
}

export interface Result {
  readonly name: string;
  readonly goalMs: number;
  /** Or why there is none. */
  readonly latencies: Latencies | string;
  /** What a read from memory took just before, ns. */
  readonly memoryNs?: number;
}

/** Asks a question until its figure is clear. */
export async function put(question: Question, api: Api): Promise<Result> {
  const { name, goalMs } = question;
  const memoryNs = memoryLatency();
  try {
    const startedAt = performance.now();
    question.check(await question.ask(api, 0));
    const repeats = performance.now() - startedAt > SLOW_MS ? 3 : question.repeats;
    const latencies = await measure(repeats, async (turn) => {
      await question.ask(api, turn);
    });
    return { name, goalMs, latencies, memoryNs };
  } catch (thrown) {
    return { name, goalMs, latencies: thrown instanceof Error ? thrown.message.slice(0, 160) : 'failed' };
  }
}
