import { closeSync, readSync } from 'node:fs';
import { type OpenCounter, type PerfEvent, PerfOpenError } from './native.ts';

/** One reading of a group: all its counters at the same instant. */
export interface Reading {
  /** Nanoseconds the group was wanted, and those in which it really counted. */
  readonly enabled: bigint;
  readonly running: bigint;
  readonly values: readonly bigint[];
}

/**
 * Growth between two readings. Where more is to be counted than the processor has counters for, the kernel takes turns:
 * what was counted in the turns since the last reading is taken for the whole time since then. (Scaling by the turns of the
 * whole life instead would let sums fall.) Undefined when no turn fell in between: nothing is known yet.
 */
export function scaledGrowth(before: Reading, now: Reading): readonly number[] | undefined {
  const running = now.running - before.running;
  const enabled = now.enabled - before.enabled;
  if (running <= 0n || enabled <= 0n) return undefined;
  const factor = running >= enabled ? 1 : Number(enabled) / Number(running);
  return now.values.map((value, index) => {
    const grown = value - (before.values[index] ?? 0n);
    return grown > 0n ? Number(grown) * factor : 0;
  });
}

/** Layout of PERF_FORMAT_GROUP: how many, enabled, running, then the values. */
export function parseReading(bytes: Buffer, length: number, members: number): Reading | undefined {
  if (length < 8 * (3 + members) || bytes.readBigUInt64LE(0) !== BigInt(members)) return undefined;
  const values: bigint[] = [];
  for (let index = 0; index < members; index += 1) values.push(bytes.readBigUInt64LE(8 * (3 + index)));
  return { enabled: bytes.readBigUInt64LE(8), running: bytes.readBigUInt64LE(16), values };
}

/** No such counter here, or none left that could be had beside the others. */
const UNSUPPORTED = new Set([
  'ENOENT',
  'EOPNOTSUPP',
  'ENOTSUP',
  'EINVAL',
  'ENODEV',
  'ENXIO',
  'ENOSPC',
  'EBUSY',
]);

/** Counters of one CPU that are counted at the same times, so that one may be divided by another. */
export class CounterGroup {
  readonly #descriptors: readonly number[];
  readonly #buffer: Buffer;
  #before: Reading | undefined;
  /** Which of the events asked for are counted: indexes into them. */
  readonly members: readonly number[];

  private constructor(descriptors: readonly number[], members: readonly number[]) {
    this.#descriptors = descriptors;
    this.members = members;
    this.#buffer = Buffer.alloc(8 * (3 + members.length));
    this.#before = this.#read();
  }

  /**
   * Opens what there is of `events` on `cpu`. @throws PerfOpenError of the first event when there is none of them, and at
   * once when refused or out of descriptors
   */
  static open(open: OpenCounter, events: readonly PerfEvent[], cpu: number): CounterGroup {
    const descriptors: number[] = [];
    const members: number[] = [];
    let failure: PerfOpenError | undefined;
    for (const [index, event] of events.entries()) {
      try {
        descriptors.push(open(event, cpu, descriptors[0] ?? -1));
        members.push(index);
      } catch (thrown) {
        if (thrown instanceof PerfOpenError && UNSUPPORTED.has(thrown.code)) {
          failure ??= thrown;
          continue;
        }
        for (const descriptor of descriptors) closeSync(descriptor);
        throw thrown;
      }
    }
    if (descriptors.length === 0) throw failure ?? new PerfOpenError(0);
    return new CounterGroup(descriptors, members);
  }

  /** Growth of each member since the last reading that told something; undefined when there is none yet. */
  grown(): readonly number[] | undefined {
    const now = this.#read();
    if (now === undefined) return undefined;
    const grown = this.#before === undefined ? undefined : scaledGrowth(this.#before, now);
    if (grown !== undefined || this.#before === undefined) this.#before = now;
    return grown;
  }

  close(): void {
    // Members before their leader: closing the leader first would leave them counting alone for a moment.
    for (const descriptor of this.#descriptors.toReversed()) closeSync(descriptor);
  }

  #read(): Reading | undefined {
    const [leader] = this.#descriptors;
    if (leader === undefined) return undefined;
    const length = readSync(leader, this.#buffer, 0, this.#buffer.length, null);
    return parseReading(this.#buffer, length, this.members.length);
  }
}
