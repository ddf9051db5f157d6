import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Target } from './target.ts';

/** A folder, of a disk or of a file server. */
export function folderTarget(root: string): Target {
  return {
    name: root,
    async put(path, bytes) {
      const file = join(root, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const partial = `${file}.${randomUUID()}.partial`;
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
    },
    async get(path) {
      try {
        return await readFile(join(root, path));
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw thrown;
      }
    },
    async *list(prefix) {
      const files = await readdir(join(root, prefix), { recursive: true, withFileTypes: true }).catch(
        (thrown: NodeJS.ErrnoException) => {
          if (thrown.code === 'ENOENT') return [];
          throw thrown;
        },
      );
      for (const file of files) {
        if (!file.isFile() || file.name.endsWith('.partial')) continue;
        yield join(file.parentPath, file.name).slice(join(root, '/').length).replaceAll('\\', '/');
      }
    },
    async remove(path) {
      await rm(join(root, path), { force: true });
    },
  };
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
