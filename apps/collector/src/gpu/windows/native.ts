import koffi from 'koffi';

/**
 * The adapters of Windows (dxgi.h) and its performance counters of them (pdh.h). Every call may block, so this is loaded
 * in a thread of its own. From the headers; not yet run on Windows.
 */
export interface Adapter {
  readonly name: string;
  /** Numbers of the PCI bus. */
  readonly vendor: number;
  readonly device: number;
  /** Bytes of its own. */
  readonly memory: number;
  /** As counters name it: `0x00000000_0x0000d3c5`. Another one after the next start of Windows. */
  readonly luid: string;
  /** Drawn by the processor. */
  readonly software: boolean;
}

const FACTORY = '770aae78-f26f-4dba-a829-253c83d1b387';
/** Places in the tables of functions: of every object, of IDXGIFactory1, of IDXGIAdapter1. */
const RELEASE = 2;
const ENUM_ADAPTERS_1 = 12;
const GET_DESC_1 = 10;
const MAX_ADAPTERS = 64;
const DESCRIPTION_BYTES = 312;
const SOFTWARE = 2;

const release = koffi.proto('uint32_t GpuRelease(uintptr_t self)');
const enumerate = koffi.proto('int32_t GpuEnumAdapters1(uintptr_t self, uint32_t index, void *out)');
const describe = koffi.proto('int32_t GpuGetDesc1(uintptr_t self, void *out)');

/** The first three parts of an interface's name are numbers, the rest bytes. */
function guid(text: string): Buffer {
  const [a = '', b = '', c = '', ...rest] = text.split('-');
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(Number.parseInt(a, 16), 0);
  bytes.writeUInt16LE(Number.parseInt(b, 16), 4);
  bytes.writeUInt16LE(Number.parseInt(c, 16), 6);
  Buffer.from(rest.join(''), 'hex').copy(bytes, 8);
  return bytes;
}

/** The function at this place of the table that an object begins with. */
function method(object: bigint, place: number): bigint {
  const table = BigInt(koffi.decode(object, 'uint64_t') as number | bigint);
  return BigInt(koffi.decode(table + BigInt(place * 8), 'uint64_t') as number | bigint);
}

const hex = (value: number): string => `0x${(value >>> 0).toString(16).padStart(8, '0')}`;

/** `DXGI_ADAPTER_DESC1` on 64 bits. */
export function parseAdapter(bytes: Buffer): Adapter {
  const text = bytes.toString('utf16le', 0, 256);
  const end = text.indexOf('\0');
  return {
    name: (end < 0 ? text : text.slice(0, end)).trim(),
    vendor: bytes.readUInt32LE(256),
    device: bytes.readUInt32LE(260),
    memory: Number(bytes.readBigUInt64LE(272)),
    luid: `${hex(bytes.readInt32LE(300))}_${hex(bytes.readUInt32LE(296))}`,
    software: (bytes.readUInt32LE(304) & SOFTWARE) !== 0,
  };
}

/** The adapters there are now. @throws when the library cannot be loaded */
export function listAdapters(path: string): readonly Adapter[] {
  const create = koffi.load(path).func('int32_t CreateDXGIFactory1(const void *name, void *out)');
  const out = Buffer.alloc(8);
  if ((create(guid(FACTORY), out) as number) !== 0) return [];
  const factory = out.readBigUInt64LE();
  const found: Adapter[] = [];
  for (let index = 0; index < MAX_ADAPTERS; index += 1) {
    if ((koffi.call(method(factory, ENUM_ADAPTERS_1), enumerate, factory, index, out) as number) !== 0) break;
    const adapter = out.readBigUInt64LE();
    const bytes = Buffer.alloc(DESCRIPTION_BYTES);
    if ((koffi.call(method(adapter, GET_DESC_1), describe, adapter, bytes) as number) === 0) {
      found.push(parseAdapter(bytes));
    }
    koffi.call(method(adapter, RELEASE), release, adapter);
  }
  koffi.call(method(factory, RELEASE), release, factory);
  return found;
}

/** Numbers with fractions, and not cut off at 100: what several engines did is summed up later. */
const AS_DOUBLE = 0x200 | 0x8000;
const MORE_DATA = 0x800007d2;
/** `PDH_CSTATUS_VALID_DATA` is 0; with `PDH_CSTATUS_NEW_DATA` (pdhmsg.h) the value is valid and has changed. */
const NEW_DATA = 1;
const ITEM_BYTES = 24;
const MAX_VALUES_BYTES = 16 * 1_048_576;
const MAX_NAME_BYTES = 1_024;

type ValuesOf = (counter: bigint, format: number, bytes: Buffer, count: Buffer, out: Buffer | null) => number;

/** Counters of Windows that are asked together. */
export class PerformanceCounters {
  readonly #collect: (query: bigint) => number;
  readonly #values: ValuesOf;
  readonly #close: (query: bigint) => number;
  readonly #query: bigint;
  readonly #counters: readonly (bigint | undefined)[];

  /** `counters` by their English names. @throws when the library cannot be loaded or opened */
  constructor(path: string, counters: readonly string[]) {
    const pdh = koffi.load(path);
    const open = pdh.func('uint32_t PdhOpenQueryW(const char16_t *source, uintptr_t user, void *out)');
    const add = pdh.func(
      'uint32_t PdhAddEnglishCounterW(uintptr_t query, const char16_t *path, uintptr_t user, void *out)',
    );
    this.#collect = pdh.func('uint32_t PdhCollectQueryData(uintptr_t query)') as (query: bigint) => number;
    this.#values = pdh.func(
      'uint32_t PdhGetFormattedCounterArrayW(uintptr_t counter, uint32_t format, void *bytes, void *count, void *out)',
    ) as ValuesOf;
    this.#close = pdh.func('uint32_t PdhCloseQuery(uintptr_t query)') as (query: bigint) => number;
    const out = Buffer.alloc(8);
    const code = open(null, 0, out) as number;
    if (code !== 0) throw new Error(`performance counters could not be opened: ${hex(code)}`);
    this.#query = out.readBigUInt64LE();
    this.#counters = counters.map((counter) =>
      (add(this.#query, counter, 0, out) as number) === 0 ? out.readBigUInt64LE() : undefined,
    );
  }

  /** Values by instance, of each counter in the order they were given in; empty where there are none. */
  read(): readonly ReadonlyMap<string, number>[] {
    if (this.#collect(this.#query) !== 0) return this.#counters.map(() => new Map());
    return this.#counters.map((counter) => (counter === undefined ? new Map() : this.#valuesOf(counter)));
  }

  #valuesOf(counter: bigint): ReadonlyMap<string, number> {
    const values = new Map<string, number>();
    const bytes = Buffer.alloc(4);
    const count = Buffer.alloc(4);
    if (this.#values(counter, AS_DOUBLE, bytes, count, null) !== MORE_DATA) return values;
    const size = bytes.readUInt32LE();
    if (size > MAX_VALUES_BYTES) return values;
    const out = Buffer.alloc(size);
    if (this.#values(counter, AS_DOUBLE, bytes, count, out) !== 0) return values;
    // Names lie behind the items in the same bytes, and are pointed at.
    const base = koffi.address(out);
    for (let index = 0; index < count.readUInt32LE() && (index + 1) * ITEM_BYTES <= size; index += 1) {
      const item = index * ITEM_BYTES;
      const at = Number(out.readBigUInt64LE(item) - base);
      if (out.readUInt32LE(item + 8) > NEW_DATA || at < 0 || at >= size) continue;
      const text = out.toString('utf16le', at, Math.min(size, at + MAX_NAME_BYTES));
      values.set(text.slice(0, Math.max(0, text.indexOf('\0'))).toLowerCase(), out.readDoubleLE(item + 16));
    }
    return values;
  }

  close(): void {
    this.#close(this.#query);
  }
}
