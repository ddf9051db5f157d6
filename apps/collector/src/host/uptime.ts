import { uptime as systemUptimeSeconds } from 'node:os';
import { join } from 'node:path';
import { systemUptime, UPTIME_METRICS } from '@candela/semconv/metrics';
import { readLine } from '../files.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../source.ts';
import { hostMetricsOff } from './off.ts';

/** Seconds since the start by `/proc/uptime`; undefined for anything else. */
export function parseUptime(line: string): number | undefined {
  const match = /^(\d{1,12}\.\d{1,6}) \d/.exec(line);
  return match === null ? undefined : Number(match[1]);
}

class Uptime implements Source {
  readonly #read: () => number | undefined;

  constructor({ paths }: SourceContext) {
    const path = join(paths.proc, 'uptime');
    this.#read =
      process.platform === 'linux' ? () => parseUptime(readLine(path, 128) ?? '') : systemUptimeSeconds;
  }

  async start(): Promise<Started> {
    return this.#read() === undefined ? unavailable('the system does not tell since when it runs') : READY;
  }

  observe(record: RecordPoint): void {
    const seconds = this.#read();
    if (seconds !== undefined) record(systemUptime, seconds);
  }

  stop(): void {}
}

export const uptime: SourceEntry = {
  id: 'uptime',
  summary: 'Time since the system was started',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: UPTIME_METRICS,
  off: hostMetricsOff,
  create: (context) => new Uptime(context),
};
