import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { MODES, type Mode } from './settings/variable.ts';
import { VARIABLES } from './settings/variables.ts';

const config = (env: Record<string, string>) => readConfig(env).config;

describe('presets', () => {
  /** The table of the reference: what each mode switches on. */
  const table: readonly [feature: string, on: (mode: Mode) => boolean, from: Mode[]][] = [
    [
      'ebpf',
      (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).gpu.ebpf.enabled,
      ['serving', 'training', 'deep', 'all'],
    ],
    [
      'dcgm',
      (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).gpu.dcgm.enabled,
      ['serving', 'training', 'deep', 'all'],
    ],
    [
      'dcgm prefer',
      (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).gpu.dcgm.prefer,
      ['serving', 'training', 'deep', 'all'],
    ],
    ['nic', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).nic.enabled, ['training', 'deep', 'all']],
    ['rdma', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).rdma.enabled, ['training', 'deep', 'all']],
    ['pmu', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).pmu.enabled, ['training', 'deep', 'all']],
    [
      'memory bandwidth',
      (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).pmu.events.includes('memory_bandwidth'),
      ['training', 'deep', 'all'],
    ],
    [
      'control',
      (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).control.address === '127.0.0.1:1919',
      ['deep', 'all'],
    ],
    ['kineto', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).gpu.kineto.enabled, ['deep', 'all']],
    ['pt', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).pt.enabled, ['deep', 'all']],
    ['highres', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).cpuHighres, ['deep', 'all']],
    ['rdc', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).gpu.rdc.enabled, ['all']],
    ['tpu', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).tpu.enabled, ['all']],
    ['kvm', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).kvm.enabled, ['all']],
    ['interrupts', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).interrupts.enabled, ['all']],
    ['interconnect', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).gpu.interconnect, [...MODES]],
    ['host metrics', (mode) => config({ OTEL_GPU_COLLECTOR_MODE: mode }).hostMetrics, [...MODES]],
  ];

  it.each(table)('%s', (_feature, on, from) => {
    expect(MODES.filter(on)).toEqual(MODES.filter((mode) => from.includes(mode)));
  });

  it('leave the host out where none of its metrics are wanted, but for what is asked for by name', () => {
    const { nic, rdma, pmu, kvm, interrupts, cpuHighres, tpu, gpu } = config({
      PLATFORM_HOST_METRICS: 'false',
      OTEL_HOST_RDMA_ENABLED: 'true',
    });
    expect([nic, pmu, kvm, interrupts].map(({ enabled }) => enabled)).toEqual([false, false, false, false]);
    expect([cpuHighres, rdma.enabled, tpu.enabled, gpu.interconnect]).toEqual([false, true, true, true]);
  });

  it('only fill in what is unset', () => {
    const given = config({
      OTEL_GPU_COLLECTOR_MODE: ' Light ',
      OTEL_HOST_KVM_ENABLED: 'true',
      OTEL_GPU_CONTROL_ADDR: ':1920',
    });
    expect(given.mode).toBe('light');
    expect(given.kvm.enabled).toBe(true);
    expect(given.control.address).toBe(':1920');
    expect(config({ OTEL_GPU_COLLECTOR_MODE: 'all', OTEL_HOST_KVM_ENABLED: 'F' }).kvm.enabled).toBe(false);
  });

  it('fall back to "all" with one warning', () => {
    const { config: given, warnings } = readConfig({ OTEL_GPU_COLLECTOR_MODE: 'turbo' });
    expect(given.mode).toBe('all');
    expect(warnings).toEqual([
      'OTEL_GPU_COLLECTOR_MODE is "turbo", but takes one of all, light, serving, training, deep: the default "all" is used.',
    ]);
    expect(readConfig({ OTEL_GPU_COLLECTOR_MODE: '' })).toMatchObject({
      config: { mode: 'all' },
      warnings: [],
    });
  });
});

describe('values', () => {
  it('takes a switch that is neither true nor false for a mistake', () => {
    const { config: given, warnings } = readConfig({
      PLATFORM_HOST_METRICS: 'yes',
      OTEL_HOST_NIC_ENABLED: 'T',
    });
    expect(given.hostMetrics).toBe(true);
    expect(given.nic.enabled).toBe(true);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('PLATFORM_HOST_METRICS is "yes"');
  });

  it('knows set but empty from unset where that matters', () => {
    const empty = config({
      OTEL_GPU_FS_TYPES_EXCLUDE: '',
      OTEL_HOST_NET_INTERFACE_EXCLUDE: '',
      OTEL_HOST_PMU_EVENTS: ' ',
      OTEL_TPU_METRIC_ALLOWLIST: '',
      OTEL_GPU_CONTROL_ADDR: '',
      OTEL_METRIC_EXPORT_INTERVAL: '',
    });
    expect(empty.filesystem.excludeTypes).toEqual([]);
    expect(empty.network.exclude).toEqual([]);
    expect(empty.pmu.events).toEqual([]);
    expect(empty.tpu.metricAllowlist).toEqual([]);
    expect(empty.control.address).toBeUndefined();
    expect(empty.otlp.intervalMs).toBe(60_000);
    expect(config({}).filesystem.excludeTypes).toContain('CDFS');
    expect(config({}).network.exclude).toEqual(['lo', 'lo0']);
  });

  it('reads pairs percent-decoded, with "=" in values, and refuses headers that would break out of their line', () => {
    const { headers } = config({
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20abc==, x-scope = a%2Cb,',
    }).otlp;
    expect([...headers]).toEqual([
      ['authorization', 'Basic abc=='],
      ['x-scope', 'a,b'],
    ]);
    const hostile = readConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'a=b%0d%0aevil: 1' });
    expect(hostile.config.otlp.headers.size).toBe(0);
    expect(hostile.warnings[0]).toContain('characters (hidden)');
    expect(hostile.warnings[0]).not.toContain('evil');
    expect(readConfig({ OTEL_RESOURCE_ATTRIBUTES: 'team' }).warnings[0]).toContain('key=value');
    const attributes = config({ OTEL_RESOURCE_ATTRIBUTES: 'team=100%,host.name=a%20b' }).resourceAttributes;
    expect(Object.fromEntries(attributes)).toEqual({ team: '100%', 'host.name': 'a b' });
  });

  it('prefers what is said of metrics alone', () => {
    const given = config({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://b:4318/in',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TIMEOUT: '5',
    }).otlp;
    expect(given).toMatchObject({
      endpoint: 'http://b:4318/in',
      endpointIsComplete: true,
      protocol: 'http/protobuf',
      timeoutMs: 5,
    });
    expect(config({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318' }).otlp.endpointIsComplete).toBe(false);
  });

  it('switches what needs a cluster on in one only', () => {
    expect(config({}).kubernetes).toMatchObject({ inCluster: false, podResources: false, podLookup: false });
    const cluster = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };
    expect(config(cluster).kubernetes).toMatchObject({
      inCluster: true,
      apiPort: 6_443,
      podResources: true,
      podLookup: false,
    });
    for (const name of ['K8S_NODE_NAME', 'OTEL_RESOURCE_ATTRIBUTES_NODE_NAME', 'NODE_NAME']) {
      expect(config({ ...cluster, [name]: 'n1' }).kubernetes).toMatchObject({
        nodeName: 'n1',
        podLookup: true,
      });
    }
    expect(config({ K8S_NODE_NAME: 'a', NODE_NAME: 'b' }).kubernetes.nodeName).toBe('a');
    expect(config({ PLATFORM_K8S_CLUSTER_NAME: 'c' }).kubernetes.clusterName).toBe('c');
  });

  it('keeps captures below their compiled-in ceilings', () => {
    const { config: given, warnings } = readConfig({
      OTEL_HOST_INTEL_PT_MAX_DURATION_MS: '30001',
      OTEL_HOST_INTEL_PT_MAX_CPUS: '33',
      OTEL_HOST_INTEL_PT_MAX_BUFFER_PAGES: '257',
      OTEL_HOST_INTEL_PT_OUTPUT_DIR: 'relative/',
    });
    expect(given.pt).toMatchObject({
      enabled: true,
      maxDurationMs: 2_000,
      maxCpus: 4,
      maxBufferPages: 64,
      outputDir: '/tmp',
    });
    expect(warnings).toHaveLength(4);
  });

  it('warns of names that look like ours and of DCGM sampled too often', () => {
    const { warnings } = readConfig({
      OTEL_HOST_NICS: '1',
      OTEL_GPU_DCGM_INTERVAL: '5',
      OTEL_HOST_KVM_ENABLED: '1',
    });
    expect(warnings).toEqual([
      'OTEL_HOST_NICS is not known and has no effect.',
      'OTEL_GPU_DCGM_INTERVAL is below 10 seconds: sampling that often costs the GPU time.',
    ]);
  });

  it('shows secrets to nobody', () => {
    const { settings } = readConfig({
      OTEL_GPU_CONTROL_TOKEN: 'open sesame',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=sesame',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:sesame@otlp.example',
    });
    expect(JSON.stringify(settings)).not.toContain('sesame');
  });
});

it('parses every default of its own', () => {
  for (const mode of MODES) {
    for (const [name, variable] of Object.entries(VARIABLES)) {
      const text = variable.default({ mode, inCluster: true, hasNodeName: true, hostMetrics: true });
      if (text !== undefined) expect(variable.parse(text), name).toBeDefined();
    }
  }
});

it('reads any environment without failing', () => {
  const names = Object.keys(VARIABLES);
  const environment = fc.dictionary(fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 60 }));
  fc.assert(
    fc.property(environment, (env) => {
      const { config: given, settings } = readConfig(env);
      expect(MODES).toContain(given.mode);
      expect(settings).toHaveLength(names.length);
    }),
  );
});

it.each([
  ['http://me:a@b@host:4318/v1', 'http://host:4318/v1'],
  ['me:secret@host:4317', 'host:4317'],
  ['https://host/in?key=secret', 'https://host/in?…'],
  ['https://host/a@b', 'https://host/a@b'],
])('shows no secret of an endpoint: %s', (endpoint, shown) => {
  const { settings } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  expect(settings.find(({ name }) => name === 'OTEL_EXPORTER_OTLP_ENDPOINT')?.value).toBe(shown);
});
