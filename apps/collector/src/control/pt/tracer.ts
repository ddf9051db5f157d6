import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { readLine, readNumber } from '../../files.ts';
import { parseCpuList } from '../../host/cpu-list.ts';
import { errorText, type Log } from '../../log.ts';
import {
  ControlError,
  type CpuTrace,
  type CpuTraceRequest,
  type CpuTracer,
  type Feature,
} from '../contract.ts';
import { TraceFile } from './output.ts';
import { findPerf, type PerfResult, runPerf } from './perf.ts';
import { planTrace } from './request.ts';

/** A CPU traces some hundred megabytes a second when it is busy: the buffer bounds the memory, this bounds the disk. */
const MAX_TRACE_BYTES = 1_073_741_824;

class PerfTracer implements CpuTracer {
  readonly #config: Config;
  readonly #log: Log;
  readonly #perf: string;
  readonly #stopping = new AbortController();
  readonly #maxBytes: number;
  #running: Promise<unknown> | undefined;

  constructor(config: Config, log: Log, perf: string, maxBytes: number) {
    this.#config = config;
    this.#log = log;
    this.#perf = perf;
    this.#maxBytes = maxBytes;
  }

  async capture(request: CpuTraceRequest, signal: AbortSignal): Promise<CpuTrace> {
    if (this.#running !== undefined)
      throw new ControlError(409, 'Another CPU trace is running: ask again later.');
    const online = readLine(join(this.#config.paths.sys, 'devices/system/cpu/online'), 16_384) ?? '';
    const plan = planTrace(request, this.#config.pt, parseCpuList(online));
    const file = TraceFile.create(this.#config.pt.outputDir, request.outputDir);
    let kept = false;
    try {
      const running = runPerf({
        perf: this.#perf,
        searchPath: this.#config.pt.searchPath,
        plan,
        output: file,
        maxBytes: this.#maxBytes,
        signal: AbortSignal.any([signal, this.#stopping.signal]),
      });
      this.#running = running;
      const failure = failureOf(await running, file.size, this.#maxBytes);
      if (failure !== undefined) {
        this.#log.warn('a CPU trace failed', { reason: failure });
        throw new ControlError(500, failure);
      }
      kept = true;
      this.#log.info('CPU trace taken', { path: file.path, bytes: file.size, cpus: plan.cpus.join(',') });
      return { outputPath: file.path, durationMs: plan.durationMs, cpus: plan.cpus, backend: 'perf' };
    } finally {
      this.#running = undefined;
      file.close(kept);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.catch(() => undefined);
  }
}

function failureOf({ end, status, message }: PerfResult, size: number, maxBytes: number): string | undefined {
  if (end === 'left') return 'The trace was ended before its time: the client has left, or the agent ends.';
  if (end === 'too_long') return 'The trace was ended: perf took too long to write it out.';
  if (end === 'too_large') return `The trace was ended: it grew beyond ${maxBytes} bytes.`;
  const said = message === '' ? '' : ` It said: ${message}`;
  if (status !== 0)
    return `perf failed (${status === undefined ? 'did not start or was killed' : `exit status ${status}`}).${said}`;
  return size === 0 ? `perf wrote nothing.${said}` : undefined;
}

/** The tracer, or why there is none; `maxBytes` bounds one trace. */
export function startCpuTracer(
  config: Config,
  log: Log,
  maxBytes: number = MAX_TRACE_BYTES,
): Feature<CpuTracer> {
  const no = (reason: string): Feature<CpuTracer> => ({ state: 'unavailable', reason });
  if (process.platform !== 'linux') return no(`CPU traces are not made for ${process.platform}.`);
  const type = join(config.paths.sys, 'bus/event_source/devices/intel_pt/type');
  if (readNumber(type) === undefined) {
    return no(`CPU traces need an Intel processor with Processor Trace: ${type} is not there.`);
  }
  const perf = findPerf(config.pt.searchPath);
  if (perf === undefined)
    return no('CPU traces need the tool perf (package linux-perf or linux-tools) on the PATH.');
  try {
    mkdirSync(config.pt.outputDir, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    return no(`The directory for CPU traces cannot be made: ${errorText(thrown)}.`);
  }
  return { state: 'ready', service: new PerfTracer(config, log, perf, maxBytes) };
}
