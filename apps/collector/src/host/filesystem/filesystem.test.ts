import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captured } from '../../fixtures/captured.ts';
import { FileTree, SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import { parseStatfsList, STATFS_BYTES } from './darwin.ts';
import { filesystem } from './index.ts';
import { spaceOf } from './volume.ts';
import { volumesOf } from './win32.ts';

describe('space', () => {
  test('blocks are of the size that they are counted in; used and free are those of df', () => {
    expect(spaceOf({ bsize: 1_048_576, frsize: 4_096, blocks: 100, bfree: 40, bavail: 30 })).toEqual({
      used: 60 * 4_096,
      free: 30 * 4_096,
      reserved: 10 * 4_096,
    });
    expect(spaceOf({ bsize: 512, frsize: 0, blocks: 2, bfree: 1, bavail: 1 })?.used).toBe(512);
    expect(spaceOf({ bsize: 4_096, blocks: 0, bfree: 0, bavail: 0 })).toBeUndefined();
  });

  test('the parts add up whatever a program tells', () => {
    const count = fc.oneof(fc.nat(), fc.constant(2 ** 63), fc.constant(-1), fc.constant(Number.NaN));
    fc.assert(
      fc.property(count, count, count, (blocks, bfree, bavail) => {
        const space = spaceOf({ bsize: 4_096, blocks, bfree, bavail });
        if (space === undefined) return;
        const whole = blocks * 4_096;
        // Exact up to 2^53; beyond, each sum is rounded.
        const rounded = whole <= Number.MAX_SAFE_INTEGER ? 0 : 2 * Number.EPSILON * whole;
        expect(Math.abs(space.used + space.free + space.reserved - whole)).toBeLessThanOrEqual(rounded);
        expect(Math.min(space.used, space.free, space.reserved)).toBeGreaterThanOrEqual(0);
      }),
      { examples: [[2 ** 63, 782_926_337, 498_319_362]] },
    );
  });
});

/** The device that a directory of this machine is on, as the table of mounts writes it. */
function deviceOf(path: string): string {
  const { dev } = statSync(path);
  return `${Math.floor(dev / 256) % 4_096}:${(dev % 256) + Math.floor(dev / 2 ** 20) * 256}`;
}

describe.skipIf(process.platform !== 'linux')('the source, with the root of a host mounted elsewhere', () => {
  function host() {
    const tree = new FileTree()
      .directory('mnt/a b')
      .directory('mnt/other')
      .write({
        'etc/hosts': '',
        'proc/filesystems': captured('vm', 'proc/filesystems'),
      });
    return { tree, device: deviceOf(tree.path), run: new SourceRun(filesystem, tree) };
  }

  test('is told of at the paths of the host, once, with the figures of that place', async () => {
    const { tree, device, run } = host();
    tree.write({
      'proc/1/mountinfo':
        `1 0 ${device} /sub /etc/hosts rw - ext4 /dev/x rw\n` +
        `2 0 ${device} / /mnt/a\\040b rw - ext4 /dev/x rw\n` +
        `3 0 ${device} / /mnt/a\\040b/deeper rw - ext4 /dev/x rw\n`,
    });
    expect(await run.source.start()).toEqual({ state: 'ready' });
    const points = await run.observe();
    const where = ['system.device', 'system.filesystem.mountpoint', 'system.filesystem.type'];
    const usage = valuesBy(points, 'system.filesystem.usage', ...where, 'system.filesystem.state');
    const { blocks, frsize, bfree } = statfsSync(tree.path);
    expect(usage['/dev/x//mnt/a b/ext4/used']).toBeGreaterThan(0);
    expect(Math.abs((usage['/dev/x//mnt/a b/ext4/used'] ?? 0) - (blocks - bfree) * frsize)).toBeLessThan(
      2 ** 30,
    );
    const limit = valuesBy(points, 'system.filesystem.limit', ...where);
    expect(limit).toEqual({ '/dev/x//mnt/a b/ext4': blocks * frsize });
    expect(Object.values(usage).reduce((a, b) => a + b, 0)).toBe(blocks * frsize);
    tree.remove();
  });

  test('what is not to be seen there is not told with the figures of what is', async () => {
    const { tree, device, run } = host();
    tree.write({
      'proc/1/mountinfo': `1 0 254:77 / /mnt/other rw - ext4 /dev/y rw\n2 0 ${device} /f /etc/hosts rw - ext4 /dev/x rw\n3 0 254:78 / /gone rw - xfs /dev/z rw\n`,
    });
    await run.source.start();
    expect(await run.observe()).toEqual([]);
    tree.remove();
  });

  test('without the right to see the first process, by its own table below that root', async () => {
    const { tree, device, run } = host();
    tree.write({
      'proc/self/mountinfo': `1 0 ${device} / / rw - ext4 /dev/own rw\n2 0 ${device} / ${join(tree.path, 'mnt/other')} rw - ext4 /dev/x rw\n`,
    });
    await run.source.start();
    expect(
      Object.keys(valuesBy(await run.observe(), 'system.filesystem.limit', 'system.filesystem.mountpoint')),
    ).toEqual(['/mnt/other']);
    tree.remove();
  });

  test('a mount that comes and goes, types left out by the settings, and a table that is gone', async () => {
    const { tree, device } = host();
    const run = new SourceRun(filesystem, tree, { OTEL_GPU_FS_TYPES_EXCLUDE: 'vfat' });
    const table = 'proc/1/mountinfo';
    tree.write({ [table]: `1 0 ${device} / /mnt/other rw - vfat /dev/x rw\n` });
    await run.source.start();
    expect(await run.observe()).toEqual([]);
    tree.write({ [table]: `1 0 ${device} / /mnt/other rw - ext4 /dev/x rw\n` });
    expect((await run.observe()).length).toBeGreaterThan(0);
    tree.remove(table);
    expect(await run.observe()).toEqual([]);
    tree.remove();
  });

  test('a place that may hang is asked in a thread of its own, and answers', async () => {
    const { tree, device, run } = host();
    tree.write({ 'proc/1/mountinfo': `1 0 ${device} / /mnt/other rw - nfs4 filer:/export rw\n` });
    await run.source.start();
    expect(valuesBy(await run.observe(), 'system.filesystem.limit', 'system.device')).toHaveProperty([
      'filer:/export',
    ]);
    await run.source.stop();
    tree.remove();
  });
});

test('macOS: mounts but views and the volumes of the system', () => {
  const one = (type: string, mountPoint: string, flags = 0) => {
    const bytes = Buffer.alloc(STATFS_BYTES);
    bytes.writeUInt32LE(4_096, 0);
    bytes.writeBigUInt64LE(100n, 8);
    bytes.writeBigUInt64LE(40n, 16);
    bytes.writeBigUInt64LE(30n, 24);
    bytes.writeUInt32LE(flags, 64);
    bytes.write(type, 72);
    bytes.write(mountPoint, 88);
    bytes.write('/dev/disk1s1', 1_112);
    return bytes;
  };
  const hidden = 0x0010_0000;
  const list = [
    one('apfs', '/', hidden),
    one('devfs', '/dev', hidden),
    one('apfs', '/System/Volumes/VM', hidden),
    one('exfat', '/Volumes/Stick'),
    one('cd9660', '/Volumes/Disc'),
  ];
  const volumes = parseStatfsList(Buffer.concat([...list, Buffer.alloc(50)]), new Set(['cd9660']));
  expect(volumes.map(({ mountPoint }) => mountPoint)).toEqual(['/', '/Volumes/Stick']);
  expect(volumes[0]).toMatchObject({ device: '/dev/disk1s1', type: 'apfs', space: { used: 60 * 4_096 } });
});

test('Windows: volumes by their letters', () => {
  const drive = { root: 'C:\\', type: 'NTFS', total: 100n, free: 40n, available: 30n };
  expect(volumesOf([drive, { ...drive, root: 'D:\\', type: 'UDF' }], new Set(['UDF']))).toEqual([
    { device: 'C:', mountPoint: 'C:', type: 'NTFS', space: { used: 60, free: 30, reserved: 10 } },
  ]);
});
