import koffi from 'koffi';

/**
 * The interfaces of Windows that Node has no words for, as bytes; what they mean is in the `win32.ts` files, which need
 * no Windows. Loaded on Windows only. Not yet run on hardware.
 */
const kernel = koffi.load('kernel32.dll');
const ntdll = koffi.load('ntdll.dll');
const ip = koffi.load('iphlpapi.dll');

const groupCount = kernel.func('uint16_t GetActiveProcessorGroupCount()');
const groupSize = kernel.func('uint32_t GetActiveProcessorCount(uint16_t)');
const querySystem = ntdll.func(
  'int32_t NtQuerySystemInformationEx(int, void *, uint32_t, void *, uint32_t, _Out_ uint32_t *)',
);

const PROCESSOR_PERFORMANCE = 8;
const PROCESSOR_BYTES = 48;

/** `SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION` of every CPU, group by group: Node tells of the first 64 CPUs only. */
export function processorTimes(): Buffer[] | undefined {
  const groups: Buffer[] = [];
  for (let group = 0; group < (groupCount() as number); group += 1) {
    const bytes = Buffer.alloc((groupSize(group) as number) * PROCESSOR_BYTES);
    const number = Buffer.alloc(2);
    number.writeUInt16LE(group);
    const length = [0];
    const status = querySystem(PROCESSOR_PERFORMANCE, number, 2, bytes, bytes.length, length) as number;
    if (status !== 0) return undefined;
    groups.push(bytes.subarray(0, length[0]));
  }
  return groups;
}

const logicalDrives = kernel.func('uint32_t GetLogicalDrives()');
const driveType = kernel.func('uint32_t GetDriveTypeW(const char16_t *)');
const diskFree = kernel.func(
  'bool GetDiskFreeSpaceExW(const char16_t *, _Out_ uint64_t *, _Out_ uint64_t *, _Out_ uint64_t *)',
);
const volumeInformation = kernel.func(
  'bool GetVolumeInformationW(const char16_t *, void *, uint32_t, void *, void *, void *, void *, uint32_t)',
);

const DRIVE_FIXED = 3;
const NAME_CHARACTERS = 64;

/** The volumes with a letter that are fixed disks of this machine, in bytes. `available` is what this user may fill. */
export function fixedVolumes(): {
  readonly root: string;
  readonly type: string;
  readonly total: bigint;
  readonly free: bigint;
  readonly available: bigint;
}[] {
  const mask = logicalDrives() as number;
  const volumes = [];
  for (let letter = 0; letter < 26; letter += 1) {
    const root = `${String.fromCodePoint(65 + letter)}:\\`;
    if (((mask >>> letter) & 1) === 0 || driveType(root) !== DRIVE_FIXED) continue;
    const [available, total, free]: [(number | bigint)[], (number | bigint)[], (number | bigint)[]] = [
      [0],
      [0],
      [0],
    ];
    const name = Buffer.alloc(NAME_CHARACTERS * 2);
    if (!diskFree(root, available, total, free)) continue;
    if (!volumeInformation(root, null, 0, null, null, null, name, NAME_CHARACTERS)) continue;
    volumes.push({
      root,
      type: name.toString('utf16le').split('\0', 1)[0] ?? '',
      total: BigInt(total[0] ?? 0),
      free: BigInt(free[0] ?? 0),
      available: BigInt(available[0] ?? 0),
    });
  }
  return volumes;
}

const createFile = kernel.func(
  'intptr_t CreateFileW(const char16_t *, uint32_t, uint32_t, void *, uint32_t, uint32_t, intptr_t)',
);
const closeHandle = kernel.func('bool CloseHandle(intptr_t)');
const deviceControl = kernel.func(
  'bool DeviceIoControl(intptr_t, uint32_t, void *, uint32_t, void *, uint32_t, _Out_ uint32_t *, void *)',
);

const SHARE_READ_WRITE = 3;
const OPEN_EXISTING = 3;
const IOCTL_DISK_PERFORMANCE = 0x70020;
const DISK_PERFORMANCE_BYTES = 88;

/** `DISK_PERFORMANCE` of `\\.\PhysicalDrive<number>`; undefined when there is no such disk or it keeps no counts. */
export function diskPerformance(number: number): Buffer | undefined {
  // Asking for no access at all is enough to be told the counts, and needs no rights.
  const handle = createFile(
    `\\\\.\\PhysicalDrive${number}`,
    0,
    SHARE_READ_WRITE,
    null,
    OPEN_EXISTING,
    0,
    0,
  ) as number | bigint;
  if (BigInt(handle) === -1n) return undefined;
  try {
    const bytes = Buffer.alloc(DISK_PERFORMANCE_BYTES);
    const length = [0];
    const done = deviceControl(handle, IOCTL_DISK_PERFORMANCE, null, 0, bytes, bytes.length, length, null);
    return done === true ? bytes : undefined;
  } finally {
    closeHandle(handle);
  }
}

const getIfTable2 = ip.func('uint32_t GetIfTable2(_Out_ void **)');
const freeMibTable = ip.func('void FreeMibTable(void *)');
const IF_ROW_BYTES = 1_352;
const MAX_IF_ROWS = 4_096;

/** Rows `MIB_IF_ROW2` of all interfaces, one after another. */
export function interfaceTable(): Buffer | undefined {
  const table: unknown[] = [null];
  if (getIfTable2(table) !== 0 || table[0] === null) return undefined;
  try {
    const rows = Math.min(MAX_IF_ROWS, koffi.decode.uint32(table[0]));
    const whole = Buffer.from(koffi.view(table[0], 8 + rows * IF_ROW_BYTES));
    // Copied: the table is given back.
    return Buffer.from(whole.subarray(8));
  } finally {
    freeMibTable(table[0]);
  }
}

const currentProcess = kernel.func('intptr_t GetCurrentProcess()');
const processMemory = kernel.func('bool K32GetProcessMemoryInfo(intptr_t, void *, uint32_t)');
const createSnapshot = kernel.func('intptr_t CreateToolhelp32Snapshot(uint32_t, uint32_t)');
const processFirst = kernel.func('bool Process32FirstW(intptr_t, void *)');
const processNext = kernel.func('bool Process32NextW(intptr_t, void *)');

const MEMORY_COUNTERS_BYTES = 80;
const SNAP_PROCESS = 2;
const PROCESS_ENTRY_BYTES = 568;
const MAX_PROCESSES = 65_536;

/** `PROCESS_MEMORY_COUNTERS_EX` of this process. */
export function ownMemoryCounters(): Buffer | undefined {
  const bytes = Buffer.alloc(MEMORY_COUNTERS_BYTES);
  bytes.writeUInt32LE(bytes.length);
  return processMemory(currentProcess(), bytes, bytes.length) === true ? bytes : undefined;
}

/** `PROCESSENTRY32W` of this process: it tells the number of its threads. */
export function ownProcessEntry(): Buffer | undefined {
  const snapshot = createSnapshot(SNAP_PROCESS, 0) as number | bigint;
  if (BigInt(snapshot) === -1n) return undefined;
  try {
    const entry = Buffer.alloc(PROCESS_ENTRY_BYTES);
    entry.writeUInt32LE(entry.length);
    let more = processFirst(snapshot, entry) === true;
    for (let count = 0; more && count < MAX_PROCESSES; count += 1) {
      if (entry.readUInt32LE(8) === process.pid) return entry;
      more = processNext(snapshot, entry) === true;
    }
    return undefined;
  } finally {
    closeHandle(snapshot);
  }
}
