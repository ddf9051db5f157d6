import type { NvmlHandle } from './handle.ts';

/** `nvmlMemory_v2_t` with its version, and the older `nvmlMemory_t`. */
const V2_BYTES = 40;
const V2 = 0x0200_0000 | V2_BYTES;
const V1_BYTES = 24;
/** No GPU comes near; all ones say that there is no number. */
const MOST = 2n ** 50n;

/** What drivers keep in use without anybody is less, what any program of CUDA takes is more. */
const SOMEBODY = 64n * 1_048_576n;

export interface Memory {
  readonly memory: { readonly limit: number; readonly usage: number };
  /** Somebody uses it, not the driver alone; undefined where the two are not told apart. */
  readonly inUse: boolean | undefined;
}

/**
 * Memory of a device: what is not free counts as used, so that both add up to the whole; the driver's own is part of it.
 * Undefined where the GPU has none of its own (GB10, Jetson). @throws GpuError
 */
export function readMemory(handle: NvmlHandle): Memory | undefined {
  const v2 = Buffer.alloc(V2_BYTES);
  v2.writeUInt32LE(V2);
  if (handle.answers('nvmlDeviceGetMemoryInfo_v2', '', v2)) return memoryIn(v2, 8, 24, 32);
  // Only where the newer structure is not known: where it failed for once, the older one would fail too.
  if (handle.mayAnswer('nvmlDeviceGetMemoryInfo_v2')) return undefined;
  const v1 = Buffer.alloc(V1_BYTES);
  return handle.answers('nvmlDeviceGetMemoryInfo', '', v1) ? memoryIn(v1, 0, 8) : undefined;
}

/** Its memory alone. @throws GpuError */
export const memoryOf = (handle: NvmlHandle): Memory['memory'] | undefined => readMemory(handle)?.memory;

function memoryIn(bytes: Buffer, totalAt: number, freeAt: number, usedAt?: number): Memory | undefined {
  const total = bytes.readBigUInt64LE(totalAt);
  const free = bytes.readBigUInt64LE(freeAt);
  if (total === 0n || total > MOST || free > total) return undefined;
  return {
    memory: { limit: Number(total), usage: Number(total - free) },
    inUse: usedAt === undefined ? undefined : bytes.readBigUInt64LE(usedAt) >= SOMEBODY,
  };
}
