import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BackupError, Repository, targetOf } from '@candela/backup';
import { expect, it, onTestFinished } from 'vitest';
import { backupList, backupVerify } from './backup.ts';

it('says that a place has no finished backup, where one was begun and killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'candela-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await Repository.open(targetOf(folder, {}), undefined, { make: true });
  const said: string[] = [];
  const world = { env: {}, cwd: folder, program: [], say: (line: string) => void said.push(line) };
  const sentence = `There is no finished backup at ${folder}.`;
  expect(await backupList.run(['--target', folder], world)).toBe(0);
  expect(said).toEqual([sentence]);
  const done = backupVerify.run(['--target', folder], world);
  await expect(done).rejects.toThrow(BackupError);
  await expect(done).rejects.toThrow(sentence);
});
