import { afterEach, describe, expect, test } from 'vitest';
import { NO_LIBRARIES, TestLibrary } from '../fixtures/library.ts';
import type { CreateVendor } from '../vendor.ts';
import { adaptersOf, orAdapters, usage } from './index.ts';
import { parseAdapter } from './native.ts';

const GIB = 2 ** 30;
const LUID = '0x00000000_0x0000d3c5';
const PROFILE = [
  `adapter 0x1002 0x744c ${24 * GIB} 0xd3c5 0 AMD Radeon RX 7900 XTX`,
  `adapter 0x1002 0x744c ${24 * GIB} 0xe111 0 AMD Radeon RX 7900 XTX`,
  `adapter 0x10de 0x2684 ${24 * GIB} 0xf222 0 NVIDIA GeForce RTX 4090`,
  'adapter 0x1414 0x008c 0 0x1 2 Microsoft Basic Render Driver',
  `engine pid_100_luid_0x00000000_0x0000D3C5_phys_0_eng_0_engtype_3D 30`,
  `engine pid_200_luid_0x00000000_0x0000D3C5_phys_0_eng_0_engtype_3D 25`,
  `engine pid_200_luid_0x00000000_0x0000D3C5_phys_0_eng_3_engtype_Compute_0 40`,
  `engine pid_200_luid_0x00000000_0x0000D3C5_phys_0_eng_5_engtype_VideoEncode 10`,
  `engine pid_300_luid_0x00000000_0x0000D3C5_phys_0_eng_6_engtype_Copy 90`,
  `engine pid_400_luid_0x00000000_0x0000E111_phys_0_eng_0_engtype_3D 99`,
  `memory luid_0x00000000_0x0000D3C5_phys_0 ${3 * GIB}`,
  `process pid_100_luid_0x00000000_0x0000D3C5_phys_0 ${GIB}`,
  `process pid_500_luid_0x00000000_0x0000D3C5_phys_0 0`,
];

let library: TestLibrary | undefined;
afterEach(() => {
  library?.remove();
  library = undefined;
});

const paths = { proc: '/proc', sys: '/sys', etc: '/etc', root: '/' };
const silent = () => undefined;

test('engines: processes add up, the busiest of a kind speaks, copying is no work', () => {
  const { tasks, processes } = usage(
    LUID,
    new Map([
      [`pid_1_luid_${LUID}_phys_0_eng_0_engtype_3d`, 60],
      [`pid_2_luid_${LUID}_phys_0_eng_0_engtype_3d`, 70],
      [`pid_2_luid_${LUID}_phys_0_eng_1_engtype_copy`, 90],
      [`pid_2_luid_0x1_0x2_phys_0_eng_1_engtype_videodecode`, 90],
      ['what it is not', 3],
    ]),
  );
  expect([...tasks]).toEqual([['general', 1]]);
  expect([...processes]).toEqual([
    [1, 0.6],
    [2, 0.9],
  ]);
});

test('a description of any bytes is one', () => {
  for (const byte of [0, 0xff, 0x41]) {
    const { name, vendor } = parseAdapter(Buffer.alloc(312, byte));
    expect([typeof name, typeof vendor]).toEqual(['string', 'number']);
  }
});

// The libraries of Windows stand in as one of this system: objects, tables of functions and layouts are the same.
describe.skipIf(NO_LIBRARIES !== undefined)('adapters of Windows', () => {
  const start = (id: 'amd' | 'nvidia', vendor: number, profile = PROFILE) => {
    library = new TestLibrary('dxgi', 'dxgi.dll', profile);
    return adaptersOf(id, vendor)({ paths, interconnect: true, libraries: [library.path] }, silent, () => 0);
  };

  test('name, memory, use and processes of a card; every object is let go of', async () => {
    const vendor = start('amd', 0x1002);
    expect(await vendor.probe([])).toEqual({
      state: 'found',
      devices: [
        { id: 'dxgi-1002-744c-0', name: 'AMD Radeon RX 7900 XTX', vendor: 'amd', index: 0, aliases: [] },
        { id: 'dxgi-1002-744c-1', name: 'AMD Radeon RX 7900 XTX', vendor: 'amd', index: 1, aliases: [] },
      ],
    });
    expect(library?.calls().filter((call) => call === 'Release')).toHaveLength(5);
    expect(await vendor.read('dxgi-1002-744c-0')).toEqual({
      utilization: { general: 0.55, encoder: 0.1 },
      memory: { limit: 24 * GIB, usage: 3 * GIB },
      processes: [
        { pid: 100, memory: GIB, utilization: 0.3 },
        { pid: 200, utilization: 0.4 },
        { pid: 300, utilization: 0.9 },
      ],
    });
    expect((await vendor.read('dxgi-1002-744c-1')).memory).toBeUndefined();
    await vendor.stop();
    expect(library?.calls()).toContain('PdhCloseQuery');
  });

  test('values count when they are valid, whether they are new or as before; others do not', async () => {
    const engine = 'engine pid_7_luid_0x00000000_0x0000D3C5_phys_0_eng_0_engtype_3D';
    const memory = `memory luid_0x00000000_0x0000D3C5_phys_0 ${GIB}`;
    // PDH_CSTATUS_VALID_DATA, PDH_CSTATUS_NEW_DATA, PDH_CSTATUS_NO_INSTANCE, PDH_CSTATUS_INVALID_DATA.
    for (const [status, use] of [
      ['0x0', 0.5],
      ['0x1', 0.5],
      ['0x800007d1', undefined],
      ['0xc0000bba', undefined],
    ] as const) {
      const vendor = start('amd', 0x1002, [
        PROFILE[0] ?? '',
        `${engine} 50 ${status}`,
        `${memory} ${status}`,
      ]);
      await vendor.probe([]);
      const read = await vendor.read('dxgi-1002-744c-0');
      expect([status, read.utilization?.general, read.memory?.usage]).toEqual([
        status,
        use,
        use === undefined ? undefined : GIB,
      ]);
      await vendor.stop();
      library?.remove();
      library = undefined;
    }
  });

  test('without counters the adapters are listed still; without adapters of it the vendor is unavailable', async () => {
    const vendor = start('amd', 0x1002, [...PROFILE, 'rc PdhOpenQueryW 0x800007d0']);
    expect((await vendor.probe([])).state).toBe('found');
    expect(await vendor.read('dxgi-1002-744c-0')).toEqual({});
    library?.profile(PROFILE.slice(2));
    expect(await vendor.probe([])).toMatchObject({ state: 'unavailable' });
    library?.profile(['rc CreateDXGIFactory1 0x80004005']);
    expect(await vendor.probe([])).toMatchObject({ state: 'unavailable' });
  });

  test('the library of a vendor comes first; what Windows knows stands in for it', async () => {
    library = new TestLibrary('dxgi', 'dxgi.dll', PROFILE);
    const none: CreateVendor = () => ({
      id: 'nvidia',
      probe: () => ({ state: 'unavailable', reason: 'NVML is not installed' }),
      read: () => {
        throw new Error('asked for what it has not found');
      },
      stop: silent,
    });
    const make = (profile: readonly string[]) => {
      library?.profile(profile);
      return orAdapters(
        none,
        'nvidia',
        0x10de,
      )({ paths, interconnect: true, libraries: [library?.path ?? ''] }, silent);
    };
    const vendor = make(PROFILE);
    expect(await vendor.probe([])).toMatchObject({ state: 'found', devices: [{ id: 'dxgi-10de-2684-0' }] });
    expect((await vendor.read('dxgi-10de-2684-0')).processes).toEqual([]);
    await vendor.stop();
    expect(await make([]).probe([])).toEqual({ state: 'unavailable', reason: 'NVML is not installed' });
  });
});
