import type { HostPaths } from './host-paths.ts';
import type { LogLevel } from './log.ts';
import { MODES, type Mode, type Situation, type Variable } from './settings/variable.ts';
import { VARIABLES } from './settings/variables.ts';

export type { Mode } from './settings/variable.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface OtlpConfig {
  /** As given. Undefined: nothing is exported. */
  readonly endpoint: string | undefined;
  /** The endpoint was given for metrics alone: nothing is added to its path. */
  readonly endpointIsComplete: boolean;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly protocol: 'grpc' | 'http/protobuf';
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  readonly insecure: boolean;
  /** Paths of PEM files. */
  readonly certificate: string | undefined;
  readonly clientCertificate: string | undefined;
  readonly clientKey: string | undefined;
  /** Undefined: none. gRPC reads the same variables by itself. */
  readonly proxy: {
    readonly https: string | undefined;
    readonly http: string | undefined;
    readonly none: string | undefined;
  };
  readonly temporality: 'cumulative' | 'delta' | 'lowmemory';
  readonly intervalMs: number;
  readonly tickTimeoutMs: number;
}

export interface KubernetesConfig {
  readonly inCluster: boolean;
  /** Host and port of the API server, as Kubernetes tells its pods. */
  readonly apiHost: string | undefined;
  readonly apiPort: number;
  readonly nodeName: string | undefined;
  readonly clusterName: string | undefined;
  readonly nodeLookup: boolean;
  readonly podResources: boolean;
  readonly podLookup: boolean;
  readonly podResourcesSocket: string | undefined;
}

export interface GpuConfig {
  readonly processCmdline: boolean;
  readonly processCmdlineMaxLength: number;
  /** 0 to 1. */
  readonly allocatedUtilThreshold: number;
  readonly interconnect: boolean;
  readonly ebpf: { readonly enabled: boolean; readonly budget: number };
  readonly dcgm: {
    readonly enabled: boolean;
    readonly prefer: boolean;
    readonly libPath: string;
    readonly address: string | undefined;
    readonly intervalSeconds: number;
    readonly fields: readonly string[];
  };
  readonly rdc: { readonly enabled: boolean; readonly libPath: string };
  readonly kineto: { readonly enabled: boolean; readonly traceDir: string; readonly socket: string };
}

/** Every setting, checked, in its own unit. */
export interface Config {
  readonly mode: Mode;
  readonly logLevel: LogLevel;
  readonly otlp: OtlpConfig;
  readonly serviceName: string | undefined;
  /** What the operator says of this machine; wins over what is found out. */
  readonly resourceAttributes: ReadonlyMap<string, string>;
  readonly cloudDetect: boolean;
  readonly kubernetes: KubernetesConfig;
  /** `host:port` or `:port`. */
  readonly prometheusAddress: string | undefined;
  readonly control: {
    readonly address: string | undefined;
    readonly token: string | undefined;
    readonly allowRemote: boolean;
  };
  readonly hostMetrics: boolean;
  readonly filesystem: { readonly excludeTypes: readonly string[] };
  readonly network: {
    /** Empty: all. */
    readonly interfaces: readonly string[];
    readonly exclude: readonly string[];
  };
  readonly cpuHighres: boolean;
  readonly pmu: { readonly enabled: boolean; readonly events: readonly string[] };
  readonly interrupts: { readonly enabled: boolean; readonly perCpu: boolean };
  readonly nic: { readonly enabled: boolean };
  readonly rdma: { readonly enabled: boolean; readonly counters: readonly string[] };
  readonly kvm: { readonly enabled: boolean };
  readonly tpu: {
    readonly enabled: boolean;
    readonly endpoint: string;
    readonly scrapeTimeoutMs: number;
    readonly metricAllowlist: readonly string[];
  };
  readonly pt: {
    readonly enabled: boolean;
    readonly maxDurationMs: number;
    readonly maxCpus: number;
    readonly maxBufferPages: number;
    readonly outputDir: string;
    /** As PATH is written. */
    readonly searchPath: string;
  };
  readonly gpu: GpuConfig;
  readonly paths: HostPaths;
}

type VariableName = keyof typeof VARIABLES;
type Settings = {
  readonly [N in VariableName]: (typeof VARIABLES)[N] extends Variable<infer T> ? T : never;
};

/** A setting as `--check` shows it. */
export interface Setting {
  readonly name: string;
  readonly section: string;
  /** Its text; secrets are hidden. */
  readonly value: string;
  /** The variable that gave it; undefined for a default. */
  readonly from: string | undefined;
}

export interface ReadConfig {
  readonly config: Config;
  /** What was wrong and is passed over, one sentence each. */
  readonly warnings: readonly string[];
  readonly settings: readonly Setting[];
}

const OTLP_PREFIX = 'OTEL_EXPORTER_OTLP_';
const METRICS_PREFIX = 'OTEL_EXPORTER_OTLP_METRICS_';
const MAX_SHOWN = 200;

/** The names a variable is read from, the one that wins first. */
export function namesOf(name: string, variable: { readonly aliases: readonly string[] }): readonly string[] {
  const forMetrics =
    name.startsWith(OTLP_PREFIX) && !name.startsWith(METRICS_PREFIX)
      ? [METRICS_PREFIX + name.slice(OTLP_PREFIX.length)]
      : [];
  return [...forMetrics, name, ...variable.aliases];
}

/**
 * Reads all settings. Nothing in the environment stops the agent here: a value that cannot be is told in `warnings`, and
 * the default stands in its place.
 */
export function readConfig(env: Environment = process.env): ReadConfig {
  const warnings: string[] = [];
  const settings: Setting[] = [];
  const values = new Map<string, unknown>();
  let situation: Situation = { mode: 'all', inCluster: false, hasNodeName: false, hostMetrics: true };

  const read = (name: string, variable: Variable<unknown>): void => {
    const fallback = variable.default(situation);
    let value = fallback === undefined ? undefined : variable.parse(fallback);
    let from: string | undefined;
    let shown = fallback ?? '';
    for (const candidate of namesOf(name, variable)) {
      const given = env[candidate]?.trim();
      if (given === undefined || (given === '' && !variable.emptyCounts)) continue;
      const parsed = variable.parse(given);
      const hidden = variable.secret
        ? `${given.length} characters (hidden)`
        : variable.show(given).slice(0, MAX_SHOWN);
      if (parsed === undefined) {
        const instead = fallback === undefined ? 'it counts as unset' : `the default "${fallback}" is used`;
        const quoted = variable.secret ? hidden : JSON.stringify(hidden);
        warnings.push(`${candidate} is ${quoted}, but takes ${variable.takes}: ${instead}.`);
      } else {
        value = parsed;
        from = candidate;
        shown = hidden;
      }
      break;
    }
    values.set(name, value);
    settings.push({ name, section: variable.section, value: shown, from });
  };

  const rows = Object.entries(VARIABLES) as [VariableName, Variable<unknown>][];
  // The defaults of the others depend on these.
  const first: readonly VariableName[] = [
    'OTEL_GPU_COLLECTOR_MODE',
    'KUBERNETES_SERVICE_HOST',
    'K8S_NODE_NAME',
    'PLATFORM_HOST_METRICS',
  ];
  for (const name of first) read(name, VARIABLES[name]);
  situation = {
    mode: MODES.find((mode) => mode === values.get('OTEL_GPU_COLLECTOR_MODE')) ?? 'all',
    inCluster: values.get('KUBERNETES_SERVICE_HOST') !== undefined,
    hasNodeName: values.get('K8S_NODE_NAME') !== undefined,
    hostMetrics: values.get('PLATFORM_HOST_METRICS') !== false,
  };
  for (const [name, variable] of rows) if (!first.includes(name)) read(name, variable);

  warnings.push(...unknownVariables(env));
  const typed = Object.fromEntries(values) as Settings;
  if (typed.OTEL_GPU_DCGM_INTERVAL < 10) {
    warnings.push('OTEL_GPU_DCGM_INTERVAL is below 10 seconds: sampling that often costs the GPU time.');
  }
  const endpointFrom = settings.find(({ name }) => name === 'OTEL_EXPORTER_OTLP_ENDPOINT')?.from;
  const order = new Map(rows.map(([name], index): [string, number] => [name, index]));
  settings.sort((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
  return { config: shape(typed, situation, endpointFrom), warnings, settings };
}

/** Variables that look like ours and are not: most often a typo. */
function unknownVariables(env: Environment): string[] {
  const known = new Set<string>();
  for (const [name, variable] of Object.entries(VARIABLES)) {
    for (const candidate of namesOf(name, variable)) known.add(candidate);
  }
  return Object.keys(env)
    .filter((name) => /^OTEL_(GPU|HOST|TPU)_/.test(name) && !known.has(name))
    .map((name) => `${name} is not known and has no effect.`);
}

function shape(s: Settings, situation: Situation, endpointFrom: string | undefined): Config {
  return {
    mode: situation.mode,
    logLevel: s.OTEL_LOG_LEVEL,
    otlp: {
      endpoint: s.OTEL_EXPORTER_OTLP_ENDPOINT,
      endpointIsComplete: endpointFrom === `${METRICS_PREFIX}ENDPOINT`,
      headers: s.OTEL_EXPORTER_OTLP_HEADERS,
      protocol: s.OTEL_EXPORTER_OTLP_PROTOCOL,
      timeoutMs: s.OTEL_EXPORTER_OTLP_TIMEOUT,
      compression: s.OTEL_EXPORTER_OTLP_COMPRESSION,
      insecure: s.OTEL_EXPORTER_OTLP_INSECURE,
      certificate: s.OTEL_EXPORTER_OTLP_CERTIFICATE,
      clientCertificate: s.OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE,
      clientKey: s.OTEL_EXPORTER_OTLP_CLIENT_KEY,
      proxy: { https: s.HTTPS_PROXY, http: s.HTTP_PROXY, none: s.NO_PROXY },
      temporality: s.OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE,
      intervalMs: s.OTEL_METRIC_EXPORT_INTERVAL,
      tickTimeoutMs: s.OTEL_METRIC_EXPORT_TIMEOUT,
    },
    serviceName: s.OTEL_SERVICE_NAME,
    resourceAttributes: s.OTEL_RESOURCE_ATTRIBUTES,
    cloudDetect: s.PLATFORM_CLOUD_DETECT,
    kubernetes: {
      inCluster: situation.inCluster,
      apiHost: s.KUBERNETES_SERVICE_HOST,
      apiPort: s.KUBERNETES_SERVICE_PORT,
      nodeName: s.K8S_NODE_NAME,
      clusterName: s.K8S_CLUSTER_NAME,
      nodeLookup: s.PLATFORM_K8S_NODE_LOOKUP,
      podResources: s.PLATFORM_K8S_POD_RESOURCES,
      podLookup: s.PLATFORM_K8S_POD_LOOKUP,
      podResourcesSocket: s.POD_RESOURCES_SOCKET,
    },
    prometheusAddress: s.OTEL_GPU_PROMETHEUS_ADDR,
    control: {
      address: s.OTEL_GPU_CONTROL_ADDR === '' ? undefined : s.OTEL_GPU_CONTROL_ADDR,
      token: s.OTEL_GPU_CONTROL_TOKEN,
      allowRemote: s.OTEL_GPU_CONTROL_ALLOW_REMOTE,
    },
    hostMetrics: s.PLATFORM_HOST_METRICS,
    filesystem: { excludeTypes: s.OTEL_GPU_FS_TYPES_EXCLUDE },
    network: { interfaces: s.OTEL_HOST_NET_INTERFACES, exclude: s.OTEL_HOST_NET_INTERFACE_EXCLUDE },
    cpuHighres: s.OTEL_HOST_CPU_HIGHRES,
    pmu: { enabled: s.OTEL_HOST_PMU_ENABLED, events: s.OTEL_HOST_PMU_EVENTS },
    interrupts: { enabled: s.OTEL_HOST_INTERRUPTS_ENABLED, perCpu: s.OTEL_HOST_INTERRUPTS_PER_CPU },
    nic: { enabled: s.OTEL_HOST_NIC_ENABLED },
    rdma: { enabled: s.OTEL_HOST_RDMA_ENABLED, counters: s.OTEL_HOST_RDMA_COUNTERS },
    kvm: { enabled: s.OTEL_HOST_KVM_ENABLED },
    tpu: {
      enabled: s.OTEL_TPU_ENABLED,
      endpoint: s.OTEL_TPU_ENDPOINT,
      scrapeTimeoutMs: s.OTEL_TPU_SCRAPE_TIMEOUT_MS,
      metricAllowlist: s.OTEL_TPU_METRIC_ALLOWLIST,
    },
    pt: {
      enabled: s.OTEL_HOST_INTEL_PT_ENABLED,
      maxDurationMs: s.OTEL_HOST_INTEL_PT_MAX_DURATION_MS,
      maxCpus: s.OTEL_HOST_INTEL_PT_MAX_CPUS,
      maxBufferPages: s.OTEL_HOST_INTEL_PT_MAX_BUFFER_PAGES,
      outputDir: s.OTEL_HOST_INTEL_PT_OUTPUT_DIR,
      searchPath: s.PATH,
    },
    gpu: {
      processCmdline: s.OTEL_GPU_PROCESS_CMDLINE,
      processCmdlineMaxLength: s.OTEL_GPU_PROCESS_CMDLINE_MAX_LEN,
      allocatedUtilThreshold: s.OTEL_GPU_ALLOCATED_UTIL_THRESHOLD,
      interconnect: s.OTEL_GPU_INTERCONNECT_ENABLED,
      ebpf: { enabled: s.OTEL_GPU_EBPF_ENABLED, budget: s.PLATFORM_GPU_EBPF_BUDGET },
      dcgm: {
        enabled: s.OTEL_GPU_DCGM_ENABLED,
        prefer: s.OTEL_GPU_DCGM_PREFER,
        libPath: s.OTEL_GPU_DCGM_LIB_PATH,
        address: s.OTEL_GPU_DCGM_ADDRESS,
        intervalSeconds: s.OTEL_GPU_DCGM_INTERVAL,
        fields: s.OTEL_GPU_DCGM_FIELDS,
      },
      rdc: { enabled: s.OTEL_GPU_RDC_ENABLED, libPath: s.OTEL_GPU_RDC_LIB_PATH },
      kineto: {
        enabled: s.OTEL_GPU_KINETO_ENABLED,
        traceDir: s.OTEL_GPU_KINETO_TRACE_DIR,
        socket: s.OTEL_GPU_KINETO_SOCKET,
      },
    },
    paths: { proc: s.HOST_PROC, sys: s.HOST_SYS, etc: s.HOST_ETC, root: s.HOST_ROOT },
  };
}
