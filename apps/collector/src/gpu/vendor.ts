import type { HostPaths } from '../host-paths.ts';
import type { GpuDevice, GpuErrorCounts, GpuReading, VendorId } from './device.ts';
import type { PciGpu } from './pci.ts';

/** What a vendor may use of the world; all of it crosses into its thread by structured clone. */
export interface VendorSettings {
  readonly paths: HostPaths;
  /** Throughput of the links between GPUs is wanted. */
  readonly interconnect: boolean;
  /** Where tests have their libraries: tried before the usual places. */
  readonly libraries?: readonly string[];
}

/** Says something in the log of the agent. */
export type Tell = (
  level: 'info' | 'warn',
  message: string,
  fields?: Readonly<Record<string, string | number>>,
) => void;

export type Probe =
  | { readonly state: 'found'; readonly devices: readonly GpuDevice[] }
  /** Why there is nothing to read, and what to do about it. */
  | { readonly state: 'unavailable'; readonly reason: string };

/**
 * One maker of GPUs. Lives in a thread of its own and is asked one thing at a time, so it may block: the other side gives
 * up on a device that takes too long.
 */
export interface GpuVendor {
  readonly id: VendorId;
  /**
   * Which devices there are now. `pci` has those of this vendor. Called at the start, every 30 s while nothing is found,
   * and when devices came or went; what was found before is not valid any more.
   */
  probe(pci: readonly PciGpu[]): Promise<Probe> | Probe;
  /** Reads one device that the last probe found. @throws GpuError */
  read(id: string): Promise<GpuReading> | GpuReading;
  stop(): Promise<void> | void;
}

export type GpuFailure =
  /** The device is gone or needs a reset: it is reported as failed and looked for again. */
  | 'lost'
  /** The library and the driver do not belong together any more: everything is probed again. */
  | 'stale'
  /** Nothing could be read this time. */
  | 'failed';

export class GpuError extends Error {
  override readonly name = 'GpuError';
  readonly failure: GpuFailure;
  /** Error counts that are known although the device could not be read, e.g. the XID of its loss. */
  readonly errors: GpuErrorCounts | undefined;
  constructor(failure: GpuFailure, message: string, errors?: GpuErrorCounts) {
    super(message);
    this.failure = failure;
    this.errors = errors;
  }
}

export type CreateVendor = (settings: VendorSettings, tell: Tell) => GpuVendor;
