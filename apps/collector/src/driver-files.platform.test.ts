import { afterEach, expect, test } from 'vitest';
import { HangingMount } from './fixtures/hanging-mount.ts';
import { FileTree, SourceRun, valuesBy } from './fixtures/source-run.ts';
import { nic } from './host/nic.ts';
import { rdma } from './host/rdma.ts';
import { stuckThreads } from './stuck-threads.ts';

const impossible = HangingMount.impossible();
if (impossible !== undefined) {
  process.stderr.write(`\nSKIPPED: drivers that hang were not tried: ${impossible}\n\n`);
}
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function hang(): HangingMount {
  const mount = new HangingMount();
  ends.push(() => mount.release());
  return mount;
}

function newTree(): FileTree {
  const tree = new FileTree();
  ends.push(() => tree.remove());
  return tree;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 500; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(holds()).toBe(true);
}

const card = (name: string) => ({
  [`sys/class/net/${name}/device/vendor`]: '0x15b3',
  [`sys/class/net/${name}/operstate`]: 'up',
  [`sys/class/net/${name}/carrier_changes`]: 2,
  [`sys/class/net/${name}/speed`]: 1_000,
});

test.skipIf(impossible !== undefined)(
  'a network card whose driver hangs costs its own points and one thread, not the tick',
  async () => {
    const mount = hang();
    const tree = newTree()
      .write({
        ...card('eth0'),
        ...card('eth1'),
        'sys/class/net/eth1/statistics/rx_bytes': 100,
        'sys/class/net/eth1/statistics/tx_bytes': 200,
      })
      .link('sys/class/net/eth0/statistics', mount.path);
    const run = new SourceRun(nic, tree);
    await run.source.start();
    for (let tick = 0; tick < 3; tick += 1) {
      const points = await run.observe();
      expect(valuesBy(points, 'hw.network.io', 'hw.id', 'network.io.direction')).toEqual({
        'eth1/receive': 100,
        'eth1/transmit': 200,
      });
    }
    expect(stuckThreads()).toBe(1);
    expect(run.logged.filter((line) => line.includes('does not answer'))).toHaveLength(1);

    mount.abort();
    await until(() => stuckThreads() === 0);
    expect(run.logged.filter((line) => line.includes('answers again'))).toHaveLength(1);
    await run.source.stop();
  },
);

test.skipIf(impossible !== undefined)('an RDMA port whose firmware hangs costs its own points', async () => {
  const mount = hang();
  const tree = newTree()
    .write({
      'sys/class/infiniband/mlx5_0/ports/1/state': '4: ACTIVE',
      'sys/class/infiniband/mlx5_1/ports/1/state': '4: ACTIVE',
      'sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_data': 10,
    })
    .link('sys/class/infiniband/mlx5_0/ports/1/counters', mount.path);
  const run = new SourceRun(rdma, tree);
  await run.source.start();
  const points = await run.observe();
  expect(valuesBy(points, 'hw.network.rdma.io', 'hw.id')).toEqual({ 'mlx5_1:1': 40 });
  expect(valuesBy(points, 'hw.network.up', 'hw.id')).toEqual({ 'mlx5_1:1': 1 });
  mount.abort();
  await until(() => stuckThreads() === 0);
  await run.source.stop();
});
