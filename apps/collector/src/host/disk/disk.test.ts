import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captured } from '../../fixtures/captured.ts';
import { FileTree, SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import { disksOfDrives } from './darwin.ts';
import { disk } from './index.ts';
import { chooseDisks, diskOfPartition, parseDiskstats } from './linux.ts';
import { parseDiskPerformance, physicalDrives } from './win32.ts';

const row = (name: string, figures = '1 2 3 4 5 6 7 8 0 9 10') => `   8       0 ${name} ${figures}\n`;
const PLAIN = { stacked: false, readOnly: false };

test('a real file: the disk, and neither loop devices nor memory', () => {
  const rows = parseDiskstats(captured('vm', 'proc/diskstats'));
  expect(chooseDisks(rows, () => PLAIN).map(({ name }) => name)).toEqual(['vda']);
});

test('columns: sectors are 512 bytes, later kernels add more columns, old and cut rows are left out', () => {
  const [first, ...others] = parseDiskstats(
    `${row('sda')}${row('sdb', '1 2 3 4')}${row('sdc', '1 2 3 4 5 6 x 8 0 9 10')}${row('sda', '9 9 9 9 9 9 9 9 9 9 9')}   8 0 sdd 1 2 3 4 5 6 7 8 0 9 10`,
  );
  expect(others).toEqual([]);
  expect(first).toEqual({
    name: 'sda',
    read: { operations: 1n, merged: 2n, bytes: 1_536n, milliseconds: 4n },
    write: { operations: 5n, merged: 6n, bytes: 3_584n, milliseconds: 8n },
    busyMilliseconds: 9n,
  });
});

test('names of partitions, and of disks that look like one: nobody is called what they would be of', () => {
  expect(
    ['sda1', 'nvme0n1p2', 'mmcblk0p1', 'vdb12', 'nvme0n1', 'sda', 'md0', 'xvda1', 'loop0p1', 'p1', '7'].map(
      diskOfPartition,
    ),
  ).toEqual([
    'sda',
    'nvme0n1',
    'mmcblk0',
    'vdb',
    'nvme0n',
    undefined,
    'md',
    'xvda',
    'loop0',
    undefined,
    undefined,
  ]);
});

describe('each byte is counted once', () => {
  const chosen = (names: readonly string[], stacked: readonly string[] = []) =>
    chooseDisks(parseDiskstats(names.map((name) => row(name)).join('')), (name) => ({
      stacked: stacked.includes(name),
      readOnly: false,
    })).map(({ name }) => name);

  test('partitions are not, unless their disk is not there', () => {
    expect(chosen(['sda', 'sda1', 'sda2', 'nvme0n1', 'nvme0n1p1', 'xvda1'])).toEqual([
      'sda',
      'nvme0n1',
      'xvda1',
    ]);
  });

  test('what is made of other disks is not, nor are single paths of an NVMe disk', () => {
    expect(chosen(['sda', 'sdb', 'dm-0', 'md127', 'nvme0n1', 'nvme0c1n1'], ['dm-0', 'md127'])).toEqual([
      'sda',
      'sdb',
      'nvme0n1',
    ]);
  });
});

describe('the source', () => {
  test('asks /sys what a device is made of; without it the name tells', async () => {
    const tree = new FileTree()
      .write({
        'proc/diskstats':
          row('sda') + row('dm-0') + row('dm-1') + row('zd0') + row('sr0', '1 0 8 4 0 0 0 0 0 9 10'),
        'sys/class/block/dm-0/slaves/sda2/dev': '8:2\n',
        'sys/class/block/zd0/ro': '0\n',
        'sys/class/block/sr0/ro': '1\n',
      })
      .directory('sys/class/block/zd0/slaves');
    const run = new SourceRun(disk, tree);
    await run.source.start();
    const io = valuesBy(await run.observe(), 'system.disk.io', 'system.device', 'disk.io.direction');
    expect(io).toEqual({ 'sda/read': 1_536, 'sda/write': 3_584, 'sr0/read': 4_096 });
    tree.remove();
  });

  test('times wrap at 32 bits of milliseconds and go on; a disk that is replaced goes on from its sum', async () => {
    const tree = new FileTree().write({
      'proc/diskstats': row('sda', `1 0 100 ${2 ** 32 - 1_000} 1 0 1 1 0 500 1`),
    });
    const run = new SourceRun(disk, tree);
    await run.source.start();
    await run.observe();
    tree.write({ 'proc/diskstats': row('sda', '2 0 10 1000 1 0 1 1 0 700 1') });
    const points = await run.observe();
    const key = ['system.device', 'disk.io.direction'];
    expect(valuesBy(points, 'system.disk.operation_time', ...key)['sda/read']).toBe(
      (2 ** 32 + 1_000) / 1_000,
    );
    expect(valuesBy(points, 'system.disk.io', ...key)['sda/read']).toBe(110 * 512);
    expect(valuesBy(points, 'system.disk.io_time', 'system.device')).toEqual({ sda: 0.7 });
    tree.remove();
  });

  test('a file that is gone gives nothing', async () => {
    const tree = new FileTree();
    const run = new SourceRun(disk, tree);
    expect((await run.source.start()).state).toBe('unavailable');
    expect(await run.observe()).toEqual([]);
    tree.remove();
  });
});

test('no text breaks the reading', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const one of chooseDisks(parseDiskstats(text), () => PLAIN))
        expect(one.read.bytes >= 0n).toBe(true);
    }),
  );
});

test('macOS: a drive that does not count bytes is none', () => {
  const figures = new Map([
    ['Bytes (Read)', 4_096n],
    ['Operations (Read)', 2n],
    ['Total Time (Read)', 3_500_000n],
  ]);
  expect(
    disksOfDrives([
      { name: 'disk0', figures },
      { name: 'disk9', figures: new Map() },
    ]),
  ).toEqual([{ name: 'disk0', read: { bytes: 4_096n, operations: 2n, milliseconds: 3n } }]);
});

test('Windows: drives with holes between their numbers; new ones are found later', () => {
  const bytes = Buffer.alloc(88);
  bytes.writeBigInt64LE(1_000n, 0);
  bytes.writeBigInt64LE(2_000n, 8);
  bytes.writeBigInt64LE(50_000n, 16);
  bytes.writeUInt32LE(7, 40);
  bytes.writeUInt32LE(9, 44);
  expect(parseDiskPerformance('PhysicalDrive0', bytes)).toEqual({
    name: 'PhysicalDrive0',
    read: { bytes: 1_000n, operations: 7n, milliseconds: 5n },
    write: { bytes: 2_000n, operations: 9n, milliseconds: 0n },
  });
  expect(parseDiskPerformance('x', bytes.subarray(0, 40))).toBeUndefined();
  const asked: number[] = [];
  const read = physicalDrives((number) => {
    asked.push(number);
    return number === 0 || number === 5 ? bytes : undefined;
  });
  expect(read().map(({ name }) => name)).toEqual(['PhysicalDrive0', 'PhysicalDrive5']);
  asked.length = 0;
  expect(read()).toHaveLength(2);
  expect(asked).toEqual([0, 5]);
});
