/**
 * How a metric point of an infrastructure agent is read: whose host it is, of which device, of which part of it. Names
 * of the semantic conventions come first, then the older ones that the host metrics receiver of the OpenTelemetry
 * Collector still sends.
 */
const first = (map: string, keys: readonly string[]): string =>
  `coalesce(${keys.map((key) => `nullIf(${map}['${key}'], '')`).join(', ')}, '')`;

/** Name of the host a resource runs on; '' when it names none. */
export const HOST_SQL: string = first('ResourceAttributes', ['host.name', 'host.id', 'k8s.node.name']);

/** Who measures: several agents may report the same host. */
export const AGENT_SQL: string =
  `coalesce(nullIf(ResourceAttributes['telemetry.distro.name'], ''), nullIf(toString(ServiceName), ''), ` +
  `nullIf(toString(ScopeName), ''), '')`;

/** A GPU or other hardware by its id, a CPU by its number, a disk, a mount point, a network interface. */
export const DEVICE_SQL: string = `replaceRegexpOne(${first('Attributes', [
  'hw.id',
  'cpu.logical_number',
  'cpu',
  'system.filesystem.mountpoint',
  'mountpoint',
  'network.interface.name',
  'system.device',
  'device',
])}, '^cpu(\\\\d+)$', '\\\\1')`;

/** Number of the process that a point is about; '' when it is about none. */
export const PID_SQL = `coalesce(nullIf(Attributes['process.pid'], ''), nullIf(ResourceAttributes['process.pid'], ''), '')`;

const DETAIL_SQL = first('Attributes', [
  'hw.gpu.task',
  'hw.sensor_location',
  'hw.gpu.clock_domain',
  'error.type',
  'hw.state',
  'hw.gpu.interconnect.type',
  'system.memory.state',
  'system.filesystem.state',
  'system.paging.state',
  'cpu.mode',
  'state',
]);

const DIRECTION_SQL = first('Attributes', ['network.io.direction', 'disk.io.direction', 'direction']);

/** What of the device: `nvlink/receive`, `used`, `memory`; of a process its number first. */
export const PART_SQL: string =
  `arrayStringConcat(arrayFilter(x -> x != '', [if(startsWith(MetricName, 'process.'), ${PID_SQL}, ''), ` +
  `${DETAIL_SQL}, ${DIRECTION_SQL}]), '/')`;

/** Metrics of hosts, hardware and processes. */
export const IS_HOST_METRIC_SQL =
  `(startsWith(MetricName, 'system.') OR startsWith(MetricName, 'hw.') OR ` +
  `(startsWith(MetricName, 'process.') AND NOT startsWith(MetricName, 'process.runtime.')))`;

/** Tells the series of a host apart: a counter's increase is that of one series. */
export const HOST_SERIES_SQL: string = `cityHash64(MetricName, Environment, ServiceName, ScopeName, mapSort(Attributes), mapSort(ResourceAttributes))`;
