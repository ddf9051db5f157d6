import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captured } from '../../fixtures/captured.ts';
import {
  chooseVolumes,
  deviceNumber,
  isRemote,
  type Mount,
  parseMountinfo,
  parseNodev,
  serverOf,
} from './mounts.ts';

const NODEV = parseNodev(captured('vm', 'proc/filesystems'));
const NONE = new Set<string>();

const mount = (device: string, mountPoint: string, type = 'ext4', more: Partial<Mount> = {}): Mount => ({
  device,
  root: '/',
  mountPoint,
  type,
  source: '/dev/sda1',
  ...more,
});

const chosen = (mounts: readonly Mount[], excluded = NONE) =>
  chooseVolumes(mounts, NODEV, excluded).map(({ places }) => places[0]?.mountPoint);

describe('the table of mounts', () => {
  test('a real one: of all of it one holds files', () => {
    expect(chosen(parseMountinfo(captured('vm', 'proc/self/mountinfo')))).toEqual(['/']);
  });

  test('tags are optional, blanks and line feeds are escaped, what comes later hides what was there', () => {
    const text = [
      '36 35 98:0 /mnt1 /a\\040b\\012c\\134 rw,noatime master:1 shared:7 - ext3 /dev/root\\043 rw,errors=continue',
      '37 35 0:40 / /x rw - nfs4 server:/export rw',
      '38 35 8:1 / /x rw - ext4 /dev/sda1 rw',
      '39 35 bad / /y rw - ext4 /dev/sda1 rw',
      '40 35 8:2 / y rw - ext4 /dev/sda2 rw',
      '41 35 8:3 / /z rw',
      '42 35 8:4 / /cut rw - ext4 /dev/sd',
    ].join('\n');
    expect(parseMountinfo(text)).toEqual([
      { device: '98:0', root: '/mnt1', mountPoint: '/a b\nc\\', type: 'ext3', source: '/dev/root#' },
      { device: '8:1', root: '/', mountPoint: '/x', type: 'ext4', source: '/dev/sda1' },
    ]);
  });

  test('no text breaks the reading', () => {
    const words = fc.stringMatching(
      /^(\d{1,2} \d \d:\d \/[a-c\\]{0,3} \/[a-c\\0-7]{0,9} rw (x:1 )?- (ext4|nfs|fuse\.x) [a-z/:]{1,5} rw\n){0,5}$/,
    );
    fc.assert(
      fc.property(fc.oneof(words, fc.string({ unit: 'binary' })), (text) => {
        const mounts = parseMountinfo(text);
        expect(new Set(mounts.map(({ mountPoint }) => mountPoint)).size).toBe(mounts.length);
        const volumes = chooseVolumes(mounts, NODEV, NONE);
        expect(new Set(volumes.map(({ device }) => device)).size).toBe(volumes.length);
      }),
    );
  });
});

describe('which file systems', () => {
  test('each once: where all of it is mounted, at the shortest path', () => {
    expect(
      chosen([
        mount('8:1', '/var/lib/docker/volumes/x', 'ext4', { root: '/data/x' }),
        mount('8:1', '/mnt/again'),
        mount('8:1', '/mnt'),
        mount('0:50', '/home', 'btrfs', { root: '/@home' }),
        mount('0:50', '/', 'btrfs', { root: '/@' }),
      ]),
    ).toEqual(['/mnt', '/']);
  });

  test('those with files of their own: not pseudo ones, not the overlays of containers, not excluded types', () => {
    const mounts = [
      mount('0:1', '/proc', 'proc'),
      mount('0:2', '/run', 'tmpfs'),
      mount('0:3', '/var/lib/docker/overlay2/a/merged', 'overlay'),
      mount('0:4', '/snap/core', 'squashfs'),
      mount('0:5', '/tank', 'zfs'),
      mount('0:6', '/nfs', 'nfs4'),
      mount('0:7', '/var/lib/lxcfs', 'fuse.lxcfs'),
      mount('0:8', '/s3', 'fuse.s3fs'),
      mount('8:1', '/boot', 'vfat'),
    ];
    expect(chosen(mounts, new Set(['squashfs']))).toEqual(['/tank', '/nfs', '/s3', '/boot']);
    // A container without the host's root has its overlay for one.
    expect(chosen([mount('0:9', '/', 'overlay')])).toEqual(['/']);
    // Without /proc/filesystems only what its type tells.
    expect(chooseVolumes(mounts, undefined, NONE).map(({ device }) => device)).toEqual(['0:5', '0:6', '0:8']);
  });

  test('what lies below a server may hang as the server does, unless there is another way', () => {
    const risky = chooseVolumes(
      [
        mount('0:6', '/nfs', 'nfs'),
        mount('8:1', '/nfs/disk'),
        mount('8:2', '/nfsx'),
        mount('8:3', '/nfs/other'),
        mount('8:3', '/a/much/longer/way'),
      ],
      NODEV,
      NONE,
    );
    expect(risky.map(({ places, risky: is }) => [places[0]?.mountPoint, is])).toEqual([
      ['/nfs', true],
      ['/nfs/disk', true],
      ['/nfsx', false],
      ['/a/much/longer/way', false],
    ]);
  });

  test('who answers for a mount', () => {
    const of = (source: string, type = 'nfs') => serverOf(mount('0:1', '/x', type, { source }));
    expect([
      of('Filer:/a'),
      of('filer:/b'),
      of('[fe80::1]:/a'),
      of('//nas/share', 'cifs'),
      of('sshfs', 'fuse.sshfs'),
    ]).toEqual(['filer', 'filer', '[fe80::1]', 'nas', 'fuse.sshfs 0:1']);
    expect([isRemote('ext4'), isRemote('fuse.rclone'), isRemote('cifs')]).toEqual([false, true, true]);
  });
});

test('the number of a device is that of stat', () => {
  const table = parseMountinfo('1 0 254:0 / / rw - ext4 /dev/vda rw\n');
  expect(deviceNumber(table[0]?.device ?? '')).toBe(0xfe00);
  expect(deviceNumber('8:300')).toBe(0x10082c);
  expect(deviceNumber('0:0')).toBe(0);
  expect(Number.isSafeInteger(deviceNumber('4095:1048575'))).toBe(true);
});
