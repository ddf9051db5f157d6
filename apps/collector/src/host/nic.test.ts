import { afterEach, describe, expect, it } from 'vitest';
import { FileTree, SourceRun, valuesBy } from '../fixtures/source-run.ts';
import { type InterfaceFacts, isUp, linkLimit, nic, selectInterfaces, statusOf } from './nic.ts';

const trees: FileTree[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

interface Given {
  readonly virtual?: boolean;
  readonly files?: Record<string, string | number>;
}

/** Interfaces as sysfs shows them: a link of the class to a directory among the devices. */
function treeOf(interfaces: Record<string, Given>): FileTree {
  const tree = new FileTree().directory('sys/class/net');
  trees.push(tree);
  for (const [name, { virtual = false, files = {} }] of Object.entries(interfaces)) {
    const home = virtual ? `devices/virtual/net/${name}` : `devices/pci0000:00/net/${name}`;
    tree.link(`sys/class/net/${name}`, `../../${home}`);
    if (!virtual) tree.directory(`sys/${home}/device`);
    const all = {
      type: 1,
      flags: '0x1003',
      operstate: 'up',
      carrier: 1,
      carrier_changes: 2,
      carrier_up_count: 1,
      speed: 1_000,
      'statistics/rx_bytes': 1_000,
      'statistics/tx_bytes': 2_000,
      'statistics/rx_packets': 10,
      'statistics/tx_packets': 20,
      'statistics/rx_errors': 1,
      'statistics/tx_errors': 2,
      'statistics/rx_dropped': 3,
      'statistics/tx_dropped': 4,
      'statistics/rx_missed_errors': 5,
      ...files,
    };
    tree.write(
      Object.fromEntries(Object.entries(all).map(([file, value]) => [`sys/${home}/${file}`, value])),
    );
  }
  return tree;
}

const ETH0 = 'sys/devices/pci0000:00/net/eth0';

describe('selectInterfaces', () => {
  const facts = (name: string, more: Partial<InterfaceFacts> = {}): InterfaceFacts => ({
    name,
    hardware: false,
    loopback: false,
    master: undefined,
    hasLower: false,
    representor: false,
    ...more,
  });

  it('takes hardware, so that no byte counts twice', () => {
    const all = [
      facts('lo', { loopback: true }),
      facts('eth0', { hardware: true, master: 'bond0' }),
      facts('eth1', { hardware: true, master: 'bond0' }),
      facts('bond0', { hasLower: true }),
      facts('br0', { hasLower: true }),
      facts('bond0.100', { hasLower: true }),
      facts('veth1a2b', { master: 'br0' }),
      facts('pf0vf1', { hardware: true, representor: true }),
    ];
    expect(selectInterfaces(all, [], ['lo'])).toEqual(['eth0', 'eth1']);
  });

  it('takes one half of an accelerated interface of a cloud', () => {
    const all = [facts('eth0', { hardware: true }), facts('enP1s1', { hardware: true, master: 'eth0' })];
    expect(selectInterfaces(all, [], [])).toEqual(['eth0']);
  });

  it('takes what is there where nothing is hardware', () => {
    const all = [facts('lo', { loopback: true }), facts('eth0'), facts('vlan5', { hasLower: true })];
    expect(selectInterfaces(all, [], [])).toEqual(['eth0']);
  });

  it('lets the operator choose', () => {
    const all = [facts('eth0', { hardware: true }), facts('bond0', { hasLower: true }), facts('eth1')];
    expect(selectInterfaces(all, ['bond0', 'gone'], [])).toEqual(['bond0']);
    expect(selectInterfaces(all, ['bond0', 'eth1'], ['eth1'])).toEqual(['bond0']);
  });
});

describe('states', () => {
  it('knows a link that is up, with and without a state of its own', () => {
    expect(isUp('up', undefined)).toBe(true);
    expect(isUp('unknown', 1)).toBe(true);
    expect(isUp('unknown', undefined)).toBe(false);
    expect(isUp('lowerlayerdown', 1)).toBe(false);
  });

  it('calls broken only what was wanted and has worked', () => {
    expect(statusOf(true, 'up', 0x1003, true)).toBe('ok');
    expect(statusOf(false, 'down', 0x1003, true)).toBe('failed');
    expect(statusOf(false, 'down', 0x1003, false)).toBeUndefined();
    expect(statusOf(false, 'down', 0x1002, true)).toBeUndefined();
    expect(statusOf(false, 'dormant', 0x1003, true)).toBe('degraded');
  });

  it('knows the speeds that are none', () => {
    expect(linkLimit(100_000)).toBe(12.5e9);
    for (const none of [undefined, -1, 0, 4_294_967_295]) expect(linkLimit(none)).toBeUndefined();
  });
});

describe('the source', () => {
  it('records traffic, errors, speed, state and how busy the link was', async () => {
    const tree = treeOf({ eth0: {}, veth1: { virtual: true }, lo: { virtual: true, files: { type: 772 } } });
    const run = new SourceRun(nic, tree);
    expect(await run.source.start()).toEqual({ state: 'ready' });
    const first = await run.observe();
    expect(new Set(first.map(({ attributes }) => attributes['hw.id']))).toEqual(new Set(['eth0']));
    const io = ['network.interface.name', 'network.io.direction'] as const;
    expect(valuesBy(first, 'hw.network.io', ...io)).toEqual({
      'eth0/receive': 1_000,
      'eth0/transmit': 2_000,
    });
    expect(valuesBy(first, 'hw.network.packets', ...io)).toEqual({ 'eth0/receive': 10, 'eth0/transmit': 20 });
    expect(valuesBy(first, 'hw.errors', 'error.type', 'network.io.direction')).toEqual({
      'receive/receive': 1,
      'transmit/transmit': 2,
      'dropped/receive': 3,
      'dropped/transmit': 4,
      'missed/receive': 5,
    });
    expect(valuesBy(first, 'hw.network.bandwidth.limit', 'hw.id')).toEqual({ eth0: 125e6 });
    expect(valuesBy(first, 'hw.network.up', 'hw.id')).toEqual({ eth0: 1 });
    expect(valuesBy(first, 'hw.status', 'hw.state')).toEqual({ ok: 1, degraded: 0, failed: 0 });
    expect(valuesBy(first, 'hw.network.bandwidth.utilization')).toEqual({});

    run.now += 10;
    tree.write({
      [`${ETH0}/statistics/rx_bytes`]: 1_000 + 125e6,
      [`${ETH0}/statistics/tx_bytes`]: 2_000 + 625e6,
    });
    const second = await run.observe();
    expect(valuesBy(second, 'hw.network.bandwidth.utilization', 'hw.id')).toEqual({ eth0: 0.5 });
  });

  it('never goes down when a driver is loaded again, and tells a link that went', async () => {
    const tree = treeOf({ eth0: {} });
    const run = new SourceRun(nic, tree);
    await run.observe();
    tree.write({
      [`${ETH0}/statistics/rx_bytes`]: 50,
      [`${ETH0}/operstate`]: 'down',
      [`${ETH0}/carrier_changes`]: 3,
      [`${ETH0}/speed`]: -1,
    });
    run.now += 10;
    const points = await run.observe();
    expect(valuesBy(points, 'hw.network.io', 'network.io.direction')).toEqual({
      receive: 1_050,
      transmit: 2_000,
    });
    expect(valuesBy(points, 'hw.status', 'hw.state')).toEqual({ ok: 0, degraded: 0, failed: 1 });
    expect(valuesBy(points, 'hw.network.up')).toEqual({ '': 0 });
    expect(valuesBy(points, 'hw.network.bandwidth.limit')).toEqual({});
    expect(valuesBy(points, 'hw.network.bandwidth.utilization')).toEqual({});
  });

  it('passes over figures that are none and interfaces that vanish', async () => {
    const tree = treeOf({ eth0: {}, eth1: {} });
    const run = new SourceRun(nic, tree);
    await run.observe();
    tree.remove('sys/class/net/eth1');
    tree.write({
      [`${ETH0}/statistics/rx_bytes`]: 'garbage',
      [`${ETH0}/statistics/tx_bytes`]: '-5',
      [`${ETH0}/speed`]: '1e9',
      [`${ETH0}/carrier_changes`]: 9,
      'sys/class/net/bonding_masters': 'bond0',
    });
    const points = await run.observe();
    expect(valuesBy(points, 'hw.network.io', 'hw.id')).toEqual({});
    expect(valuesBy(points, 'hw.network.packets', 'hw.id', 'network.io.direction')).toEqual({
      'eth0/receive': 10,
      'eth0/transmit': 20,
    });
    expect(valuesBy(points, 'hw.network.bandwidth.limit')).toEqual({});
  });

  it('looks again at a name that was given anew, and at all names when the hardware goes', async () => {
    const tree = treeOf({ eth0: {}, tap0: { virtual: true } });
    const run = new SourceRun(nic, tree);
    const names = async () => Object.keys(valuesBy(await run.observe(), 'hw.network.up', 'hw.id'));
    expect(await names()).toEqual(['eth0']);
    tree.remove('sys/class/net/tap0');
    expect(await names()).toEqual(['eth0']);
    tree.link('sys/class/net/tap0', '../../devices/pci0000:00/net/eth0');
    expect((await names()).toSorted()).toEqual(['eth0', 'tap0']);
    tree.remove('sys/class/net/tap0');
    tree.remove('sys/class/net/eth0');
    tree.link('sys/class/net/veth9', '../../devices/virtual/net/tap0');
    expect(await names()).toEqual(['veth9']);
  });

  it('keeps counts of more than 2^53 whole', async () => {
    const tree = treeOf({ eth0: { files: { 'statistics/rx_bytes': '18446744073709551000' } } });
    const run = new SourceRun(nic, tree);
    const [before] = Object.values(
      valuesBy(await run.observe(), 'hw.network.io', 'hw.id', 'network.io.direction'),
    );
    tree.write({ [`${ETH0}/statistics/rx_bytes`]: 5_000_000 });
    const [after] = Object.values(
      valuesBy(await run.observe(), 'hw.network.io', 'hw.id', 'network.io.direction'),
    );
    expect(Number(after)).toBeGreaterThan(Number(before));
  });

  it('runs on this machine', async () => {
    const run = new SourceRun(nic, undefined);
    const started = await run.source.start();
    if (started.state === 'ready') {
      for (const point of await run.observe()) expect(Number.isFinite(point.value)).toBe(true);
    }
  });
});
