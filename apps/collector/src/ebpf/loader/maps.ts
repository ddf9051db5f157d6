import { closeSync } from 'node:fs';
import type { MapDefinition } from './object.ts';
import { type Kernel, SystemCallError } from './native.ts';

const MAP_CREATE = 0;
const LOOKUP = 1;
const UPDATE = 2;
const DELETE = 3;
const LOOKUP_BATCH = 24;
const BATCH = 512;
const ATTRIBUTES = 64;

/** A map of the kernel. Values are read and never taken away: a program may be adding to one right now. */
export class BpfMap {
  readonly descriptor: number;
  readonly #kernel: Kernel;
  readonly #definition: MapDefinition;

  /** @throws SystemCallError */
  constructor(kernel: Kernel, definition: MapDefinition) {
    this.#kernel = kernel;
    this.#definition = definition;
    const attributes = Buffer.alloc(72);
    attributes.writeUInt32LE(definition.type, 0);
    attributes.writeUInt32LE(definition.keySize, 4);
    attributes.writeUInt32LE(definition.valueSize, 8);
    attributes.writeUInt32LE(definition.entries, 12);
    attributes.write(definition.name.slice(0, 15), 28, 'latin1');
    this.descriptor = kernel.bpf('BPF_MAP_CREATE', MAP_CREATE, attributes);
  }

  get entries(): number {
    return this.#definition.entries;
  }

  /** The value of a key; undefined when there is none. */
  get(key: Buffer): Buffer | undefined {
    const value = Buffer.alloc(this.#definition.valueSize);
    return this.#element(LOOKUP, 'BPF_MAP_LOOKUP_ELEM', key, value) ? value : undefined;
  }

  set(key: Buffer, value: Buffer): void {
    this.#element(UPDATE, 'BPF_MAP_UPDATE_ELEM', key, value);
  }

  /** Whether it was there. */
  delete(key: Buffer): boolean {
    return this.#element(DELETE, 'BPF_MAP_DELETE_ELEM', key, undefined);
  }

  #element(command: number, name: string, key: Buffer, value: Buffer | undefined): boolean {
    const attributes = Buffer.alloc(32);
    attributes.writeUInt32LE(this.descriptor, 0);
    attributes.writeBigUInt64LE(this.#kernel.address(key), 8);
    if (value !== undefined) attributes.writeBigUInt64LE(this.#kernel.address(value), 16);
    try {
      this.#kernel.bpf(name, command, attributes);
      return true;
    } catch (thrown) {
      if (thrown instanceof SystemCallError && thrown.code === 'ENOENT') return false;
      throw thrown;
    }
  }

  /** Every key with its value, in blocks that are used again: keep nothing past one turn. @throws SystemCallError */
  *all(): Generator<{ readonly key: Buffer; readonly value: Buffer }> {
    const { keySize, valueSize } = this.#definition;
    const keys = Buffer.alloc(keySize * BATCH);
    const values = Buffer.alloc(valueSize * BATCH);
    // The place where a block ends; as large as a key, or 4 bytes for maps by a hash.
    let place: Buffer | undefined;
    for (;;) {
      const next = Buffer.alloc(Math.max(8, keySize));
      const attributes = Buffer.alloc(ATTRIBUTES);
      if (place !== undefined) attributes.writeBigUInt64LE(this.#kernel.address(place), 0);
      attributes.writeBigUInt64LE(this.#kernel.address(next), 8);
      attributes.writeBigUInt64LE(this.#kernel.address(keys), 16);
      attributes.writeBigUInt64LE(this.#kernel.address(values), 24);
      attributes.writeUInt32LE(BATCH, 32);
      attributes.writeUInt32LE(this.descriptor, 36);
      let ended = false;
      try {
        this.#kernel.bpf('BPF_MAP_LOOKUP_BATCH', LOOKUP_BATCH, attributes);
      } catch (thrown) {
        if (!(thrown instanceof SystemCallError) || thrown.code !== 'ENOENT') throw thrown;
        ended = true;
      }
      const count = attributes.readUInt32LE(32);
      for (let at = 0; at < count; at += 1) {
        yield {
          key: keys.subarray(at * keySize, (at + 1) * keySize),
          value: values.subarray(at * valueSize, (at + 1) * valueSize),
        };
      }
      if (ended || count === 0) return;
      place = next;
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
