import { join } from 'node:path';
import { ControlError, type GpuProfileRequest } from '../contract.ts';

const MAX_DURATION_MS = 600_000;
const MAX_ITERATIONS = 10_000;
const MAX_PROCESSES = 1_000;
const DEFAULT_PROCESSES = 3;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.json$/;

/** A checked request. */
export interface ProfilePlan {
  readonly pids: readonly number[];
  readonly job: bigint;
  readonly processLimit: number;
  /** Of all traces: each process puts its number before `.json`. */
  readonly logFile: string;
  /** As libkineto reads it. */
  readonly config: string;
  /** How long the counters are wanted; undefined when it depends on the program. */
  readonly durationMs: number | undefined;
}

/** Checks a request. `nowMs` names the traces when nobody did. @throws ControlError 400 */
export function planProfile(request: GpuProfileRequest, traceDir: string, nowMs: number): ProfilePlan {
  const { durationMs, iterations } = request;
  if (durationMs === undefined && iterations === undefined) {
    throw new ControlError(400, 'Give "duration_ms" or "iterations".');
  }
  if (durationMs !== undefined && iterations !== undefined) {
    throw new ControlError(400, 'Give "duration_ms" or "iterations", not both.');
  }
  if (request.profileMemory && durationMs === undefined) {
    throw new ControlError(400, '"profile_memory" needs "duration_ms".');
  }
  const logFile = join(traceDir, fileName(request.logFile, traceDir, nowMs));
  const lines = [`ACTIVITIES_LOG_FILE=${logFile}`];
  if (durationMs !== undefined) {
    within('duration_ms', durationMs, MAX_DURATION_MS);
    lines.push(`PROFILE_START_TIME=${request.startTimeMs ?? 0}`, `ACTIVITIES_DURATION_MSECS=${durationMs}`);
  }
  if (iterations !== undefined) {
    within('iterations', iterations, MAX_ITERATIONS);
    const roundup = request.iterationRoundup ?? 1;
    within('iteration_roundup', roundup, MAX_ITERATIONS);
    lines.push(
      'PROFILE_START_ITERATION=0',
      `PROFILE_START_ITERATION_ROUNDUP=${roundup}`,
      `ACTIVITIES_ITERATIONS=${iterations}`,
    );
  }
  lines.push(
    `PROFILE_REPORT_INPUT_SHAPES=${request.recordShapes}`,
    `PROFILE_PROFILE_MEMORY=${request.profileMemory}`,
    `PROFILE_WITH_STACK=${request.withStacks}`,
    `PROFILE_WITH_FLOPS=${request.withFlops}`,
    `PROFILE_WITH_MODULES=${request.withModules}`,
  );
  if (request.profileMemory) lines.push('PROFILE_MEMORY=true', `PROFILE_MEMORY_DURATION_MSECS=${durationMs}`);
  const processLimit = request.processLimit ?? DEFAULT_PROCESSES;
  within('process_limit', processLimit, MAX_PROCESSES);
  return {
    pids: (request.pids ?? []).filter((pid) => pid !== 0),
    job: BigInt(request.jobId ?? 0),
    processLimit,
    logFile,
    config: `${lines.join('\n')}\n`,
    durationMs,
  };
}

/** A name in the directory of the traces, whichever way it was given: programs of other users write there. */
function fileName(given: string | undefined, traceDir: string, nowMs: number): string {
  if (given === undefined) return `libkineto_trace_${nowMs}.json`;
  const name = given.startsWith(`${traceDir}/`) ? given.slice(traceDir.length + 1) : given;
  if (!FILE_NAME.test(name)) {
    throw new ControlError(
      400,
      `"log_file" takes a name that ends in .json, in ${traceDir}: letters, digits, dots, underlines and dashes.`,
    );
  }
  return name;
}

/** The trace of one process. */
export const tracePath = (logFile: string, pid: number): string => logFile.replace(/\.json$/, `_${pid}.json`);

function within(name: string, value: number, most: number): void {
  if (value < 1 || value > most) {
    throw new ControlError(400, `"${name}" takes a whole number from 1 to ${most}, not ${value}.`);
  }
}
