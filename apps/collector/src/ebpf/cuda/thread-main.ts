import { parentPort } from 'node:worker_threads';
import type { HostPaths } from '../../host-paths.ts';
import { errorText } from '../../log.ts';
import type { Tell } from '../../gpu/vendor.ts';
import type { Way } from '../loader/programs.ts';
import type { KnownGpu } from './gpus.ts';
import type { CudaTracer, Snapshot } from './tracer.ts';

const POLL_MS = 100;
const LOOK_MS = 1_000;

/** What the thread that traces CUDA is started with. */
export interface EbpfThreadData {
  readonly ebpf: 'cuda';
  readonly paths: HostPaths;
  readonly budget: number;
  readonly ways?: readonly Way[];
}

export type EbpfAsk =
  | { readonly op: 'open' }
  | { readonly op: 'snapshot'; readonly gpus: readonly KnownGpu[] }
  | { readonly op: 'stop' };

export type EbpfAnswer =
  | { readonly op: 'open'; readonly reason: string | undefined }
  | { readonly op: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly op: 'failed'; readonly message: string }
  | { readonly op: 'stop' };

/** The program of the thread. */
export async function runEbpfThread({ paths, budget, ways }: EbpfThreadData): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const tell: Tell = (...said) => port.postMessage({ kind: 'tell', said });
  const [{ CudaTracer: Tracer }, { openKernel }, { refusalOf }, { unpackObject }, { OBJECTS }] =
    await Promise.all([
      import('./tracer.ts'),
      import('../loader/native.ts'),
      import('../loader/refusal.ts'),
      import('../loader/packed.ts'),
      import('./cuda.gen.ts'),
    ]);
  let tracer: CudaTracer | undefined;
  let failing = false;
  const timers: NodeJS.Timeout[] = [];

  const every = (milliseconds: number, task: (one: CudaTracer) => void): void => {
    timers.push(
      setInterval(() => {
        try {
          if (tracer !== undefined) task(tracer);
          failing = false;
        } catch (thrown) {
          if (!failing) tell('warn', 'CUDA could not be traced for a moment', { reason: errorText(thrown) });
          failing = true;
        }
      }, milliseconds),
    );
  };

  const open = (): string | undefined => {
    try {
      tracer = new Tracer(
        openKernel(),
        unpackObject(OBJECTS),
        { paths, budget, ...(ways === undefined ? {} : { ways }) },
        (reason, library) => tell('info', 'a CUDA library is not traced', { reason, library }),
      );
      every(POLL_MS, (one) => one.poll());
      every(LOOK_MS, (one) => one.look());
      return undefined;
    } catch (thrown) {
      return refusalOf(thrown, paths);
    }
  };

  const answer = (ask: EbpfAsk): EbpfAnswer => {
    try {
      if (ask.op === 'open') return { op: 'open', reason: open() };
      if (ask.op === 'stop') {
        for (const timer of timers) clearInterval(timer);
        tracer?.close();
        tracer = undefined;
        return { op: 'stop' };
      }
      if (tracer === undefined) return { op: 'failed', message: 'nothing is traced' };
      return { op: 'snapshot', snapshot: tracer.snapshot(ask.gpus) };
    } catch (thrown) {
      return { op: 'failed', message: errorText(thrown) };
    }
  };
  port.on('message', (ask: EbpfAsk) => port.postMessage({ kind: 'answer', answer: answer(ask) }));
}
