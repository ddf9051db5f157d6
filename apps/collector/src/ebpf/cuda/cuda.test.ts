import { describe, expect, test } from 'vitest';
import { gpuKernelBlockSize, gpuKernelGridSize, gpuKernelSharedMemory } from '@candela/semconv/metrics';
import { parseMaps } from '../loader/mapped-files.ts';
import { unpackObject } from '../loader/packed.ts';
import { SystemCallError } from '../loader/native.ts';
import { refusalOf } from '../loader/refusal.ts';
import { ElfError, ElfFile } from '../loader/elf.ts';
import { isPlayed } from '../loader/calibrate.ts';
import { ProbeBudget } from './budget.ts';
import { OBJECTS } from './cuda.gen.ts';
import { kernelName } from './demangle.ts';
import { LaunchModel, lengthOf, merge } from './model.ts';
import { inBounds } from './points.ts';
import { DRIVER_FUNCTIONS, libraryOf, RUNTIME_FUNCTIONS } from './symbols.ts';

const HOST = { proc: '/proc', sys: '/nowhere', etc: '/etc', root: '/' };

test.each([
  ['_Z6vecAddPfS_', 'vecAdd'],
  ['__device_stub__Z6vecAddPfS_', 'vecAdd'],
  [
    '_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_',
    'at::native::vectorized_elementwise_kernel',
  ],
  ['_ZN3foo3BarIiLb1ENS_1QE3BazE3runEv', 'foo::Bar::run'],
  ['_ZN3foo3BarIiE3runEv', 'foo::Bar::run'],
  ['_ZN12_GLOBAL__N_16kernelEv', '(anonymous)::kernel'],
  ['_ZN1a1bIXadL_Z1fvEEE1cEv', 'a::b::c'],
  ['_ZSt4sortv', 'std::sort'],
  ['ampere_sgemm_128x64_nn', 'ampere_sgemm_128x64_nn'],
  ['_ZN2at6native29vectorized_elem', 'at::native::vectorized_elem'],
  ['_Z', '_Z'],
  ['', ''],
])('%s is %s', (symbol, name) => {
  expect(kernelName(symbol)).toBe(name);
});

test('a symbol of nothing but openings ends', () => {
  expect(kernelName(`_ZN1a${'I'.repeat(100_000)}`)).toBe('a');
});

describe('launches and what ends them', () => {
  const taken: (readonly [fn: number, seconds: number, forced: boolean])[] = [];
  const model = () => {
    taken.length = 0;
    return new LaunchModel(0, (_pid, _device, fn, seconds, forced) => void taken.push([fn, seconds, forced]));
  };
  const ms = 1e6;

  test('a stream ends its own launches, a device all of its streams, the stream 0 too', () => {
    const one = model();
    one.launch(7, 0, 0x10, 1 * ms, 1, 100);
    one.launch(7, 0, 0x20, 2 * ms, 2, 100);
    one.launch(7, 1, 0x30, 3 * ms, 3, 100);
    one.streamEnded(7, 0, 0x10, 5 * ms);
    expect(taken).toEqual([[1, 0.004, false]]);
    one.streamEnded(7, 0, 0, 6 * ms);
    expect(taken.slice(1)).toEqual([[2, 0.004, false]]);
    one.deviceEnded(7, 1, 9 * ms);
    expect(taken.slice(2)).toEqual([[3, 0.006, false]]);
    expect(one.open).toBe(0);
    one.streamEnded(8, 0, 0x10, 10 * ms);
    expect(taken).toHaveLength(3);
  });

  test('an event ends what was launched until it was recorded, and nothing that came after', () => {
    const one = model();
    one.launch(7, 0, 0x10, 1 * ms, 1, 100);
    one.launch(7, 0, 0x10, 2 * ms, 2, 300);
    one.launch(7, 0, 0x10, 4 * ms, 3, 200);
    one.streamEnded(7, 0, 0x10, 9 * ms, 0.5 * ms);
    expect(taken).toEqual([]);
    one.streamEnded(7, 0, 0x10, 10 * ms, 3 * ms);
    expect(taken).toEqual([
      [1, 0.009, false],
      [2, 0.008, false],
    ]);
    expect(one.open).toBe(1);
    one.deviceEnded(7, 0, 14 * ms);
    expect(taken.slice(2)).toEqual([[3, 0.01, false]]);
    expect(one.open).toBe(0);
    const [use] = one.use(20 * ms, () => 1_000);
    // 9 ms of 200 threads as the mean of all three, then 10 ms of 200.
    expect(use?.threadSeconds).toBeCloseTo(0.009 * 200 + 0.01 * 200, 9);
  });

  test('use is told for the time between two readings, open launches included', () => {
    const one = model();
    one.launch(7, 0, 0x10, 100 * ms, 1, 4_000);
    one.launch(7, 0, 0x20, 150 * ms, 1, 10);
    one.streamEnded(7, 0, 0x10, 200 * ms);
    const cores = () => 1_000;
    const [first] = one.use(300 * ms, cores);
    // 0.1 s of all the 1,000 cores, 0.15 s of 10 threads.
    expect(first?.threadSeconds).toBeCloseTo(100 + 1.5, 9);
    expect(lengthOf(first?.busy ?? [])).toBe(200 * ms);
    const [second] = one.use(400 * ms, cores);
    expect(second?.threadSeconds).toBeCloseTo(1, 9);
    expect(lengthOf(second?.busy ?? [])).toBe(100 * ms);
    one.forget(7);
    expect(one.use(500 * ms, cores)).toEqual([]);
  });

  test('a stream that nobody waits for is ended by force when it is full', () => {
    const one = model();
    for (let at = 0; at <= 50_000; at += 1) one.launch(7, 0, 0x10, at, 1, 1);
    expect(one.open).toBe(1);
    expect(taken.length).toBe(50_000);
    expect(taken.every(([, , forced]) => forced)).toBe(true);
  });

  test('intervals are merged', () => {
    expect(
      merge([
        [5, 6],
        [1, 3],
        [2, 4],
        [6, 7],
      ]),
    ).toEqual([
      [1, 4],
      [5, 7],
    ]);
  });
});

describe('the budget', () => {
  test('is exhausted by one process that costs more, and recovers', () => {
    const budget = new ProbeBudget(0.02);
    budget.enter(0.1, 10e-6, [[1, 0]]);
    budget.enter(0.1, 10e-6, [[1, 200]]);
    expect(budget.exhausted).toBe(false);
    budget.enter(0.1, 10e-6, [
      [1, 10_200],
      [2, 0],
    ]);
    expect(budget.exhausted).toBe(true);
    let seconds = 0;
    while (budget.exhausted && seconds < 60) {
      budget.enter(0.1, 10e-6, [[1, 10_200]]);
      seconds += 0.1;
    }
    // 0.1 s were spent: at 2 % they take some 5 s to come back.
    expect(seconds).toBeGreaterThan(2);
    expect(seconds).toBeLessThan(6);
  });

  test('of a process that has ended counts no more; a share of 1 is none', () => {
    const budget = new ProbeBudget(0.02);
    budget.enter(0.1, 10e-6, [[1, 0]]);
    budget.enter(0.1, 10e-6, [[1, 1e6]]);
    expect(budget.exhausted).toBe(true);
    budget.enter(0.1, 10e-6, []);
    expect(budget.exhausted).toBe(false);
    const free = new ProbeBudget(1);
    free.enter(0.1, 10e-6, [[1, 0]]);
    free.enter(0.1, 10e-6, [[1, 1e9]]);
    expect(free.exhausted).toBe(false);
  });
});

test.each([
  // As functions of libcudart 13 and libcuda 580 begin.
  ['55 48 89 e5', true],
  ['53 48 83 ec', true],
  ['41 57 41 56', true],
  ['90 90', true],
  ['48 89 f8', false],
  ['41 89 c0', false],
  ['f3 0f 1e fa', false],
])('the kernel plays %s itself: %s', (bytes, played) => {
  expect(isPlayed(Buffer.from(bytes.replaceAll(' ', ''), 'hex'), 'x64')).toBe(played);
  expect(isPlayed(Buffer.from(bytes.replaceAll(' ', ''), 'hex'), 'arm64')).toBe(false);
});

test('buckets of powers of two fall into those of the metrics', () => {
  for (const metric of [gpuKernelGridSize, gpuKernelBlockSize, gpuKernelSharedMemory]) {
    // A bound that is no power of two would put values on its wrong side.
    for (const bound of metric.bounds ?? []) expect(Number.isInteger(Math.log2(bound))).toBe(true);
    const counts = Array.from({ length: 32 }, () => 1);
    expect(inBounds(metric, { sum: 0, counts }).reduce((a, b) => a + b, 0)).toBe(32);
  }
  const counts = Array.from({ length: 32 }, () => 0);
  counts[7] = 3;
  expect(inBounds(gpuKernelBlockSize, { sum: 0, counts })).toEqual([0, 0, 0, 3, 0, 0, 0, 0]);
});

test('every program that a function asks for is in the object, at its place', () => {
  const programs = new Map(unpackObject(OBJECTS).programs.map((one) => [one.name, one]));
  for (const { entry, atReturn } of [...RUNTIME_FUNCTIONS, ...DRIVER_FUNCTIONS]) {
    if (entry !== undefined) expect(programs.get(entry)?.atReturn).toBe(false);
    if (atReturn !== undefined) expect(programs.get(atReturn)?.atReturn).toBe(true);
  }
  expect(new Set([...programs.values()].map(({ number }) => number)).size).toBe(programs.size - 1);
});

test('libraries are known by their names', () => {
  expect(libraryOf('/usr/lib/libcudart.so.12.4.127')).toBe(RUNTIME_FUNCTIONS);
  expect(libraryOf('/x/torch/lib/libcudart-9335f6a2.so.12')).toBe(RUNTIME_FUNCTIONS);
  expect(libraryOf('/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15')).toBe(DRIVER_FUNCTIONS);
  expect(libraryOf('/usr/lib/libcudadebugger.so.1')).toBeUndefined();
  expect(libraryOf('/usr/lib/libcublas.so.12')).toBeUndefined();
});

test('maps: rows that run, deleted files, nothing else', () => {
  const text = `55d0c0000000-55d0c0001000 r--p 00000000 fd:00 100                        /usr/bin/python3
7f0000000000-7f0000100000 r-xp 00002000 fd:00 1234                       /opt/x y/libcudart.so.12 (deleted)
7f0000100000-7f0000200000 r--p 00102000 fd:00 1234                       /opt/x y/libcudart.so.12 (deleted)
7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0                          [vdso]
garbage
`;
  expect(parseMaps(text, () => true)).toEqual([
    {
      range: '7f0000000000-7f0000100000',
      start: 0x7f0000000000n,
      end: 0x7f0000100000n,
      offset: 0x2000,
      inode: 1_234,
      path: '/opt/x y/libcudart.so.12',
    },
  ]);
});

test('an ELF file that lies throws and reads nothing beyond itself', () => {
  const bytes = Buffer.alloc(64);
  const open = () =>
    new ElfFile((offset, length) => {
      if (offset + length > bytes.length) throw new ElfError('beyond');
      return bytes.subarray(offset, offset + length);
    });
  expect(open).toThrow(ElfError);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(bytes);
  expect(open().sections).toEqual([]);
  bytes.writeBigUInt64LE(2n ** 63n, 40);
  bytes.writeUInt16LE(64, 58);
  bytes.writeUInt16LE(1, 60);
  expect(open).toThrow(ElfError);
  bytes.writeBigUInt64LE(32n, 40);
  expect(open).toThrow(ElfError);
});

test.each([
  [new SystemCallError('BPF_MAP_CREATE', 1), /CAP_BPF and CAP_PERFMON/],
  [new SystemCallError('perf_event_open', 13), /CAP_SYS_ADMIN, or run Linux 6\.6/],
  [new SystemCallError('BPF_MAP_CREATE', 38), /without BPF/],
  [new SystemCallError('BPF_MAP_CREATE', 22), /5\.8/],
  [new SystemCallError('BPF_PROG_LOAD', 12), /no room/],
  [new Error('the verifier refused'), /the verifier refused/],
])('says why: %s', (thrown, text) => {
  expect(refusalOf(thrown, HOST)).toMatch(text);
});
