import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import { NO_LIBRARIES } from '../../gpu/fixtures/library.ts';
import { CudaWorld } from '../fixtures/cuda-world.ts';
import { HOST, NO_EBPF } from '../fixtures/kernel.ts';
import { firstByte, WITH_PID } from '../fixtures/processes.ts';
import { openKernel } from '../loader/native.ts';
import { unpackObject } from '../loader/packed.ts';
import type { Way } from '../loader/programs.ts';
import { OBJECTS } from './cuda.gen.ts';
import type { KnownGpu } from './gpus.ts';
import { cudaWith } from './source.ts';
import { CudaTracer, type Snapshot, type TracedProcess } from './tracer.ts';

const skipped = NO_EBPF ?? NO_LIBRARIES;
const gpus: readonly KnownGpu[] = [
  { id: 'GPU-0', index: 0, cores: 1_000, pids: [] },
  { id: 'GPU-1', index: 1, cores: 1_000, pids: [] },
];

const open = (options: { readonly budget?: number; readonly ways?: readonly Way[] } = {}): CudaTracer =>
  new CudaTracer(
    openKernel(),
    unpackObject(OBJECTS),
    {
      paths: HOST,
      budget: options.budget ?? 1,
      ...(options.ways === undefined ? {} : { ways: options.ways }),
    },
    () => undefined,
  );

const processOf = (snapshot: Snapshot, pid: number): TracedProcess => {
  const found = snapshot.processes.find((one) => one.pid === pid);
  if (found === undefined) throw new Error(`the process ${pid} was not traced`);
  return found;
};

const TRACE_MAIN = fileURLToPath(new URL('../../fixtures/cuda-trace-main.ts', import.meta.url));

const launches = (process: TracedProcess): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { name, graph, launches: count } of process.kernels) {
    const key = graph ? '(graph)' : name;
    sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
};

describe.skipIf(skipped !== undefined)('CUDA traced in the kernel', () => {
  let world: CudaWorld;
  beforeAll(() => {
    world = new CudaWorld();
  });
  afterAll(() => world.remove());

  test.each<Way>(['multi', 'perf'])('counts, names, sizes, copies and durations by %s', async (way) => {
    const tracer = open({ ways: [way] });
    try {
      const program = world.run([
        'wait',
        'register',
        'launch:vecAdd:20000:10,2,3:128,1,1:64:0x77',
        'sync:0x77',
        'launch:reduce:3:1,1,1:32,1,1:0:0x77',
        'sleep:30000',
        'sync:0x77',
        'launch:registered:2:1,1,1:1,1,1:0:0x78',
        'sync:0xbad',
        'device',
        'function:sgemm',
        'driver:0x5073:7:1,1,1:64,1,1:0:0x79',
        'ex:vecAdd:5:4,1,1:8,1,1:2048:0x77',
        'ptsz:vecAdd:1:1,1,1:1,1,1:0:0',
        'alloc:4096:5',
        'copy:100:1',
        'copy:50:2',
        'async:7:3',
        'graph:3:0x77',
        'use:1',
        'launch:vecAdd:4:1,1,1:1,1,1:0:0x80',
        'use:99',
        'device',
        'say:done',
        'wait',
      ]);
      await program.said('pid');
      tracer.look();
      program.go();
      await program.said('done');
      const process = processOf(tracer.snapshot(gpus), program.pid);
      expect(launches(process)).toEqual({
        vecAdd: 20_010,
        'at::native::reduce_kernel': 3,
        'app::kernel': 2,
        sgemm: 7,
        '(graph)': 3,
      });
      const onSecond = process.kernels.filter(({ device }) => device === 1);
      expect(onSecond.map(({ name, launches: count }) => [name, count])).toEqual([['vecAdd', 4]]);
      expect(process.gpus).toEqual([
        [0, 'GPU-0'],
        [1, 'GPU-1'],
      ]);
      const vecAdd = process.kernels.find(({ name, device }) => name === 'vecAdd' && device === 0);
      // 60 blocks of 128 threads with 64 bytes, 4 of 8 with 2,048, one of one.
      expect(vecAdd?.grid.sum).toBe(20_000 * 60 + 5 * 4 + 1);
      expect([vecAdd?.grid.counts[6], vecAdd?.grid.counts[2], vecAdd?.grid.counts[0]]).toEqual([
        20_000, 5, 1,
      ]);
      expect([vecAdd?.block.counts[7], vecAdd?.block.counts[3]]).toEqual([20_000, 5]);
      expect([vecAdd?.shared.counts[6], vecAdd?.shared.counts[11]]).toEqual([20_000, 5]);
      expect(
        process.memory.map(({ direction, bytes }) => [direction ?? 'allocated', bytes]).toSorted(),
      ).toEqual([
        ['allocated', 20_480],
        ['device_to_device', 7],
        ['device_to_host', 50],
        ['host_to_device', 100],
      ]);
      // Three launches that a wait of 30 ms ended; one that failed ended nothing.
      const reduce = process.durations.find(({ name }) => name === 'at::native::reduce_kernel');
      expect(reduce?.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
      expect(reduce?.sum).toBeGreaterThan(3 * 0.03);
      const timed = process.durations.filter(({ graph }) => !graph);
      expect(timed.reduce((sum, { counts }) => sum + counts.reduce((a, b) => a + b, 0), 0)).toBe(20_022);
      program.go();
      await program.ended;
      tracer.look();
      expect(launches(processOf(tracer.snapshot(gpus), program.pid))['sgemm']).toBe(7);
      expect(tracer.snapshot(gpus).processes.map(({ pid }) => pid)).not.toContain(program.pid);
    } finally {
      tracer.close();
    }
  });

  test('an event and a query that succeeds end what came before the record; the context ends all', async () => {
    const tracer = open();
    try {
      const program = world.run([
        'wait',
        'launch:vecAdd:3:1,1,1:1,1,1:0:0x77',
        'event:0x77',
        'sleep:20000',
        'launch:reduce:2:1,1,1:1,1,1:0:0x77',
        'query:0xe5',
        'query:0xe',
        'say:asked',
        'wait',
        'sleep:40000',
        'context',
        'say:done',
        'wait',
      ]);
      await program.said('pid');
      tracer.look();
      program.go();
      await program.said('asked');
      const timesOf = () =>
        processOf(tracer.snapshot(gpus), program.pid).durations.map(({ name, counts, sum }) => ({
          name,
          count: counts.reduce((total, count) => total + count, 0),
          mean:
            sum /
            Math.max(
              1,
              counts.reduce((total, count) => total + count, 0),
            ),
        }));
      const [first, ...others] = timesOf();
      expect(others).toEqual([]);
      expect([first?.name, first?.count]).toEqual(['vecAdd', 3]);
      expect(first?.mean).toBeGreaterThan(0.02);
      program.go();
      await program.said('done');
      const second = timesOf().find(({ name }) => name === 'at::native::reduce_kernel');
      expect(second?.count).toBe(2);
      expect(second?.mean).toBeGreaterThan(0.04);
      program.go();
      await program.ended;
    } finally {
      tracer.close();
    }
  });

  test('only the driver mapped, a library that was deleted, and a mount namespace of its own', async () => {
    const tracer = open();
    const copy = join(world.folder, 'gone');
    execFileSync('mkdir', [copy]);
    copyFileSync(world.driver, join(copy, 'libcuda.so.1'));
    copyFileSync(world.runtime, join(copy, 'libcudart.so.12'));
    try {
      const steps = ['wait', 'driver:vecAdd:11:1,1,1:1,1,1:0:0', 'say:done', 'wait'];
      const driver = world.run(steps, { libraries: 'driver' });
      const gone = world.run(steps, {
        runtime: join(copy, 'libcudart.so.12'),
        driver: join(copy, 'libcuda.so.1'),
      });
      const apart = world.run(steps, { prefix: ['unshare', '-m'] });
      await Promise.all([driver, gone, apart].map((one) => one.said('pid')));
      rmSync(copy, { recursive: true });
      tracer.look();
      for (const one of [driver, gone, apart]) one.go();
      await Promise.all([driver, gone, apart].map((one) => one.said('done')));
      const snapshot = tracer.snapshot(gpus);
      for (const one of [driver, gone, apart]) {
        expect(launches(processOf(snapshot, one.ownPid))).toEqual({ vecAdd: 11 });
        one.go();
      }
    } finally {
      tracer.close();
    }
  });

  test('a process that forks, and a program that starts after its library is probed', async () => {
    const tracer = open();
    try {
      const first = world.run(['wait', 'fork', 'launch:vecAdd:9:1,1,1:1,1,1:0:0', 'say:done', 'wait']);
      await first.said('pid');
      tracer.look();
      first.go();
      await first.said('done');
      // It runs and ends between two looks.
      const short = world.run(['register', 'launch:registered:6:1,1,1:1,1,1:0:0']);
      await short.ended;
      tracer.poll();
      const snapshot = tracer.snapshot(gpus);
      const counted = snapshot.processes.map((one) => launches(one));
      expect(counted).toContainEqual({ vecAdd: 9 });
      expect(launches(processOf(snapshot, short.pid))).toEqual({ 'app::kernel': 6 });
      first.go();
    } finally {
      tracer.close();
    }
  });

  test('a reader that stalls loses events and no counts, and says how many', async () => {
    const tracer = open();
    try {
      const program = world.run(['wait', 'launch:vecAdd:100000:1,1,1:1,1,1:0:0x7', 'say:done', 'wait']);
      await program.said('pid');
      tracer.look();
      program.go();
      await program.said('done');
      const snapshot = tracer.snapshot(gpus);
      expect(launches(processOf(snapshot, program.pid))).toEqual({ vecAdd: 100_000 });
      expect(snapshot.drops['events']).toBeGreaterThan(0);
      expect(snapshot.events + (snapshot.drops['events'] ?? 0)).toBe(100_001);
      program.go();
    } finally {
      tracer.close();
    }
  });

  test('beyond its budget it samples: fewer hits, and counts that are multiplied up and marked', async () => {
    const tracer = open({ budget: 0.02 });
    try {
      const program = world.run([
        'wait',
        ...Array.from({ length: 400 }, () => ['launch:vecAdd:2000:1,1,1:1,1,1:0:0x7', 'sleep:5000']).flat(),
        'say:done',
        'wait',
      ]);
      await program.said('pid');
      tracer.look();
      program.go();
      let sampled = false;
      while (!program.output.includes('done')) {
        tracer.poll();
        await sleep(50);
        sampled ||= tracer.snapshot(gpus).sampling;
      }
      const process = processOf(tracer.snapshot(gpus), program.pid);
      expect(sampled).toBe(true);
      const seen = process.kernels.filter((kernel) => kernel.sampled);
      const all = process.kernels.filter((kernel) => !kernel.sampled);
      // The first window is traced whole.
      expect(all.reduce((sum, { launches: count }) => sum + count, 0)).toBeGreaterThan(0);
      expect(all.reduce((sum, { launches: count }) => sum + count, 0)).toBeLessThan(800_000);
      expect(seen.length).toBeLessThanOrEqual(1);
      program.go();
    } finally {
      tracer.close();
    }
  });

  test('the names of a process are bounded: what is beyond is one, and no launch is lost', async () => {
    const tracer = open();
    try {
      const numbers = Array.from({ length: 260 }, (_, at) => at);
      const program = world.run([
        'wait',
        ...numbers.map((at) => `function:k${at}`),
        ...numbers.map((at) => `driver:${0x5000 + 0x6b + 256 * at}:2:1,1,1:1,1,1:0:0x7`),
        'say:done',
        'wait',
      ]);
      await program.said('pid');
      tracer.look();
      program.go();
      await program.said('done');
      const counts = launches(processOf(tracer.snapshot(gpus), program.pid));
      const { other, ...named } = counts;
      expect(Object.keys(named)).toHaveLength(200);
      expect(new Set(Object.values(named))).toEqual(new Set([2]));
      expect(other).toBe(2 * 60);
      program.go();
    } finally {
      tracer.close();
    }
  });

  test('a process with the number of one that ended is counted from nothing', async ({ skip }) => {
    const tracer = open();
    try {
      const first = world.run(['wait', 'launch:vecAdd:5:1,1,1:1,1,1:0:0', 'say:done', 'wait']);
      await first.said('pid');
      tracer.look();
      first.go();
      await first.said('done');
      expect(launches(processOf(tracer.snapshot(gpus), first.pid))).toEqual({ vecAdd: 5 });
      first.go();
      await first.ended;
      const again = world.run(['wait', 'launch:vecAdd:7:1,1,1:1,1,1:0:0', 'say:done', 'wait'], {
        prefix: ['python3', '-c', WITH_PID, String(first.pid)],
      });
      await Promise.race([again.said('pid'), again.ended]);
      if (again.ownPid !== first.pid) return skip('process numbers cannot be chosen here');
      tracer.look();
      again.go();
      await again.said('done');
      expect(launches(processOf(tracer.snapshot(gpus), first.pid))).toEqual({ vecAdd: 7 });
      again.go();
    } finally {
      tracer.close();
    }
  });

  test('an agent that is killed leaves no probe behind, and the program goes on', async () => {
    const program = world.run([
      'wait',
      'launch:vecAdd:1000:1,1,1:1,1,1:0:0',
      'say:one',
      'wait',
      'launch:vecAdd:1000:1,1,1:1,1,1:0:0',
      'say:two',
      'wait',
    ]);
    await program.said('pid');
    const untouched = firstByte(program.pid, world.runtime, 'cudaLaunchKernel');
    const agent = spawn(process.execPath, [TRACE_MAIN], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(agent.stdout, 'data');
      // The instruction of a breakpoint.
      if (process.arch === 'x64')
        expect(firstByte(program.pid, world.runtime, 'cudaLaunchKernel')).toBe(0xcc);
      program.go();
      await program.said('one');
      agent.kill('SIGKILL');
      await once(agent, 'exit');
      await expect
        .poll(() => firstByte(program.pid, world.runtime, 'cudaLaunchKernel'), { timeout: 10_000 })
        .toBe(untouched);
      program.go();
      await program.said('two');
      program.go();
      expect(await program.ended).toBe(0);
    } finally {
      agent.kill('SIGKILL');
    }
  });

  test('the source: points of a process with its name, and what tracing costs', async () => {
    const run = new SourceRun(cudaWith({ always: true }), undefined, { PLATFORM_GPU_EBPF_BUDGET: '1' });
    run.gpus.set([
      { id: 'GPU-0', name: 'A', vendor: 'nvidia', index: 0, cores: 512, aliases: [] },
      { id: 'GPU-1', name: 'B', vendor: 'nvidia', index: 1, cores: 512, aliases: [] },
    ]);
    try {
      const program = world.run([
        'wait',
        'launch:vecAdd:40:10,2,3:128,1,1:64:0x77',
        'sync:0x77',
        'say:done',
        'wait',
      ]);
      await program.said('pid');
      run.gpus.setPids('GPU-1', [program.pid]);
      await run.source.start();
      await run.source.settled;
      program.go();
      await program.said('done');
      const points = await run.observe();
      const launched = points.find(({ metric, attributes }) => {
        return metric === 'gpu.kernel.launch.calls' && attributes['process.pid'] === program.pid;
      });
      expect(launched).toMatchObject({
        value: 40,
        attributes: {
          'process.executable.name': 'cuda-program',
          'cuda.kernel.name': 'vecAdd',
          'hw.id': 'GPU-1',
          'gpu.index': 1,
          'gpu.measurement.source': 'ebpf',
        },
      });
      const block = points.find(({ metric }) => metric === 'gpu.kernel.block.size');
      expect(block).toMatchObject({
        value: 40,
        histogram: { sum: 5_120, counts: [0, 0, 0, 40, 0, 0, 0, 0] },
      });
      const duration = points.find(({ metric }) => metric === 'gpu.kernel.duration');
      expect(duration).toMatchObject({
        value: 40,
        attributes: { 'cuda.launch.kind': 'kernel', 'gpu.measurement.source': 'ebpf_model' },
      });
      expect(valuesBy(points, 'hw.gpu.core.limit', 'hw.id')).toEqual({ 'GPU-0': 512, 'GPU-1': 512 });
      expect(valuesBy(points, 'platform.collector.ebpf.probe.cost')['']).toBeGreaterThan(0);
      expect(run.source.report?.()).toMatchObject({ state: 'ready' });
      program.go();
    } finally {
      await run.source.stop();
    }
  });
});
