import { readdirSync, readlinkSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { FileTree, SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import { eventFor, findCoreUnits } from './cores.ts';
import { chooseEvents } from './events.ts';
import { pmu, refusal } from './index.ts';
import { PerfOpenError } from './native.ts';

const trees: FileTree[] = [];
const newTree = (): FileTree => {
  const tree = new FileTree();
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

const DEVICES = 'sys/bus/event_source/devices';

describe('chooseEvents', () => {
  it('counts together what is divided by one another', () => {
    const { groups, memory, unknown } = chooseEvents([
      'cycles',
      'instructions',
      'branch',
      'cache',
      'tlb',
      'Uncore',
      'x',
    ]);
    expect(groups.map((group) => group.map(({ type, config }) => [type, Number(config)]))).toEqual([
      [
        [0, 1],
        [0, 0],
      ],
      [
        [0, 4],
        [0, 5],
      ],
      [
        [3, 0x00000],
        [3, 0x10000],
      ],
      [
        [3, 0x00001],
        [3, 0x10001],
      ],
      [
        [3, 0x00002],
        [3, 0x10002],
      ],
      [
        [3, 0x00003],
        [3, 0x10003],
      ],
      [
        [3, 0x00004],
        [3, 0x10004],
      ],
    ]);
    expect({ memory, unknown }).toEqual({ memory: true, unknown: ['x'] });
    expect(chooseEvents([])).toEqual({ groups: [], memory: false, unknown: [] });
  });
});

describe('several kinds of core', () => {
  it('asks the unit that counts on the core', () => {
    const tree = newTree().write({
      [`${DEVICES}/cpu_core/type`]: 4,
      [`${DEVICES}/cpu_core/cpus`]: '0-3',
      [`${DEVICES}/cpu_atom/type`]: 10,
      [`${DEVICES}/cpu_atom/cpus`]: '4-5',
      [`${DEVICES}/cpu/type`]: 4,
      [`${DEVICES}/cpu_broken/type`]: 'x',
    });
    const units = findCoreUnits(`${tree.path}/sys`);
    expect(new Map(units.map(({ coreType, type, cpus }) => [coreType, [type, ...cpus]]))).toEqual(
      new Map([
        ['core', [4, 0, 1, 2, 3]],
        ['atom', [10, 4, 5]],
      ]),
    );
    const event = chooseEvents(['instructions']).groups[0]?.[0];
    if (event === undefined) throw new Error('no event');
    expect(
      eventFor(
        event,
        units.find(({ coreType }) => coreType === 'atom'),
      ).config,
    ).toBe((10n << 32n) | 1n);
    expect(eventFor(event, undefined).config).toBe(1n);
  });
});

describe('refusal', () => {
  it('says what to grant, and what is not to be had', () => {
    expect(refusal(new PerfOpenError(13))).toContain('CAP_PERFMON');
    expect(refusal(new PerfOpenError(1))).toContain('perf_event_paranoid');
    expect(refusal(new PerfOpenError(2))).toContain('ENOENT');
    expect(refusal(new PerfOpenError(24))).toContain('open files');
    expect(refusal(new Error('else'))).toBe('else');
  });
});

const descriptorsOfCounters = (): number =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).includes('perf_event');
    } catch {
      return false;
    }
  }).length;

/** A memory controller whose type is that of the kernel's software counters: clocks that count nanoseconds. */
const softwareController = (): FileTree =>
  newTree().write({
    'sys/devices/system/cpu/online': '0\n',
    'sys/devices/system/cpu/cpu0/topology/physical_package_id': 1,
    [`${DEVICES}/uncore_imc_0/type`]: 1,
    [`${DEVICES}/uncore_imc_0/cpumask`]: '0\n',
    [`${DEVICES}/uncore_imc_0/format/event`]: 'config:0-7\n',
    [`${DEVICES}/uncore_imc_0/events/cas_count_read`]: 'event=0x00\n',
    [`${DEVICES}/uncore_imc_0/events/cas_count_read.scale`]: '2\n',
    [`${DEVICES}/uncore_imc_0/events/cas_count_read.unit`]: 'KiB\n',
    [`${DEVICES}/uncore_imc_0/events/cas_count_write`]: 'event=0x01\n',
    [`${DEVICES}/uncore_imc_0/events/cas_count_write.scale`]: '1\n',
    [`${DEVICES}/uncore_imc_0/events/cas_count_write.unit`]: 'KiB\n',
  });

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
const spin = () => {
  let sum = 0;
  for (let i = 0; i < 3e7; i += 1) sum += i % 7;
  return sum;
};

describe.skipIf(process.platform !== 'linux')('the source, by the system call', () => {
  it('counts a memory controller with its scale, or says what to grant', async () => {
    const run = new SourceRun(pmu, softwareController(), { OTEL_HOST_PMU_EVENTS: 'memory_bandwidth' });
    const started = await run.source.start();
    if (started.state === 'unavailable') {
      expect(started.reason).toContain('CAP_PERFMON');
      return;
    }
    await pause();
    const points = await run.observe();
    const by = ['hw.id', 'hw.cpu.memory.controller', 'network.io.direction'] as const;
    const first = valuesBy(points, 'hw.cpu.memory.io', ...by);
    expect(Object.keys(first)).toEqual(['cpu1/uncore_imc_0/receive', 'cpu1/uncore_imc_0/transmit']);
    // 50 ms are 5e7 ns: at 2 KiB each some 1e11 bytes.
    expect(first['cpu1/uncore_imc_0/receive']).toBeGreaterThan(5e10);
    await pause();
    const second = valuesBy(await run.observe(), 'hw.cpu.memory.io', ...by);
    expect(second['cpu1/uncore_imc_0/receive']).toBeGreaterThan(first['cpu1/uncore_imc_0/receive'] ?? 0);
    expect(descriptorsOfCounters()).toBe(2);
    await run.source.stop();
    expect(descriptorsOfCounters()).toBe(0);
  });

  it('counts instructions and cycles of this machine, or says why not', async () => {
    const run = new SourceRun(pmu, undefined, {
      OTEL_HOST_PMU_EVENTS: 'instructions,cycles,branch,cache,tlb',
    });
    const started = await run.source.start();
    if (started.state === 'unavailable') {
      expect(started.reason).toMatch(/CAP_PERFMON|no such performance counters|listed in \/sys/);
      expect(descriptorsOfCounters()).toBe(0);
      return;
    }
    spin();
    const points = await run.observe();
    const [instructions = 0] = Object.values(valuesBy(points, 'hw.cpu.instructions', 'hw.id'));
    const [cycles = 0] = Object.values(valuesBy(points, 'hw.cpu.cycles', 'hw.id'));
    expect(instructions).toBeGreaterThan(3e7);
    expect(instructions / cycles).toBeGreaterThan(0.05);
    expect(instructions / cycles).toBeLessThan(10);
    const branches = valuesBy(points, 'hw.cpu.branch.events', 'hw.cpu.branch.result');
    if (branches['retired'] !== undefined)
      expect(branches['retired']).toBeGreaterThan(branches['mispredicted'] ?? 0);
    spin();
    const after = await run.observe();
    for (const { metric, value, attributes } of points) {
      const later = after.find(
        (one) => one.metric === metric && JSON.stringify(one.attributes) === JSON.stringify(attributes),
      );
      expect(later?.value).toBeGreaterThanOrEqual(value);
    }
    await run.source.stop();
    expect(descriptorsOfCounters()).toBe(0);
  });

  it('follows CPUs that go and come', async () => {
    const tree = newTree().write({ 'sys/devices/system/cpu/online': '0\n' });
    const run = new SourceRun(pmu, tree, { OTEL_HOST_PMU_EVENTS: 'cycles' });
    if ((await run.source.start()).state === 'unavailable') return;
    spin();
    const [before = 0] = Object.values(valuesBy(await run.observe(), 'hw.cpu.cycles'));
    tree.write({ 'sys/devices/system/cpu/online': '\n' });
    await run.observe();
    expect(descriptorsOfCounters()).toBe(0);
    tree.write({ 'sys/devices/system/cpu/online': '0,4000\n' });
    await run.observe();
    expect(descriptorsOfCounters()).toBe(1);
    spin();
    const [after = 0] = Object.values(valuesBy(await run.observe(), 'hw.cpu.cycles'));
    expect(after).toBeGreaterThan(before);
    await run.source.stop();
  });

  it('is unavailable when there is nothing to count', async () => {
    const reason = async (tree: FileTree, events: string) => {
      const started = await new SourceRun(pmu, tree, { OTEL_HOST_PMU_EVENTS: events }).source.start();
      return started.state === 'unavailable' ? started.reason : started.state;
    };
    expect(await reason(newTree(), 'nonsense')).toContain('names no event');
    expect(await reason(newTree(), 'cycles')).toContain('/sys');
    expect(await reason(newTree(), 'uncore')).toContain('/sys');
  });
});
