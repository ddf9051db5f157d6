import { closeSync, constants, openSync } from 'node:fs';
import type { GpuReading } from '../device.ts';
import { addressOf, type Ioctl } from './native.ts';

/** Numbers of the calls: `DRM_IOCTL_XE_DEVICE_QUERY`, `DRM_IOCTL_I915_QUERY`. */
const XE_QUERY = 0xc0286440;
const I915_QUERY = 0xc0106479;
/** What is asked for: the regions of memory. */
const XE_REGIONS = 1;
const I915_REGIONS = 4n;
const XE_HEADER = 8;
const I915_HEADER = 16;
const REGION_BYTES = 88;
const OWN_MEMORY = 1;
const MAX_ANSWER_BYTES = 65_536;

type Memory = GpuReading['memory'];

/** Regions of the card's own memory, each `REGION_BYTES` long behind a header that begins with their number. */
function ownRegions(answer: Buffer, header: number): readonly Buffer[] {
  if (answer.length < header) return [];
  const count = Math.min(answer.readUInt32LE(0), Math.floor((answer.length - header) / REGION_BYTES));
  return Array.from({ length: count }, (_, index) => {
    const at = header + index * REGION_BYTES;
    return answer.subarray(at, at + REGION_BYTES);
  }).filter((region) => region.readUInt16LE(0) === OWN_MEMORY);
}

/** `drm_xe_query_mem_regions`. What is used is told as 0 to those who may not know: no card is ever empty. */
export function parseXeRegions(answer: Buffer): Memory {
  const regions = ownRegions(answer, XE_HEADER);
  const limit = regions.reduce((sum, region) => sum + Number(region.readBigUInt64LE(8)), 0);
  const usage = regions.reduce((sum, region) => sum + Number(region.readBigUInt64LE(16)), 0);
  return limit > 0 && usage > 0 && usage <= limit ? { limit, usage } : undefined;
}

/** `drm_i915_query_memory_regions`. To those who may not know, all of it is told as free. */
export function parseI915Regions(answer: Buffer): Memory {
  const regions = ownRegions(answer, I915_HEADER);
  const limit = regions.reduce((sum, region) => sum + Number(region.readBigUInt64LE(8)), 0);
  const free = regions.reduce((sum, region) => sum + Number(region.readBigUInt64LE(16)), 0);
  return limit > 0 && free < limit ? { limit, usage: limit - free } : undefined;
}

/**
 * Memory of a card by its driver's own word, for machines without Level Zero. Its device file is closed again each time:
 * who has it open counts as a user of the card. Needs `CAP_PERFMON`. From the headers (xe_drm.h, i915_drm.h), not yet run.
 */
export function cardMemory(ioctl: Ioctl, driver: string, deviceFile: string): Memory {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(deviceFile, constants.O_RDWR | constants.O_NONBLOCK);
    return driver === 'xe' ? askXe(ioctl, descriptor) : askI915(ioctl, descriptor);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** `drm_xe_device_query`: asked without room first, it says how much room the answer takes. */
function askXe(ioctl: Ioctl, descriptor: number): Memory {
  const query = Buffer.alloc(40);
  query.writeUInt32LE(XE_REGIONS, 8);
  if (!ioctl(descriptor, XE_QUERY, query)) return undefined;
  const size = query.readUInt32LE(12);
  if (size === 0 || size > MAX_ANSWER_BYTES) return undefined;
  const answer = Buffer.alloc(size);
  query.writeBigUInt64LE(addressOf(answer), 16);
  return ioctl(descriptor, XE_QUERY, query) ? parseXeRegions(answer) : undefined;
}

/** `drm_i915_query` with one `drm_i915_query_item`; the length is negative for what went wrong. */
function askI915(ioctl: Ioctl, descriptor: number): Memory {
  const item = Buffer.alloc(24);
  item.writeBigUInt64LE(I915_REGIONS, 0);
  const query = Buffer.alloc(16);
  query.writeUInt32LE(1, 0);
  query.writeBigUInt64LE(addressOf(item), 8);
  if (!ioctl(descriptor, I915_QUERY, query)) return undefined;
  const size = item.readInt32LE(8);
  if (size <= 0 || size > MAX_ANSWER_BYTES) return undefined;
  const answer = Buffer.alloc(size);
  item.writeBigUInt64LE(addressOf(answer), 16);
  return ioctl(descriptor, I915_QUERY, query) && item.readInt32LE(8) > 0
    ? parseI915Regions(answer)
    : undefined;
}
