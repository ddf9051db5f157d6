import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captured } from '../../fixtures/captured.ts';
import { FileTree, SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import { cpu } from './index.ts';
import { MAX_CPUS, parseCpuStat } from './linux.ts';
import { fromNodeCpus } from './node.ts';
import { CpuTimes } from './times.ts';
import { GROUP_SIZE, parseProcessorTimes } from './win32.ts';

describe('/proc/stat', () => {
  test('a real file: one reading a CPU, none for all of them', () => {
    const readings = parseCpuStat(captured('vm', 'proc/stat'));
    expect(readings.map((reading) => reading.cpu)).toEqual([0, 1]);
    for (const { times } of readings) expect(times).toHaveLength(7);
  });

  test('interrupts of both kinds are one; guests are in user already', () => {
    expect(parseCpuStat('cpu  1 1 1 1\ncpu3 10 20 30 40 50 6 7 8 9 10\nintr 1\n')).toEqual([
      { cpu: 3, times: [10, 20, 30, 40, 50, 13, 8] },
    ]);
  });

  test('old kernels have four columns; a CPU told twice, a broken line and a cut one are left out', () => {
    const text =
      'cpu0 1 2 3 4\ncpu0 9 9 9 9\ncpu1 1 2 x 4\ncpu2 1 2\ncpu99999 1 2 3 4\ncpu4 1 2 3 4\ncpu5 1 2 3 456';
    expect(parseCpuStat(text).map((reading) => reading.cpu)).toEqual([0, 4]);
  });

  test('whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^(cpu\d{0,6} [\d x-]{0,40}\n){0,9}$/)),
        (text) => {
          const readings = parseCpuStat(text);
          expect(new Set(readings.map((reading) => reading.cpu)).size).toBe(readings.length);
          for (const reading of readings) {
            expect(reading.cpu).toBeLessThan(MAX_CPUS);
            expect(reading.times.every((time) => time >= 0)).toBe(true);
          }
        },
      ),
    );
  });
});

describe('busy shares', () => {
  const at = (...times: number[]) => [{ cpu: 0, times: [...times, 0, 0, 0, 0, 0, 0, 0].slice(0, 7) }];

  test('neither idle nor waiting is busy, stolen is', () => {
    const times = new CpuTimes();
    expect(times.add(at(0, 0, 0, 0, 0, 0, 0)).size).toBe(0);
    expect(times.add(at(10, 5, 5, 60, 10, 5, 5)).get(0)).toBeCloseTo(0.3);
  });

  test('idle time that steps back a little counts as none, and is not counted twice when it is back', () => {
    const times = new CpuTimes();
    times.add(at(100, 0, 0, 1_000));
    expect(times.add(at(110, 0, 0, 995)).get(0)).toBe(1);
    expect(times.add(at(120, 0, 0, 1_005)).get(0)).toBeCloseTo(10 / 15);
    expect(times.totals.slice(0, 4)).toEqual([120, 0, 0, 1_005]);
  });

  test('a machine that counts anew goes on from its sum', () => {
    const times = new CpuTimes();
    times.add(at(100, 0, 0, 1_000));
    times.add(at(3, 0, 0, 7));
    expect(times.totals.slice(0, 4)).toEqual([103, 0, 0, 1_007]);
  });

  test('a CPU that was offline goes on where it was; too short a time says nothing', () => {
    const times = new CpuTimes();
    const two = (a: number, b: number) => [...at(a, 0, 0, a), { cpu: 1, times: [b, 0, 0, b, 0, 0, 0] }];
    times.add(two(10, 10));
    expect([...times.add(at(20, 0, 0, 20)).keys()]).toEqual([0]);
    expect([...times.add(two(30, 15)).entries()]).toEqual([
      [0, 0.5],
      [1, 0.5],
    ]);
    expect(times.add(two(31, 15), 10).size).toBe(0);
  });

  test('shares stay in 0 to 1 and sums never fall, whatever is read', () => {
    const reading = fc.array(fc.nat(1_000), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 20 }), (readings) => {
        const times = new CpuTimes();
        let before = [...times.totals];
        for (const one of readings) {
          for (const share of times.add([{ cpu: 0, times: one }]).values()) {
            expect(share).toBeGreaterThanOrEqual(0);
            expect(share).toBeLessThanOrEqual(1);
          }
          for (const [mode, total] of times.totals.entries()) {
            expect(total).toBeGreaterThanOrEqual(before[mode] ?? 0);
          }
          before = [...times.totals];
        }
      }),
    );
  });
});

test('macOS: milliseconds as Node tells them', () => {
  expect(fromNodeCpus([{ times: { user: 1, nice: 2, sys: 3, idle: 4, irq: 0 } }])).toEqual([
    { cpu: 0, times: [1, 2, 3, 4, 0, 0, 0] },
  ]);
});

test('Windows: the idle thread and interrupts are part of the kernel time; groups follow each other', () => {
  const one = Buffer.alloc(48);
  for (const [index, value] of [600n, 1_000n, 200n, 30n, 20n].entries())
    one.writeBigInt64LE(value, index * 8);
  const readings = parseProcessorTimes([
    Buffer.concat([one, one]),
    Buffer.concat([one, one.subarray(0, 20)]),
  ]);
  expect(readings.map((reading) => reading.cpu)).toEqual([0, 1, GROUP_SIZE]);
  expect(readings[0]?.times).toEqual([200, 0, 350, 600, 0, 50, 0]);
});

test('the source: a share and no more a CPU, and the sum of all by mode', async () => {
  const tree = new FileTree().write({ 'proc/stat': 'cpu0 0 0 0 0\ncpu1 0 0 0 0\nintr 0\n' });
  const run = new SourceRun(cpu, tree);
  expect(await run.source.start()).toEqual({ state: 'ready' });
  tree.write({ 'proc/stat': 'cpu0 50 0 0 50\ncpu1 0 0 25 75\nintr 0\n' });
  const points = await run.observe();
  expect(valuesBy(points, 'system.cpu.utilization', 'cpu.logical_number')).toEqual({ 0: 0.5, 1: 0.25 });
  expect(valuesBy(points, 'system.cpu.logical.count')).toEqual({ '': 2 });
  expect(valuesBy(points, 'system.cpu.time', 'cpu.mode')).toMatchObject({
    user: 0.5,
    system: 0.25,
    idle: 1.25,
  });
  tree.remove('proc/stat');
  expect(await run.observe()).toEqual([]);
  tree.remove();
});
