import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * One process at a time: runs `work` while this one holds the lock file; undefined while another process holds it. The lock of
 * one that was killed is taken over. @throws Error of the system where the file cannot be written
 */
export async function alone<T>(lock: string, work: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(lock, `${process.pid} ${startOf(process.pid)}\n`, { flag: 'wx', mode: 0o600 });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
      if (holderOf(lock) !== undefined) return undefined;
      // Its owner was killed.
      rmSync(lock, { force: true });
      continue;
    }
    try {
      return await work();
    } finally {
      rmSync(lock, { force: true });
    }
  }
  return undefined;
}

/** The process that holds the lock file; undefined where none does. */
export function holderOf(lock: string): number | undefined {
  const [pid = '0', start = ''] = readLock(lock);
  return start !== '' && startOf(Number(pid)) === start ? Number(pid) : undefined;
}

function readLock(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split(' ');
  } catch {
    return [];
  }
}

/** What tells a process from a later one with its id: on Linux when it started. Empty when there is none. */
function startOf(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== 'EPERM') return '';
  }
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[19] ?? 'alive'
    );
  } catch {
    return 'alive';
  }
}
