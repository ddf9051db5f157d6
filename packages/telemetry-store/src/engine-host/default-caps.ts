import { availableParallelism } from 'node:os';
import { machineMemory } from './machine-memory.ts';
import type { EngineCaps } from './protocol.ts';

const GIB = 1 << 30;

/** Of an engine on a machine with 1 GB for everything. */
export const SMALL_CAPS: Partial<EngineCaps> = {
  memoryBytes: 400 << 20,
  queryMemoryBytes: 200 << 20,
  resultBytes: 64 << 20,
  concurrentQueries: 4,
};

/** Bounds from the machine's size: a quarter of the memory (1 to 16 GiB) for the engine, half of that for one query. */
export function defaultCaps(): EngineCaps {
  const memoryBytes = Math.round(Math.min(Math.max(machineMemory() / 4, GIB), 16 * GIB));
  return {
    memoryBytes,
    queryMemoryBytes: Math.round(memoryBytes / 2),
    executionSeconds: 30,
    resultRows: 1_000_000,
    resultBytes: 256 << 20,
    concurrentQueries: Math.max(8, availableParallelism() * 2),
  };
}
