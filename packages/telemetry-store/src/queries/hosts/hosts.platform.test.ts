import type { Metric } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextOf, id, LIMITS, openQueryBench, type QueryBench, recordStatements } from '../core/testing.ts';
import { createHostQueries, type HostQueries } from './index.ts';

const NOW = Math.floor(Date.now() / 60_000) * 60_000;
const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n;
const WINDOW = { from: nanos(NOW - 3_600_000), to: nanos(NOW) };
const MINUTES = Array.from({ length: 30 }, (_, index) => NOW - (30 - index) * 60_000);

type Attributes = Readonly<Record<string, string | number>>;
/** A value a minute, `undefined` where nothing is sent. */
type At = (minute: number) => number | undefined;

const pointsOf = (attributes: Attributes, value: At) =>
  MINUTES.flatMap((ms, minute) => {
    const at = value(minute);
    return at === undefined ? [] : [{ timeUnixNano: nanos(ms), asDouble: at, attributes }];
  });
const gauge = (name: string, ...series: [Attributes, At][]): Metric => ({
  name,
  unit: '1',
  gauge: { dataPoints: series.flatMap(([attributes, value]) => pointsOf(attributes, value)) },
});
const sum = (name: string, isMonotonic: boolean, ...series: [Attributes, At][]): Metric => ({
  name,
  unit: 'By',
  sum: {
    isMonotonic,
    aggregationTemporality: 2,
    dataPoints: series.flatMap(([attributes, value]) => pointsOf(attributes, value)),
  },
});

const GPU = {
  'hw.id': 'GPU-0',
  'hw.name': 'H100',
  'hw.vendor': 'nvidia',
  'gpu.index': 0,
  'gpu.pci_address': '0000:1a:00.0',
};
const MIG = {
  'hw.id': 'MIG-1',
  'hw.name': 'H100 MIG',
  'hw.vendor': 'nvidia',
  'gpu.index': 0,
  'gpu.parent.uuid': 'GPU-0',
  'gpu.mig.profile': '3g.40gb',
};
const RESOURCE = {
  'host.name': 'gpu-a',
  'host.id': 'i-1',
  'host.type': 'p5.48xlarge',
  'cloud.provider': 'aws',
  'telemetry.distro.name': 'agent-x',
};

let bench: QueryBench;
let hosts: HostQueries;
let statements: string[];

beforeAll(async () => {
  bench = await openQueryBench();
  const recorded = recordStatements(bench.store);
  statements = recorded.statements;
  hosts = createHostQueries(recorded.store, LIMITS);
  const place = { service: 'collector', environment: 'production', resource: RESOURCE };
  await bench.putMetrics(
    [
      gauge(
        'system.cpu.utilization',
        [{ 'cpu.logical_number': 0 }, () => 0.2],
        [{ 'cpu.logical_number': 1 }, () => 0.6],
      ),
      sum('system.cpu.logical.count', false, [{}, () => 2]),
      // Started again after the tenth minute.
      gauge('system.uptime', [{}, (minute) => (minute < 10 ? 90_000 : 0) + (minute - 10) * 60]),
      sum(
        'system.memory.usage',
        false,
        [{ 'system.memory.state': 'used' }, () => 30],
        [{ 'system.memory.state': 'free' }, () => 50],
        [{ 'system.memory.state': 'cached' }, () => 20],
      ),
      sum(
        'system.filesystem.usage',
        false,
        [
          { 'system.device': 'sda', 'system.filesystem.mountpoint': '/', 'system.filesystem.state': 'used' },
          () => 10,
        ],
        [
          { 'system.device': 'sda', 'system.filesystem.mountpoint': '/', 'system.filesystem.state': 'free' },
          () => 90,
        ],
        [
          {
            'system.device': 'sdb',
            'system.filesystem.mountpoint': '/data',
            'system.filesystem.state': 'used',
          },
          () => 95,
        ],
        [
          {
            'system.device': 'sdb',
            'system.filesystem.mountpoint': '/data',
            'system.filesystem.state': 'free',
          },
          () => 5,
        ],
      ),
      // 600 bytes a minute; it began again before minute 15 and had counted 60 by then.
      sum('system.network.io', true, [
        { 'network.interface.name': 'eth0', 'network.io.direction': 'receive' },
        (minute) => (minute < 15 ? 1_000 + minute * 600 : 60 + (minute - 15) * 600),
      ]),
      sum(
        'hw.errors',
        true,
        [
          { ...GPU, 'hw.type': 'gpu', 'error.type': 'xid' },
          (minute) => (minute < 10 ? 4 : minute < 20 ? 7 : 2),
        ],
        [{ ...GPU, 'hw.type': 'gpu', 'error.type': 'corrected' }, () => 900],
      ),
      gauge(
        'hw.gpu.utilization',
        [{ ...GPU, 'hw.gpu.task': 'general' }, () => 0.9],
        [{ ...GPU, 'hw.gpu.task': 'encoder' }, () => 0.1],
      ),
      sum('hw.gpu.memory.limit', false, [GPU, () => 80], [MIG, () => 40]),
      sum('hw.gpu.memory.usage', false, [GPU, () => 60], [MIG, () => 10]),
      gauge('hw.power', [GPU, () => 650]),
      gauge('hw.power.limit', [GPU, () => 700]),
      gauge(
        'hw.temperature',
        [{ ...GPU, 'hw.sensor_location': 'die' }, () => 71],
        [{ ...GPU, 'hw.sensor_location': 'memory' }, () => 88],
      ),
      gauge(
        'hw.gpu.speed',
        [{ ...GPU, 'hw.gpu.clock_domain': 'memory' }, () => 2.6e9],
        [{ ...GPU, 'hw.gpu.clock_domain': 'graphics' }, () => 1.9e9],
        [{ ...GPU, 'hw.gpu.clock_domain': 'sm' }, () => 1.98e9],
      ),
      sum(
        'hw.status',
        false,
        [{ ...GPU, 'hw.state': 'ok' }, (minute) => (minute < 25 ? 1 : 0)],
        [{ ...GPU, 'hw.state': 'degraded' }, (minute) => (minute < 25 ? 0 : 1)],
      ),
      gauge('hw.gpu.allocated', [GPU, () => 1]),
      gauge('hw.gpu.idle', [GPU, () => 0]),
      gauge('hw.gpu.sm.utilization', [GPU, () => 0.55]),
      gauge('hw.gpu.memory.bandwidth.utilization', [GPU, () => 0.4]),
      sum(
        'hw.gpu.interconnect.io',
        true,
        [
          { ...GPU, link: 0, 'network.io.direction': 'transmit', 'hw.gpu.interconnect.type': 'nvlink' },
          (minute) => minute * 600,
        ],
        [
          { ...GPU, link: 1, 'network.io.direction': 'transmit', 'hw.gpu.interconnect.type': 'nvlink' },
          (minute) => minute * 1_200,
        ],
      ),
      sum(
        'process.gpu.memory.usage',
        false,
        [
          {
            'process.pid': 7,
            'hw.id': 'GPU-0',
            'process.command_line': 'python -m vllm.entrypoints.openai.api_server --model x',
            'k8s.pod.name': 'vllm-0',
            'platform.workload.kind': 'Deployment',
            'platform.workload.name': 'vllm',
          },
          () => 50,
        ],
        [
          {
            'process.pid': 8,
            'hw.id': 'GPU-0',
            'process.executable.name': 'python3.12',
            'process.command_line': 'ray::Embed.step',
            'process.owner': 'ada',
            'container.id': 'ab'.repeat(32),
          },
          (minute) => (minute < 10 ? 9 : undefined),
        ],
        // It ended before the last reading: what is current is not old enough to tell.
        [{ 'process.pid': 9, 'hw.id': 'GPU-0' }, (minute) => (minute < MINUTES.length - 1 ? 70 : undefined)],
      ),
      gauge('process.gpu.utilization', [{ 'process.pid': 7, 'hw.id': 'GPU-0' }, () => 0.8]),
    ],
    place,
  );
  // An older sender: shares of each mode, names of the host metrics receiver.
  await bench.putMetrics(
    [
      gauge(
        'system.cpu.utilization',
        [{ cpu: 'cpu0', state: 'user' }, (minute) => (minute < 20 ? 0.3 : undefined)],
        [{ cpu: 'cpu0', state: 'idle' }, (minute) => (minute < 20 ? 0.6 : undefined)],
        [{ cpu: 'cpu0', state: 'wait' }, (minute) => (minute < 20 ? 0.1 : undefined)],
      ),
      sum(
        'system.memory.usage',
        false,
        [{ state: 'used' }, (minute) => (minute < 20 ? 5 : undefined)],
        [{ state: 'free' }, (minute) => (minute < 20 ? 5 : undefined)],
      ),
    ],
    { service: '', environment: 'production', resource: { 'host.name': 'old-b' } },
  );
  await bench.putMetrics([sum('system.memory.usage', false, [{ state: 'used' }, () => 1])], {
    project: 'other',
    service: 'collector',
    resource: { 'host.name': 'foreign' },
  });
  // An agent that tells network interfaces as hardware.
  const eth0 = { 'hw.id': 'eth0', 'hw.type': 'network', 'network.interface.name': 'eth0' };
  const received = { ...eth0, 'network.io.direction': 'receive' };
  await bench.putMetrics(
    [
      sum('system.memory.usage', false, [{ 'system.memory.state': 'used' }, () => 1]),
      sum('hw.network.io', true, [received, (minute) => minute * 600]),
      sum(
        'hw.errors',
        true,
        [{ ...received, 'error.type': 'receive' }, (minute) => (minute < 20 ? 3 : 5)],
        [{ ...received, 'error.type': 'dropped' }, (minute) => minute * 100],
        [{ ...GPU, 'hw.type': 'gpu', 'error.type': 'xid' }, (minute) => minute],
      ),
    ],
    { project: 'nics', service: 'collector', resource: { 'host.name': 'nic-c' } },
  );
  // As the Collector's host metrics receiver names and chooses things when nobody asks it for more.
  const mode = (cpu: number, state: string, share: number): [Attributes, At] => [
    { cpu: `cpu${cpu}`, state },
    (minute) => minute * 60 * share,
  ];
  await bench.putMetrics(
    [
      sum(
        'system.cpu.time',
        true,
        mode(0, 'user', 0.5),
        mode(0, 'system', 0.25),
        mode(0, 'idle', 0.25),
        mode(1, 'user', 0.25),
        mode(1, 'wait', 0.25),
        mode(1, 'idle', 0.5),
      ),
      sum(
        'system.memory.usage',
        false,
        [{ state: 'used' }, () => 30],
        [{ state: 'free' }, () => 10],
        [{ state: 'cached' }, () => 20],
        [{ state: 'buffered' }, () => 4],
        [{ state: 'slab_reclaimable' }, () => 5],
        [{ state: 'slab_unreclaimable' }, () => 1],
      ),
      sum(
        'system.network.io',
        true,
        [{ device: 'eth0', direction: 'receive' }, (minute) => minute * 600],
        [{ device: 'lo', direction: 'receive' }, (minute) => minute * 60_000],
      ),
    ],
    { project: 'receiver', service: '', resource: { 'host.name': 'plain-d' } },
  );
  // One name in three environments: two report, the second of them last; one has gone.
  for (const [environment, late] of [
    ['staging', 5_000],
    ['production', 0],
    ['dev', -1_200_000],
  ] as const)
    await bench.putMetrics(
      [
        {
          name: 'system.memory.usage',
          unit: 'By',
          gauge: {
            dataPoints: [
              {
                timeUnixNano: nanos(NOW - 60_000 + late),
                asDouble: 1,
                attributes: { 'system.memory.state': 'used' },
              },
            ],
          },
        },
      ],
      { project: 'twins', service: 'agent', environment, resource: { 'host.name': 'twin' } },
    );
  // The same where both report every ten minutes, in turn.
  for (const [environment, minuteOfTen] of [
    ['staging', 5],
    ['production', 0],
  ] as const)
    await bench.putMetrics(
      [
        sum('system.memory.usage', false, [
          { state: 'used' },
          (minute) => (minute % 10 === minuteOfTen ? minute : undefined),
        ]),
      ],
      { project: 'slow-twins', service: 'agent', environment, resource: { 'host.name': 'twin' } },
    );
  // Two machines of one name all the time; one that took the place of another; one that two agents call differently.
  const machine = (name: string, hostId: string, agent: string, from: number, until: number) =>
    bench.putMetrics(
      [
        sum('system.memory.usage', false, [
          { 'system.memory.state': 'used' },
          (minute) => (minute >= from && minute < until ? 1 : undefined),
        ]),
      ],
      {
        project: 'names',
        service: agent,
        resource: { 'host.name': name, 'host.id': hostId, 'host.type': `type of ${hostId}` },
      },
    );
  for (let n = 1; n <= 40; n += 1)
    await machine('crowd', `c-${String(n).padStart(2, '0')}`, 'agent', 0, n > 8 ? 30 : 28);
  await machine('both', 'm-2', 'agent', 10, 29);
  await machine('both', 'm-1', 'agent', 0, 30);
  await machine('changed', 'm-3', 'agent', 0, 16);
  await machine('changed', 'm-4', 'agent', 14, 30);
  await machine('once', 'm-5', 'agent', 0, 30);
  await machine('once', 'm-6', 'another', 0, 30);
  // Agents that report every five minutes beside one that does every minute; one that measures only GPUs; silences.
  const seldom = (name: string, every: number, last: number, agent = 'agent') =>
    bench.putMetrics(
      [
        sum('system.memory.usage', false, [
          { state: 'used' },
          (minute) => (minute <= last && (last - minute) % every === 0 ? minute : undefined),
        ]),
        sum('system.network.io', true, [
          { device: 'eth0', direction: 'receive' },
          (minute) => (minute <= last && (last - minute) % every === 0 ? minute * 600 : undefined),
        ]),
      ],
      { project: 'seldom', service: agent, resource: { 'host.name': name } },
    );
  await seldom('five', 5, 25);
  await seldom('five-gone', 5, 10);
  await seldom('both-agents', 1, 29);
  await seldom('both-agents', 5, 25, 'slow');
  await seldom('one', 1, 29);
  await seldom('one-gone', 1, 25);
  await bench.putMetrics(
    [
      sum('hw.gpu.memory.limit', false, [GPU, (minute) => (minute % 10 === 0 ? 80 : undefined)]),
      sum('hw.gpu.memory.usage', false, [GPU, (minute) => (minute % 10 === 0 ? minute : undefined)]),
    ],
    { project: 'seldom', service: 'agent', resource: { 'host.name': 'only-gpus' } },
  );
  const used = (reports: At) => sum('system.memory.usage', false, [{ state: 'used' }, reports]);
  const returns = { project: 'returns', service: 'agent' };
  await bench.putMetrics([used((minute) => (minute < 8 || minute >= 20 ? 1 : undefined))], {
    ...returns,
    resource: { 'host.name': 'back' },
  });
  await bench.putMetrics([used((minute) => (minute < 8 || minute >= 10 ? 1 : undefined))], {
    ...returns,
    resource: { 'host.name': 'late-once' },
  });
  await bench.putMetrics([used((minute) => (minute >= 20 ? 1 : undefined))], {
    ...returns,
    resource: { 'host.name': 'new' },
  });
  // What was sent again, the last total of errors with more in it; and counters that tell increases.
  const deltas = (name: string, attributes: Attributes, value: number): Metric => ({
    name,
    unit: 'By',
    sum: { isMonotonic: true, aggregationTemporality: 1, dataPoints: pointsOf(attributes, () => value) },
  });
  for (const last of [29, 40])
    await bench.putMetrics(
      [
        sum('system.memory.usage', false, [{ state: 'used' }, () => 1]),
        sum('hw.gpu.memory.limit', false, [GPU, () => 80]),
        sum('hw.errors', true, [{ ...GPU, 'error.type': 'xid' }, (minute) => (minute < 29 ? minute : last)]),
        deltas('hw.errors', { ...GPU, 'error.type': 'ecc' }, 1),
        sum('system.network.io', true, [{ device: 'eth0', direction: 'receive' }, (minute) => minute * 600]),
        deltas('system.network.io', { device: 'eth0', direction: 'transmit' }, 600),
        deltas('system.network.errors', { device: 'eth0', direction: 'transmit' }, 2),
      ],
      { project: 'again', service: 'agent', resource: { 'host.name': 'again' } },
    );
  await bench.put(
    [0, 1, 2, 3].map((n) => ({
      traceId: id(1, 32),
      spanId: id(n + 1, 16),
      name: 'chat llama',
      kind: 3,
      startTimeUnixNano: nanos(NOW - 600_000 + n * 1_000),
      endTimeUnixNano: nanos(NOW - 600_000 + n * 1_000 + 100 * (n + 1)),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'vllm',
        'gen_ai.request.model': 'llama',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 20,
      },
      ...(n === 3 ? { status: { code: 2 } } : {}),
    })),
    { service: 'vllm', environment: 'production', resource: { 'host.name': 'gpu-a' } },
  );
  for (const [project, environment, host] of [
    ['twins', 'production', 'twin'],
    ['twins', 'staging', 'twin'],
    ['names', 'staging', 'once'],
  ] as const)
    await bench.put(
      [
        {
          traceId: id(2, 32),
          spanId: id(1, 16),
          name: `chat of ${environment}`,
          startTimeUnixNano: nanos(NOW - 600_000),
          endTimeUnixNano: nanos(NOW - 599_000),
          attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': `of ${environment}` },
        },
      ],
      { project, service: 'app', environment, resource: { 'host.name': host } },
    );
}, 60_000);
afterAll(() => bench.close());

const context = contextOf();

describe('hosts', () => {
  it('the fleet: newest figures of each host and GPU, partitions, owners, errors of the window', async () => {
    const fleet = await hosts.hosts(context, { window: WINDOW });
    expect(fleet.hosts.map(({ name, stale }) => [name, stale])).toEqual([
      ['gpu-a', false],
      ['old-b', true],
    ]);
    const [gpuHost, old] = fleet.hosts;
    expect(gpuHost).toMatchObject({
      environment: 'production',
      type: 'p5.48xlarge',
      cloudProvider: 'aws',
      agents: ['agent-x'],
      uptimeSeconds: 1_140,
      cpuUtilization: 0.4,
      cpuCount: 2,
      memoryUsedBytes: 30,
      memoryTotalBytes: 100,
      filesystem: { mountpoint: '/data', utilization: 0.95 },
      networkReceiveBytesPerSecond: 10,
      networkTransmitBytesPerSecond: null,
      lastSeen: new Date(NOW - 60_000).toISOString(),
    });
    expect(gpuHost?.gpus.map(({ id: gpu }) => gpu)).toEqual(['GPU-0', 'MIG-1']);
    expect(gpuHost?.gpus[0]).toMatchObject({
      name: 'H100',
      index: 0,
      parentId: null,
      utilization: 0.9,
      memoryUsedBytes: 60,
      memoryLimitBytes: 80,
      powerWatts: 650,
      powerLimitWatts: 700,
      temperatureCelsius: 71,
      memoryTemperatureCelsius: 88,
      status: 'degraded',
      allocated: true,
      idle: false,
      // 4 to 7, then began again at 2.
      errors: [{ type: 'xid', count: 5 }],
      processes: 1,
      topProcess: { pid: '7', name: 'vllm.entrypoints.openai.api_server', pod: 'vllm-0', memoryBytes: 50 },
    });
    expect(gpuHost?.gpus[1]).toMatchObject({
      parentId: 'GPU-0',
      partition: '3g.40gb',
      utilization: null,
      powerWatts: null,
    });
    expect(old).toMatchObject({ uptimeSeconds: null, cpuUtilization: null, memoryUsedBytes: null, gpus: [] });
    expect([gpuHost?.last, gpuHost?.gpus[0]?.last]).toEqual([null, null]);
    // What it showed when it was heard of last, and nothing that another shows since.
    expect(old?.last).toEqual({
      asOf: old?.lastSeen,
      cpuUtilization: expect.closeTo(0.3, 6),
      memoryUsedBytes: 5,
      memoryTotalBytes: 10,
      filesystem: null,
    });
    expect((await hosts.host(context, { window: WINDOW, host: 'old-b' })).host.last).toEqual(old?.last);
  });

  it('what fell silent shows its last figures, a GPU of a host that goes on too', async () => {
    const project = 'silence';
    const until =
      (end: number, value: (minute: number) => number): At =>
      (minute) =>
        minute < end ? value(minute) : undefined;
    const other = { ...GPU, 'hw.id': 'GPU-1', 'gpu.index': 1 };
    const gpuUntil = (attributes: Attributes, end: number) => [
      gauge('hw.gpu.utilization', [attributes, until(end, (minute) => minute / 100)]),
      sum('hw.gpu.memory.usage', false, [attributes, until(end, () => 20)]),
      sum('hw.gpu.memory.limit', false, [attributes, until(end, () => 80)]),
      gauge('hw.power', [{ ...attributes, 'hw.type': 'gpu' }, until(end, () => 400)]),
    ];
    const memory = (end: number, used: number) =>
      sum('system.memory.usage', false, [{ state: 'used' }, until(end, () => used)]);
    const place = (name: string) => ({ project, service: 'collector', resource: { 'host.name': name } });
    await bench.putMetrics([memory(99, 1), ...gpuUntil(GPU, 99), ...gpuUntil(other, 12)], place('half'));
    await bench.putMetrics([memory(10, 2), ...gpuUntil(GPU, 10)], place('gone'));
    const asked = contextOf(project);
    const { hosts: fleet } = await hosts.hosts(asked, { window: WINDOW });
    const [gone, half] = ['gone', 'half'].map((name) => fleet.find((one) => one.name === name));
    expect(half).toMatchObject({
      stale: false,
      last: null,
      gpus: [{ id: 'GPU-0', stale: false, last: null }, { id: 'GPU-1' }],
    });
    const silent = half?.gpus[1];
    expect(silent).toMatchObject({ stale: true, utilization: null, memoryUsedBytes: null, powerWatts: null });
    expect(silent?.last).toMatchObject({
      asOf: silent?.lastSeen,
      utilization: 0.11,
      memoryUsedBytes: 20,
      memoryLimitBytes: 80,
      powerWatts: 400,
    });
    expect(gone).toMatchObject({ stale: true, memoryUsedBytes: null, last: { memoryUsedBytes: 2 } });
    expect(gone?.gpus[0]?.last).toMatchObject({ asOf: gone?.lastSeen, utilization: 0.09 });
    const page = await hosts.gpu(asked, { window: WINDOW, host: 'half', gpu: 'GPU-1' });
    expect(page.gpu.last).toEqual(silent?.last);
    // Of a window that ends while it was there nothing is the last.
    const earlier = { from: WINDOW.from, to: BigInt(Date.parse(gone?.lastSeen ?? '')) * 1_000_000n };
    const then = await hosts.host(asked, { window: earlier, host: 'gone' });
    expect(then.host).toMatchObject({ stale: false, last: null, memoryUsedBytes: 2 });
  });

  it('a host that tells times of its CPUs, states of memory within others, and its loopback interface', async () => {
    const receiver = contextOf('receiver');
    const { host, networks } = await hosts.host(receiver, { window: WINDOW, host: 'plain-d' });
    expect(host).toMatchObject({
      cpuUtilization: expect.closeTo(0.5, 9),
      cpuCount: 2,
      memoryUsedBytes: 30,
      memoryTotalBytes: 64,
      networkReceiveBytesPerSecond: 10,
    });
    expect(networks.map(({ name, receiveBytesPerSecond }) => [name, receiveBytesPerSecond])).toEqual([
      ['eth0', 10],
      ['lo', 1_000],
    ]);
    const { charts } = await hosts.hostCurves(receiver, {
      window: WINDOW,
      host: 'plain-d',
      charts: ['cpu', 'cpu_cores', 'memory', 'network_io'],
    });
    const last = charts.map(({ chart, series }) => [
      chart,
      ...series.map(({ device, part, values }) => {
        const value = values.findLast((one) => one !== null) ?? null;
        return `${device}${part} ${value === null ? '' : Number(value.toFixed(9))}`;
      }),
    ]);
    expect(last).toEqual([
      ['cpu', 'system 0.125', 'user 0.375'],
      ['cpu_cores', '0 0.75', '1 0.25'],
      ['memory', 'buffered 4', 'cached 20', 'free 10', 'used 30'],
      ['network_io', 'receive 10'],
    ]);
  });

  it('of one name in several environments the same one every time, and none that has gone', async () => {
    const twin = { window: WINDOW, host: 'twin' };
    const { host } = await hosts.host(contextOf('twins'), twin);
    expect(host.environment).toBe('production');
    const named = await hosts.host(contextOf('twins', 'dev'), twin);
    expect(named.host.environment).toBe('dev');
    // Both report now, though one of them did ten minutes ago.
    const slow = await hosts.host(contextOf('slow-twins'), twin);
    expect(slow.host).toMatchObject({ environment: 'production', stale: false, memoryUsedBytes: 20 });
  });

  it('says which machines report under one name: not one after the other, not those of another agent', async () => {
    const names = contextOf('names');
    const machines = async (window = WINDOW) =>
      (await hosts.hosts(names, { window })).hosts.map((host) => [host.name, host.id, host.machines]);
    expect(await machines()).toEqual([
      ['both', 'm-1', ['m-1', 'm-2']],
      ['changed', 'm-4', []],
      // The newest of very many.
      [
        'crowd',
        expect.stringMatching(/^c-/),
        Array.from({ length: 32 }, (_, n) => `c-${String(n + 9).padStart(2, '0')}`),
      ],
      ['once', expect.stringMatching(/^m-[56]$/), []],
    ]);
    const { host } = await hosts.host(names, { window: WINDOW, host: 'both' });
    expect(host).toMatchObject({ type: 'type of m-1', machines: ['m-1', 'm-2'] });
    // The second had not come yet.
    expect(await machines({ from: WINDOW.from, to: nanos(NOW - 20 * 60_000) })).toContainEqual([
      'both',
      'm-1',
      [],
    ]);
  });

  it('figures are current for as long as the reports of the host itself lie apart', async () => {
    const seldom = contextOf('seldom');
    const fleet = await hosts.hosts(seldom, { window: WINDOW });
    const said = fleet.hosts.map((host) => [host.name, host.freshSeconds, host.stale, host.memoryUsedBytes]);
    expect(said).toEqual([
      // Of two agents the slower one counts, so that what it alone measures does not come and go.
      ['both-agents', 900, false, 29],
      ['five', 900, false, 25],
      ['five-gone', 900, true, null],
      ['one', 180, false, 29],
      ['one-gone', 180, true, null],
      ['only-gpus', 1_200, false, null],
    ]);
    expect(fleet.hosts.map((host) => host.networkReceiveBytesPerSecond)).toEqual([
      10,
      10,
      null,
      10,
      null,
      null,
    ]);
    expect(fleet.hosts.at(-1)?.gpus[0]).toMatchObject({ stale: false, memoryUsedBytes: 20 });
    // The page of a host says the same as the fleet.
    for (const [name, seconds, stale] of said) {
      const detail = await hosts.host(seldom, { window: WINDOW, host: String(name) });
      expect([name, detail.freshSeconds, detail.host.freshSeconds, detail.host.stale]).toEqual([
        name,
        seconds,
        seconds,
        stale,
      ]);
    }
    const gpu = await hosts.gpu(seldom, { window: WINDOW, host: 'only-gpus', gpu: 'GPU-0' });
    expect(gpu).toMatchObject({ freshSeconds: 1_200, gpu: { stale: false, memoryUsedBytes: 20 } });
    // How often it reports is known of a short window too.
    const [short] = (
      await hosts.hosts(seldom, { window: { from: nanos(NOW - 360_000), to: WINDOW.to } })
    ).hosts.filter(({ name }) => name === 'five');
    expect(short).toMatchObject({ freshSeconds: 900, stale: false });
  });

  it('counters whose points were sent again, and counters of increases, in the fleet and on pages', async () => {
    const again = contextOf('again');
    const figures = {
      networkReceiveBytesPerSecond: 10,
      networkTransmitBytesPerSecond: 10,
      gpus: [
        {
          errors: [
            { type: 'ecc', count: 30 },
            { type: 'xid', count: 40 },
          ],
        },
      ],
    };
    for (const hours of [1, 25]) {
      const window = { from: nanos(NOW - hours * 3_600_000), to: WINDOW.to };
      expect((await hosts.hosts(again, { window })).hosts).toMatchObject([figures]);
      const page = await hosts.host(again, { window, host: 'again' });
      expect(page.host).toMatchObject(figures);
      expect(page.networks).toEqual([
        { name: 'eth0', receiveBytesPerSecond: 10, transmitBytesPerSecond: 10, errors: 60 },
      ]);
    }
  });

  it('when a host was away, of those that came back', async () => {
    const returns = contextOf('returns');
    const away = async (from: bigint) =>
      (await hosts.hosts(returns, { window: { from, to: WINDOW.to } })).hosts.map((host) => [
        host.name,
        host.away?.map((one) => [(NOW - Date.parse(one.from)) / 60_000, (NOW - Date.parse(one.to)) / 60_000]),
      ]);
    expect(await away(WINDOW.from)).toEqual([
      ['back', [[23, 10]]],
      ['late-once', []],
      ['new', []],
    ]);
    // The silence had begun before the window.
    expect(await away(nanos(NOW - 15 * 60_000))).toEqual([
      ['back', [[15, 10]]],
      ['late-once', []],
      ['new', []],
    ]);
    // Of a day it is told in steps, of more than that not at all.
    // `-24h` to `now` is a little longer, as the two are told one after the other.
    const [[, day] = []] = await away(nanos(NOW - 86_400_000 - 5));
    expect(day).toHaveLength(1);
    expect((await away(nanos(NOW - 2 * 86_400_000))).map(([, none]) => none)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('as it was at an earlier end of the window', async () => {
    const to = nanos(NOW - 20 * 60_000 + 1);
    const fleet = await hosts.hosts(context, { window: { from: WINDOW.from, to } });
    expect(fleet.hosts.find(({ name }) => name === 'old-b')).toMatchObject({
      stale: false,
      cpuUtilization: expect.closeTo(0.3, 9),
      memoryUsedBytes: 5,
      memoryTotalBytes: 10,
    });
    const gpu = fleet.hosts.find(({ name }) => name === 'gpu-a')?.gpus[0];
    expect(gpu).toMatchObject({ status: 'ok', errors: [{ type: 'xid', count: 3 }] });
  });

  it('states its SQL: narrow points of a few metrics in the newest minutes', async () => {
    statements.length = 0;
    await hosts.hosts(context, { window: WINDOW });
    const top = statements.find((text) => text.includes('Processes'));
    expect(top).toBe(
      "SELECT Environment, Host, Device, toString(uniqExact(Part)) AS Processes, argMax(Agent, Now) AS Agent, argMax(Part, Now) AS Pid, max(Now) AS Memory FROM ( SELECT Environment, Host, Device, Agent, MetricName = 'process.gpu.memory.usage' AS IsProcess, Part, argMax(Value, TimeUnix) AS Now, max(toUnixTimestamp64Nano(TimeUnix)) AS At, max(At) OVER (PARTITION BY Environment, Host, Device, Agent) AS Reading FROM host_points WHERE ProjectId = {p0:String} AND (MetricName IN {p1:Array(String)}) AND (TimeUnix >= fromUnixTimestamp64Nano({p2:Int64}) AND TimeUnix < fromUnixTimestamp64Nano({p3:Int64})) AND Device != '' GROUP BY Environment, Host, Device, Agent, IsProcess, Part ) WHERE IsProcess AND At + 5000000000 >= Reading GROUP BY Environment, Host, Device",
    );
    expect(statements.every((text) => text.includes('ProjectId = {p0:String}'))).toBe(true);
    expect(statements.filter((text) => text.includes('otel_metrics'))).toEqual([]);
  });

  it('one host: file systems, networks, processes that run and that ran', async () => {
    const detail = await hosts.host(context, { window: WINDOW, host: 'gpu-a' });
    expect(detail.filesystems).toEqual([
      { mountpoint: '/data', usedBytes: 95, totalBytes: 100, utilization: 0.95 },
      { mountpoint: '/', usedBytes: 10, totalBytes: 100, utilization: 0.1 },
    ]);
    expect(detail.networks).toEqual([
      { name: 'eth0', receiveBytesPerSecond: 10, transmitBytesPerSecond: null, errors: 0 },
    ]);
    // Who is there, before those that are gone.
    expect(detail.processes.map(({ pid, running, gpus }) => [pid, running, gpus])).toEqual([
      ['7', true, ['GPU-0']],
      ['9', false, ['GPU-0']],
      ['8', false, ['GPU-0']],
    ]);
    const [first, , second] = detail.processes;
    expect(first).toMatchObject({ pod: 'vllm-0', workload: 'Deployment vllm', owner: null });
    // Of a program with a title of its own that counts; of a container without a name its id.
    expect(second).toMatchObject({
      name: 'ray::Embed.step',
      owner: 'ada',
      container: 'abababababab',
      workload: null,
    });
  });

  it('interfaces told as hardware: bytes, and errors without drops and without those of GPUs', async () => {
    const asked = { window: WINDOW, host: 'nic-c' };
    const detail = await hosts.host(contextOf('nics'), asked);
    expect(detail.networks).toEqual([
      { name: 'eth0', receiveBytesPerSecond: 10, transmitBytesPerSecond: null, errors: 2 },
    ]);
    const curves = await hosts.hostCurves(contextOf('nics'), {
      ...asked,
      charts: ['network_io', 'network_errors'],
    });
    const [io, errors] = curves.charts;
    expect(io?.series.map(({ part }) => part)).toEqual(['receive']);
    expect(
      errors?.series.map(({ part, values }) => [
        part,
        values.reduce<number>((all, value) => all + (value ?? 0), 0),
      ]),
    ).toEqual([['receive', 2]]);
  });

  it('curves: means, rates across a restart, increases', async () => {
    const curves = await hosts.hostCurves(context, {
      window: WINDOW,
      host: 'gpu-a',
      charts: ['cpu', 'cpu_cores', 'memory', 'network_io', 'filesystem', 'gpus_utilization'],
    });
    expect(curves.bucketSeconds).toBe(60);
    const chart = (name: string) => curves.charts.find((one) => one.chart === name)?.series ?? [];
    const last = (name: string) =>
      chart(name).map(({ device, part, values }) => [
        device,
        part,
        values.findLast((value) => value !== null),
      ]);
    expect(last('cpu')).toEqual([['', '', 0.4]]);
    expect(last('cpu_cores')).toEqual([
      ['0', '', 0.2],
      ['1', '', 0.6],
    ]);
    expect(last('memory')).toEqual([
      ['', 'cached', 20],
      ['', 'free', 50],
      ['', 'used', 30],
    ]);
    expect(last('gpus_utilization')).toEqual(
      [['GPU-0', '', 0.9]].map(([device, , value]) => [device, 'general', value]),
    );
    expect(last('filesystem')).toEqual([
      ['/', '', 0.1],
      ['/data', '', 0.95],
    ]);
    const received =
      chart('network_io')
        .find(({ part }) => part === 'receive')
        ?.values.filter((value) => value !== null) ?? [];
    // The first point says nothing, the restart counts what was counted since: 60 bytes in a minute.
    expect(received).toHaveLength(29);
    expect([...new Set(received)].sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual([1, 10]);
  });

  it('one GPU: clocks, links summed, processes over time, partitions', async () => {
    const detail = await hosts.gpu(context, { window: WINDOW, host: 'gpu-a', gpu: 'GPU-0' });
    expect(detail.clocks).toEqual([
      { domain: 'graphics', hertz: 1.9e9 },
      { domain: 'memory', hertz: 2.6e9 },
      { domain: 'sm', hertz: 1.98e9 },
    ]);
    expect(detail.siblings).toEqual([{ id: 'GPU-0', name: 'H100', index: 0, partition: null }]);
    const partition = await hosts.gpu(context, { window: WINDOW, host: 'gpu-a', gpu: 'MIG-1' });
    expect(partition.siblings.map(({ id: gpu }) => gpu)).toEqual(['MIG-1']);
    const of = await hosts.hostCurves(context, { window: WINDOW, host: 'gpu-a', charts: ['gpus_clocks'] });
    expect(of.charts[0]?.series.map(({ device, part, values }) => [device, part, values.at(-2)])).toEqual([
      ['GPU-0', 'sm', 1.98e9],
    ]);
    expect(detail.links).toEqual([
      { type: 'nvlink', receiveBytesPerSecond: null, transmitBytesPerSecond: 30 },
    ]);
    expect(detail.children.map(({ id: gpu }) => gpu)).toEqual(['MIG-1']);
    expect(
      detail.processes.map(({ pid, running, maxMemoryBytes }) => [pid, running, maxMemoryBytes]),
    ).toEqual([
      ['7', true, 50],
      ['9', false, 70],
      ['8', false, 9],
    ]);
    const curves = await hosts.gpuCurves(context, {
      window: WINDOW,
      host: 'gpu-a',
      gpu: 'GPU-0',
      charts: ['gpu_errors', 'gpu_power', 'gpu_activity'],
    });
    const xid = curves.charts[0]?.series.find(({ part }) => part === 'xid')?.values ?? [];
    expect(xid.reduce<number>((total, value) => total + (value ?? 0), 0)).toBe(5);
    expect(curves.charts[1]?.series.map(({ part }) => part)).toEqual(['', 'limit']);
    expect(curves.charts[2]?.series.map(({ part }) => part)).toEqual(['sm', 'memory_bandwidth']);
    expect(curves.charts[2]?.series[0]?.values.find((value) => value !== null)).toBe(0.55);
  });

  it('model calls of the host by model and over time', async () => {
    const calls = await hosts.calls(context, { window: WINDOW, host: 'gpu-a' });
    expect(calls.total).toMatchObject({ calls: 4, errors: 1, inputTokens: 40, outputTokens: 80 });
    expect(calls.total.p50Ms).toBeGreaterThan(197);
    expect(calls.total.p50Ms).toBeLessThan(203);
    expect(calls.byModel).toMatchObject([{ service: 'vllm', provider: 'vllm', model: 'llama', calls: 4 }]);
    expect(calls.callsPerSecond.filter((value) => value !== null)).toEqual([4 / 60]);
  });

  it('model calls of programs of another environment than that of the agent, unless that could be another machine', async () => {
    const callsOf = async (project: string, host: string, environment?: string) => {
      const calls = await hosts.calls(contextOf(project, environment), { window: WINDOW, host });
      return calls.byModel.map(({ model }) => model);
    };
    expect(
      (await hosts.host(contextOf('names'), { window: WINDOW, host: 'once' })).host.environment,
    ).not.toBe('staging');
    expect(await callsOf('names', 'once')).toEqual(['of staging']);
    expect(await callsOf('twins', 'twin')).toEqual(['of production']);
    expect(await callsOf('twins', 'twin', 'dev')).toEqual([]);
  });

  it('refuses what is not there, and what belongs to others', async () => {
    for (const ask of [
      () => hosts.host(context, { window: WINDOW, host: 'foreign' }),
      () => hosts.host(context, { window: WINDOW, host: "x' OR 1=1" }),
      () => hosts.gpu(context, { window: WINDOW, host: 'gpu-a', gpu: 'GPU-9' }),
      () => hosts.host(contextOf('default', 'staging'), { window: WINDOW, host: 'gpu-a' }),
    ])
      await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
    expect((await hosts.hosts(contextOf('empty'), { window: WINDOW })).hosts).toEqual([]);
  });
});
