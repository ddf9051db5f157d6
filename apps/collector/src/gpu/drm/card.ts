import { basename } from 'node:path';
import { readLink, readNames } from '../../files.ts';
import { GpuError } from '../vendor.ts';
import { driverBytes, driverLine } from './driver-files.ts';

const MAX_NODES = 64;

/** Where a PCI device of the graphics subsystem is found in the tree of the kernel. */
export interface Card {
  readonly address: string;
  /** Its directory below `bus/pci/devices`. */
  readonly path: string;
  /** Of the kernel: `amdgpu`, `xe`, `i915`. */
  readonly driver: string;
  /** `card0` and `renderD128`, as far as they are there. */
  readonly nodes: readonly string[];
}

/** The device at this address; undefined when no driver has it. `sys` is the host's /sys. */
export function findCard(sys: string, address: string): Card | undefined {
  const path = `${sys}/bus/pci/devices/${address}`;
  const driver = readLink(`${path}/driver`);
  if (driver === undefined) return undefined;
  const nodes = (readNames(`${path}/drm`, MAX_NODES) ?? []).filter((name) =>
    /^(card|renderD)\d{1,5}$/.test(name),
  );
  return { address, path, driver: basename(driver), nodes: nodes.toSorted() };
}

/**
 * Says that the device must not be asked: it sleeps, and every question would wake it up and cost the battery more than
 * the answer is worth.
 */
export const isAsleep = ({ path }: Card): boolean => {
  const status = driverLine(`${path}/power/runtime_status`, 32);
  return status === 'suspended' || status === 'suspending';
};

/** @throws GpuError when the device does not answer on its bus any more: all its bits then read as one */
export function checkOnBus(card: Card): void {
  const config = driverBytes(`${card.path}/config`, 4);
  if (config === undefined && driverLine(`${card.path}/vendor`, 16) === undefined) {
    throw new GpuError('lost', `${card.address} is gone`);
  }
  if (config !== undefined && config.length === 4 && config.readUInt32LE(0) === 0xffff_ffff) {
    throw new GpuError('lost', `${card.address} does not answer on its bus`);
  }
}
