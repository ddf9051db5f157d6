import type { NvmlHandle } from './handle.ts';

/** `nvmlMemory_v2_t` with its version, and the older `nvmlMemory_t`. */
const V2_BYTES = 40;
const V2 = 0x0200_0000 | V2_BYTES;
const V1_BYTES = 24;
/** No GPU comes near; all ones say that there is no number. */
const MOST = 2n ** 50n;

/**
 * Memory of a device: what is not free counts as used, so that both add up to the whole; the driver's own is part of it.
 * Undefined where the GPU has none of its own (GB10, Jetson). @throws GpuError
 */
export function memoryOf(handle: NvmlHandle): { limit: number; usage: number } | undefined {
  const v2 = Buffer.alloc(V2_BYTES);
  v2.writeUInt32LE(V2);
  if (handle.answers('nvmlDeviceGetMemoryInfo_v2', '', v2)) return pair(v2, 8, 24);
  // Only where the newer structure is not known: where it failed for once, the older one would fail too.
  if (handle.mayAnswer('nvmlDeviceGetMemoryInfo_v2')) return undefined;
  const v1 = Buffer.alloc(V1_BYTES);
  return handle.answers('nvmlDeviceGetMemoryInfo', '', v1) ? pair(v1, 0, 8) : undefined;
}

function pair(bytes: Buffer, totalAt: number, freeAt: number): { limit: number; usage: number } | undefined {
  const total = bytes.readBigUInt64LE(totalAt);
  const free = bytes.readBigUInt64LE(freeAt);
  if (total === 0n || total > MOST || free > total) return undefined;
  return { limit: Number(total), usage: Number(total - free) };
}
