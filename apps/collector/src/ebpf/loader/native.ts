import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';

/** A system call that the kernel refused; `code` is its name (`EPERM`). */
export class SystemCallError extends Error {
  override readonly name = 'SystemCallError';
  readonly code: string;
  readonly call: string;
  constructor(call: string, errno: number) {
    const code = errno > 0 ? getSystemErrorName(-errno) : 'UNKNOWN';
    super(`${call} failed with ${code}`);
    this.code = code;
    this.call = call;
  }
}

/** Numbers of the calls, from the tables of the kernel. */
const CALLS: Readonly<Partial<Record<NodeJS.Architecture, { readonly bpf: number; readonly perf: number }>>> =
  {
    x64: { bpf: 321, perf: 298 },
    arm64: { bpf: 280, perf: 241 },
  };

const MAP_SHARED = 1;
const RLIMIT_MEMLOCK = 8;
const CLOCK_MONOTONIC = 1;

/** What the kernel is asked for, in its own words. Node has none of these calls. */
export interface Kernel {
  /** bpf(2). Returns what the call returns: a descriptor, or 0. @throws SystemCallError */
  bpf(name: string, command: number, attributes: Buffer): number;
  /** perf_event_open(2). @throws SystemCallError */
  perf(attributes: Buffer, pid: number, cpu: number): number;
  /** ioctl(2) with a number for an argument. @throws SystemCallError */
  control(descriptor: number, request: bigint, argument: number): void;
  /** Maps `length` bytes of a descriptor. @throws SystemCallError */
  map(descriptor: number, length: number, offset: number, writable: boolean): Mapping;
  /** Where a buffer lies; it must live until the call is over. */
  address(buffer: Buffer): bigint;
  /** Kernels before 5.11 count the memory of maps as locked. */
  allowLockedMemory(): void;
  /** CLOCK_MONOTONIC, by which records of the kernel are stamped: `process.hrtime` of the packed program begins at its own start. */
  monotonicNs(): bigint;
  /** Calls a function of the C library that does nothing so many times: what a probe on it costs is measured with it. */
  callIdle(name: IdleFunction, times: number): void;
}

/** One whose first instruction works on registers, and one that begins by pushing one, as most functions do. */
export type IdleFunction = 'labs' | 'setlogmask';

export interface Mapping {
  readonly bytes: ArrayBuffer;
  close(): void;
}

/** The calls of this process. @throws where no program for this architecture exists */
export function openKernel(): Kernel {
  const numbers = CALLS[process.arch];
  if (numbers === undefined) throw new Error(`no BPF programs are built for ${process.arch}`);
  const library = koffi.load(null);
  const bpf = library.func('long syscall(long number, int command, void *attributes, unsigned int size)');
  const perf = library.func(
    'long syscall(long number, void *attributes, int pid, int cpu, int group, unsigned long flags)',
  );
  const ioctl = library.func('int ioctl(int descriptor, unsigned long request, unsigned long argument)');
  const mmap = library.func(
    'uintptr_t mmap(uintptr_t at, size_t length, int protection, int flags, int descriptor, long offset)',
  );
  const munmap = library.func('int munmap(uintptr_t at, size_t length)');
  const setrlimit = library.func('int setrlimit(int resource, void *limit)');
  const clock = library.func('int clock_gettime(int clock, void *time)');
  const idle = {
    labs: library.func('long labs(long value)'),
    // A mask of 0 changes nothing.
    setlogmask: library.func('int setlogmask(int mask)'),
  };
  const checked = (call: string, result: number): number => {
    if (result < 0) throw new SystemCallError(call, koffi.errno());
    return result;
  };
  return {
    bpf: (name, command, attributes) =>
      checked(name, Number(bpf(numbers.bpf, command, attributes, attributes.length))),
    perf: (attributes, pid, cpu) =>
      checked('perf_event_open', Number(perf(numbers.perf, attributes, pid, cpu, -1, 8))),
    control: (descriptor, request, argument) => {
      checked('ioctl', Number(ioctl(descriptor, request, argument)));
    },
    map: (descriptor, length, offset, writable) => {
      const at = BigInt(mmap(0, length, writable ? 3 : 1, MAP_SHARED, descriptor, offset));
      if (BigInt.asIntN(64, at) === -1n) throw new SystemCallError('mmap', koffi.errno());
      return { bytes: koffi.view(at, length), close: () => void munmap(at, length) };
    },
    address: (buffer) => koffi.address(buffer),
    allowLockedMemory: () => {
      const unlimited = Buffer.alloc(16, 0xff);
      setrlimit(RLIMIT_MEMLOCK, unlimited);
    },
    monotonicNs: () => {
      const time = Buffer.alloc(16);
      checked('clock_gettime', Number(clock(CLOCK_MONOTONIC, time)));
      return time.readBigInt64LE(0) * 1_000_000_000n + time.readBigInt64LE(8);
    },
    callIdle: (name, times) => {
      const call = idle[name];
      for (let made = 0; made < times; made += 1) call(0);
    },
  };
}
