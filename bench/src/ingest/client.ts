import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NODE_BINARY } from '@candela/testkit';
import type { BenchSignal } from '../data/batch.ts';
import { BENCH_HOSTS } from '../data/points.ts';
import type { Texts } from '../data/spans.ts';
import type { FromClient, Phase, PhaseResult, ToClient } from './protocol.ts';

const MAIN = join(import.meta.dirname, 'client-main.ts');

/** The load generator as a process of its own, so that its work shows apart from the platform's. */
export class LoadClient {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts the process and waits until its `batches` of `itemsPerBatch` spans, records or points are prepared. */
  static async start(
    batches = 96,
    texts: Texts = 'conversation',
    itemsPerBatch = 1_000,
    signal: BenchSignal = 'spans',
    hosts: number = BENCH_HOSTS,
  ): Promise<LoadClient> {
    const child = fork(MAIN, [String(batches), String(itemsPerBatch), texts, signal, String(hosts)], {
      execPath: NODE_BINARY,
    });
    const killWithCaller = () => child.kill('SIGKILL');
    process.once('exit', killWithCaller);
    child.once('exit', () => process.off('exit', killWithCaller));
    const client = new LoadClient(child);
    await client.#next('prepared');
    return client;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async run(phase: Phase): Promise<PhaseResult> {
    const answer = this.#next('result');
    const message: ToClient = { type: 'phase', phase };
    this.#child.send(message);
    return (await answer).result;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const message: ToClient = { type: 'stop' };
    this.#child.send(message);
    await once(this.#child, 'exit');
  }

  #next<T extends FromClient['type']>(type: T): Promise<Extract<FromClient, { type: T }>> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: FromClient) => {
        done();
        if (message.type === type) resolve(message as Extract<FromClient, { type: T }>);
        else reject(new Error(message.type === 'error' ? message.message : `unexpected ${message.type}`));
      };
      const onExit = (code: number | null) => {
        done();
        reject(new Error(`the load client ended with code ${code}`));
      };
      const done = () => {
        this.#child.off('message', onMessage);
        this.#child.off('exit', onExit);
      };
      this.#child.on('message', onMessage);
      this.#child.on('exit', onExit);
    });
  }
}
