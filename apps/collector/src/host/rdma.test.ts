import { afterEach, describe, expect, it } from 'vitest';
import { FileTree, SourceRun, valuesBy } from '../fixtures/source-run.ts';
import { chooseCounters, isActive, rdma } from './rdma.ts';

const trees: FileTree[] = [];
const newTree = (): FileTree => {
  const tree = new FileTree();
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

const PORT1 = 'sys/class/infiniband/mlx5_0/ports/1';
const PORT2 = 'sys/class/infiniband/mlx5_0/ports/2';
const EFA = 'sys/class/infiniband/efa_0/ports/1';

const twoCards = (): FileTree =>
  newTree().write({
    [`${PORT1}/state`]: '4: ACTIVE\n',
    [`${PORT1}/gid_attrs/ndevs/0`]: 'ens1f0\n',
    [`${PORT1}/counters/port_rcv_data`]: 1_000,
    [`${PORT1}/counters/port_xmit_data`]: 2_000,
    [`${PORT1}/counters/port_rcv_packets`]: 30,
    [`${PORT1}/counters/port_xmit_packets`]: 40,
    [`${PORT1}/counters/symbol_error`]: 5,
    [`${PORT1}/counters/link_downed`]: 1,
    [`${PORT1}/counters/link_error_recovery`]: 2,
    [`${PORT1}/counters/port_xmit_discards`]: 3,
    [`${PORT1}/hw_counters/np_cnp_sent`]: 11,
    [`${PORT1}/hw_counters/rp_cnp_handled`]: 12,
    [`${PORT1}/hw_counters/np_ecn_marked_roce_packets`]: 13,
    [`${PORT1}/hw_counters/out_of_sequence`]: 99,
    [`${PORT2}/state`]: '1: DOWN\n',
    [`${PORT2}/counters/port_rcv_data`]: 'N/A (no PMA)\n',
    [`${EFA}/state`]: '4: ACTIVE\n',
    [`${EFA}/hw_counters/rx_bytes`]: 7_000,
    [`${EFA}/hw_counters/tx_bytes`]: 8_000,
  });

describe('chooseCounters', () => {
  it('takes the names asked for and says which it does not know', () => {
    expect(chooseCounters(['link_downed', 'link_downed', 'no_such'])).toEqual({
      names: ['link_downed'],
      unknown: ['no_such'],
    });
    expect(chooseCounters([]).names).toContain('port_rcv_data');
    expect(chooseCounters([]).unknown).toEqual([]);
  });

  it('knows an active port', () => {
    expect(isActive('4: ACTIVE')).toBe(true);
    expect(isActive('1: DOWN')).toBe(false);
    expect(isActive('40: X')).toBe(false);
    expect(isActive(undefined)).toBe(false);
  });
});

describe('the source', () => {
  it('reads every port of every device, data in words of four bytes where the standard says so', async () => {
    const run = new SourceRun(rdma, twoCards());
    expect(await run.source.start()).toEqual({ state: 'ready' });
    const points = await run.observe();
    expect(valuesBy(points, 'hw.network.rdma.io', 'hw.id', 'network.io.direction')).toEqual({
      'mlx5_0:1/receive': 4_000,
      'mlx5_0:1/transmit': 8_000,
      'efa_0:1/receive': 7_000,
      'efa_0:1/transmit': 8_000,
    });
    expect(valuesBy(points, 'hw.network.rdma.packets', 'hw.id', 'network.io.direction')).toEqual({
      'mlx5_0:1/receive': 30,
      'mlx5_0:1/transmit': 40,
    });
    expect(
      valuesBy(points, 'hw.network.rdma.congestion.events', 'hw.network.rdma.congestion.type', 'hw.parent'),
    ).toEqual({ 'cnp_sent/ens1f0': 11, 'cnp_handled/ens1f0': 12, 'ecn_marked/ens1f0': 13 });
    expect(
      valuesBy(points, 'hw.errors', 'hw.network.rdma.device', 'hw.network.rdma.port', 'error.type'),
    ).toEqual({
      'mlx5_0/1/symbol': 5,
      'mlx5_0/1/link_downed': 1,
      'mlx5_0/1/link_error_recovery': 2,
      'mlx5_0/1/rdma_xmit_discards': 3,
    });
    expect(valuesBy(points, 'hw.network.up', 'hw.id')).toEqual({
      'mlx5_0:1': 1,
      'mlx5_0:2': 0,
      'efa_0:1': 1,
    });
  });

  it('reads only the counters named, and warns of names that mean nothing', async () => {
    const run = new SourceRun(rdma, twoCards(), { OTEL_HOST_RDMA_COUNTERS: 'out_of_sequence, nonsense' });
    await run.source.start();
    expect(run.logged.join('')).toContain('nonsense');
    const points = await run.observe();
    expect(valuesBy(points, 'hw.errors', 'error.type')).toEqual({ out_of_sequence: 99 });
    expect(valuesBy(points, 'hw.network.rdma.io')).toEqual({});
  });

  it('goes on over a reset, and without a reading of a card that is gone', async () => {
    const tree = twoCards().write({ [`${PORT1}/counters/port_rcv_data`]: 9_000_000 });
    const run = new SourceRun(rdma, tree);
    const received = async () =>
      Number(
        valuesBy(await run.observe(), 'hw.network.rdma.packets', 'hw.id', 'network.io.direction')[
          'mlx5_0:1/receive'
        ],
      );
    const data = async () =>
      Number(
        valuesBy(await run.observe(), 'hw.network.rdma.io', 'hw.id', 'network.io.direction')[
          'mlx5_0:1/receive'
        ],
      );
    const before = await data();
    tree.write({ [`${PORT1}/counters/port_rcv_data`]: 1_000_000, [`${PORT1}/counters/port_rcv_packets`]: 4 });
    expect(await data()).toBe(before + 4_000_000);
    tree.write({ [`${PORT1}/counters/port_rcv_data`]: '18446744073709551615' });
    expect(await data()).toBeNaN();
    tree.write({ [`${PORT1}/counters/port_rcv_data`]: 1_000_001 });
    expect(await data()).toBe(before + 4_000_004);
    expect(await received()).toBe(34);
  });

  it('is unavailable where there is no device', async () => {
    expect((await new SourceRun(rdma, newTree()).source.start()).state).toBe('unavailable');
    expect(
      (await new SourceRun(rdma, newTree().directory('sys/class/infiniband')).source.start()).state,
    ).toBe('unavailable');
  });
});
