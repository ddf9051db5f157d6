import { getSystemErrorName } from 'node:util';

/** What to count, in the words of `perf_event_attr`. */
export interface PerfEvent {
  readonly type: number;
  readonly config: bigint;
  readonly config1?: bigint;
  readonly config2?: bigint;
}

/** Opens a counter of everything that runs on `cpu`; in the group of the descriptor `leader` unless that is -1. */
export type OpenCounter = (event: PerfEvent, cpu: number, leader: number) => number;

export class PerfOpenError extends Error {
  override readonly name = 'PerfOpenError';
  /** `EACCES`, `ENOENT` and so on. */
  readonly code: string;
  constructor(errno: number) {
    const code = errno > 0 ? getSystemErrorName(-errno) : 'UNKNOWN';
    super(`perf_event_open failed with ${code}`);
    this.code = code;
  }
}

/** Number of the call `perf_event_open`, from the tables of the kernel. */
const CALL: Readonly<Partial<Record<NodeJS.Architecture, number>>> = {
  x64: 298,
  arm64: 241,
  riscv64: 241,
  loong64: 241,
  arm: 364,
};

/** PERF_ATTR_SIZE_VER5: what Linux 4.1 and later know, and all that is used here. */
const ATTR_SIZE = 112;
const FORMAT_ENABLED = 1n;
const FORMAT_RUNNING = 2n;
const FORMAT_GROUP = 8n;
const CLOSE_ON_EXEC = 8;

/**
 * The system call itself, through the C library that Node runs on: Node has no words for it. Descriptors are read and
 * closed with `node:fs`. @throws where the native part cannot be loaded
 */
export async function loadPerf(): Promise<OpenCounter> {
  const number = CALL[process.arch];
  if (number === undefined) throw new Error(`no number of perf_event_open is known for ${process.arch}`);
  // Loaded only here: it costs memory and time that an agent without counters need not spend.
  const { default: koffi } = await import('koffi');
  const syscall = koffi
    .load(null)
    .func('long syscall(long number, void *attr, int pid, int cpu, int group, unsigned long flags)');
  return (event, cpu, leader) => {
    const attr = Buffer.alloc(ATTR_SIZE);
    attr.writeUInt32LE(event.type, 0);
    attr.writeUInt32LE(ATTR_SIZE, 4);
    attr.writeBigUInt64LE(event.config, 8);
    attr.writeBigUInt64LE(FORMAT_ENABLED | FORMAT_RUNNING | FORMAT_GROUP, 32);
    attr.writeBigUInt64LE(event.config1 ?? 0n, 56);
    attr.writeBigUInt64LE(event.config2 ?? 0n, 64);
    const descriptor = Number(syscall(number, attr, -1, cpu, leader, CLOSE_ON_EXEC));
    if (descriptor < 0) throw new PerfOpenError(koffi.errno());
    return descriptor;
  };
}
