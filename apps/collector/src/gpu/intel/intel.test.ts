import { afterEach, describe, expect, test } from 'vitest';
import { arc, dataCenterMax, integrated, type IntelTree, maxProfile } from '../fixtures/intel-trees.ts';
import { NO_LIBRARIES, TestLibrary } from '../fixtures/library.ts';
import { expectGolden, VendorRun } from '../fixtures/vendor-run.ts';
import { createIntel } from './index.ts';

const INTEL = 0x8086;

let run: VendorRun;
let library: TestLibrary | undefined;
afterEach(async () => {
  await run.vendor.stop();
  run.tree.remove();
  library?.remove();
  library = undefined;
});

function start(machine: IntelTree): VendorRun {
  run = new VendorRun(createIntel, library === undefined ? {} : { libraries: [library.path] });
  machine(run.tree, 0);
  return run;
}

async function twoReadings(machine: IntelTree): Promise<readonly string[]> {
  const devices = await run.devices(INTEL);
  const first = await run.export(devices);
  run.now += 2;
  machine(run.tree, 1);
  library?.profile(maxProfile(1));
  return ['at first', ...first, '', 'two seconds later', ...(await run.export(devices))];
}

test.each([
  ['intel-arc', arc],
  ['intel-integrated', integrated],
])('%s: what two readings export', async (name, machine) => {
  start(machine);
  expectGolden(name, await twoReadings(machine));
});

test('a card that sleeps is not woken; one that fell off the bus is lost', async () => {
  start(arc);
  const [gpu] = await run.devices(INTEL);
  const path = 'sys/bus/pci/devices/0000:03:00.0';
  run.tree.write({ [`${path}/power/runtime_status`]: 'suspended\n' });
  expect(await run.read(gpu?.id ?? '')).toEqual({});
  run.tree.write({
    [`${path}/power/runtime_status`]: 'active\n',
    [`${path}/config`]: Buffer.alloc(64, 0xff),
  });
  await expect(run.read(gpu?.id ?? '')).rejects.toMatchObject({ failure: 'lost' });
});

test('files that go take their values with them', async () => {
  start(arc);
  const [gpu] = await run.devices(INTEL);
  run.tree.remove('sys/bus/pci/devices/0000:03:00.0/tile0');
  run.tree.remove('sys/bus/pci/devices/0000:03:00.0/hwmon');
  run.tree.remove('proc/700');
  expect(await run.read(gpu?.id ?? '')).toEqual({ utilization: { general: 0 }, processes: [] });
});

test('the sum of another sensor never stands in for one that fails for once', async () => {
  start(arc);
  const [gpu] = await run.devices(INTEL);
  const id = gpu?.id ?? '';
  const file = 'sys/bus/pci/devices/0000:03:00.0/hwmon/hwmon5/energy1_input';
  expect((await run.read(id)).energy?.raw).toBe(900_000_000n);
  run.tree.write({ [file]: 'N/A\n' });
  run.now += 2;
  expect((await run.read(id)).energy).toBeUndefined();
  run.tree.write({ [file]: 900_000_500 });
  run.now += 2;
  expect((await run.read(id)).energy?.raw).toBe(900_000_500n);
});

test('a virtual function is a part of its card', async () => {
  start(arc);
  const path = 'sys/bus/pci/devices/0000:03:00';
  run.tree.write({
    [`${path}.1/class`]: '0x030000\n',
    [`${path}.1/vendor`]: '0x8086\n',
    [`${path}.1/device`]: '0xe20b\n',
  });
  run.tree
    .link(`${path}.1/driver`, '../../../bus/pci/drivers/xe')
    .link(`${path}.1/physfn`, '../0000:03:00.0');
  expect((await run.devices(INTEL)).map(({ id, partition }) => [id, partition])).toEqual([
    ['pci-0000:03:00.0', undefined],
    ['pci-0000:03:00.1', { parent: 'pci-0000:03:00.0', name: 'vf1' }],
  ]);
});

/** The kernel's own clock of a processor, in nanoseconds, stands for an engine: it counts on every machine. */
const SOFTWARE = 1;

test('engines are counted by the kernel where it lets us', async () => {
  start(integrated);
  const path = 'sys/bus/event_source/devices/i915';
  run.tree.write({
    [`${path}/type`]: SOFTWARE,
    [`${path}/cpumask`]: '0\n',
    [`${path}/format/i915_eventid`]: 'config:0-20\n',
    [`${path}/events/rcs0-busy`]: 'config=0x0\n',
    [`${path}/events/vcs0-busy`]: 'config=0x0\n',
    [`${path}/events/vcs0-wait`]: 'config=0x1\n',
    [`${path}/events/rc6-residency`]: 'config=0x100002\n',
  });
  const [gpu] = await run.devices(INTEL);
  if (run.told.some((line) => line.includes('refused'))) return;
  const id = gpu?.id ?? '';
  await run.read(id);
  // The clock of the test goes slowly: the engine that never rests has worked all the time.
  run.now += 0.000_001;
  expect((await run.read(id)).utilization).toEqual({ general: 1, decoder: 1 });
  run.now += 1_000_000;
  const { general = 1 } = (await run.read(id)).utilization ?? {};
  expect(general).toBeLessThan(0.5);
});

test('engines of xe: work over all cycles; engines that are not there are left out', async () => {
  start(arc);
  const path = 'sys/bus/event_source/devices/xe_0000_03_00.0';
  run.tree.write({
    [`${path}/type`]: SOFTWARE,
    [`${path}/format/event`]: 'config:0-11\n',
    [`${path}/format/engine_instance`]: 'config:12-19\n',
    [`${path}/format/engine_class`]: 'config:20-27\n',
    [`${path}/format/gt`]: 'config:60-63\n',
    [`${path}/events/engine-active-ticks`]: 'event=0x0\n',
    [`${path}/events/engine-total-ticks`]: 'event=0x0\n',
  });
  const [gpu] = await run.devices(INTEL);
  if (run.told.some((line) => line.includes('refused'))) return;
  await run.read(gpu?.id ?? '');
  // Of all the engines only the first has a number that this kind of counter knows: the clock, over itself.
  const { general, decoder } = (await run.read(gpu?.id ?? '')).utilization ?? {};
  expect(general).toBeGreaterThan(0.5);
  expect(decoder).toBeUndefined();
});

describe.skipIf(NO_LIBRARIES !== undefined)('Level Zero', () => {
  test('intel-max: what two readings export; devices are joined by their address', async () => {
    library = new TestLibrary('ze_loader', 'libze_loader.so.1', maxProfile(0));
    start(dataCenterMax);
    const lines = await twoReadings(dataCenterMax);
    expectGolden('intel-max', lines);
  });

  test('calls that are refused or not there cost their values; the files still tell theirs', async () => {
    const refusals = ['zesEngineGetActivity', 'zesMemoryGetState', 'zesRasGetState', 'zesDevicePciGetStats'];
    library = new TestLibrary('ze_loader', 'libze_loader.so.1', [
      ...maxProfile(0),
      ...refusals.map((call) => `rc ${call} 0x70010000`),
    ]);
    start(dataCenterMax);
    const [gpu] = await run.devices(INTEL);
    const reading = await run.read(gpu?.id ?? '');
    expect(reading.memory).toBeUndefined();
    expect(reading.errors).toEqual({});
    expect(reading.io).toBeUndefined();
    expect(reading.clocks).toEqual({ graphics: 1_600e6, memory: 3_200e6 });
    expect(reading.powerLimit).toBe(600);
  });

  test('a library that cannot be begun leaves the files; a lost device is lost', async () => {
    library = new TestLibrary('ze_loader', 'libze_loader.so.1', [
      'rc zesInit 0x78000001',
      'rc zesDriverGet 0x78000001',
    ]);
    start(dataCenterMax);
    const [gpu] = await run.devices(INTEL);
    const id = gpu?.id ?? '';
    expect((await run.read(id)).clocks).toEqual({ graphics: 1_600e6 });
    library.profile(maxProfile(0));
    await run.devices(INTEL);
    expect((await run.read(id)).memory?.limit).toBe(128 * 2 ** 30);
    library.profile([...maxProfile(0), 'rc zesMemoryGetState 0x70000001']);
    await expect(run.read(id)).rejects.toMatchObject({ failure: 'lost' });
  });

  test('links between cards are not read when they are not wanted', async () => {
    library = new TestLibrary('ze_loader', 'libze_loader.so.1', maxProfile(0));
    run = new VendorRun(createIntel, { libraries: [library.path], interconnect: false });
    dataCenterMax(run.tree, 0);
    const [gpu] = await run.devices(INTEL);
    expect((await run.read(gpu?.id ?? '')).interconnect).toBeUndefined();
    expect(library.calls()).not.toContain('zesFabricPortGetThroughput');
  });
});
