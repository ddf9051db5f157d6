import { parentPort } from 'node:worker_threads';
import { errorText } from '../../log.ts';
import { type ProfilerId, PROFILERS } from './libraries.ts';
import type { ProfilerSettings } from './settings.ts';
import type { ProfileRound, ProfilingLibrary } from './profiler.ts';

/** What the thread of a profiling library is started with. */
export interface ProfilerThreadData {
  readonly profiler: ProfilerId;
  readonly settings: ProfilerSettings;
}

/** The other side asks one thing and waits for its answer. */
export interface ProfilerAsk {
  readonly op: 'open' | 'read' | 'pause' | 'resume' | 'stop';
}

export type ProfilerAnswer =
  | { readonly op: 'done' }
  | { readonly op: 'read'; readonly round: ProfileRound }
  | { readonly op: 'failed'; readonly message: string };

/** The program of the thread of a profiling library. */
export async function runProfilerThread({ profiler, settings }: ProfilerThreadData): Promise<void> {
  const port = parentPort;
  const entry = PROFILERS.find(({ id }) => id === profiler);
  if (port === null || entry === undefined) return;
  const create = await entry.load();
  let library: ProfilingLibrary | undefined;

  const doIt = (op: ProfilerAsk['op']): ProfilerAnswer => {
    if (op === 'open') {
      library ??= create(settings);
      library.open();
      return { op: 'done' };
    }
    if (library === undefined) return op === 'stop' ? { op: 'done' } : { op: 'failed', message: 'not open' };
    if (op === 'read') return { op: 'read', round: library.read() };
    if (op === 'stop') {
      library.close();
      return { op: 'done' };
    }
    const refused = op === 'pause' ? library.pause() : library.resume();
    return refused === undefined ? { op: 'done' } : { op: 'failed', message: refused };
  };
  port.on('message', ({ op }: ProfilerAsk) => {
    let answer: ProfilerAnswer;
    try {
      answer = doIt(op);
    } catch (thrown) {
      answer = { op: 'failed', message: errorText(thrown) };
    }
    port.postMessage({ kind: 'answer', answer });
  });
}
