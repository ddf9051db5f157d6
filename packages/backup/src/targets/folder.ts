import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { onFiles } from '../trouble.ts';
import type { Target } from './target.ts';

/** Ending of a file while it is written. */
const PARTIAL = '.partial';

/** A folder, of a disk or of a file server. */
export function folderTarget(root: string): Target {
  const filesBelow = async (dir: string) =>
    (await readdir(dir, { recursive: true, withFileTypes: true }).catch(noneOf([]))).filter((entry) =>
      entry.isFile(),
    );
  return {
    name: root,
    put: (path, bytes) => onFiles(root, () => write(join(root, path), bytes)),
    get: (path) => onFiles(root, () => readFile(join(root, path)).catch(noneOf(undefined))),
    async *list(prefix) {
      for (const file of await onFiles(root, () => filesBelow(join(root, prefix)))) {
        if (file.name.endsWith(PARTIAL)) continue;
        yield join(file.parentPath, file.name).slice(join(root, '/').length).replaceAll('\\', '/');
      }
    },
    sweep: () =>
      onFiles(root, async () => {
        for (const { name, parentPath } of await filesBelow(root)) {
          if (name.endsWith(PARTIAL)) await rm(join(parentPath, name), { force: true });
        }
      }),
    remove: (path) => onFiles(root, () => rm(join(root, path), { force: true })),
  };
}

/** What is answered where there is no such file. */
const noneOf =
  <T>(none: T) =>
  (thrown: NodeJS.ErrnoException): T => {
    if (thrown.code === 'ENOENT') return none;
    throw thrown;
  };

/** A file, whole or not at all. */
async function write(file: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${randomUUID()}${PARTIAL}`;
  try {
    const handle = await open(partial, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
    await syncDirectory(dirname(file));
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
}

/** Without it a power cut may take the name of a file that is itself on the disk. */
async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
