import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fail } from '@candela/kernel';

/**
 * Holds `dir` for this process alone until `release` is called or the process dies. The lock is SQLite's file lock:
 * the kernel frees it on any death, also across containers that share the directory, so no stale pid file can ever
 * block a start. Throws `conflict` naming the holder.
 */
export function lockDirectory(dir: string): { release(): void } {
  const holderFile = join(dir, 'lock.pid');
  const database = new DatabaseSync(join(dir, 'lock'));
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (thrown) {
    database.close();
    throw fail(
      'conflict',
      {
        detail: `The data directory is in use by another Candela process${holder(holderFile)}: ${dir}. Stop that one, or give this one its own PLATFORM_DATA_DIR.`,
      },
      { cause: thrown },
    );
  }
  try {
    writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // Only the name in the other process's message: a full disk must not stop the start.
  }
  return {
    release() {
      if (database.isOpen) database.close();
    },
  };
}

function holder(path: string): string {
  try {
    const pid = readFileSync(path, 'utf8').trim();
    return /^\d+$/.test(pid) ? ` (pid ${pid})` : '';
  } catch {
    return '';
  }
}
