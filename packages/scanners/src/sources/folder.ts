import { open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { ScanError, type Source } from '../engine.ts';
import type { Coverage, ScanFile } from '../types.ts';
import { BOUNDS, lazyFile, mostBytes, refusedPath, skip } from './bounds.ts';

const LEFT_OUT = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__', '.tox', '.mypy_cache']);

/** A folder of this machine. Links are not followed; folders of installed packages are left out and counted. */
export function folderSource(root: string): Source {
  return {
    async *files(coverage) {
      let count = 0;
      let total = 0;
      const waiting: string[] = [''];
      for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
        const names: { name: string; kind: 'file' | 'folder' | 'other' }[] = [];
        for await (const entry of await opendir(join(root, folder))) {
          names.push({
            name: entry.name,
            kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other',
          });
          if (names.length > BOUNDS.files) throw tooMany();
        }
        for (const { name, kind } of names.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
          const path = folder === '' ? name : `${folder}/${name}`;
          const refused = refusedPath(path);
          if (kind === 'other') skip(coverage, 'links and special files');
          else if (refused !== undefined) skip(coverage, refused);
          else if (kind === 'folder') {
            if (LEFT_OUT.has(name)) skip(coverage, 'folders of installed packages and caches');
            else waiting.push(path);
          } else {
            count += 1;
            if (count > BOUNDS.files) throw tooMany();
            yield fileOf(join(root, path), path, coverage, (read) => {
              total += read;
              if (total > BOUNDS.totalBytes)
                throw new ScanError(
                  `The tree has more than ${BOUNDS.totalBytes} bytes to read. Scan a part of it.`,
                );
            });
          }
        }
      }
    },
  };
}

const tooMany = () => new ScanError(`The tree has more than ${BOUNDS.files} files. Scan a part of it.`);

function fileOf(full: string, path: string, coverage: Coverage, count: (bytes: number) => void): ScanFile {
  return lazyFile(path, undefined, async () => {
    const handle = await open(full, 'r').catch(() => undefined);
    if (handle === undefined) {
      skip(coverage, 'files that cannot be opened');
      return undefined;
    }
    try {
      const { size } = await handle.stat();
      if (size > mostBytes(path)) {
        skip(coverage, 'files that are too large');
        return undefined;
      }
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await handle.read(bytes, 0, size, 0);
      count(bytesRead);
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  });
}
