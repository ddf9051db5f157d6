import { LAYOUTS, type Layout, type Member, PARTITIONS } from './metrics-layout.ts';

/** Bytes read of the file: the kernel gives at most a page. */
export const MAX_TABLE_BYTES = 16_384;
const HEADER_BYTES = 4;

/** What a partition of an accelerator does. Shares of 1. */
export interface PartitionActivity {
  readonly general: number | undefined;
  readonly decoder: number | undefined;
}

/** What the table says, in units of the metrics. Undefined: this part or driver does not say. */
export interface MetricsTable {
  /** Shares of 1. */
  readonly general: number | undefined;
  readonly memoryController: number | undefined;
  readonly decoder: number | undefined;
  /** Degrees Celsius. */
  readonly edge: number | undefined;
  readonly hotspot: number | undefined;
  readonly memory: number | undefined;
  /** Watts. */
  readonly power: number | undefined;
  /** In units of 2^-16 joules, since the driver was loaded. */
  readonly energy: bigint | undefined;
  /** Hertz. */
  readonly graphicsClock: number | undefined;
  readonly memoryClock: number | undefined;
  readonly fanRpm: number | undefined;
  readonly pcieReplays: bigint | undefined;
  /** Bytes over each link to another GPU, since the driver was loaded; undefined for one that is not there. */
  readonly xgmiRead: readonly (bigint | undefined)[];
  readonly xgmiWritten: readonly (bigint | undefined)[];
  /** Held back by heat at this moment. */
  readonly throttledByHeat: boolean | undefined;
  /** Ticks in which heat held the clocks down: that it grows is what counts. */
  readonly heatResidency: bigint | undefined;
  readonly partitions: readonly PartitionActivity[];
}

/** Bits of the throttle status that all chips share (amdgpu_smu.h): temperatures, regulators, external alarms. */
const HEAT_BITS = 0xffff_0000_0000n;
const MEGA = 1_000_000;
const KIBI = 1_024n;
/** The tables of MI100 and MI200 have temperatures of their HBM stacks; of other chips the unit of energy is not told. */
const BOARD_WITH_KNOWN_ENERGY = 'hbm';

/** Values of a member, place by place; undefined where there is none. */
type Read = (name: string) => readonly (bigint | undefined)[];

const ALL_ONES: Readonly<Record<Member['width'], bigint>> = {
  1: 0xffn,
  2: 0xffffn,
  4: 0xffff_ffffn,
  8: 0xffff_ffff_ffff_ffffn,
};

function unsigned(bytes: Buffer, offset: number, width: Member['width']): bigint {
  return width === 8 ? bytes.readBigUInt64LE(offset) : BigInt(bytes.readUIntLE(offset, width));
}

/** A member that is cut off, or all ones, is not there. */
function valuesAt(bytes: Buffer, { offset, width, count }: Member): (bigint | undefined)[] {
  const values: (bigint | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = offset + index * width;
    if (at + width > bytes.length) break;
    const value = unsigned(bytes, at, width);
    values.push(value === ALL_ONES[width] ? undefined : value);
  }
  return values;
}

/** `format.content` of the header; undefined when there is none. */
export function tableVersion(bytes: Buffer): string | undefined {
  return bytes.length < HEADER_BYTES ? undefined : `${bytes.readUInt8(2)}.${bytes.readUInt8(3)}`;
}

/**
 * Reads the table. Undefined for one of an unknown version, and for one whose size is not that of its version's layout (the
 * kernel had two layouts of 1.6): the offsets are not known, so nothing is read.
 */
export function parseMetricsTable(bytes: Buffer): MetricsTable | undefined {
  const version = tableVersion(bytes);
  if (version === undefined) return undefined;
  // What the driver says it wrote; a page may hold leftovers behind it.
  const size = bytes.readUInt16LE(0);
  const table = bytes.subarray(0, Math.min(bytes.length, size));
  if (version === '1.9') return valuesOf(readAttributes(table), true);
  const layout = LAYOUTS.get(version);
  return layout === undefined || layout.size !== size
    ? undefined
    : valuesOf(readMembers(table, layout), layout.members.has('xgmi_read'));
}

function readMembers(table: Buffer, { members }: Layout): Read {
  return (name) => {
    const member = members.get(name);
    return member === undefined ? [] : valuesAt(table, member);
  };
}

/** Numbers of `amdgpu_metrics_attr_id` that are of use. */
const ATTRIBUTES: ReadonlyMap<number, string> = new Map([
  [0, 'hotspot'],
  [1, 'mem'],
  [3, 'socket_power'],
  [4, 'gfx_activity'],
  [5, 'umc_activity'],
  [7, 'energy'],
  [10, 'prochot_residency'],
  [12, 'socket_thm_residency'],
  [13, 'vr_thm_residency'],
  [14, 'hbm_thm_residency'],
  [25, 'pcie_replay'],
  [29, 'xgmi_read'],
  [30, 'xgmi_write'],
  [33, 'gfxclk'],
  [37, 'uclk'],
  [42, 'vcn_activity'],
]);
const ATTRIBUTE_WIDTHS: readonly Member['width'][] = [1, 1, 2, 2, 4, 4, 8, 8];

/** Version 1.9 describes itself: a number of attributes, each with a word that says what it is, then its values. */
function readAttributes(table: Buffer): Read {
  const found = new Map<string, readonly (bigint | undefined)[]>();
  const count = table.length < 8 ? 0 : table.readInt32LE(4);
  let at = 8;
  for (let index = 0; index < count && at + 8 <= table.length; index += 1) {
    const word = table.readBigUInt64LE(at);
    const width = ATTRIBUTE_WIDTHS[Number((word >> 20n) & 0xfn)];
    const instances = Number(word & 0x3ffn);
    // A type that is not known has no known length: nothing behind it can be found.
    if (width === undefined) break;
    const name = ATTRIBUTES.get(Number((word >> 10n) & 0x3ffn));
    if (name !== undefined) found.set(name, valuesAt(table, { offset: at + 8, width, count: instances }));
    at += 8 + width * instances;
  }
  return (name) => found.get(name) ?? [];
}

const isThere = (value: bigint | undefined): value is bigint => value !== undefined;

function valuesOf(read: Read, accelerator: boolean): MetricsTable {
  const numbers = (name: string): readonly number[] => read(name).filter(isThere).map(Number);
  const one = (name: string): number | undefined => numbers(name)[0];
  const share = (name: string): number | undefined => shareOf(numbers(name));
  const sum = (...names: readonly string[]): bigint | undefined => {
    const values = names.flatMap((name) => read(name).filter(isThere));
    return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0n);
  };
  const scaled = (name: string, factor: number): number | undefined => {
    const value = one(name);
    return value === undefined ? undefined : value * factor;
  };
  // Several clocks: one for each compute die. A die that is off says 0, and is no reason to call the others slower.
  const clocks = numbers('gfxclk');
  const running = clocks.filter((clock) => clock > 0);
  const graphics = running.length > 0 ? mean(running) : clocks[0];
  const throttle = sum('throttle');
  const kilobytes = (name: string): MetricsTable['xgmiRead'] =>
    read(name).map((value) => (value === undefined ? undefined : value * KIBI));
  const memories = [...numbers('mem'), ...numbers('hbm')].filter((degrees) => degrees > 0);
  return {
    general: share('gfx_activity'),
    memoryController: share('umc_activity'),
    decoder: share('vcn_activity'),
    edge: one('edge') ?? scaled('apu_gfx_temperature', 0.01),
    hotspot: one('hotspot'),
    memory: memories.length === 0 ? undefined : Math.max(...memories),
    power: one('socket_power') ?? scaled('apu_socket_power', 0.001),
    energy:
      accelerator || numbers(BOARD_WITH_KNOWN_ENERGY).some((degrees) => degrees > 0)
        ? sum('energy')
        : undefined,
    graphicsClock: graphics === undefined ? undefined : graphics * MEGA,
    memoryClock: scaled('uclk', MEGA),
    fanRpm: one('fan_rpm'),
    pcieReplays: sum('pcie_replay'),
    xgmiRead: kilobytes('xgmi_read'),
    xgmiWritten: kilobytes('xgmi_write'),
    throttledByHeat: throttle === undefined ? undefined : (throttle & HEAT_BITS) !== 0n,
    heatResidency: sum('prochot_residency', 'socket_thm_residency', 'vr_thm_residency', 'hbm_thm_residency'),
    partitions: partitionsOf(read),
  };
}

/** As many as the driver says there are: the others are leftovers. */
function partitionsOf(read: Read): readonly PartitionActivity[] {
  const [told] = read('num_partition');
  const count = Math.min(Number(told ?? 0n), PARTITIONS);
  return Array.from({ length: count }, (_, index) => ({
    general: shareOf(read(`gfx_busy_${index}`).filter(isThere).map(Number)),
    decoder: shareOf(read(`vcn_busy_${index}`).filter(isThere).map(Number)),
  }));
}

const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

/** Mean of percentages as a share of 1; firmware rounds up beyond 100 at times. */
const shareOf = (percentages: readonly number[]): number | undefined =>
  percentages.length === 0 ? undefined : Math.min(1, mean(percentages) / 100);
