import { afterEach, describe, expect, test } from 'vitest';
import { FileTree, type RecordedPoint, SourceRun, valuesBy } from '../fixtures/source-run.ts';
import { stuckThreads } from '../stuck-threads.ts';
import { NO_LIBRARIES, TestLibrary } from './fixtures/library.ts';
import { a100Mig, addNvidia, address, h100s, migId, uuid } from './fixtures/nvidia-profiles.ts';
import { gpuWith } from './source.ts';
import { VENDORS } from './vendors.ts';

const NVIDIA = VENDORS.filter(({ id }) => id === 'nvidia');
/** A loaded machine takes its time; nothing here is about how long. */
const WAIT = { timeout: 30_000, interval: 100 };
/** No discovery but the first, and those that something asks for. */
const NEVER_MS = 3_600_000;

const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

interface Machine {
  readonly library: TestLibrary;
  readonly tree: FileTree;
  readonly run: SourceRun;
}

async function machine(profile: readonly string[], gpus: number, discoveryMs = 50): Promise<Machine> {
  const library = new TestLibrary('nvidia-ml', 'libnvidia-ml.so.1', profile);
  const tree = new FileTree();
  addNvidia(tree, gpus);
  const entry = gpuWith({ libraries: [library.path], vendors: NVIDIA, discoveryMs });
  const run = new SourceRun(entry, tree, { OTEL_GPU_DCGM_ENABLED: 'false', OTEL_GPU_RDC_ENABLED: 'false' });
  opened.push(async () => {
    await run.source.stop();
    tree.remove();
    library.remove();
  });
  await run.source.start();
  await run.source.settled;
  return { library, tree, run };
}

/** The lines of one more GPU like the second of `h100s`. */
const likeSecond = (gpu: number): string[] =>
  h100s(0)
    .filter((line) => line.startsWith('1.'))
    .map((line) =>
      line
        .replace('1.', `${gpu}.`)
        .replace(uuid(1), uuid(gpu))
        .replace('2B:00.0', `${gpu + 1}B:00.0`),
    );

const busyOf = (points: readonly RecordedPoint[]): Record<string, number> =>
  valuesBy(
    points.filter(({ attributes }) => attributes['hw.gpu.task'] === 'general'),
    'hw.gpu.utilization',
    'hw.id',
  );

const onlyOf = (points: readonly RecordedPoint[], id: string): RecordedPoint[] =>
  points.filter(({ attributes }) => attributes['hw.id'] === id);

/** The state that holds, by device. */
const stateOf = (points: readonly RecordedPoint[]): Record<string, string> =>
  Object.fromEntries(
    points
      .filter(({ metric, value }) => metric === 'hw.status' && value === 1)
      .map(({ attributes }) => [String(attributes['hw.id']), String(attributes['hw.state'])]),
  );

const errorsOf = (points: readonly RecordedPoint[]): Record<string, number> =>
  valuesBy(points, 'platform.collector.gpu.scrape.errors', 'gpu.measurement.source', 'error.type');

describe.skipIf(NO_LIBRARIES !== undefined)('GPUs behind their thread', () => {
  test('are found and read', async () => {
    const { run } = await machine(h100s(0), 2);
    expect(run.source.report?.()).toMatchObject({
      state: 'ready',
      detail: expect.stringContaining('NVIDIA: 2 × NVIDIA H100 80GB HBM3'),
    });
    const points = await run.observe();
    expect(busyOf(points)).toEqual({ [uuid(0)]: 0.97, [uuid(1)]: 0.97 });
    expect(stateOf(points)).toEqual({ [uuid(0)]: 'ok', [uuid(1)]: 'ok' });
    expect(errorsOf(points)).toEqual({
      'nvml/failed': 0,
      'nvml/lost': 0,
      'nvml/stale': 0,
      'nvml/timeout': 0,
    });
    const io = points.find(({ metric }) => metric === 'hw.gpu.interconnect.io');
    expect(io?.attributes).toEqual({
      'hw.id': uuid(0),
      'hw.name': 'NVIDIA H100 80GB HBM3',
      'hw.vendor': 'nvidia',
      'gpu.index': 0,
      'gpu.pci_address': address(0),
      'gpu.mig.enabled': false,
      'hw.gpu.interconnect.type': 'nvlink',
      'network.io.direction': 'receive',
    });
  });

  test('one whose call hangs costs itself alone, and is there again when it returns', async () => {
    const { library, tree, run } = await machine(h100s(0), 2);
    await run.observe();
    // The one that is asked first.
    library.profile([...h100s(0), '0.hang/UtilizationRates']);
    const first = await run.observe();
    expect(stuckThreads()).toBe(1);
    expect(stateOf(first)[uuid(0)]).toBe('degraded');
    // While the call has not returned the other one is read in every round, by another thread.
    await expect.poll(async () => busyOf(await run.observe()), WAIT).toEqual({ [uuid(1)]: 0.97 });
    expect(stuckThreads()).toBe(1);
    const during = await run.observe();
    expect(busyOf(during)).toEqual({ [uuid(1)]: 0.97 });
    expect(stateOf(during)).toEqual({ [uuid(0)]: 'degraded', [uuid(1)]: 'ok' });
    expect(errorsOf(during)['nvml/timeout']).toBeGreaterThanOrEqual(2);
    // Another comes: the look at the devices leaves out the one that hangs, and knows it still.
    const third = likeSecond(2);
    library.profile([...h100s(0), ...third, 'gpus 3', '0.hang/UtilizationRates'].slice(1));
    addNvidia(tree, 3);
    await expect
      .poll(async () => stateOf(await run.observe()), WAIT)
      .toEqual({ [uuid(0)]: 'degraded', [uuid(1)]: 'ok', [uuid(2)]: 'ok' });
    library.profile([...h100s(60), ...third, 'gpus 3'].slice(1));
    await expect
      .poll(async () => busyOf(await run.observe()), WAIT)
      .toEqual({ [uuid(0)]: 0.97, [uuid(1)]: 0.97, [uuid(2)]: 0.97 });
    expect(stuckThreads()).toBe(0);
    expect(run.logged.filter((line) => line.includes('does not answer'))).toHaveLength(1);
    expect(run.logged.filter((line) => line.includes('answers again'))).toHaveLength(1);
  }, 90_000);

  test('one that hangs alone on the bus is not come upon by looking for others', async () => {
    const { library, tree, run } = await machine(h100s(0), 1);
    await run.observe();
    library.profile([...h100s(0), '0.hang/UtilizationRates']);
    expect(stateOf(await run.observe())).toEqual({ [uuid(0)]: 'degraded' });
    addNvidia(tree, 2);
    await expect
      .poll(async () => stateOf(await run.observe()), WAIT)
      .toEqual({ [uuid(0)]: 'degraded', [uuid(1)]: 'ok' });
    tree.remove(`sys/bus/pci/devices/${address(1)}`);
    // The library would list the other one still.
    await expect.poll(async () => stateOf(await run.observe()), WAIT).toEqual({ [uuid(0)]: 'degraded' });
    library.profile(h100s(0));
    await expect.poll(async () => busyOf(await run.observe()), WAIT).toEqual({ [uuid(0)]: 0.97 });
  }, 90_000);

  test('when as many hang as may, nobody is asked until one is back; no more threads are lost', async () => {
    const four = ['gpus 4', ...h100s(0).slice(1), ...likeSecond(2), ...likeSecond(3)];
    const { library, tree, run } = await machine(four, 4);
    expect(Object.keys(busyOf(await run.observe()))).toHaveLength(4);
    const hang = [0, 1, 2].map((gpu) => `${gpu}.hang/UtilizationRates`);
    library.profile([...four, ...hang]);
    const degraded = Object.fromEntries([0, 1, 2].map((gpu) => [uuid(gpu), 'degraded']));
    await expect.poll(async () => stateOf(await run.observe()), WAIT).toEqual(degraded);
    // A look at the devices meanwhile forgets none of them.
    addNvidia(tree, 5);
    await expect.poll(async () => stateOf(await run.observe()), WAIT).toEqual(degraded);
    expect(stuckThreads()).toBe(3);
    library.profile(four);
    await expect.poll(async () => Object.keys(busyOf(await run.observe())), WAIT).toHaveLength(4);
    expect(stuckThreads()).toBe(0);
  }, 120_000);

  test('one that is back while others are looked for is not forgotten', async () => {
    const three = ['gpus 3', ...h100s(0).slice(1), ...likeSecond(2)];
    const { library, tree, run } = await machine(three, 3);
    await run.observe();
    library.profile([...three, '0.hang/UtilizationRates']);
    await expect
      .poll(async () => stateOf(await run.observe()), WAIT)
      .toMatchObject({ [uuid(0)]: 'degraded' });
    const slow = [...three, '1.sleep/UUID 1000'];
    library.profile([...slow, '0.hang/UtilizationRates']);
    addNvidia(tree, 4);
    // The look has begun and takes its time when the call returns.
    await new Promise((resolve) => setTimeout(resolve, 400));
    library.profile(slow);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    library.profile(three);
    await expect.poll(async () => Object.keys(busyOf(await run.observe())), WAIT).toHaveLength(3);
  }, 90_000);

  test('one that fell off the bus is failed until it is back; no counter falls', async () => {
    const { library, run } = await machine(h100s(0), 2);
    const energy = (points: readonly RecordedPoint[]) => valuesBy(points, 'hw.energy', 'hw.id')[uuid(1)];
    const before = energy(await run.observe());
    const errorKinds = (points: readonly RecordedPoint[]) =>
      Object.keys(valuesBy(onlyOf(points, uuid(1)), 'hw.errors', 'error.type')).toSorted();
    const xids = (points: readonly RecordedPoint[]) =>
      valuesBy(onlyOf(points, uuid(1)), 'hw.errors', 'error.type')['xid'];
    const kinds = errorKinds(await run.observe());
    expect(kinds).toContain('xid');
    library.profile([...h100s(60), '1.rc 15', '1.xid/0 79']);
    await expect
      .poll(async () => stateOf(await run.observe()), WAIT)
      .toEqual({ [uuid(0)]: 'ok', [uuid(1)]: 'failed' });
    // The counters of a lost GPU stay, with the XID that tells of its loss.
    const lost = await run.observe();
    expect(errorKinds(lost)).toEqual(kinds);
    expect(xids(lost)).toBe(1);
    // Looked for again meanwhile, and known to the driver by its address only: it is one device all the same.
    await expect.poll(() => run.logged.filter((line) => line.includes('count=1')).length, WAIT).toBe(1);
    expect(stateOf(await run.observe())).toEqual({ [uuid(0)]: 'ok', [uuid(1)]: 'failed' });
    expect(errorsOf(await run.observe())['nvml/lost']).toBeGreaterThanOrEqual(1);
    // After the reset its energy counts from zero.
    library.profile(
      h100s(60).map((line) => (line.startsWith('1.TotalEnergy') ? '1.TotalEnergyConsumption 5000' : line)),
    );
    await expect
      .poll(async () => stateOf(await run.observe()), WAIT)
      .toEqual({ [uuid(0)]: 'ok', [uuid(1)]: 'ok' });
    expect(energy(await run.observe())).toBe((before ?? 0) + 5);
  }, 90_000);

  test('one that is lost from the start is failed, under its address', async () => {
    const { library, run } = await machine([...h100s(0), '1.rc 15'], 2);
    const lost = `pci-${address(1)}`;
    await expect
      .poll(async () => stateOf(await run.observe()), WAIT)
      .toEqual({ [uuid(0)]: 'ok', [lost]: 'failed' });
    library.profile(h100s(0));
    await expect
      .poll(async () => stateOf(await run.observe()), WAIT)
      .toEqual({ [uuid(0)]: 'ok', [uuid(1)]: 'ok' });
  }, 90_000);

  test('come and go with the bus', async () => {
    const { tree, run } = await machine(h100s(0), 1);
    expect(Object.keys(busyOf(await run.observe()))).toEqual([uuid(0)]);
    addNvidia(tree, 2);
    await expect
      .poll(async () => Object.keys(busyOf(await run.observe())).toSorted(), WAIT)
      .toEqual([uuid(0), uuid(1)]);
    tree.remove(`sys/bus/pci/devices/${address(0)}`);
    await expect.poll(async () => stateOf(await run.observe()), WAIT).toEqual({ [uuid(1)]: 'ok' });
    tree.remove('sys/bus/pci/devices');
    await expect
      .poll(async () => (await run.observe()).filter(({ metric }) => metric.startsWith('hw.')), WAIT)
      .toEqual([]);
    expect(run.source.report?.()).toEqual({
      state: 'unavailable',
      reason: 'NVIDIA: no GPU of it on the PCI bus',
    });
  }, 90_000);

  test('a driver that was upgraded underneath is loaded anew when it fits', async () => {
    const { library, run } = await machine(h100s(0), 2);
    await run.observe();
    library.profile([...h100s(0), '0.rc 18', '1.rc 18', 'rc/Init 18']);
    await expect
      .poll(async () => {
        await run.observe();
        return run.source.report?.();
      }, WAIT)
      .toMatchObject({ state: 'unavailable', reason: expect.stringContaining('the driver was upgraded') });
    library.profile(h100s(0));
    await expect
      .poll(async () => busyOf(await run.observe()), WAIT)
      .toEqual({ [uuid(0)]: 0.97, [uuid(1)]: 0.97 });
  }, 90_000);

  test('partitions that were made anew are there without waiting for the next turn', async () => {
    const { library, run } = await machine(a100Mig(0), 2, NEVER_MS);
    const parts = (points: readonly RecordedPoint[]) =>
      Object.keys(valuesBy(points, 'hw.gpu.memory.limit', 'gpu.mig.device_id'))
        .filter((id) => id !== '')
        .toSorted();
    expect(parts(await run.observe())).toEqual([migId(2), migId(3), migId(11)]);
    library.profile(a100Mig(0).map((line) => line.replace(migId(11), migId(13))));
    await expect.poll(async () => parts(await run.observe()), WAIT).toEqual([migId(2), migId(3), migId(13)]);
  }, 60_000);

  test('a library that hangs at the start holds up neither the start nor the end', async () => {
    const library = new TestLibrary('nvidia-ml', 'libnvidia-ml.so.1', [...h100s(0), 'hang/Init']);
    const tree = new FileTree();
    addNvidia(tree, 2);
    const run = new SourceRun(gpuWith({ libraries: [library.path], vendors: NVIDIA }), tree);
    expect(await run.source.start()).toEqual({ state: 'ready' });
    expect(run.source.report?.()).toMatchObject({ state: 'unavailable' });
    expect(await run.observe()).toEqual([]);
    await run.source.stop();
    library.profile(h100s(0));
    await expect.poll(stuckThreads, WAIT).toBe(0);
    tree.remove();
    library.remove();
  }, 60_000);
});

test('without a GPU no thread is begun, and the reason is told', async () => {
  const tree = new FileTree();
  const run = new SourceRun(gpuWith({ vendors: NVIDIA }), tree);
  await run.source.start();
  expect(run.source.report?.()).toEqual({
    state: 'unavailable',
    reason: process.platform === 'linux' ? 'NVIDIA: no GPU of it on the PCI bus' : expect.anything(),
  });
  expect(await run.observe()).toEqual([]);
  await run.source.stop();
  tree.remove();
});
