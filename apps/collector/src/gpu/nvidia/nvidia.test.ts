import { afterEach, describe, expect, test } from 'vitest';
import { NO_LIBRARIES } from '../fixtures/library.ts';
import { type NvidiaMachine, nvidiaMachine } from '../fixtures/nvidia-machine.ts';
import {
  a100Mig,
  addNvidia,
  address,
  b200,
  gb10,
  h100s,
  h200,
  migId,
  type NvidiaProfile,
  oldDriver,
  t4,
  uuid,
} from '../fixtures/nvidia-profiles.ts';
import { expectGolden, VendorRun } from '../fixtures/vendor-run.ts';
import { GpuError } from '../vendor.ts';
import { createNvidia } from './index.ts';

const NVIDIA = 0x10de;

const opened: { remove: () => void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.remove();
});

function machine(profile: readonly string[], onBus: number, name?: string): NvidiaMachine {
  const made = nvidiaMachine(profile, onBus, name);
  opened.push(made);
  return made;
}

const busy = (profile: NvidiaProfile, ...more: readonly string[]): string[] => [...profile(0), ...more];

describe.skipIf(NO_LIBRARIES !== undefined)('NVML', () => {
  test.each([
    ['nvidia-t4', t4, 1],
    ['nvidia-a100-mig', a100Mig, 2],
    ['nvidia-h100', h100s, 2],
    ['nvidia-b200', b200, 1],
    ['nvidia-h200', h200, 1],
    ['nvidia-gb10', gb10, 1],
  ] as const)('%s: what two readings export', async (name, profile, gpus) => {
    const { library, run } = machine(profile(0), gpus);
    const devices = await run.devices(NVIDIA);
    const first = await run.export(devices);
    library.profile(profile(60));
    run.now += 60;
    const second = await run.export(devices);
    expectGolden(name, ['at first', ...first, '', 'a minute later', ...second, '', ...run.told]);
  });

  test('a driver without the newer calls is asked the older ones', async () => {
    const { run } = machine(oldDriver(0), 1, 'nvidia-ml-old');
    expectGolden('nvidia-old-driver', await run.export(await run.devices(NVIDIA)));
  });

  test('where the bus tells of none (WSL, Windows), the library lists them', async () => {
    const { run } = machine(h100s(0), 0);
    const devices = await run.devices(NVIDIA);
    expect(devices.map(({ id, index, pciAddress }) => [id, index, pciAddress])).toEqual([
      [uuid(0), 0, address(0)],
      [uuid(1), 1, address(1)],
    ]);
  });

  test('MIG devices are children, and containers may hold them by their place', async () => {
    const { library, run } = machine(a100Mig(0), 2);
    const devices = await run.devices(NVIDIA);
    expect(devices.map(({ id, name, partition, aliases }) => [id, name, partition, aliases])).toEqual([
      [uuid(0), 'NVIDIA A100-SXM4-40GB', undefined, ['nvidia0']],
      [
        migId(2),
        'NVIDIA A100-SXM4-40GB MIG 3g.20gb',
        { parent: uuid(0), name: '2/0', mig: { instanceId: 2, profile: '3g.20gb' } },
        ['nvidia0/gi2'],
      ],
      [
        migId(3),
        'NVIDIA A100-SXM4-40GB MIG 1c.2g.10gb',
        { parent: uuid(0), name: '3/0', mig: { instanceId: 3, profile: '1c.2g.10gb' } },
        ['nvidia0/gi3'],
      ],
      [
        migId(11),
        'NVIDIA A100-SXM4-40GB MIG 1g.5gb',
        { parent: uuid(0), name: '11/0', mig: { instanceId: 11, profile: '1g.5gb' } },
        ['nvidia0/gi11'],
      ],
      [uuid(1), 'NVIDIA A100-SXM4-40GB', undefined, ['nvidia1']],
    ]);
    expect((await run.read(uuid(0))).changed).toBeUndefined();

    // One is taken apart: the GPU says so, and the part itself.
    library.profile(a100Mig(0).filter((line) => !line.startsWith('0.mig/4.')));
    expect((await run.read(uuid(0))).changed).toBe(true);
    library.profile(busy(a100Mig, '0.mig/4.rc/MemoryInfo_v2 6', '0.mig/4.rc/GpuInstanceId 6'));
    expect(await run.read(migId(11))).toEqual({ changed: true });

    // MIG is switched off.
    library.profile(busy(a100Mig).map((line) => (line === '0.MigMode 1 1' ? '0.MigMode 0 0' : line)));
    expect((await run.read(uuid(0))).changed).toBe(true);
    expect((await run.devices(NVIDIA)).map(({ id }) => id)).toEqual([uuid(0), uuid(1)]);
  });

  test('a GPU that is cut is held when its parts are, also where the driver tells only the parts of it', async () => {
    const silent = a100Mig(0).filter((line) => !line.startsWith('0.process/Compute/'));
    const { library, run } = machine(silent, 2);
    await run.devices(NVIDIA);
    // Before the parts were read nobody knows.
    expect((await run.read(uuid(0))).processes).toBeUndefined();
    await run.read(migId(2));
    expect(await run.read(uuid(0))).toMatchObject({ processes: [], held: true });
    library.profile(silent.filter((line) => !/process\/Compute\/0/.test(line)));
    for (const id of [migId(2), migId(3), migId(11)]) await run.read(id);
    const reading = await run.read(uuid(0));
    expect([reading.processes, reading.held]).toEqual([[], undefined]);
  });

  test('how busy a MIG device is, where the performance monitor tells (Hopper and later)', async () => {
    const lines = ['0.gpm', '0.gpm/2/1 62.5', '0.gpm/3/1 140', '0.gpm/11/1 0'];
    const { library, run } = machine(busy(a100Mig, ...lines), 2);
    await run.devices(NVIDIA);
    const readAll = async () => {
      run.now += 10;
      const readings = [await run.read(migId(2)), await run.read(migId(3)), await run.read(migId(11))];
      return readings.map(({ utilization }) => utilization?.general);
    };
    // A share is that of the time between two samples.
    expect(await readAll()).toEqual([undefined, undefined, undefined]);
    expect(await readAll()).toEqual([0.625, undefined, 0]);
    library.profile(busy(a100Mig, ...lines, '0.rc/GpmMigSampleGet 999'));
    expect(await readAll()).toEqual([undefined, undefined, undefined]);
    library.profile(busy(a100Mig, ...lines));
    expect(await readAll()).toEqual([undefined, undefined, undefined]);
    expect(await readAll()).toEqual([0.625, undefined, 0]);
  });

  test.each([
    [15, 'lost'],
    [16, 'lost'],
    [18, 'stale'],
    [1, 'stale'],
    [999, 'failed'],
    [4, 'failed'],
    [17, 'failed'],
    [10, 'failed'],
  ] as const)('a GPU that answers everything with %i is %s', async (code, failure) => {
    const { library, run } = machine(h100s(0), 2);
    await run.devices(NVIDIA);
    library.profile(busy(h100s, `1.rc ${code}`));
    await expect(run.read(uuid(1))).rejects.toSatisfy(
      (thrown) => thrown instanceof GpuError && thrown.failure === failure,
    );
    // The other is as it was.
    expect((await run.read(uuid(0))).utilization).toEqual({ general: 0.97, encoder: 0, decoder: 0 });
  });

  test.each([2, 3, 6, 7, 9, 12, 13, 19, 20, 21, 23, 25, 26, 27, 999])(
    'any call may answer %i: its value is absent, the rest is there',
    async (code) => {
      const calls = [
        'UtilizationRates EncoderUtilization MemoryInfo_v2 TemperatureV Temperature EnforcedPowerLimit',
        'TotalEnergyConsumption ClockInfo FieldValues TotalEccErrors PcieReplayCounter RemappedRows',
        'CurrentClocksEventReasons CurrentClocksThrottleReasons Compute MPSCompute ProcessUtilization MigMode',
        'RegisterEvents SupportedEventTypes Index PciInfo MinorNumber PowerUsage',
      ]
        .join(' ')
        .split(' ');
      const { library, run } = machine(h100s(0), 2);
      for (const call of calls) {
        library.profile(busy(h100s, `0.rc/${call} ${code}`));
        const devices = await run.devices(NVIDIA);
        expect(devices.map(({ id }) => id)).toEqual([uuid(0), uuid(1)]);
        const readings = [await run.read(uuid(0)), await run.read(uuid(0))];
        for (const reading of readings) {
          const there = Object.values(reading).filter((value) => value !== undefined).length;
          expect([call, there >= 8]).toEqual([call, true]);
        }
      }
    },
  );

  test('what a device does not have is asked for once', async () => {
    const { library, run } = machine(gb10(0), 1);
    await run.devices(NVIDIA);
    expect((await run.read(uuid(0))).memory).toBeUndefined();
    // Even if it were there now: until the next look at the devices nobody asks.
    library.profile(busy(gb10, '0.MemoryInfo 1000 0 500 500'));
    expect((await run.read(uuid(0))).memory).toBeUndefined();
    await run.devices(NVIDIA);
    expect((await run.read(uuid(0))).memory).toEqual({ limit: 1_000, usage: 500 });
  });

  test('a GPU that is lost from the start is listed by its address, as lost', async () => {
    const { run } = machine(busy(h100s, '1.rc 15'), 2);
    const devices = await run.devices(NVIDIA);
    expect(devices.map(({ id, index }) => [id, index])).toEqual([
      [uuid(0), 0],
      [`pci-${address(1)}`, 1],
    ]);
    await expect(run.read(`pci-${address(1)}`)).rejects.toMatchObject({ failure: 'lost' });
  });

  test('the driver was upgraded: unavailable, and there again when it was loaded', async () => {
    const { library, run } = machine(busy(h100s, 'rc/Init 18'), 2);
    expect(await run.probe(NVIDIA)).toMatchObject({
      state: 'unavailable',
      reason: expect.stringContaining('the driver was upgraded'),
    });
    library.profile(h100s(0));
    expect(await run.devices(NVIDIA)).toHaveLength(2);
  });

  test('a library that is not there, or is none, is told', async () => {
    const run = new VendorRun(createNvidia, { libraries: ['/nowhere/libnvidia-ml.so.1'] });
    opened.push(run.tree);
    expect(await run.probe(NVIDIA)).toMatchObject({
      state: 'unavailable',
      reason: expect.stringContaining('/nowhere/libnvidia-ml.so.1'),
    });
  });

  test('access that the container has not: the reason says so', async () => {
    const { run } = machine(busy(h100s, '0.rc/Handle 17', '1.rc/Handle 17'), 2);
    expect(await run.probe(NVIDIA)).toMatchObject({
      reason: expect.stringContaining('given to the container'),
    });
  });

  test('more processes than there was room for', async () => {
    const many = Array.from({ length: 500 }, (_, at) => `0.process/Compute/${at} ${100 + at} 1048576 -`);
    const { run } = machine([...h100s(0).filter((line) => !line.includes('process/Compute/')), ...many], 2);
    await run.devices(NVIDIA);
    expect((await run.read(uuid(0))).processes).toHaveLength(500);
  });

  test('a process without a sample since the last reading used nothing', async () => {
    const { run } = machine(t4(0), 1);
    await run.devices(NVIDIA);
    const used = async () => (await run.read(uuid(0))).processes?.map(({ utilization }) => utilization);
    expect(await used()).toEqual([0.37, 0]);
    expect(await used()).toEqual([0, 0]);
  });

  test('XIDs stand at 0 from the start; one of the hardware makes the GPU degraded until the next reading', async () => {
    const { library, run } = machine(h100s(0), 2);
    await run.devices(NVIDIA);
    expect((await run.read(uuid(0))).errors?.xid).toEqual({ raw: 0n });
    library.profile(busy(h100s, '0.xid/0 31', '1.xid/0 94', '1.xid/1 94'));
    const readings = [await run.read(uuid(0)), await run.read(uuid(1)), await run.read(uuid(1))];
    expect(readings.map(({ state, errors }) => [state, errors?.xid])).toEqual([
      ['ok', { raw: 1n }],
      ['degraded', { raw: 2n }],
      ['ok', { raw: 2n }],
    ]);
    expect(run.told).toEqual(['warn a GPU reports an XID', 'warn a GPU reports an XID']);
    // A new look at the devices keeps what was counted.
    await run.devices(NVIDIA);
    expect((await run.read(uuid(1))).errors?.xid).toEqual({ raw: 2n });
  });

  test.each([
    ['ok', 'CurrentClocksEventReasons 1'],
    ['ok', 'CurrentClocksEventReasons 6'],
    ['degraded', 'CurrentClocksEventReasons 8'],
    ['degraded', 'CurrentClocksEventReasons 64'],
    ['degraded', 'field/230/0 1 3'],
    ['failed', 'field/230/0 1 1'],
    ['failed', 'field/230/0 1 2'],
    ['failed', 'RemappedRows 0 0 0 1'],
    ['predicted_failure', 'RemappedRows 0 0 1 0'],
  ])('is %s with %s', async (state, line) => {
    const name = line.slice(0, line.indexOf(' '));
    const others = h100s(0).filter((one) => !one.startsWith(`0.${name} `));
    const { run } = machine([...others, `0.${line}`], 2);
    await run.devices(NVIDIA);
    expect((await run.read(uuid(0))).state).toBe(state);
  });

  test('interconnect is left out when it is not wanted', async () => {
    const { library, run } = machine(h100s(0), 2);
    const quiet = new VendorRun(createNvidia, { libraries: [library.path], interconnect: false });
    opened.push(quiet.tree);
    addNvidia(quiet.tree, 2);
    await quiet.devices(NVIDIA);
    expect((await quiet.read(uuid(0))).interconnect).toBeUndefined();
    await run.devices(NVIDIA);
    expect((await run.read(uuid(0))).interconnect?.nvlink?.receive).toEqual({
      raw: 6_900_000_000n,
      scale: 1_024,
    });
    await quiet.vendor.stop();
  });
});
