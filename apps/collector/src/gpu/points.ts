import {
  hwEnergy,
  hwErrors,
  hwFanSpeed,
  hwFanSpeedRatio,
  hwGpuAllocated,
  hwGpuEngineUtilization,
  hwGpuIdle,
  hwGpuInterconnectIo,
  hwGpuIo,
  hwGpuMemoryBandwidthUtilization,
  hwGpuMemoryControllerUtilization,
  hwGpuMemoryFree,
  hwGpuMemoryLimit,
  hwGpuMemoryUsage,
  hwGpuMemoryUtilization,
  hwGpuPipeUtilization,
  hwGpuSimdUtilization,
  hwGpuSmOccupancy,
  hwGpuSmUtilization,
  hwGpuSpeed,
  hwGpuUtilization,
  hwPower,
  hwPowerLimit,
  hwStatus,
  hwTemperature,
  type Metric,
} from '@candela/semconv/metrics';
import type { MonotonicCounters } from '../counters.ts';
import type { PointAttributes } from '../point-attributes.ts';
import type { RecordPoint } from '../source.ts';
import type { Count, Directions, GpuDevice, GpuErrorCounts, GpuReading, GpuState } from './device.ts';
import type { Activity } from './profiling/profiler.ts';

const STATES: readonly GpuState[] = ['ok', 'degraded', 'predicted_failure', 'failed'];

/** What says on every point which device it is of. */
export function deviceAttributes(device: GpuDevice): PointAttributes {
  const { partition, pciAddress, migEnabled } = device;
  return {
    'hw.id': device.id,
    'hw.name': device.name,
    'hw.vendor': device.vendor,
    'gpu.index': device.index,
    ...(pciAddress === undefined ? {} : { 'gpu.pci_address': pciAddress }),
    ...(migEnabled === undefined ? {} : { 'gpu.mig.enabled': migEnabled }),
    ...(partition === undefined ? {} : { 'hw.parent': partition.parent, 'hw.gpu.partition': partition.name }),
    ...(partition?.mig === undefined
      ? {}
      : {
          'gpu.parent.uuid': partition.parent,
          'gpu.mig.device_id': device.id,
          'gpu.mig.instance_id': partition.mig.instanceId,
          ...(partition.mig.profile === undefined ? {} : { 'gpu.mig.profile': partition.mig.profile }),
        }),
  };
}

/** 1 for the state that holds, 0 for the others. */
export function recordState(record: RecordPoint, base: PointAttributes, state: GpuState): void {
  for (const one of STATES) {
    record(hwStatus, one === state ? 1 : 0, { ...base, 'hw.type': 'gpu', 'hw.state': one });
  }
}

/** How busy the parts of a device were; `source` says who measured it. */
export function recordActivity(
  record: RecordPoint,
  device: GpuDevice,
  activity: Activity,
  source: string,
): void {
  const base = { ...deviceAttributes(device), 'gpu.measurement.source': source };
  const say = (metric: Metric, value: number | undefined, more: PointAttributes = {}): void => {
    if (value !== undefined) record(metric, value, { ...base, ...more });
  };
  say(hwGpuEngineUtilization, activity.graphicsEngine, { 'hw.gpu.engine': 'graphics' });
  say(hwGpuSmUtilization, activity.sm);
  say(hwGpuSmOccupancy, activity.occupancy);
  say(hwGpuMemoryBandwidthUtilization, activity.memoryBandwidth);
  say(hwGpuSimdUtilization, activity.simd);
  for (const [pipe, value] of Object.entries(activity.pipes)) {
    say(hwGpuPipeUtilization, value, { 'hw.gpu.pipe': pipe });
  }
}

const share = (value: number): number => Math.min(1, Math.max(0, value));

/** Makes points of readings; keeps what their counters stand at. */
export class GpuPoints {
  readonly #counters: MonotonicCounters;
  readonly #threshold: number;

  /** `threshold`: utilisation from which a device counts as used. */
  constructor(counters: MonotonicCounters, threshold: number) {
    this.#counters = counters;
    this.#threshold = threshold;
  }

  record(record: RecordPoint, device: GpuDevice, reading: GpuReading): void {
    const base = deviceAttributes(device);
    const gauge = (metric: Metric, value: number | undefined, more: PointAttributes = {}): void => {
      if (value !== undefined) record(metric, value, { ...base, ...more });
    };
    for (const [task, busy] of Object.entries(reading.utilization ?? {})) {
      gauge(hwGpuUtilization, share(busy), { 'hw.gpu.task': task });
    }
    const { memoryControllerUtilization: controller } = reading;
    gauge(hwGpuMemoryControllerUtilization, controller === undefined ? undefined : share(controller));
    this.#memory(gauge, reading);
    for (const [location, celsius] of Object.entries(reading.temperatures ?? {})) {
      gauge(hwTemperature, celsius, { 'hw.sensor_location': location });
    }
    const fans = reading.fans ?? [];
    for (const [at, { rpm, ratio }] of fans.entries()) {
      const which: PointAttributes = fans.length > 1 ? { 'hw.sensor_location': `fan${at}` } : {};
      gauge(hwFanSpeed, rpm, which);
      gauge(hwFanSpeedRatio, ratio === undefined ? undefined : share(ratio), which);
    }
    gauge(hwPower, reading.power);
    gauge(hwPowerLimit, reading.powerLimit);
    for (const [domain, hertz] of Object.entries(reading.clocks ?? {})) {
      gauge(hwGpuSpeed, hertz, { 'hw.gpu.clock_domain': domain });
    }
    this.#count(record, hwEnergy, reading.energy, base, `${device.id} energy`);
    this.#directions(record, hwGpuIo, reading.io, base, `${device.id} io`);
    for (const [type, directions] of Object.entries(reading.interconnect ?? {})) {
      const of = { ...base, 'hw.gpu.interconnect.type': type };
      this.#directions(record, hwGpuInterconnectIo, directions, of, `${device.id} ${type}`);
    }
    this.recordErrors(record, device, reading.errors);
    const { activity } = reading;
    if (activity !== undefined) recordActivity(record, device, activity, activity.source);
    if (reading.state !== undefined) recordState(record, base, reading.state);
    this.#use(gauge, reading);
  }

  /** Error counts alone: a device that is lost keeps those it had. */
  recordErrors(record: RecordPoint, device: GpuDevice, errors: GpuErrorCounts | undefined): void {
    const base = deviceAttributes(device);
    for (const [type, count] of Object.entries(errors ?? {})) {
      const of = { ...base, 'hw.type': 'gpu', 'error.type': type };
      this.#count(record, hwErrors, count, of, `${device.id} error ${type}`);
    }
  }

  #memory(gauge: (metric: Metric, value: number) => void, { memory }: GpuReading): void {
    if (memory === undefined || memory.limit <= 0) return;
    const usage = Math.min(memory.limit, Math.max(0, memory.usage));
    gauge(hwGpuMemoryLimit, memory.limit);
    gauge(hwGpuMemoryUsage, usage);
    gauge(hwGpuMemoryFree, memory.limit - usage);
    gauge(hwGpuMemoryUtilization, usage / memory.limit);
  }

  /** Whether somebody holds the device, and whether it stands still; what is not known is not said. */
  #use(gauge: (metric: Metric, value: number) => void, reading: GpuReading): void {
    const { processes, utilization } = reading;
    const busy = utilization?.general;
    const works = busy !== undefined && busy >= this.#threshold;
    const held = reading.held ?? processes?.some(({ memory }) => memory === undefined || memory > 0);
    if (held !== undefined || busy !== undefined) {
      gauge(hwGpuAllocated, held === true || works ? 1 : 0);
    }
    if (busy !== undefined) gauge(hwGpuIdle, works ? 0 : 1);
  }

  #directions(
    record: RecordPoint,
    metric: Metric,
    directions: Directions | undefined,
    base: PointAttributes,
    key: string,
  ): void {
    for (const direction of ['receive', 'transmit'] as const) {
      const of = { ...base, 'network.io.direction': direction };
      this.#count(record, metric, directions?.[direction], of, `${key} ${direction}`);
    }
  }

  #count(
    record: RecordPoint,
    metric: Metric,
    count: Count | undefined,
    attributes: PointAttributes,
    key: string,
  ): void {
    if (count === undefined) return;
    const total = this.#counters.read(key, count.raw, count.bits);
    // A thousandth of a whole number is told exactly by division only.
    const scale = count.scale ?? 1;
    if (total !== undefined) record(metric, scale < 1 ? total / (1 / scale) : total * scale, attributes);
  }
}
