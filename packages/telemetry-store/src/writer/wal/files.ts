import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** Makes renames, creations and deletions inside `dir` durable. Where a directory cannot be opened, nothing is lost by skipping. */
export async function syncDirectory(dir: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(dir, 'r');
    await handle.sync();
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code !== 'EISDIR' && code !== 'EPERM' && code !== 'EINVAL') throw thrown;
  } finally {
    await handle?.close();
  }
}

/** Writes `bytes` to a new or replaced file and makes its content durable (not yet its name: see {@link syncDirectory}). */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The `code` of a system error (`ENOENT`, `ENOSPC`, ...), or undefined. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}

/** Whether a write failed because the disk is full, its quota is used up, or nothing may be written to it. */
export function lacksRoom(thrown: unknown): boolean {
  const code = errorCode(thrown);
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS';
}
