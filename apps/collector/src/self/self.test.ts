import { closeSync, openSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SourceRun, valuesBy } from '../fixtures/source-run.ts';
import { parseTaskInfo, parseWindowsProcess, selfProcess } from './process.ts';
import { selfRuntime } from './runtime.ts';

const valueOf = (points: Awaited<ReturnType<SourceRun['observe']>>, metric: string) =>
  valuesBy(points, metric)[''] ?? 0;

test.runIf(process.platform === 'linux')(
  'the agent tells of itself what the kernel tells of it',
  async () => {
    const run = new SourceRun(selfProcess, undefined);
    await run.source.start();
    const open = Array.from({ length: 10 }, () => openSync('/dev/null', 'r'));
    run.now += 10;
    const points = await run.observe();
    const status = readFileSync('/proc/self/status', 'utf8');
    const kib = (row: string) => Number(new RegExp(`^${row}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1_024;
    expect(Math.abs(valueOf(points, 'process.memory.virtual') - kib('VmSize'))).toBeLessThan(64 * 2 ** 20);
    expect(Math.abs(valueOf(points, 'process.memory.usage') - kib('VmRSS'))).toBeLessThan(64 * 2 ** 20);
    expect(valueOf(points, 'process.thread.count')).toBeGreaterThan(1);
    expect(valueOf(points, 'process.uptime')).toBeGreaterThan(0);
    expect(Object.keys(valuesBy(points, 'process.cpu.time', 'cpu.mode'))).toEqual(['user', 'system']);
    for (const one of open) closeSync(one);
    const fewer = await run.observe();
    const descriptors = 'process.unix.file_descriptor.count';
    expect(valueOf(points, descriptors) - valueOf(fewer, descriptors)).toBe(10);
    // No time has passed on its clock: a share over nothing is none.
    expect(valuesBy(points, 'process.cpu.utilization')).toHaveProperty(['']);
    expect(valuesBy(fewer, 'process.cpu.utilization')).toEqual({});
  },
);

test('the heap by its spaces, and the loop by what it did', async () => {
  const run = new SourceRun(selfRuntime, undefined);
  await run.source.start();
  const before = performance.now();
  while (performance.now() - before < 20);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const points = await run.observe();
  const used = valuesBy(points, 'v8js.memory.heap.used', 'v8js.heap.space.name');
  const total = Object.values(used).reduce((a, b) => a + b, 0);
  expect(Math.abs(total - process.memoryUsage().heapUsed)).toBeLessThan(8 * 2 ** 20);
  expect(Object.keys(valuesBy(points, 'nodejs.eventloop.time', 'nodejs.eventloop.state'))).toEqual([
    'active',
    'idle',
  ]);
});

test('macOS and Windows: where their structures have it', () => {
  const task = Buffer.alloc(96);
  task.writeBigUInt64LE(5_000n, 0);
  task.writeInt32LE(7, 84);
  expect(parseTaskInfo(task)).toEqual({ virtualBytes: 5_000, threads: 7 });
  const memory = Buffer.alloc(80);
  memory.writeBigUInt64LE(6_000n, 56);
  const entry = Buffer.alloc(568);
  entry.writeUInt32LE(8, 28);
  expect(parseWindowsProcess(memory, entry)).toEqual({ virtualBytes: 6_000, threads: 8 });
  expect(parseWindowsProcess(undefined, undefined)).toEqual({});
});
