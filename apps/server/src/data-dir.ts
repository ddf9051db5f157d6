import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UNFINISHED_RESTORE } from '@candela/backup';

/** The data directory cannot be used; the sentence says what is wrong and which variable names another. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError';
}

/** Makes the directory of all data, readable by its owner only, and checks that it can be written. @throws DataDirError */
export function prepareDataDir(dir: string): void {
  try {
    makeDirectory(dir);
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === undefined ? message : (REASONS.get(code) ?? message);
    throw new DataDirError(
      `The data directory ${dir} cannot be used: ${why}. Choose another one with PLATFORM_DATA_DIR.`,
      { cause: thrown },
    );
  }
  if (existsSync(join(dir, UNFINISHED_RESTORE))) {
    throw new DataDirError(
      `The data directory ${dir} holds a part of a backup: its restore did not finish. Remove it, and restore again.`,
    );
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['EROFS', 'the file system is read-only'],
  ['EEXIST', 'it is a file'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['ENOENT', 'directories cannot be made there'],
  ['ENOSPC', 'the disk is full'],
]);

/** Step by step: `recursive` never ends where the kernel answers ENOENT below a directory that exists, as in /proc. */
function makeDirectory(dir: string): void {
  if (existsSync(dir) && statSync(dir).isDirectory()) return;
  const parent = dirname(dir);
  if (parent !== dir) makeDirectory(parent);
  mkdirSync(dir, { mode: 0o700 });
}
