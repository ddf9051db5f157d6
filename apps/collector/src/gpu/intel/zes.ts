import { GpuError } from '../vendor.ts';
import type { LevelZero, ZesArgument, ZesFunction } from './native.ts';

const DEVICE_LOST = 0x70000001;
const MAX_HANDLES = 256;
/** Room for any structure that is asked for: a library that writes more than its header says must not hurt. */
const ROOM = 1_024;

/** Numbers of the structures, which every one begins with (`zes_structure_type_t`). */
export const STRUCTURES = {
  deviceProperties: 0x1,
  pciProperties: 0x2,
  engineProperties: 0x5,
  frequencyProperties: 0x9,
  memoryProperties: 0xb,
  rasProperties: 0xf,
  temperatureProperties: 0x14,
  processState: 0x16,
  frequencyState: 0x1b,
  memoryState: 0x1e,
  rasState: 0x22,
  powerLimitExt: 0x27,
} as const;

/** Calls of the library, with what they answer as bytes. Not there, not supported and not allowed are all undefined. */
export class Zes {
  readonly #library: LevelZero;

  constructor(library: LevelZero) {
    this.#library = library;
  }

  /** Whether it answered. @throws GpuError when the device is lost */
  #call(name: ZesFunction, ...given: ZesArgument[]): boolean {
    const code = this.#library.call(name, ...given);
    if (code === DEVICE_LOST) throw new GpuError('lost', `${name}: the device is lost`);
    return code === 0;
  }

  /** Loads the drivers. */
  init(): boolean {
    return this.#call('zesInit', 0);
  }

  /** Handles of a kind: first asked how many, then for them. */
  handles(name: ZesFunction, ...owner: bigint[]): readonly bigint[] {
    const count = Buffer.alloc(4);
    if (!this.#call(name, ...owner, count, null)) return [];
    const wanted = Math.min(count.readUInt32LE(), MAX_HANDLES);
    if (wanted === 0) return [];
    count.writeUInt32LE(wanted);
    const out = Buffer.alloc(8 * wanted);
    if (!this.#call(name, ...owner, count, out)) return [];
    return Array.from({ length: Math.min(count.readUInt32LE(), wanted) }, (_, index) =>
      out.readBigUInt64LE(8 * index),
    );
  }

  /** A handle that there is one of. */
  handle(name: ZesFunction, owner: bigint): bigint | undefined {
    const out = Buffer.alloc(8);
    return this.#call(name, owner, out) ? out.readBigUInt64LE() : undefined;
  }

  /** A structure; `structure` is its number, undefined for those without one. `before` is given before it. */
  read(
    name: ZesFunction,
    handle: bigint,
    structure: number | undefined,
    ...before: number[]
  ): Buffer | undefined {
    const out = Buffer.alloc(ROOM);
    if (structure !== undefined) out.writeUInt32LE(structure, 0);
    return this.#call(name, handle, ...before, out) ? out : undefined;
  }

  /** Structures of `bytes` each, one after another. */
  list(name: ZesFunction, handle: bigint, structure: number, bytes: number): readonly Buffer[] {
    const count = Buffer.alloc(4);
    if (!this.#call(name, handle, count, null)) return [];
    const wanted = Math.min(count.readUInt32LE(), MAX_HANDLES);
    if (wanted === 0) return [];
    count.writeUInt32LE(wanted);
    const out = Buffer.alloc(bytes * wanted);
    for (let index = 0; index < wanted; index += 1) out.writeUInt32LE(structure, index * bytes);
    if (!this.#call(name, handle, count, out)) return [];
    return Array.from({ length: Math.min(count.readUInt32LE(), wanted) }, (_, index) =>
      out.subarray(index * bytes, (index + 1) * bytes),
    );
  }
}
