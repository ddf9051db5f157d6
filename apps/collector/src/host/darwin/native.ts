import koffi from 'koffi';

/**
 * The interfaces of macOS that Node has no words for, as bytes; what they mean is in the `darwin.ts` files, which need
 * no Mac. Loaded on macOS only. Not yet run on hardware.
 */
const system = koffi.load('/usr/lib/libSystem.B.dylib');
const core = koffi.load('/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation');
const io = koffi.load('/System/Library/Frameworks/IOKit.framework/IOKit');

const machHostSelf = system.func('uint32_t mach_host_self()');
const hostStatistics64 = system.func('int host_statistics64(uint32_t, int, void *, _Inout_ uint32_t *)');
const getpagesize = system.func('int getpagesize()');
const sysctl = system.func('int sysctl(int *, uint32_t, void *, _Inout_ size_t *, void *, size_t)');
// On Intel the plain name is an older structure with 32 bits of inode.
const getfsstat = system.func(`int getfsstat${process.arch === 'x64' ? '$INODE64' : ''}(void *, int, int)`);
const procPidinfo = system.func('int proc_pidinfo(int, int, uint64_t, void *, int)');

const HOST_VM_INFO64 = 4;
const VM_WORDS = 38;
// Each call of mach_host_self takes a reference: one is enough.
let host: number | undefined;

/** `struct vm_statistics64`, and the bytes of a page it counts in; undefined when the kernel refuses. */
export function vmStatistics(): { readonly bytes: Buffer; readonly pageSize: number } | undefined {
  host ??= machHostSelf() as number;
  const bytes = Buffer.alloc(VM_WORDS * 4);
  const count = [VM_WORDS];
  if (hostStatistics64(host, HOST_VM_INFO64, bytes, count) !== 0) return undefined;
  return { bytes: bytes.subarray(0, (count[0] ?? 0) * 4), pageSize: getpagesize() as number };
}

const NET_RT_IFLIST2: readonly number[] = [4, 17, 0, 0, 6, 0];
const MAX_INTERFACE_BYTES = 4 * 1_048_576;

/** Messages `if_msghdr2` of all interfaces, among others. */
export function interfaceList(): Buffer | undefined {
  const name = Int32Array.from(NET_RT_IFLIST2);
  const size = [0];
  if (sysctl(name, name.length, null, size, null, 0) !== 0) return undefined;
  // Room for interfaces that come between the two calls.
  const room = Math.min(MAX_INTERFACE_BYTES, (size[0] ?? 0) + 16_384);
  const bytes = Buffer.alloc(room);
  size[0] = room;
  if (sysctl(name, name.length, bytes, size, null, 0) !== 0) return undefined;
  return bytes.subarray(0, size[0]);
}

/** Asks no file system: gives what the kernel last knew, so that a dead server holds nothing up. */
const MNT_NOWAIT = 2;
const STATFS_BYTES = 2_168;
const MAX_MOUNTS = 4_096;

/** `struct statfs` of every mount, one after another. */
export function mountList(): Buffer | undefined {
  const count = getfsstat(null, 0, MNT_NOWAIT) as number;
  if (count <= 0) return undefined;
  const bytes = Buffer.alloc(Math.min(MAX_MOUNTS, count + 8) * STATFS_BYTES);
  const filled = getfsstat(bytes, bytes.length, MNT_NOWAIT) as number;
  return filled < 0 ? undefined : bytes.subarray(0, filled * STATFS_BYTES);
}

const PROC_PIDTASKINFO = 4;
const TASK_INFO_BYTES = 96;

/** `struct proc_taskinfo` of a process; undefined when there is none or it is not ours to see. */
export function taskInfo(pid: number): Buffer | undefined {
  const bytes = Buffer.alloc(TASK_INFO_BYTES);
  return procPidinfo(pid, PROC_PIDTASKINFO, 0, bytes, bytes.length) === TASK_INFO_BYTES ? bytes : undefined;
}

const cfString = core.func('void *CFStringCreateWithCString(void *, const char *, uint32_t)');
const cfRelease = core.func('void CFRelease(void *)');
const cfDictionaryGet = core.func('void *CFDictionaryGetValue(void *, void *)');
const cfNumberGet = core.func('bool CFNumberGetValue(void *, long, _Out_ int64_t *)');
const cfStringGet = core.func('bool CFStringGetCString(void *, void *, long, uint32_t)');
const matching = io.func('void *IOServiceMatching(const char *)');
const getServices = io.func('int IOServiceGetMatchingServices(uint32_t, void *, _Out_ uint32_t *)');
const iteratorNext = io.func('uint32_t IOIteratorNext(uint32_t)');
const objectRelease = io.func('int IOObjectRelease(uint32_t)');
const createProperty = io.func('void *IORegistryEntryCreateCFProperty(uint32_t, void *, void *, uint32_t)');
const searchProperty = io.func(
  'void *IORegistryEntrySearchCFProperty(uint32_t, const char *, void *, void *, uint32_t)',
);

const UTF8 = 0x0800_0100;
const SINT64 = 4;
const RECURSIVELY = 1;
const MAX_DRIVES = 1_000;

const text = (value: string): unknown => cfString(null, value, UTF8);
// Made once and kept: they are constants of the program.
const BSD_NAME = text('BSD Name');
const STATISTICS = text('Statistics');

/** Statistics of every block storage driver with the BSD name of its disk (`disk0`), by the names IOKit gives them. */
export function driveStatistics(
  keys: readonly string[],
): { readonly name: string; readonly figures: ReadonlyMap<string, bigint> }[] | undefined {
  const iterator = [0];
  if (getServices(0, matching('IOBlockStorageDriver'), iterator) !== 0) return undefined;
  const wanted = keys.map((key) => [key, text(key)] as const);
  const drives: { name: string; figures: ReadonlyMap<string, bigint> }[] = [];
  try {
    for (let count = 0; count < MAX_DRIVES; count += 1) {
      const drive = iteratorNext(iterator[0]) as number;
      if (drive === 0) break;
      try {
        const name = nameOf(drive);
        const statistics: unknown = createProperty(drive, STATISTICS, null, 0);
        if (statistics === null) continue;
        const figures = new Map<string, bigint>();
        for (const [key, cfKey] of wanted) {
          const number: unknown = cfDictionaryGet(statistics, cfKey);
          const value: (number | bigint)[] = [0];
          if (number !== null && cfNumberGet(number, SINT64, value)) figures.set(key, BigInt(value[0] ?? 0));
        }
        cfRelease(statistics);
        if (name !== undefined) drives.push({ name, figures });
      } finally {
        objectRelease(drive);
      }
    }
  } finally {
    objectRelease(iterator[0]);
    for (const [, cfKey] of wanted) cfRelease(cfKey);
  }
  return drives;
}

function nameOf(drive: number): string | undefined {
  const name: unknown = searchProperty(drive, 'IOService', BSD_NAME, null, RECURSIVELY);
  if (name === null) return undefined;
  const bytes = Buffer.alloc(128);
  const copied = cfStringGet(name, bytes, bytes.length, UTF8) as boolean;
  cfRelease(name);
  return copied ? bytes.toString('utf8', 0, bytes.indexOf(0)) : undefined;
}
