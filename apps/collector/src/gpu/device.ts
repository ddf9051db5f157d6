import type { Activity } from './profiling/profiler.ts';

/**
 * What is known of a GPU and what is read of it, in the units that are sent, whoever made it. Every value crosses from the
 * thread of its vendor by structured clone. Absent means that the device, its driver or our rights do not tell it; it is
 * never written as 0.
 */
export type VendorId = 'nvidia' | 'amd' | 'intel';

/** A GPU, or a partition of one. */
export interface GpuDevice {
  /** `hw.id`: the UUID; `pci-<address>` where there is none. */
  readonly id: string;
  readonly name: string;
  readonly vendor: VendorId;
  /** Zero-based among the GPUs of its vendor; a partition has that of its GPU. */
  readonly index: number;
  /** `dddd:bb:dd.f`, lower case; a partition has that of its GPU. */
  readonly pciAddress?: string;
  /** Threads that it runs at a time (CUDA cores). */
  readonly cores?: number;
  /** The GPU can be cut into MIG devices; absent where there is no such thing. */
  readonly migEnabled?: boolean;
  /** Of a partition: what it is a part of. */
  readonly partition?: {
    /** `hw.id` of the GPU. */
    readonly parent: string;
    /** `hw.gpu.partition`. */
    readonly name: string;
    readonly mig?: { readonly instanceId: number; readonly profile?: string };
  };
  /** Other names by which a container may hold it: `nvidia0`, `nvidia0/gi5`, `card0`. */
  readonly aliases: readonly string[];
}

/** A sum that the device counts itself. It may be reset or wrap: what is sent never goes down. */
export interface Count {
  readonly raw: bigint;
  /** What one count is in the unit that is sent; 1 unless told. */
  readonly scale?: number;
  /** Bits after which it wraps, where that is known. */
  readonly bits?: number;
}

export interface Directions {
  readonly receive?: Count;
  readonly transmit?: Count;
}

export type GpuTask = 'general' | 'encoder' | 'decoder';
export type SensorLocation = 'die' | 'memory';
export type ClockDomain = 'graphics' | 'memory' | 'sm';
export type InterconnectType = 'nvlink' | 'xgmi' | 'other';
/** `ok` is said only where something was asked that could have told otherwise. */
export type GpuState = 'ok' | 'degraded' | 'predicted_failure' | 'failed';
export type GpuErrorType =
  | 'corrected'
  | 'uncorrected'
  | 'pcie_replay'
  | 'xid'
  | 'ras_corrected'
  | 'ras_uncorrected';

/** A process on the device, as the driver tells it: the number is the host's. */
export interface GpuProcess {
  readonly pid: number;
  /** Bytes of device memory. */
  readonly memory?: number;
  /** 0 to 1, of the whole device. */
  readonly utilization?: number;
}

/** How busy the parts of a device were since the reading before, and who measured it (`gpu.measurement.source`). */
export interface GpuActivity extends Activity {
  readonly source: string;
}

/** Errors since the driver was loaded, by kind. */
export type GpuErrorCounts = Readonly<Partial<Record<GpuErrorType, Count>>>;

/** One reading of one device. */
export interface GpuReading {
  /** 0 to 1. */
  readonly utilization?: Readonly<Partial<Record<GpuTask, number>>>;
  /** 0 to 1: share of time in which memory was read or written. */
  readonly memoryControllerUtilization?: number;
  /** Bytes. `usage` and `free` add up to `limit`: what the driver keeps for itself counts as used. */
  readonly memory?: { readonly limit: number; readonly usage: number };
  /** Degrees Celsius. */
  readonly temperatures?: Readonly<Partial<Record<SensorLocation, number>>>;
  /** One a fan, in the order of the device. `ratio` 0 to 1 and more. */
  readonly fans?: readonly { readonly rpm?: number; readonly ratio?: number }[];
  /** Watts. */
  readonly power?: number;
  readonly powerLimit?: number;
  /** Joules. */
  readonly energy?: Count;
  /** Hertz. */
  readonly clocks?: Readonly<Partial<Record<ClockDomain, number>>>;
  /** Bytes over the bus, as the device sees them: `receive` comes from the host. */
  readonly io?: Directions;
  /** Bytes over links between GPUs, all links of a type together. */
  readonly interconnect?: Readonly<Partial<Record<InterconnectType, Directions>>>;
  /** Where a profiling library tells of the device, its figures stand alone. */
  readonly activity?: GpuActivity;
  readonly state?: GpuState;
  readonly errors?: GpuErrorCounts;
  /** Absent when nobody tells; empty when nobody is on it. */
  readonly processes?: readonly GpuProcess[];
  /** Processes are on it that its partitions tell of. */
  readonly held?: boolean;
  /** The devices are not what they were (partitions made anew): probe again. */
  readonly changed?: boolean;
}
