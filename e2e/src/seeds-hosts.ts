import { newSpanId, newTraceId, type SeedMetric, type SeedPoint, type SeedTrace } from './otlp.ts';

const MINUTE = 60_000;
type Attributes = Readonly<Record<string, string | number>>;
type Series = readonly [Attributes, (minute: number) => number];

const GPU_HOST = {
  'host.name': 'gpu-node-1',
  'host.type': 'p5.48xlarge',
  'cloud.availability_zone': 'eu-1a',
  'telemetry.distro.name': 'gpu-agent',
};
const GPU = (index: number): Attributes => ({
  'hw.id': `GPU-${index}`,
  'hw.name': 'NVIDIA H100 80GB HBM3',
  'hw.vendor': 'nvidia',
  'gpu.index': index,
});
const MIG: Attributes = {
  'hw.id': 'MIG-1',
  'hw.name': 'NVIDIA H100 MIG 3g.40gb',
  'hw.vendor': 'nvidia',
  'gpu.index': 1,
  'gpu.parent.uuid': 'GPU-1',
  'gpu.mig.profile': '3g.40gb',
};

/** Half an hour of a machine with two GPUs, one of them partitioned, of a plain one, and of one that fell silent. */
export function hostMetrics(now: number): SeedMetric[] {
  const metric = (
    resource: Readonly<Record<string, string>>,
    kind: 'gauge' | 'counter',
    name: string,
    unit: string,
    series: readonly Series[],
    until = 30,
  ): SeedMetric => ({
    name,
    kind,
    unit,
    resource,
    service: 'agent',
    points: series.flatMap(([attributes, value]) =>
      Array.from(
        { length: until },
        (_, minute): SeedPoint => ({
          at: now - (30 - minute) * MINUTE,
          value: value(minute),
          attributes,
        }),
      ),
    ),
  });
  const own = (kind: 'gauge' | 'counter', name: string, unit: string, ...series: Series[]) =>
    metric(GPU_HOST, kind, name, unit, series);
  const plain = (host: string, until?: number): SeedMetric[] => [
    metric(
      { 'host.name': host },
      'gauge',
      'system.cpu.utilization',
      '1',
      [[{ 'cpu.logical_number': 0 }, () => 0.3]],
      until,
    ),
    metric(
      { 'host.name': host },
      'gauge',
      'system.memory.usage',
      'By',
      [
        [{ 'system.memory.state': 'used' }, () => 4e9],
        [{ 'system.memory.state': 'free' }, () => 12e9],
      ],
      until,
    ),
  ];
  return [
    own(
      'gauge',
      'system.cpu.utilization',
      '1',
      ...[0, 1, 2, 3].map(
        (cpu): Series => [{ 'cpu.logical_number': cpu }, (minute) => 0.2 * cpu + minute / 100],
      ),
    ),
    own(
      'gauge',
      'system.memory.usage',
      'By',
      [{ 'system.memory.state': 'used' }, () => 9e11],
      [{ 'system.memory.state': 'free' }, () => 3e11],
    ),
    own('gauge', 'system.uptime', 's', [{}, (minute) => 7_200 + minute * 60]),
    own('gauge', 'system.filesystem.utilization', '1', [
      { 'system.filesystem.mountpoint': '/models' },
      () => 0.95,
    ]),
    own('counter', 'system.network.io', 'By', [
      { 'network.interface.name': 'eth0', 'network.io.direction': 'receive' },
      (minute) => minute * 6e8,
    ]),
    own('gauge', 'hw.gpu.utilization', '1', [
      { ...GPU(0), 'hw.gpu.task': 'general' },
      (minute) => 0.6 + minute / 100,
    ]),
    own('gauge', 'hw.gpu.sm.utilization', '1', [{ ...GPU(0), 'gpu.measurement.source': 'dcgm' }, () => 0.55]),
    own('gauge', 'hw.gpu.pipe.utilization', '1', [{ ...GPU(0), 'hw.gpu.pipe': 'tensor' }, () => 0.42]),
    own('gauge', 'hw.gpu.memory.limit', 'By', [GPU(0), () => 80e9], [GPU(1), () => 80e9], [MIG, () => 40e9]),
    own('gauge', 'hw.gpu.memory.usage', 'By', [GPU(0), () => 71e9], [GPU(1), () => 22e9], [MIG, () => 21e9]),
    own('gauge', 'hw.power', 'W', [GPU(0), () => 640], [GPU(1), () => 210]),
    own('gauge', 'hw.power.limit', 'W', [GPU(0), () => 700], [GPU(1), () => 700]),
    own(
      'gauge',
      'hw.temperature',
      'Cel',
      [{ ...GPU(0), 'hw.sensor_location': 'die' }, () => 91],
      [{ ...GPU(1), 'hw.sensor_location': 'die' }, () => 44],
    ),
    own('gauge', 'hw.gpu.speed', 'Hz', [{ ...GPU(0), 'hw.gpu.clock_domain': 'sm' }, () => 1.98e9]),
    own('counter', 'hw.gpu.io', 'By', [
      { ...GPU(0), 'network.io.direction': 'receive' },
      (minute) => minute * 6e9,
    ]),
    own('counter', 'hw.gpu.interconnect.io', 'By', [
      { ...GPU(0), 'network.io.direction': 'transmit', 'hw.gpu.interconnect.type': 'nvlink' },
      (minute) => minute * 6e11,
    ]),
    own('counter', 'hw.errors', '{error}', [
      { ...GPU(0), 'hw.type': 'gpu', 'error.type': 'xid' },
      (minute) => (minute < 20 ? 0 : 2),
    ]),
    own(
      'gauge',
      'process.gpu.memory.usage',
      'By',
      [
        {
          'process.pid': 4711,
          'hw.id': 'GPU-0',
          'process.command_line': 'python3 -m vllm.entrypoints.openai.api_server --model llama',
          'k8s.pod.name': 'llama-0',
          'k8s.namespace.name': 'inference',
        },
        () => 70e9,
      ],
      [
        { 'process.pid': 4712, 'hw.id': 'MIG-1', 'process.command_line': '<img src=x onerror=alert(1)>' },
        () => 21e9,
      ],
    ),
    ...plain('app-node-1'),
    ...plain('quiet-node', 20),
  ];
}

/** Ten minutes of a machine with a partitioned GPU, an hour's half ago: both are silent since. */
export function silentMetrics(now: number): SeedMetric[] {
  const resource = { ...GPU_HOST, 'host.name': 'gone-gpu-node' };
  const gauge = (name: string, unit: string, ...series: readonly Series[]): SeedMetric => ({
    name,
    kind: 'gauge',
    unit,
    resource,
    service: 'agent',
    points: series.flatMap(([attributes, value]) =>
      Array.from(
        { length: 10 },
        (_, minute): SeedPoint => ({ at: now - (40 - minute) * MINUTE, value: value(minute), attributes }),
      ),
    ),
  });
  const whole = { ...GPU(1), 'hw.id': 'GPU-gone' };
  const part = { ...MIG, 'hw.id': 'MIG-gone', 'gpu.parent.uuid': 'GPU-gone' };
  return [
    gauge('system.cpu.utilization', '1', [{ 'cpu.logical_number': 0 }, () => 0.3]),
    gauge('hw.gpu.memory.limit', 'By', [whole, () => 80e9], [part, () => 40e9]),
    gauge('hw.gpu.memory.usage', 'By', [whole, () => 22e9], [part, () => 21e9]),
    gauge('hw.gpu.utilization', '1', [{ ...whole, 'hw.gpu.task': 'general' }, () => 0.6]),
    gauge('hw.power', 'W', [whole, () => 210]),
  ];
}

/** Processes of a machine, the name of one of which is worth more than its beginning. */
export const processMetrics = (now: number): SeedMetric[] => [
  {
    ...(machinesOfOneName(now)[0] as SeedMetric),
    resource: { 'host.name': 'process-node' },
  },
  {
    name: 'process.memory.usage',
    kind: 'gauge',
    unit: 'By',
    resource: { 'host.name': 'process-node' },
    service: 'agent',
    points: Array.from({ length: 10 }, (_, minute) => ({
      at: now - (10 - minute) * MINUTE,
      value: 4e9,
      attributes: {
        'process.pid': 77,
        'process.executable.name': 'llm-inference',
        'process.command_line': `python3 -m vllm.entrypoints.openai.api_server ${'--flag '.repeat(20)}`,
      },
    })),
  },
];

/** Ten minutes of two machines that both call themselves `localhost`. */
export const machinesOfOneName = (now: number): SeedMetric[] =>
  ['m-1', 'm-2'].map((id) => ({
    name: 'system.memory.usage',
    kind: 'gauge',
    unit: 'By',
    resource: { 'host.name': 'localhost', 'host.id': id },
    service: 'agent',
    points: Array.from({ length: 10 }, (_, minute) => ({
      at: now - (10 - minute) * MINUTE,
      value: 4e9,
      attributes: { 'system.memory.state': 'used' },
    })),
  }));

/** Model calls of the program that runs on the machine. */
export function servedTrace(now: number): SeedTrace {
  return {
    traceId: newTraceId(),
    service: 'vllm',
    resource: { 'host.name': 'gpu-node-1' },
    startedAt: now - 10 * MINUTE,
    spans: [0, 1, 2].map((index) => ({
      spanId: newSpanId(),
      name: 'chat llama',
      kind: 3,
      startMs: index * 60_000,
      durationMs: 800,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'vllm',
        'gen_ai.request.model': 'llama',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 50,
      },
    })),
  };
}

/** Half an hour of CUDA calls of two programs on the first GPU. */
export function cudaMetrics(now: number): SeedMetric[] {
  const [server, trainer] = [
    { 'process.pid': 4711, 'process.executable.name': 'vllm' },
    { 'process.pid': 815, 'process.executable.name': 'train' },
  ];
  const minutes = Array.from({ length: 30 }, (_, minute) => minute);
  const at = (minute: number) => now - (30 - minute) * MINUTE;
  const metric = (
    kind: SeedMetric['kind'],
    name: string,
    unit: string,
    source: string,
    series: readonly (readonly [Attributes, (minute: number) => Omit<SeedPoint, 'at' | 'attributes'>])[],
  ): SeedMetric => ({
    name,
    kind,
    unit,
    resource: GPU_HOST,
    service: 'agent',
    startedAt: at(0) - MINUTE,
    ...(kind === 'histogram' ? { bounds: [0.001, 0.01] } : {}),
    points: series.flatMap(([attributes, point]) =>
      minutes.map((minute) => ({
        at: at(minute),
        ...point(minute),
        attributes: { 'hw.id': 'GPU-0', 'gpu.index': 0, 'gpu.measurement.source': source, ...attributes },
      })),
    ),
  });
  const kernels = [
    [{ ...server, 'cuda.kernel.name': 'flash_fwd_kernel' }, 60_000, 0.4],
    [{ ...server, 'cuda.kernel.name': 'at::native::reduce_kernel' }, 6_000, 0.1],
    [{ ...trainer, 'cuda.kernel.name': 'ampere_sgemm_128x64' }, 1_200, 9],
  ] as const;
  return [
    metric(
      'counter',
      'gpu.kernel.launch.calls',
      '{call}',
      'ebpf',
      kernels.map(([attributes, calls]) => [attributes, (minute) => ({ value: minute * calls })]),
    ),
    metric(
      'histogram',
      'gpu.kernel.duration',
      's',
      'ebpf_model',
      kernels.map(([attributes, calls, seconds]) => [
        attributes,
        (minute) => ({ buckets: [minute * calls, 0, 0], sum: minute * seconds }),
      ]),
    ),
    metric('counter', 'gpu.memory.copies', 'By', 'ebpf', [
      [{ ...server, 'gpu.memory.copy.direction': 'host_to_device' }, (minute) => ({ value: minute * 6e9 })],
      [{ ...server, 'gpu.memory.copy.direction': 'device_to_host' }, (minute) => ({ value: minute * 2e8 })],
    ]),
    metric('counter', 'gpu.memory.allocations', 'By', 'ebpf', [
      [trainer, (minute) => ({ value: minute * 3e8 })],
    ]),
    metric('gauge', 'process.gpu.estimated.sm_active', '1', 'ebpf_model', [
      [server, () => ({ value: 0.62 })],
      [trainer, () => ({ value: 0.17 })],
    ]),
  ];
}
