import type { LoadedObject } from '../loader/programs.ts';
import { deviceOf, parseKernelKey, parseKernelValue, readWide } from './events.ts';

export interface KernelGrowth {
  readonly pid: number;
  readonly device: number;
  readonly fn: number;
  readonly graph: boolean;
  /** See `parseKernelValue`. */
  readonly numbers: Float64Array;
}

export interface MemoryGrowth {
  readonly pid: number;
  readonly device: number;
  readonly what: number;
  readonly bytes: number;
}

const DROPS = ['events', 'kernels', 'processes', 'memory'] as const;

/** Reads the sums that the programs keep. They are never reset: a program may be adding to one right now. */
export class CudaCounts {
  readonly #object: LoadedObject;
  /** What was entered already, by key. */
  readonly #kernels = new Map<string, Float64Array>();
  readonly #memory = new Map<string, number>();

  constructor(object: LoadedObject) {
    this.#object = object;
  }

  /** Growth since the last call. */
  grown(): { readonly kernels: KernelGrowth[]; readonly memory: MemoryGrowth[] } {
    const kernels: KernelGrowth[] = [];
    for (const { key, value } of this.#object.map('kernels').all()) {
      const text = key.toString('latin1');
      const total = parseKernelValue(value);
      const before = this.#kernels.get(text);
      if (before !== undefined && before[0] === total[0]) continue;
      const { pid, device, function: fn, graph } = parseKernelKey(key);
      const numbers = total.map((number, at) => Math.max(0, number - (before?.[at] ?? 0)));
      this.#kernels.set(text, total);
      kernels.push({ pid, device, fn, graph, numbers });
    }
    const memory: MemoryGrowth[] = [];
    for (const { key, value } of this.#object.map('memory').all()) {
      const text = key.toString('latin1');
      const total = readWide(value, 0);
      const bytes = total - (this.#memory.get(text) ?? 0);
      if (bytes <= 0) continue;
      this.#memory.set(text, total);
      memory.push({
        pid: key.readUInt32LE(0),
        device: deviceOf(key.readUInt16LE(4)),
        what: key.readUInt16LE(6),
        bytes,
      });
    }
    return { kernels, memory };
  }

  /** How often probes were hit in each process. */
  *hits(): Generator<readonly [pid: number, hits: number]> {
    for (const { key, value } of this.#object.map('processes').all()) {
      yield [key.readUInt32LE(0), readWide(value, 0)];
    }
  }

  /** What could not be kept, by what it was. */
  drops(): Record<string, number> {
    const map = this.#object.map('drops');
    return Object.fromEntries(
      DROPS.map((name, at) => {
        const key = Buffer.alloc(4);
        key.writeUInt32LE(at);
        const value = map.get(key);
        return [name, value === undefined ? 0 : readWide(value, 0)];
      }),
    );
  }

  /** A process has ended: its records are taken away, so that another of its number begins at nothing. */
  forget(pid: number): void {
    for (const [name, at, known] of [
      ['kernels', 8, this.#kernels],
      ['memory', 0, this.#memory],
      ['processes', 0, undefined],
    ] as const) {
      const map = this.#object.map(name);
      const keys = Array.from(map.all(), ({ key }) => Buffer.from(key)).filter((key) => {
        return key.readUInt32LE(at) === pid;
      });
      for (const key of keys) {
        map.delete(key);
        known?.delete(key.toString('latin1'));
      }
    }
  }
}
