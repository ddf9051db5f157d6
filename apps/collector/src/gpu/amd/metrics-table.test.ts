import fc from 'fast-check';
import { expect, test } from 'vitest';
import { metricsBlob } from '../fixtures/metrics-blob.ts';
import { LAYOUTS } from './metrics-layout.ts';
import { type MetricsTable, parseMetricsTable } from './metrics-table.ts';

test('layouts are as long as what a C compiler makes of the header', () => {
  // Printed by gcc for x86-64; those from 1.6 on follow from the same rules.
  const sizes = { '1.0': 80, '1.1': 96, '1.2': 104, '1.3': 120, '1.4': 288, '1.5': 360 };
  const apus = { '2.0': 120, '2.1': 120, '2.2': 128, '2.3': 152, '2.4': 168, '3.0': 264 };
  for (const [version, size] of Object.entries({ ...sizes, ...apus })) {
    expect([version, LAYOUTS.get(version)?.size]).toEqual([version, size]);
  }
});

test('members lie where that compiler puts them', () => {
  const places: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    '1.3': { edge: 4, hotspot: 6, mem: 8, gfx_activity: 16, umc_activity: 18, socket_power: 22, energy: 24 },
    '1.4': {
      hotspot: 4,
      mem: 6,
      socket_power: 10,
      vcn_activity: 16,
      pcie_replay: 88,
      xgmi_read: 104,
      gfxclk: 240,
    },
    '1.5': { energy: 88, pcie_replay: 152, xgmi_read: 176, xgmi_write: 240, gfxclk: 312, uclk: 352 },
    '3.0': { apu_socket_power: 112 },
  };
  for (const [version, members] of Object.entries(places)) {
    for (const [name, offset] of Object.entries(members)) {
      expect([version, name, LAYOUTS.get(version)?.members.get(name)?.offset]).toEqual([
        version,
        name,
        offset,
      ]);
    }
  }
  expect(LAYOUTS.get('1.3')?.members.get('throttle')?.offset).toBe(112);
  // A partition holds members of 64 bits, so it begins where these may.
  for (const version of ['1.6', '1.7', '1.8']) {
    expect((LAYOUTS.get(version)?.members.get('gfx_busy_0')?.offset ?? 1) % 8).toBe(0);
  }
});

test('units: hundredths and thousandths of processors, kilobytes of links, clocks of many dies', () => {
  const apu = parseMetricsTable(metricsBlob('2.4', { apu_gfx_temperature: 5_250, apu_socket_power: 15_500 }));
  expect(apu).toMatchObject({ edge: 52.5, power: 15.5, general: undefined });
  const accelerator = parseMetricsTable(
    metricsBlob('1.4', {
      xgmi_read: [1, 2],
      gfxclk: [1_000, 2_000, 0],
      uclk: 900,
      vcn_activity: [50, 0, 0, 0],
    }),
  );
  expect(accelerator).toMatchObject({ graphicsClock: 1_500e6, memoryClock: 900e6, decoder: 0.125 });
  expect(accelerator?.xgmiRead).toEqual([1_024n, 2_048n, ...Array<undefined>(6).fill(undefined)]);
});

test('energy is told only of chips whose unit is known', () => {
  expect(parseMetricsTable(metricsBlob('1.3', { energy: 5n }))?.energy).toBeUndefined();
  expect(parseMetricsTable(metricsBlob('1.3', { energy: 5n, hbm: [40, 41, 40, 42] }))).toMatchObject({
    energy: 5n,
    memory: 42,
  });
  expect(parseMetricsTable(metricsBlob('1.5', { energy: 5n }))?.energy).toBe(5n);
});

test('heat counts as throttling, the limit of power does not', () => {
  const throttled = (bits: bigint) =>
    parseMetricsTable(metricsBlob('1.3', { throttle: bits }))?.throttledByHeat;
  expect(throttled(0n)).toBe(false);
  expect(throttled(0b11n)).toBe(false);
  expect(throttled(1n << 36n)).toBe(true);
  expect(throttled(1n << 47n)).toBe(true);
  expect(throttled(2n ** 64n - 1n)).toBeUndefined();
});

test('all ones is not there, in every version', () => {
  for (const version of LAYOUTS.keys()) {
    const { xgmiRead, xgmiWritten, partitions, ...rest } = parseMetricsTable(metricsBlob(version, {})) ?? {};
    expect(Object.values(rest).filter((value) => value !== undefined)).toEqual([]);
    expect([...(xgmiRead ?? []), ...(xgmiWritten ?? [])].filter((value) => value !== undefined)).toEqual([]);
    for (const partition of partitions ?? [])
      expect(partition).toEqual({ general: undefined, decoder: undefined });
  }
});

/** A table of version 1.9: attributes with their number, type, values. */
function described(
  attributes: readonly (readonly [id: number, type: number, values: readonly bigint[]])[],
): Buffer {
  const widths = [1, 1, 2, 2, 4, 4, 8, 8];
  const parts = attributes.flatMap(([id, type, values]) => {
    const head = Buffer.alloc(8);
    head.writeBigUInt64LE((BigInt(type) << 20n) | (BigInt(id) << 10n) | BigInt(values.length));
    return [
      head,
      ...values.map((value) => {
        const bytes = Buffer.alloc(8);
        bytes.writeBigUInt64LE(value);
        return bytes.subarray(0, widths[type]);
      }),
    ];
  });
  const header = Buffer.alloc(8);
  const body = Buffer.concat(parts);
  header.writeUInt16LE(8 + body.length, 0);
  header.writeUInt8(1, 2);
  header.writeUInt8(9, 3);
  header.writeInt32LE(attributes.length, 4);
  return Buffer.concat([header, body]);
}

test('version 1.9 describes itself', () => {
  const table = parseMetricsTable(
    described([
      [0, 2, [64n]],
      [3, 2, [700n]],
      [900, 6, [1n, 2n, 3n]],
      [4, 2, [75n]],
      [7, 6, [65_536n]],
      [29, 6, [3n, 2n ** 64n - 1n]],
      [33, 2, [2_000n, 1_000n]],
      [5, 2, [0xffffn]],
    ]),
  );
  expect(table).toMatchObject({
    hotspot: 64,
    power: 700,
    general: 0.75,
    energy: 65_536n,
    xgmiRead: [3_072n, undefined],
    graphicsClock: 1_500e6,
    memoryController: undefined,
  });
  // A type that is not known ends what can be read; what came before counts.
  expect(
    parseMetricsTable(
      described([
        [3, 2, [700n]],
        [4, 2, [75n]],
      ]),
    )?.general,
  ).toBe(0.75);
  expect(parseMetricsTable(described([[3, 2, [700n]]]).fill(0xff, 8))?.power).toBeUndefined();
});

const sane = (table: MetricsTable): void => {
  for (const share of [
    table.general,
    table.memoryController,
    table.decoder,
    ...table.partitions.flatMap(({ general, decoder }) => [general, decoder]),
  ]) {
    if (share === undefined) continue;
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(1);
  }
  for (const value of [
    table.edge,
    table.hotspot,
    table.memory,
    table.power,
    table.graphicsClock,
    table.memoryClock,
  ]) {
    if (value !== undefined) expect(Number.isFinite(value)).toBe(true);
  }
  expect(table.partitions.length).toBeLessThanOrEqual(8);
};

test('any bytes: never an error, never a share beyond 1; unknown versions say nothing', () => {
  const versions = fc.constantFrom(...LAYOUTS.keys(), '1.9', '0.0', '9.9');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), versions, fc.nat(0xffff), (bytes, version, size) => {
      const table = Buffer.from(bytes);
      if (table.length >= 4) {
        const [format, content] = version.split('.').map(Number);
        table.writeUInt16LE(size, 0);
        table.writeUInt8(format ?? 0, 2);
        table.writeUInt8(content ?? 0, 3);
      }
      const parsed = parseMetricsTable(table);
      if (table.length < 4 || version === '0.0' || version === '9.9') expect(parsed).toBeUndefined();
      else if (parsed !== undefined) sane(parsed);
    }),
    { numRuns: 300 },
  );
});

test('a table whose size is not that of its layout tells nothing: the kernel had two layouts of 1.6', () => {
  const first = Buffer.alloc(384);
  first.writeUInt16LE(first.length, 0);
  first.writeUInt8(1, 2);
  first.writeUInt8(6, 3);
  first.writeUInt16LE(55, 4);
  first.writeBigUInt64LE(65_536n * 1_000n, 88);
  expect(LAYOUTS.get('1.6')?.size).not.toBe(first.length);
  expect(parseMetricsTable(first)).toBeUndefined();
  expect(parseMetricsTable(metricsBlob('1.6', { hotspot: 55 }))?.hotspot).toBe(55);
});

test('a table cut anywhere tells less, never anything else', () => {
  const whole = metricsBlob('1.7', {
    hotspot: 50,
    socket_power: 300,
    energy: 9n,
    num_partition: 1,
    gfx_busy_0: [40],
  });
  const full = parseMetricsTable(whole);
  for (let length = 0; length <= whole.length; length += 7) {
    const cut = parseMetricsTable(whole.subarray(0, length));
    if (cut === undefined) continue;
    for (const key of ['hotspot', 'power', 'energy'] as const) {
      if (cut[key] !== undefined) expect(cut[key]).toBe(full?.[key]);
    }
  }
});
