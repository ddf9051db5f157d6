import {
  absolutePath,
  flag,
  headers,
  httpUrl,
  list,
  oneOf,
  pairs,
  ratio,
  share,
  text,
  whole,
  withoutSecrets,
} from './parse.ts';
import {
  FROM_DEEP,
  FROM_SERVING,
  FROM_TRAINING,
  MODES,
  ONLY_ALL,
  onHostIn,
  onIn,
  section,
} from './variable.ts';

const FLAG = { takes: 'true or false', parse: flag };
const PATH = { takes: 'an absolute path', parse: absolutePath };
const TEXT = { takes: 'a text', parse: text };
const LIST = { takes: 'a list, separated by commas', parse: list };

const agent = section('The agent');
const otlp = section('Export over OTLP');
const identity = section('Identity');
const kubernetes = section('Kubernetes');
const listeners = section('Prometheus and the control API');
const host = section('Host metrics');
const captures = section('Captures on demand');
const gpu = section('GPU metrics');
const paths = section('Where the host is');

/** Compiled-in ceilings of a CPU trace: no setting and no request goes beyond them. */
const PT_CEILINGS = { durationMs: 30_000, cpus: 32, bufferPages: 256 } as const;

/**
 * Every variable. Those of OTLP also exist for metrics alone (`OTEL_EXPORTER_OTLP_METRICS_…`), which win: see
 * `readConfig`.
 */
export const VARIABLES = {
  OTEL_GPU_COLLECTOR_MODE: agent.withDefault('all', {
    description: 'Preset: it fills in what is unset, see the columns of the modes below.',
    takes: `one of ${MODES.join(', ')}`,
    parse: oneOf(...MODES),
  }),
  OTEL_LOG_LEVEL: agent.withDefault('info', {
    description: 'The least important log lines to write to standard error.',
    takes: 'one of debug, info, warn, error, none',
    parse: oneOf('debug', 'info', 'warn', 'error', 'none'),
  }),

  OTEL_EXPORTER_OTLP_ENDPOINT: otlp.optional({
    description:
      'Where metrics go. Over HTTP, `/v1/metrics` is added to it; OTEL_EXPORTER_OTLP_METRICS_ENDPOINT is taken as it is. Unset: nothing is exported, and a warning says so.',
    takes: 'a URL; for gRPC also host:port',
    show: withoutSecrets,
    parse: text,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: otlp.withDefault('', {
    description: 'Sent with every export, keys of the backend for instance; percent-encoded.',
    takes: 'key=value pairs, separated by commas',
    secret: true,
    parse: headers,
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: otlp.withDefault('grpc', {
    description: 'How metrics are sent.',
    takes: 'grpc or http/protobuf',
    parse: oneOf('grpc', 'http/protobuf'),
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: otlp.withDefault('10000', {
    description: 'Milliseconds an export may take, with all its retries.',
    takes: 'whole milliseconds from 1 to 600000',
    parse: whole(1, 600_000),
  }),
  OTEL_EXPORTER_OTLP_COMPRESSION: otlp.withDefault('none', {
    description: 'Compression of what is sent.',
    takes: 'none or gzip',
    parse: oneOf('none', 'gzip'),
  }),
  OTEL_EXPORTER_OTLP_INSECURE: otlp.withDefault('false', {
    description: 'For a gRPC endpoint written without a scheme: send without TLS.',
    ...FLAG,
  }),
  OTEL_EXPORTER_OTLP_CERTIFICATE: otlp.optional({
    description: 'PEM file of the authorities that may have signed the certificate of the endpoint.',
    takes: 'a path',
    parse: text,
  }),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: otlp.optional({
    description: 'PEM file of the certificate the agent shows (mTLS).',
    takes: 'a path',
    parse: text,
  }),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: otlp.optional({
    description: 'PEM file of its key.',
    takes: 'a path',
    parse: text,
  }),
  HTTPS_PROXY: otlp.optional({
    description:
      'Proxy for https endpoints, with user and password where it asks for them. gRPC tunnels through it too.',
    takes: 'a URL such as http://proxy:3128',
    aliases: ['https_proxy'],
    show: withoutSecrets,
    parse: httpUrl,
  }),
  HTTP_PROXY: otlp.optional({
    description: 'Proxy for http endpoints.',
    takes: 'a URL such as http://proxy:3128',
    aliases: ['http_proxy'],
    show: withoutSecrets,
    parse: httpUrl,
  }),
  NO_PROXY: otlp.optional({
    description: 'Hosts that are reached without a proxy.',
    takes: 'hosts and domains, separated by commas',
    aliases: ['no_proxy'],
    parse: text,
  }),
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: otlp.withDefault('cumulative', {
    description: 'Whether counters are sent as sums since the start or since the last export.',
    takes: 'cumulative, delta or lowmemory',
    parse: oneOf('cumulative', 'delta', 'lowmemory'),
  }),
  OTEL_METRIC_EXPORT_INTERVAL: otlp.withDefault('60000', {
    description: 'Milliseconds between two exports. The first follows soon after the start.',
    takes: 'whole milliseconds from 100 to 86400000',
    parse: whole(100, 86_400_000),
  }),
  OTEL_METRIC_EXPORT_TIMEOUT: otlp.withDefault('30000', {
    description: 'Milliseconds a tick and its export may take together.',
    takes: 'whole milliseconds from 1 to 3600000',
    parse: whole(1, 3_600_000),
  }),

  OTEL_SERVICE_NAME: identity.optional({
    description: 'Sent as `service.name`. Only for backends that demand one: the agent is no service.',
    ...TEXT,
  }),
  OTEL_RESOURCE_ATTRIBUTES: identity.withDefault('deployment.environment=default', {
    description: 'Attributes of this machine; they win over what is found out. Tags such as a team go here.',
    takes: 'key=value pairs, separated by commas, percent-encoded',
    parse: pairs,
  }),
  PLATFORM_CLOUD_DETECT: identity.withDefault('true', {
    description: 'Ask the metadata services of AWS, Google Cloud and Azure what machine this is.',
    ...FLAG,
  }),

  K8S_NODE_NAME: kubernetes.optional({
    description: 'Name of the node; sent as `k8s.node.name` and `host.name`.',
    aliases: ['OTEL_RESOURCE_ATTRIBUTES_NODE_NAME', 'NODE_NAME'],
    ...TEXT,
  }),
  K8S_CLUSTER_NAME: kubernetes.optional({
    description: 'Name of the cluster. Counts inside a cluster only.',
    aliases: ['PLATFORM_K8S_CLUSTER_NAME'],
    ...TEXT,
  }),
  PLATFORM_K8S_NODE_LOOKUP: kubernetes.withDefault('true', {
    description: 'Read the node from the API server for machine type and provider (needs `get` on nodes).',
    ...FLAG,
  }),
  PLATFORM_K8S_POD_RESOURCES: kubernetes.withDefault(({ inCluster }) => String(inCluster), {
    description: "Ask the kubelet's pod-resources socket which container holds which device.",
    defaultText: '`true` in a cluster',
    ...FLAG,
  }),
  PLATFORM_K8S_POD_LOOKUP: kubernetes.withDefault(
    ({ inCluster, hasNodeName }) => String(inCluster && hasNodeName),
    {
      description: 'List the pods of this node through the API server (needs `list` on pods).',
      defaultText: '`true` in a cluster when the node has a name',
      ...FLAG,
    },
  ),
  POD_RESOURCES_SOCKET: kubernetes.optional({
    description: 'Path of the pod-resources socket or named pipe. Unset: where the kubelet has it.',
    takes: 'a path',
    parse: text,
  }),
  KUBERNETES_SERVICE_HOST: kubernetes.optional({
    description: 'Set by Kubernetes itself: its presence says that the agent runs in a cluster.',
    takes: 'a host',
    parse: text,
  }),
  KUBERNETES_SERVICE_PORT: kubernetes.withDefault('443', {
    description: 'Set by Kubernetes itself.',
    takes: 'a port',
    parse: whole(1, 65_535),
  }),

  OTEL_GPU_PROMETHEUS_ADDR: listeners.optional({
    description: 'Serve Prometheus `/metrics` here as well. Without a host it listens on all addresses.',
    takes: 'host:port, or :port',
    parse: text,
  }),
  OTEL_GPU_CONTROL_ADDR: listeners.withDefault(
    ({ mode }) => (FROM_DEEP.includes(mode) ? '127.0.0.1:1919' : ''),
    {
      description:
        'Where the control API listens. Empty: it does not. Other than loopback needs both rows below.',
      takes: 'host:port, or :port',
      emptyCounts: true,
      parse: text,
    },
  ),
  OTEL_GPU_CONTROL_TOKEN: listeners.optional({
    description: 'Bearer token of the control API; once set, every request needs it.',
    takes: 'a text',
    secret: true,
    parse: text,
  }),
  OTEL_GPU_CONTROL_ALLOW_REMOTE: listeners.withDefault('false', {
    description: 'Let the control API listen on other addresses than loopback; needs the token.',
    ...FLAG,
  }),

  PLATFORM_HOST_METRICS: host.withDefault('true', {
    description:
      'Metrics of the system and of the agent itself. `false` leaves accelerators only: the features of the host below are off then unless they are switched on by name.',
    ...FLAG,
  }),
  OTEL_GPU_FS_TYPES_EXCLUDE: host.withDefault('squashfs,erofs,iso9660,cramfs,romfs,cd9660,CDFS,UDF', {
    description: 'Types of file systems left out of `system.filesystem.*`, in exact spelling. Empty: none.',
    emptyCounts: true,
    ...LIST,
  }),
  OTEL_HOST_CPU_HIGHRES: host.withDefault(onHostIn(FROM_DEEP), {
    description: 'Keep the CPU times of the last minute, ten a second, for `GET /v1/cpu/highres`. Linux.',
    ...FLAG,
  }),
  OTEL_HOST_PMU_ENABLED: host.withDefault(onHostIn(FROM_TRAINING), {
    description: "Counters of the CPU's cores such as `hw.cpu.instructions`. Linux.",
    ...FLAG,
  }),
  OTEL_HOST_PMU_EVENTS: host.withDefault(
    ({ mode }) =>
      FROM_TRAINING.includes(mode) ? 'instructions,cycles,memory_bandwidth' : 'instructions,cycles',
    {
      description: 'Which of them; `memory_bandwidth` (or `uncore`) adds `hw.cpu.memory.io`.',
      emptyCounts: true,
      ...LIST,
    },
  ),
  OTEL_HOST_INTERRUPTS_ENABLED: host.withDefault(onHostIn(ONLY_ALL), {
    description: 'Counts of interrupts. Linux.',
    ...FLAG,
  }),
  OTEL_HOST_INTERRUPTS_PER_CPU: host.withDefault('false', {
    description: 'Interrupts by CPU: many series on large machines.',
    ...FLAG,
  }),
  OTEL_HOST_NIC_ENABLED: host.withDefault(onHostIn(FROM_TRAINING), {
    description:
      '`hw.network.*` by network card; `system.network.*` is left out then, to count nothing twice.',
    ...FLAG,
  }),
  OTEL_HOST_NET_INTERFACES: host.withDefault('', {
    description: 'Only these network interfaces. Empty: all.',
    ...LIST,
  }),
  OTEL_HOST_NET_INTERFACE_EXCLUDE: host.withDefault('lo,lo0', {
    description: 'Network interfaces left out.',
    emptyCounts: true,
    ...LIST,
  }),
  OTEL_HOST_RDMA_ENABLED: host.withDefault(onHostIn(FROM_TRAINING), {
    description: 'Counters of RDMA devices. Linux.',
    ...FLAG,
  }),
  OTEL_HOST_RDMA_COUNTERS: host.withDefault('', {
    description: 'Names of RDMA counters to read. Empty: a built-in choice.',
    ...LIST,
  }),
  OTEL_HOST_KVM_ENABLED: host.withDefault(onHostIn(ONLY_ALL), {
    description: 'Exits and pages of virtual machines that KVM runs here. Linux, root.',
    ...FLAG,
  }),
  OTEL_TPU_ENABLED: host.withDefault(onIn(ONLY_ALL), {
    description: 'Read the Prometheus endpoint of a TPU device plugin.',
    ...FLAG,
  }),
  OTEL_TPU_ENDPOINT: host.withDefault('http://127.0.0.1:2112/metrics', {
    description: 'That endpoint.',
    takes: 'an http or https URL',
    show: withoutSecrets,
    parse: httpUrl,
  }),
  OTEL_TPU_SCRAPE_TIMEOUT_MS: host.withDefault('2000', {
    description: 'Milliseconds it may take to answer.',
    takes: 'whole milliseconds from 1 to 60000',
    parse: whole(1, 60_000),
  }),
  OTEL_TPU_METRIC_ALLOWLIST: host.withDefault(
    'duty_cycle,tensorcore_utilization,memory_total,memory_used,memory_bandwidth_utilization',
    { description: 'Metrics taken from it.', emptyCounts: true, ...LIST },
  ),

  OTEL_HOST_INTEL_PT_ENABLED: captures.withDefault(onIn(FROM_DEEP), {
    description: 'Allow `POST /v1/profile/cpu/pt` where the CPU and the tools can.',
    ...FLAG,
  }),
  OTEL_HOST_INTEL_PT_MAX_DURATION_MS: captures.withDefault('2000', {
    description: 'Longest CPU trace.',
    takes: `whole milliseconds from 1 to ${PT_CEILINGS.durationMs}`,
    parse: whole(1, PT_CEILINGS.durationMs),
  }),
  OTEL_HOST_INTEL_PT_MAX_CPUS: captures.withDefault('4', {
    description: 'CPUs one trace may cover.',
    takes: `a whole number from 1 to ${PT_CEILINGS.cpus}`,
    parse: whole(1, PT_CEILINGS.cpus),
  }),
  OTEL_HOST_INTEL_PT_MAX_BUFFER_PAGES: captures.withDefault('64', {
    description: 'Pages of the trace buffer of a CPU; a power of two.',
    takes: `a whole number from 1 to ${PT_CEILINGS.bufferPages}`,
    parse: whole(1, PT_CEILINGS.bufferPages),
  }),
  OTEL_HOST_INTEL_PT_OUTPUT_DIR: captures.withDefault('/tmp', {
    description: 'Directory that traces are written into; a request cannot name another.',
    ...PATH,
  }),
  OTEL_GPU_KINETO_ENABLED: captures.withDefault(onIn(FROM_DEEP), {
    description: 'Allow `POST /v1/profile/gpu`: kernel profiles of PyTorch programs.',
    ...FLAG,
  }),
  OTEL_GPU_KINETO_TRACE_DIR: captures.withDefault('/tmp', {
    description: 'Directory of their traces.',
    ...PATH,
  }),
  OTEL_GPU_KINETO_SOCKET: captures.withDefault('@dynolog', {
    description:
      'Socket at which such programs (KINETO_USE_DAEMON=1) look for their daemon. For programs with KINETO_IPC_SOCKET_DIR it is the file `dynolog` in that directory.',
    takes: 'an absolute path, or @ and a name that is no file',
    parse: text,
  }),

  OTEL_GPU_PROCESS_CMDLINE: gpu.withDefault('true', {
    description: 'Send the (shortened) command line with metrics of processes on a GPU.',
    ...FLAG,
  }),
  OTEL_GPU_PROCESS_CMDLINE_MAX_LEN: gpu.withDefault('512', {
    description: 'Characters of it at most.',
    takes: 'a whole number from 1 to 65536',
    parse: whole(1, 65_536),
  }),
  OTEL_GPU_ALLOCATED_UTIL_THRESHOLD: gpu.withDefault('0.05', {
    description:
      'Utilisation from which a GPU counts as used though no process is seen on it (`hw.gpu.allocated`), and below which it is idle (`hw.gpu.idle`).',
    takes: 'a number from 0 to 1',
    parse: ratio,
  }),
  OTEL_GPU_INTERCONNECT_ENABLED: gpu.withDefault('true', {
    description: 'Throughput of the links between GPUs.',
    ...FLAG,
  }),
  OTEL_GPU_EBPF_ENABLED: gpu.withDefault(onIn(FROM_SERVING), {
    description: 'Trace CUDA calls in the kernel. Linux, NVIDIA.',
    ...FLAG,
  }),
  PLATFORM_GPU_EBPF_BUDGET: gpu.withDefault('0.02', {
    description:
      'Share of the time of a traced program that probes of CUDA may cost. With more calls than that pays for, the agent traces samples of the time and multiplies counts up (`gpu.measurement.sampled`). 1 traces everything, whatever it costs.',
    takes: 'a number from 0.001 to 1',
    parse: share,
  }),
  OTEL_GPU_DCGM_ENABLED: gpu.withDefault(onIn(FROM_SERVING), {
    description: "Profiling metrics through NVIDIA's DCGM.",
    ...FLAG,
  }),
  OTEL_GPU_DCGM_PREFER: gpu.withDefault(onIn(FROM_SERVING), {
    description: 'While DCGM is healthy, its values stand for the series that both could send.',
    ...FLAG,
  }),
  OTEL_GPU_DCGM_LIB_PATH: gpu.withDefault('/lib64/libdcgm.so', {
    description: 'Its library; the usual places are tried after this one.',
    takes: 'a path',
    parse: text,
  }),
  OTEL_GPU_DCGM_ADDRESS: gpu.optional({
    description: 'A running nv-hostengine. Unset: the engine runs inside the agent.',
    takes: 'host or host:port',
    parse: text,
  }),
  OTEL_GPU_DCGM_INTERVAL: gpu.withDefault('10', {
    description: 'Seconds between its samples; below 10 it warns.',
    takes: 'whole seconds from 1 to 3600',
    parse: whole(1, 3_600),
  }),
  OTEL_GPU_DCGM_FIELDS: gpu.withDefault(
    '50,100,155,203,204,1001,1002,1003,1004,1005,1006,1007,1008,1009,1010,1011,1012',
    { description: 'Ids of the fields it samples; 50 and 54 (name, UUID) are always among them.', ...LIST },
  ),
  OTEL_GPU_RDC_ENABLED: gpu.withDefault(onIn(ONLY_ALL), {
    description: "Profiling metrics through AMD's RDC.",
    ...FLAG,
  }),
  OTEL_GPU_RDC_LIB_PATH: gpu.withDefault('librdc.so', {
    description: 'Its library.',
    takes: 'a path',
    parse: text,
  }),

  HOST_PROC: paths.withDefault('/proc', { description: "The host's `/proc`, as seen from here.", ...PATH }),
  HOST_SYS: paths.withDefault('/sys', { description: "The host's `/sys`.", ...PATH }),
  HOST_ETC: paths.withDefault('/etc', { description: "The host's `/etc`.", ...PATH }),
  HOST_ROOT: paths.withDefault('/', {
    description: "The host's `/`: file systems are measured below it.",
    ...PATH,
  }),
  PATH: paths.withDefault('/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', {
    description: 'Directories in which the tool `perf` is looked for, for CPU traces.',
    takes: 'a list of directories',
    parse: text,
  }),
} as const;
