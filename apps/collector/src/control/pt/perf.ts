import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { TracePlan } from './request.ts';

const MAX_DIRECTORIES = 256;
const MAX_MESSAGE = 4_096;
/** Time to write out what was traced, after the trace itself. */
const WRITE_OUT_MS = 10_000;
/** Time between asking the tool to end and ending it. */
const END_MS = 2_000;
const WATCH_MS = 50;

/** The executable `perf` in the directories of a search path; relative ones are passed over. */
export function findPerf(searchPath: string): string | undefined {
  for (const directory of searchPath.split(':').slice(0, MAX_DIRECTORIES)) {
    if (!isAbsolute(directory)) continue;
    const path = join(directory, 'perf');
    try {
      if (!statSync(path).isFile()) continue;
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}

/** Arguments of a trace. The comma before the pages is what makes them those of the trace: without it they size another buffer. */
function perfArguments({ durationMs, cpus, bufferPages }: TracePlan): readonly string[] {
  return [
    'record',
    '-o',
    // Our own file, wherever its name leads to by now.
    '/proc/self/fd/3',
    '--no-buildid',
    '-e',
    'intel_pt//',
    '-C',
    cpus.join(','),
    '-m',
    `,${bufferPages}`,
    '--',
    'sleep',
    (durationMs / 1_000).toFixed(3),
  ];
}

export type PerfEnd = 'ended' | 'left' | 'too_long' | 'too_large';

export interface PerfResult {
  readonly end: PerfEnd;
  /** Exit status; undefined when a signal ended it or it did not start. */
  readonly status: number | undefined;
  /** The end of what it said on standard error. */
  readonly message: string;
}

export interface PerfRun {
  readonly perf: string;
  readonly searchPath: string;
  readonly plan: TracePlan;
  readonly output: { readonly descriptor: number; readonly size: number };
  readonly maxBytes: number;
  /** Ends the trace: the client has left, or the agent ends. */
  readonly signal: AbortSignal;
}

/** Runs the tool until it ends, time or room is up, or nobody waits for it any more; it is gone when this settles. */
export async function runPerf(run: PerfRun): Promise<PerfResult> {
  const child = spawn(run.perf, [...perfArguments(run.plan)], {
    // A group of its own: the tool starts `sleep`, which must go with it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', run.output.descriptor],
    // Nothing of ours: the agent's environment holds tokens, and the tool's settings can name programs to run.
    env: { PATH: run.searchPath, LC_ALL: 'C', PERF_CONFIG: '/dev/null' },
  });
  let message = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    message = (message + text).slice(-MAX_MESSAGE);
  });
  let end: PerfEnd = 'ended';
  const stop = (why: PerfEnd) => {
    if (end !== 'ended') return;
    end = why;
    signalGroup(child, 'SIGTERM');
    killer = setTimeout(() => signalGroup(child, 'SIGKILL'), END_MS);
  };
  let killer: NodeJS.Timeout | undefined;
  const onAbort = () => stop('left');
  const deadline = setTimeout(() => stop('too_long'), run.plan.durationMs + WRITE_OUT_MS);
  const watch = setInterval(() => {
    if (run.output.size > run.maxBytes) stop('too_large');
  }, WATCH_MS);
  run.signal.addEventListener('abort', onAbort, { once: true });
  if (run.signal.aborted) onAbort();
  try {
    const status = await new Promise<number | undefined>((resolve) => {
      child.once('error', (error) => {
        message = error.message;
        resolve(undefined);
      });
      // `exit`, not `close`: something that holds on to standard error must not hold us.
      child.once('exit', (code) => resolve(code ?? undefined));
    });
    return { end, status, message: message.trim() };
  } finally {
    clearTimeout(killer);
    clearTimeout(deadline);
    clearInterval(watch);
    run.signal.removeEventListener('abort', onAbort);
    // Whatever it left behind in its group goes too.
    signalGroup(child, 'SIGKILL');
    child.stderr?.destroy();
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is empty: all have ended.
  }
}
