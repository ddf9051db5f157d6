/** What the programs of `cuda.bpf.c` write, as its structures lay it out. */
export const EVENT_LAUNCH = 1;
export const EVENT_SYNC = 2;
export const EVENT_NAME = 3;
export const EVENT_PROCESS = 4;
export const KIND_GRAPH = 1;
export const SYNC_DEVICE = 1;
/** `what` of a memory record that is an allocation; below it stand the kinds of copies. */
export const MEMORY_ALLOCATED = 16;
export const BUCKETS = 32;
/** A thread that was not seen to choose a device uses the first. */
const UNKNOWN_DEVICE = 0xffff;
const MAX_NAME = 256;

export const deviceOf = (device: number): number => (device === UNKNOWN_DEVICE ? 0 : device);

/** An address or a time in nanoseconds: both stay below 2^53 (a machine that runs for 104 days). */
export const readWide = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 4_294_967_296;

export interface KernelRecord {
  readonly function: number;
  readonly pid: number;
  readonly device: number;
  readonly graph: boolean;
}

export function parseKernelKey(key: Buffer): KernelRecord {
  return {
    function: readWide(key, 0),
    pid: key.readUInt32LE(8),
    device: deviceOf(key.readUInt16LE(12)),
    graph: key.readUInt16LE(14) === KIND_GRAPH,
  };
}

/** Launches, the sums of the three sizes, and their histograms, one after another. */
export function parseKernelValue(value: Buffer): Float64Array {
  const numbers = new Float64Array(4 + 3 * BUCKETS);
  for (let at = 0; at < 4; at += 1) numbers[at] = readWide(value, at * 8);
  for (let at = 0; at < 3 * BUCKETS; at += 1) numbers[4 + at] = value.readUInt32LE(32 + at * 4);
  return numbers;
}

/** Text of a name event, which may be empty or cut off. */
export function nameAt(bytes: Buffer, at: number): string {
  const end = bytes.indexOf(0, at);
  const last = end === -1 || end > at + MAX_NAME ? at + MAX_NAME : end;
  return bytes.toString('utf8', at, last);
}
