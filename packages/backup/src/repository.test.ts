import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manifest, Pack } from './manifest.ts';
import { parseManifest } from './manifest.ts';
import { newId, Repository } from './repository.ts';
import { folderTarget } from './targets/folder.ts';
import { restore } from './restore.ts';
import { targetOf } from './targets/index.ts';
import { BackupError } from './targets/target.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'candela-repository-'));
  mkdirSync(join(root, 'from/part'), { recursive: true });
  // One file that spans two chunks, one that is empty, one that is small.
  writeFileSync(join(root, 'from/part/data.bin'), Buffer.alloc((4 << 20) + 17, 'abc'));
  writeFileSync(join(root, 'from/part/empty.txt'), '');
  writeFileSync(join(root, 'from/part/count.txt'), '42');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const PASSPHRASE = 'a long passphrase of a test';
const NAMES = ['data.bin', 'empty.txt', 'count.txt'];
const target = () => folderTarget(join(root, 'backups'));

const manifestOf = (id: string, packs: readonly Pack[]): Manifest => ({
  format: 1,
  id,
  createdAt: '2026-01-01T00:00:00.000Z',
  version: '0',
  telemetry: false,
  vaultKey: false,
  packs,
  counts: [],
  bytes: 0,
  newBytes: 0,
});

const chunkFiles = (): string[] =>
  readdirSync(join(root, 'backups/chunks'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe.each([['open', undefined] as const, ['sealed', PASSPHRASE] as const])(
  'a repository, %s',
  (_, passphrase) => {
    it('gives files back as they were, stores nothing twice, and prunes what nothing names', async () => {
      const repository = await Repository.open(target(), passphrase, { make: true });
      const first = await repository.store(join(root, 'from'), 'part', NAMES);
      expect(first.newBytes).toBe((4 << 20) + 19);
      const ids = [newId(Date.UTC(2026, 0, 1)), newId(Date.UTC(2026, 0, 2))] as const;
      await repository.keep(manifestOf(ids[0], [first.pack]));
      writeFileSync(join(root, 'from/part/count.txt'), '43');
      const later = await Repository.open(target(), passphrase);
      await later.look();
      expect(later.hasAll(first.pack)).toBe(true);
      const second = await later.store(join(root, 'from'), 'part', NAMES);
      expect(second.newBytes).toBe(19);
      await later.keep(manifestOf(ids[1], [second.pack]));
      expect(await later.ids()).toEqual([ids[1], ids[0]]);
      await later.restore(second.pack, join(root, 'to'));
      for (const name of NAMES) {
        expect(
          readFileSync(join(root, 'to/part', name)).equals(readFileSync(join(root, 'from/part', name))),
        ).toBe(true);
      }
      // As a backup leaves it that is killed while it writes.
      writeFileSync(`${chunkFiles()[0]}.0.partial`, 'half');
      expect(await later.prune(1)).toEqual({ backups: 1, chunks: 1 });
      expect(chunkFiles().filter((file) => file.endsWith('.partial'))).toEqual([]);
      await later.restore((await later.manifest(ids[1])).packs[0] as Pack, join(root, 'again'));
      await expect(later.manifest(ids[0])).rejects.toThrow('There is no backup');
    });

    it('tells a chunk that was changed, and one that is missing', async () => {
      const repository = await Repository.open(target(), passphrase, { make: true });
      const { pack } = await repository.store(join(root, 'from'), 'part', ['count.txt']);
      const [file = ''] = chunkFiles();
      const bytes = readFileSync(file);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      writeFileSync(file, bytes);
      await expect(repository.restore(pack, join(root, 'to'))).rejects.toThrow('was changed');
      rmSync(file);
      await expect(repository.restore(pack, join(root, 'gone'))).rejects.toThrow('is not whole');
      // The next backup stores it anew.
      const next = await Repository.open(target(), passphrase);
      await next.look();
      expect(next.hasAll(pack)).toBe(false);
      expect((await next.store(join(root, 'from'), 'part', ['count.txt'])).newBytes).toBe(2);
    });
  },
);

it('goes on past a manifest that is damaged, and prunes nothing while it does not know what that needs', async () => {
  const repository = await Repository.open(target(), PASSPHRASE, { make: true });
  const { pack } = await repository.store(join(root, 'from'), 'part', ['count.txt']);
  const ids = [1, 2, 3].map((day) => newId(Date.UTC(2026, 0, day))) as [string, string, string];
  for (const id of ids) await repository.keep(manifestOf(id, [pack]));
  writeFileSync(join(root, 'backups/backups', ids[2]), readFileSync(join(root, 'backups/backups', ids[1])));
  expect((await repository.newest())?.id).toBe(ids[1]);
  await expect(repository.prune(2)).rejects.toThrow(`Nothing was pruned`);
  expect(await repository.ids()).toEqual(ids.toReversed());
  rmSync(join(root, 'backups/backups', ids[2]));
  expect(await repository.prune(1)).toEqual({ backups: 1, chunks: 0 });
});

describe.runIf(process.platform === 'linux')('a place that cannot be used', () => {
  it('is told in a sentence: a path through a file', async () => {
    writeFileSync(join(root, 'file'), '');
    const put = (at: string) => folderTarget(at).put('chunks/aa/x', Buffer.from('x'));
    await expect(put(join(root, 'file'))).rejects.toThrow(
      /file cannot be used: a part of the path is a file\.$/,
    );
    await expect(folderTarget(join(root, 'file')).get('repository.json')).rejects.toThrow(BackupError);
    await expect(
      restore(await Repository.open(target(), undefined, { make: true }), 'x', join(root, 'file')),
    ).rejects.toThrow(/cannot be used/);
  });
});

describe('a sealed repository', () => {
  it('shows nothing of what is in it, and opens with its passphrase alone', async () => {
    const repository = await Repository.open(target(), PASSPHRASE, { make: true });
    await repository.store(join(root, 'from'), 'part', NAMES);
    for (const file of chunkFiles()) expect(readFileSync(file).includes('abcabcabc')).toBe(false);
    await expect(Repository.open(target(), 'another passphrase altogether')).rejects.toThrow('not the one');
    await expect(Repository.open(target(), undefined)).rejects.toThrow('PLATFORM_BACKUP_PASSPHRASE');
  });

  it('does not open one chunk in the place of another', async () => {
    const repository = await Repository.open(target(), PASSPHRASE, { make: true });
    const one = await repository.store(join(root, 'from'), 'part', ['count.txt']);
    writeFileSync(join(root, 'from/part/other.txt'), 'ab');
    await repository.store(join(root, 'from'), 'part', ['other.txt']);
    const [own = ''] = one.pack.chunks;
    const files = chunkFiles();
    const mine = files.find((file) => file.endsWith(own)) ?? '';
    const other = files.find((file) => file !== mine) ?? '';
    writeFileSync(mine, readFileSync(other));
    await expect(repository.restore(one.pack, join(root, 'to'))).rejects.toThrow('was changed');
  });
});

it('refuses a manifest that would write beside the data directory', () => {
  const id = newId(Date.UTC(2026, 0, 1));
  const bad = (pack: Pack) => () => parseManifest(Buffer.from(JSON.stringify(manifestOf(id, [pack]))), id);
  expect(bad({ dir: '../x', files: [], chunks: [] })).toThrow('does not belong');
  expect(bad({ dir: '/etc', files: [], chunks: [] })).toThrow('does not belong');
  expect(bad({ dir: 'a', files: [['../b', 1]], chunks: [] })).toThrow('does not belong');
  expect(bad({ dir: 'a', files: [['b', -1]], chunks: [] })).toThrow('does not belong');
  expect(bad({ dir: 'a', files: [], chunks: ['../../x'] })).toThrow('does not belong');
  expect(() => parseManifest(Buffer.from('{'), id)).toThrow('damaged');
});

it('understands where backups lie', () => {
  expect(targetOf('/mnt/backups', {}).name).toBe('/mnt/backups');
  expect(() => targetOf('backups', {})).toThrow('no place for backups');
  expect(() => targetOf('s3://bucket/a', {})).toThrow('AWS_ACCESS_KEY_ID');
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  expect(targetOf('s3://bucket/a/b/', keys).name).toBe('s3://bucket/a/b/');
});
