import { afterEach, expect, test } from 'vitest';
import { GPU_PROCESS_METRICS, type Metric } from '@candela/semconv/metrics';
import { FileTree, type RecordedPoint, SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import type { PointAttributes } from '../../point-attributes.ts';
import type { SourceContext } from '../../source.ts';
import type { GpuDevice, GpuProcess } from '../device.ts';
import { GpuProcesses } from './index.ts';
import { parsePasswd } from './owners.ts';
import { isHostPidView } from './view.ts';

const trees: FileTree[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

const GPU: GpuDevice = { id: 'GPU-1', name: 'Test', vendor: 'nvidia', index: 0, aliases: [] };
const SLICE: GpuDevice = {
  ...GPU,
  id: 'MIG-1',
  partition: { parent: 'GPU-1', name: '1g.10gb', mig: { instanceId: 7, profile: '1g.10gb' } },
};
const CONTAINER = 'a'.repeat(64);

/** `/proc/<pid>/stat` of a process that began so many ticks after the system. */
const stat = (pid: number, startTicks: number): string =>
  `${pid} (a (b) c) S 1 1 1 0 -1 4194304 10 0 0 0 20 10 0 0 20 0 3 0 ${startTicks} 1000000 100 18446744073709551615\n`;

function world(env: Readonly<Record<string, string>> = {}) {
  const tree = new FileTree();
  trees.push(tree);
  tree.write({
    'proc/uptime': '5000.00 1.00\n',
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\nada:x:1001:1001::/home/ada:/bin/sh\n',
  });
  tree.link('proc/1/ns/pid', 'pid:[4026531836]');
  let context: SourceContext | undefined;
  const run = new SourceRun(
    {
      id: 'test',
      summary: '',
      platforms: [],
      metrics: [],
      off: () => undefined,
      create: (given) => {
        context = given;
        return { start: async () => ({ state: 'ready' }), observe: () => undefined, stop: () => undefined };
      },
    },
    tree,
    env,
  );
  if (context === undefined) throw new Error('no context');
  const processes = new GpuProcesses(context);
  const round = (...readings: readonly (readonly [GpuDevice, readonly GpuProcess[]])[]): RecordedPoint[] => {
    const points: RecordedPoint[] = [];
    const record = (metric: Metric, value: number, attributes: PointAttributes = {}): void => {
      expect(GPU_PROCESS_METRICS).toContain(metric);
      for (const key of Object.keys(attributes)) expect(metric.attributes).toContain(key);
      points.push({ metric: metric.name, value, attributes });
    };
    for (const [device, of] of readings) processes.record(record, device, { processes: of });
    processes.sweep();
    return points;
  };
  const add = (pid: number, { start = 100_000, uid = 1001, line = 'python\0train.py\0' } = {}): void => {
    tree.write({
      [`proc/${pid}/stat`]: stat(pid, start),
      [`proc/${pid}/status`]: `Name:\tpython\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\n`,
      [`proc/${pid}/cmdline`]: line,
      [`proc/${pid}/comm`]: 'python\n',
      [`proc/${pid}/cgroup`]: `0::/system.slice/docker-${CONTAINER}.scope\n`,
    });
  };
  return { tree, run, round, add };
}

test('a process is told with its name, line, owner, container and the device it is on', () => {
  const { round, add } = world();
  add(42);
  const points = round(
    [GPU, [{ pid: 42, memory: 1_000, utilization: 0.5 }]],
    [SLICE, [{ pid: 42, memory: 7 }]],
  );
  expect(points[0]?.attributes).toEqual({
    'hw.id': 'GPU-1',
    'gpu.index': 0,
    'process.pid': 42,
    'process.executable.name': 'python',
    'process.command_line': 'python train.py',
    'process.owner': 'ada',
    'container.id': CONTAINER,
  });
  expect(valuesBy(points, 'process.gpu.memory.usage', 'hw.id', 'hw.parent', 'hw.gpu.partition')).toEqual({
    'GPU-1//': 1_000,
    'MIG-1/GPU-1/1g.10gb': 7,
  });
  expect(valuesBy(points, 'process.gpu.utilization', 'hw.id')).toEqual({ 'GPU-1': 0.5 });
  expect(valuesBy(points, 'process.uptime', 'hw.id')).toEqual({ 'GPU-1': 4_000, 'MIG-1': 4_000 });
});

test('one that is listed twice is one; what cannot be a process is none', () => {
  const { round } = world();
  const points = round([
    GPU,
    [
      { pid: 5, memory: 10 },
      { pid: 5, memory: 12, utilization: 1.7 },
      { pid: 0, memory: 1 },
      { pid: -4, memory: 1 },
      { pid: 1.5, memory: 1 },
    ],
  ]);
  expect(valuesBy(points, 'process.gpu.memory.usage', 'process.pid')).toEqual({ 5: 12 });
  expect(valuesBy(points, 'process.gpu.utilization', 'process.pid')).toEqual({ 5: 1 });
});

test('the number of a process that ended, given to another, brings the new one’s name', () => {
  const { round, add } = world();
  add(9);
  round([GPU, [{ pid: 9, memory: 1 }]]);
  add(9, { start: 200_000, uid: 4_000, line: 'vllm\0serve\0' });
  const [point] = round([GPU, [{ pid: 9, memory: 1 }]]);
  expect(point?.attributes).toMatchObject({ 'process.command_line': 'vllm serve', 'process.owner': '4000' });
});

test('hostile command lines: no secrets, no control characters, no longer than told, or none at all', () => {
  const { round, add } = world({ OTEL_GPU_PROCESS_CMDLINE_MAX_LEN: '40' });
  add(3, { line: `srv\0--api-key\0s3cr3t-v4lue\0\u001b[31m\u202e${'𝔘'.repeat(400)}\0` });
  const line = String(round([GPU, [{ pid: 3, memory: 1 }]])[0]?.attributes['process.command_line']);
  expect(line).toContain('--api-key [redacted]');
  expect(line).not.toContain('s3cr3t');
  // oxlint-disable-next-line eslint/no-control-regex -- none of these may be there
  expect(line).not.toMatch(/[\u0000-\u001f\u202e]/);
  expect(line.length).toBeLessThanOrEqual(40);
  expect(line.isWellFormed()).toBe(true);

  const silent = world({ OTEL_GPU_PROCESS_CMDLINE: 'false' });
  silent.add(3);
  const [point] = silent.round([GPU, [{ pid: 3, memory: 1 }]]);
  expect(Object.keys(point?.attributes ?? {})).not.toContain('process.command_line');
});

test('processes that are not seen from here are told by number, and it is said once', () => {
  const { run, round } = world();
  const twice = [round([GPU, [{ pid: 77, memory: 5 }]]), round([GPU, [{ pid: 77, memory: 5 }]])];
  for (const points of twice) {
    expect(points).toEqual([
      {
        metric: 'process.gpu.memory.usage',
        value: 5,
        attributes: { 'hw.id': 'GPU-1', 'gpu.index': 0, 'process.pid': 77 },
      },
    ]);
  }
  expect(run.logged.filter((line) => line.includes('hostPID'))).toHaveLength(1);
});

test('in a namespace of its own a number means another process, unless that one has a GPU open', () => {
  const { tree, round, add } = world();
  tree.remove('proc/1/ns/pid');
  tree.link('proc/1/ns/pid', 'pid:[4026532999]');
  add(12);
  add(13);
  tree.link('proc/13/fd/7', '/dev/nvidia0');
  const points = round([
    GPU,
    [
      { pid: 12, memory: 1 },
      { pid: 13, memory: 2 },
    ],
  ]);
  expect(valuesBy(points, 'process.gpu.memory.usage', 'process.pid', 'process.owner')).toEqual({
    '12/': 1,
    '13/ada': 2,
  });
  expect(isHostPidView({ proc: '/elsewhere', sys: '', etc: '', root: '' }, () => undefined)).toBe(true);
});

test('a device with thousands of processes tells those with the most memory', () => {
  const { run, round } = world();
  const many = Array.from({ length: 5_000 }, (_, at) => ({ pid: at + 1, memory: at }));
  const points = round([GPU, many]);
  expect(points).toHaveLength(512);
  expect(Math.min(...points.map(({ value }) => value))).toBe(5_000 - 512);
  expect(run.logged.filter((line) => line.includes('more processes'))).toHaveLength(1);
});

test('a file of users that lies names nobody wrongly', () => {
  expect([...parsePasswd('a:x:1:\nb:x:1:\n:x:2:\nc\u001b:x:3:\nd:x:-4:\ne\nf:x:5')]).toEqual([
    [1, 'a'],
    [5, 'f'],
  ]);
});
