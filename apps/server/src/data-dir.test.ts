import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNFINISHED_RESTORE } from '@candela/backup';
import { afterAll, describe, expect, it } from 'vitest';
import { DataDirError, prepareDataDir } from './data-dir.ts';

const dir = mkdtempSync(join(tmpdir(), 'candela-data-dir-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the data directory', () => {
  it('is made with its parents, for its owner only, and taken as it is the next time', () => {
    const path = join(dir, 'a', 'b');
    prepareDataDir(path);
    prepareDataDir(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('with a restore that did not finish is no installation', () => {
    const path = join(dir, 'partly');
    prepareDataDir(path);
    writeFileSync(join(path, UNFINISHED_RESTORE), '');
    expect(() => prepareDataDir(path)).toThrow(/part of a backup/);
  });

  it('that is a file or below one is refused in a sentence that names the variable', () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    expect(() => prepareDataDir(file)).toThrow(/file cannot be used: it is a file\..*PLATFORM_DATA_DIR/);
    expect(() => prepareDataDir(join(file, 'x'))).toThrow(DataDirError);
  });

  it.runIf(process.platform === 'linux')(
    'where no directory can be made is refused, not tried for ever',
    () => {
      expect(() => prepareDataDir('/proc/candela')).toThrow(DataDirError);
    },
  );
});
