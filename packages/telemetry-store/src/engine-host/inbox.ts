import { closeSync, openSync, readdirSync, unlinkSync, writevSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { EngineError } from './engine-error.ts';

const FLUSH_BYTES = 1 << 20;

/**
 * Where the data of an insert waits for the engine: the library takes binary formats only from files. They live in
 * the page cache for the milliseconds between arrival and insert and are unlinked after it.
 */
export class Inbox {
  readonly #dir: string;
  #next = 0;

  /** Empties `dir`: what a killed host left there was never acknowledged. */
  constructor(dir: string) {
    this.#dir = dir;
    for (const name of readdirSync(dir)) unlinkSync(join(dir, name));
  }

  /** Writes `head` and the rest of `body` into a file, runs `work` with its path, removes it. */
  async receive<T>(head: string, body: Readable | undefined, work: (path: string) => Promise<T>): Promise<T> {
    this.#next += 1;
    const path = join(this.#dir, `${this.#next}.in`);
    const fd = openSync(path, 'wx', 0o600);
    try {
      try {
        await fill(fd, head, body);
      } finally {
        closeSync(fd);
      }
      return await work(path);
    } finally {
      unlinkSync(path);
    }
  }
}

/** Sync writes: they only copy into the page cache, and a hop to the thread pool for each costs more. */
async function fill(fd: number, head: string, body: Readable | undefined): Promise<void> {
  let pending: Buffer[] = head === '' ? [] : [Buffer.from(head)];
  let pendingBytes = 0;
  const flush = (): void => {
    try {
      while (pending.length > 0) {
        let written = writevSync(fd, pending);
        while (pending[0] !== undefined && written >= pending[0].length) {
          written -= pending[0].length;
          pending.shift();
        }
        if (pending[0] !== undefined) pending[0] = pending[0].subarray(written);
      }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOSPC' || code === 'EDQUOT') {
        throw new EngineError(243, 'NOT_ENOUGH_SPACE', 'No space left for the data of the insert');
      }
      throw error;
    }
    pending = [];
    pendingBytes = 0;
  };
  if (body !== undefined) {
    for await (const chunk of body) {
      const bytes: Buffer = chunk;
      pending.push(bytes);
      pendingBytes += bytes.length;
      if (pendingBytes >= FLUSH_BYTES) flush();
    }
  }
  flush();
}

/** The body as sent before its `Content-Encoding`. Throws for an encoding this host does not know. */
export function decodedBody(req: IncomingMessage): Readable {
  const encoding = req.headers['content-encoding'];
  if (encoding === undefined || encoding === '' || encoding === 'identity') return req;
  const decoder = decoderOf(encoding);
  if (decoder === undefined) {
    throw new EngineError(89, 'UNKNOWN_COMPRESSION_METHOD', `Unknown compression method ${encoding}`);
  }
  req.on('error', (error) => decoder.destroy(error));
  return req.pipe(decoder);
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'zstd':
      return createZstdDecompress();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
