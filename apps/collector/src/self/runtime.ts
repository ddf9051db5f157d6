import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import {
  nodejsEventloopTime,
  nodejsEventloopUtilization,
  RUNTIME_METRICS,
  v8jsMemoryHeapSpaceSize,
  v8jsMemoryHeapUsed,
} from '@candela/semconv/metrics';
import { hostMetricsOff } from '../host/off.ts';
import { READY, type RecordPoint, type Source, type SourceEntry, type Started } from '../source.ts';

/**
 * What Node and V8 count of themselves anyway. `nodejs.eventloop.delay.*` is not among it: its histogram needs a timer
 * that wakes the process a hundred times a second, which costs more than all sources together.
 */
class Runtime implements Source {
  #before = performance.eventLoopUtilization();

  async start(): Promise<Started> {
    // The single binary runs on another engine, which answers these calls with noughts and with figures that V8 never had.
    if (process.versions['bun'] !== undefined) {
      return { state: 'unavailable', reason: 'the runtime of the single binary does not count these' };
    }
    this.#before = performance.eventLoopUtilization();
    return READY;
  }

  observe(record: RecordPoint): void {
    const now = performance.eventLoopUtilization();
    const since = performance.eventLoopUtilization(now, this.#before);
    if (since.active + since.idle > 0) record(nodejsEventloopUtilization, since.utilization);
    this.#before = now;
    record(nodejsEventloopTime, now.active / 1_000, { 'nodejs.eventloop.state': 'active' });
    record(nodejsEventloopTime, now.idle / 1_000, { 'nodejs.eventloop.state': 'idle' });
    for (const space of getHeapSpaceStatistics()) {
      // Half of the spaces are never used by a program like this.
      if (space.space_size === 0) continue;
      const attributes = { 'v8js.heap.space.name': space.space_name };
      record(v8jsMemoryHeapUsed, space.space_used_size, attributes);
      record(v8jsMemoryHeapSpaceSize, space.space_size, attributes);
    }
  }

  stop(): void {}
}

export const selfRuntime: SourceEntry = {
  id: 'runtime',
  summary: 'Event loop and JavaScript heap of the agent itself',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: RUNTIME_METRICS,
  off: hostMetricsOff,
  create: () => new Runtime(),
};
