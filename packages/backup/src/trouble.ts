import { BackupError } from './targets/target.ts';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not read or write there'],
  ['EPERM', 'this user may not read or write there'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the quota of this user is used up'],
  ['EFBIG', 'a file would be larger than is allowed there'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['EISDIR', 'a directory is where a file should be'],
  ['EEXIST', 'it is a file'],
  ['ENOENT', 'directories cannot be made there'],
  ['EIO', 'the disk does not answer'],
  ['EMFILE', 'too many files are open'],
]);

/** Works on files below a directory; where the file system refuses, the error is a sentence. @throws BackupError */
export async function onFiles<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const reason = REASONS.get((thrown as NodeJS.ErrnoException).code ?? '');
    if (reason === undefined) throw thrown;
    throw new BackupError(`${dir} cannot be used: ${reason}.`, { cause: thrown });
  }
}
