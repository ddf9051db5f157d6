import type { Config } from '../../config.ts';
import { ControlError, type CpuTraceRequest } from '../contract.ts';

const DEFAULT_DURATION_MS = 500;

/** A trace within all caps. */
export interface TracePlan {
  readonly durationMs: number;
  /** Ascending, none twice. */
  readonly cpus: readonly number[];
  /** A power of two: the kernel takes no other, and the tool would round up, beyond the cap. */
  readonly bufferPages: number;
}

/** Checks a request against the caps. @throws ControlError 400 */
export function planTrace(
  request: CpuTraceRequest,
  caps: Pick<Config['pt'], 'maxDurationMs' | 'maxCpus' | 'maxBufferPages'>,
  online: readonly number[],
): TracePlan {
  const durationMs = request.durationMs ?? Math.min(DEFAULT_DURATION_MS, caps.maxDurationMs);
  within('duration_ms', durationMs, caps.maxDurationMs);
  const maxCpus = request.maxCpus ?? caps.maxCpus;
  within('max_cpus', maxCpus, caps.maxCpus);
  const bufferPages = request.bufferPages ?? 2 ** Math.floor(Math.log2(caps.maxBufferPages));
  within('buffer_pages', bufferPages, caps.maxBufferPages);
  if ((bufferPages & (bufferPages - 1)) !== 0) {
    throw new ControlError(400, `"buffer_pages" takes a power of two, not ${bufferPages}.`);
  }
  const cpus =
    request.cpus === undefined || request.cpus.length === 0
      ? online.slice(0, maxCpus)
      : [...new Set(request.cpus)].sort((a, b) => a - b);
  if (cpus.length > maxCpus) {
    throw new ControlError(400, `"cpus" names ${cpus.length} CPUs, and a trace may cover ${maxCpus}.`);
  }
  const missing = cpus.find((cpu) => !online.includes(cpu));
  if (missing !== undefined) throw new ControlError(400, `CPU ${missing} is not online.`);
  if (cpus.length === 0) throw new ControlError(400, 'No CPU is online to trace.');
  return { durationMs, cpus, bufferPages };
}

function within(name: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new ControlError(400, `"${name}" takes a whole number from 1 to ${most}, not ${value}.`);
  }
}
