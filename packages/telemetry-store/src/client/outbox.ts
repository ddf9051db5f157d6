import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Files with the data of inserts, for an engine on the same machine. They stay in the page cache and are short-lived. */
export class Outbox {
  readonly #dir: string;
  #next = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Writes `parts` into a file, runs `work` with its name, removes it. */
  async hold<T>(parts: readonly Uint8Array[], work: (name: string) => Promise<T>): Promise<T> {
    this.#next += 1;
    const name = `${this.#next}`;
    const path = join(this.#dir, name);
    try {
      const file = await open(path, 'w', 0o600);
      try {
        const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
        const { bytesWritten } = await file.writev([...parts]);
        if (bytesWritten !== bytes) throw new Error('No space left for the data of the insert');
      } finally {
        await file.close();
      }
      return await work(name);
    } finally {
      await unlink(path).catch(() => {});
    }
  }
}
