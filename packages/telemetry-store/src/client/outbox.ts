import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseBytes } from '@candela/kernel';
import type { NativeParts } from './types.ts';

/** Parts below `DIRECT_BYTES` are gathered into writes of this size. */
const GATHER_BYTES = 1 << 20;
const DIRECT_BYTES = 1 << 17;

/** Files with the data of inserts, for an engine on the same machine. They stay in the page cache and are short-lived. */
export class Outbox {
  readonly #dir: string;
  #next = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Writes `parts` into a file, runs `work` with its name, removes it. */
  async hold<T>(parts: NativeParts, work: (name: string) => Promise<T>): Promise<T> {
    this.#next += 1;
    const name = `${this.#next}`;
    const path = join(this.#dir, name);
    try {
      const file = await open(path, 'w', 0o600);
      try {
        await writeParts(file, parts);
      } finally {
        await file.close();
      }
      return await work(name);
    } finally {
      await unlink(path).catch(() => {});
    }
  }
}

async function writeParts(file: FileHandle, parts: NativeParts): Promise<void> {
  const gathered = Buffer.allocUnsafeSlow(GATHER_BYTES);
  let held = 0;
  const flush = async (): Promise<void> => {
    await write(file, gathered.subarray(0, held));
    held = 0;
  };
  try {
    for await (const part of parts) {
      if (held + part.byteLength > GATHER_BYTES || part.byteLength >= DIRECT_BYTES) await flush();
      if (part.byteLength >= DIRECT_BYTES) await write(file, part);
      else {
        gathered.set(part, held);
        held += part.byteLength;
      }
    }
    await flush();
  } finally {
    releaseBytes(gathered);
  }
}

async function write(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.byteLength - at);
    if (bytesWritten === 0) throw new Error('No space left for the data of the insert');
    at += bytesWritten;
  }
}
