/**
 * What libkineto (the profiler within PyTorch, run with KINETO_USE_DAEMON=1) says to its daemon and hears from it: one
 * datagram is {u64 length, char type[32]} and the payload of that length.
 */
const TYPE_BYTES = 32;
const HEAD_BYTES = 8 + TYPE_BYTES;
const MAX_PIDS = 4_096;
/** No datagram that means something is longer. */
export const MAX_DATAGRAM_BYTES = HEAD_BYTES + 16 + 4 * MAX_PIDS;

const CONTEXT = 'ctxt';
const REQUEST = 'req';
/** Kinds of configuration that a process asks for, as bits. */
const ACTIVITIES = 2;

export type Said =
  /** A process is there. */
  | { readonly kind: 'context'; readonly gpu: number; readonly pid: number; readonly job: bigint }
  /** A process asks whether it shall profile; its own number first, then those of its parents. */
  | {
      readonly kind: 'request';
      readonly activities: boolean;
      readonly job: bigint;
      readonly pids: readonly number[];
    };

/** Reads a datagram; undefined when it is none of these. */
export function parseDatagram(bytes: Buffer): Said | undefined {
  if (bytes.length < HEAD_BYTES || bytes.readBigUInt64LE(0) !== BigInt(bytes.length - HEAD_BYTES))
    return undefined;
  const type = bytes.toString('latin1', 8, HEAD_BYTES).split('\0', 1)[0];
  const payload = bytes.subarray(HEAD_BYTES);
  if (payload.length < 16) return undefined;
  const first = payload.readInt32LE(0);
  const second = payload.readInt32LE(4);
  const job = payload.readBigInt64LE(8);
  if (type === CONTEXT) return { kind: 'context', gpu: first, pid: second, job };
  if (type !== REQUEST || second < 1 || second > MAX_PIDS || payload.length < 16 + 4 * second)
    return undefined;
  const pids = Array.from({ length: second }, (_, at) => payload.readInt32LE(16 + 4 * at));
  return { kind: 'request', activities: (first & ACTIVITIES) !== 0, job, pids };
}

function datagram(type: string, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigUInt64LE(BigInt(payload.length), 0);
  head.write(type, 8, TYPE_BYTES - 1, 'latin1');
  return Buffer.concat([head, payload]);
}

/** Answers a context: how many processes of its job there are on its GPU. */
export function contextReply(count: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeInt32LE(count);
  return datagram(CONTEXT, payload);
}

/** Answers a request: what to profile, empty for nothing. */
export const requestReply = (config: string): Buffer => datagram(REQUEST, Buffer.from(config));
