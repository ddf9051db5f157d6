/**
 * Layouts of the binary file `gpu_metrics` of the driver amdgpu (linux, kgd_pp_interface.h), written as the sequence of
 * their members; places follow from the rules of C. Only what is read has a name, everything else is skipped.
 */

type Width = 1 | 2 | 4 | 8;

/** Where a member lies. */
export interface Member {
  readonly offset: number;
  readonly width: Width;
  readonly count: number;
}

export interface Layout {
  readonly size: number;
  readonly members: ReadonlyMap<string, Member>;
}

/** A member: `u16 name`, `u16 name*8`, or without a name (`u16*3`) where it is of no use here. */
type Line = string;

const HEADER = ['u16', 'u8', 'u8'];

const WIDTHS: ReadonlyMap<string, Width> = new Map([
  ['u8', 1],
  ['u16', 2],
  ['u32', 4],
  ['u64', 8],
]);

function layout(lines: readonly Line[]): Layout {
  const members = new Map<string, Member>();
  let at = 0;
  let alignment = 1;
  for (const line of [...HEADER, ...lines]) {
    const match = /^(u\d+)(?: (\w+))?(?:\*(\d+))?$/.exec(line);
    const width = WIDTHS.get(match?.[1] ?? '');
    if (match === null || width === undefined) throw new Error(`no member of a layout: ${line}`);
    const count = Number(match[3] ?? 1);
    const offset = Math.ceil(at / width) * width;
    if (match[2] !== undefined) members.set(match[2], { offset, width, count });
    at = offset + width * count;
    alignment = Math.max(alignment, width);
  }
  return { size: Math.ceil(at / alignment) * alignment, members };
}

/** Partitions that the table has room for. */
export const PARTITIONS = 8;

/** What each partition of an accelerator does; each has its own names. */
const partitions = (jpegs: number, more: number): readonly Line[] =>
  Array.from({ length: PARTITIONS }, (_, index) => [
    // Holds 64 bit members, so it begins where those may.
    'u64*0',
    `u32 gfx_busy_${index}*8`,
    `u16*${jpegs}`,
    `u16 vcn_busy_${index}*4`,
    `u64*${8 * (1 + more)}`,
  ]).flat();

const TEMPERATURES = ['u16 edge', 'u16 hotspot', 'u16 mem', 'u16*3'];
const ACTIVITY = ['u16 gfx_activity', 'u16 umc_activity', 'u16 mm_activity', 'u16 socket_power'];
const CLOCKS = ['u16*7', 'u16 gfxclk', 'u16', 'u16 uclk', 'u16*4', 'u32', 'u16 fan_rpm'];
const HBM = ['u32*2', 'u16 hbm*4'];

/** Accelerators (MI300 and later) from here on; residencies count the time in which something held the clocks down. */
const ACCELERATOR_HEAD = [
  'u16 hotspot',
  'u16 mem',
  'u16',
  'u16 socket_power',
  'u16 gfx_activity',
  'u16 umc_activity',
];
const ENERGY = ['u64 energy', 'u64'];
const RESIDENCIES = [
  'u32 accumulation',
  'u32 prochot_residency',
  'u32 ppt_residency',
  'u32 socket_thm_residency',
  'u32 vr_thm_residency',
  'u32 hbm_thm_residency',
];
const LINKS = ['u32', 'u16*2', 'u16*2', 'u32*2', 'u64*2', 'u64', 'u64 pcie_replay', 'u64'];
const XGMI = ['u64 xgmi_read*8', 'u64 xgmi_write*8'];
const ACCELERATOR_CLOCKS = ['u64', 'u16 gfxclk*8', 'u16*12', 'u16 uclk'];

const BOARD = [...TEMPERATURES, ...ACTIVITY, 'u64 energy', 'u64', ...CLOCKS];
const V1_2 = [...BOARD, 'u16*2', 'u16', ...HBM, 'u64'];
const V1_8_HEAD = [
  ...ACCELERATOR_HEAD,
  'u64',
  ...ENERGY,
  ...RESIDENCIES,
  ...LINKS,
  'u32*2',
  ...XGMI,
  'u16*8',
  'u16',
  ...ACCELERATOR_CLOCKS,
  'u16 num_partition',
];

/**
 * Processors with graphics. Temperatures in hundredths of a degree, powers in milliwatts. What they call activity is in
 * percent on some and in hundredths of it on others, so it is not read.
 */
const APU_HEAD = ['u16 apu_gfx_temperature', 'u16 apu_soc_temperature', 'u16*10'];
const APU_ACTIVITY = ['u16*2'];
const APU_POWER = ['u16 apu_socket_power', 'u16*2', 'u16 apu_gfx_power', 'u16*8'];
const APU_CLOCKS = ['u16*6', 'u16 gfxclk', 'u16', 'u16 uclk', 'u16*3', 'u16*10', 'u32', 'u16'];
const V2_1 = [...APU_HEAD, ...APU_ACTIVITY, 'u64', ...APU_POWER, ...APU_CLOCKS, 'u16*3'];
const V2_2 = [...V2_1, 'u64 throttle'];
const V2_3 = [...V2_2, 'u16*12'];

/** By `format.content` of the header. */
export const LAYOUTS: ReadonlyMap<string, Layout> = new Map(
  Object.entries({
    '1.0': ['u64', ...TEMPERATURES, ...ACTIVITY, 'u32 energy', ...CLOCKS, 'u8*2'],
    '1.1': [...BOARD, 'u16*2', 'u16', ...HBM],
    '1.2': V1_2,
    '1.3': [...V1_2, 'u16*3', 'u16', 'u64 throttle'],
    '1.4': [
      ...ACCELERATOR_HEAD,
      'u16 vcn_activity*4',
      ...ENERGY,
      'u32',
      ...LINKS,
      ...XGMI,
      ...ACCELERATOR_CLOCKS,
      'u16',
    ],
    '1.5': [
      ...ACCELERATOR_HEAD,
      'u16 vcn_activity*4',
      'u16*32',
      ...ENERGY,
      'u32',
      ...LINKS,
      'u32*2',
      ...XGMI,
      ...ACCELERATOR_CLOCKS,
      'u16',
    ],
    '1.6': [
      ...ACCELERATOR_HEAD,
      ...ENERGY,
      ...RESIDENCIES,
      ...LINKS,
      'u32*2',
      ...XGMI,
      ...ACCELERATOR_CLOCKS,
      'u16 num_partition',
      ...partitions(32, 0),
      'u32',
    ],
    '1.7': [...V1_8_HEAD, ...partitions(32, 1), 'u32'],
    '1.8': [...V1_8_HEAD, ...partitions(40, 4), 'u32'],
    '2.0': ['u64', ...APU_HEAD, ...APU_ACTIVITY, ...APU_POWER, ...APU_CLOCKS, 'u16'],
    '2.1': V2_1,
    '2.2': V2_2,
    '2.3': V2_3,
    '2.4': [...V2_3, 'u16*6'],
    '3.0': [
      'u16 apu_gfx_temperature',
      'u16 apu_soc_temperature',
      'u16*16',
      'u16',
      'u16*2',
      'u16*8',
      'u16*16',
      'u16*4',
      'u64',
      'u32 apu_socket_power',
      'u16',
      'u32*2',
      'u32*2',
      'u16*16',
      'u16*3',
      'u16 gfxclk',
      'u16*5',
      'u16 uclk',
      'u16',
      'u16*16',
      'u16*2',
      'u32*7',
      'u32',
    ],
  }).map(([version, lines]) => [version, layout(lines)]),
);
