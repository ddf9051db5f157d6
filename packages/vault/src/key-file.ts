import {
  type BigIntStats,
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from '@candela/kernel';
import { type MasterKeys, parseMasterKeys } from './envelope.ts';

/** Beside the data; its owner alone may read it. */
export const VAULT_KEY_FILE = 'vault.key';
const MAX_FILE_BYTES = 65_536;

/** The master key is missing or is another one, or cannot be changed now. The message says why and what to do. */
export class VaultKeyError extends Error {
  override readonly name = 'VaultKeyError';
}

/** The file with the master keys of an installation: one key a line, the one that seals first. */
export class KeyFile {
  readonly path: string;
  readonly #logger: Logger;
  #seen: string | undefined;

  constructor(dataDir: string, logger: Logger) {
    this.path = join(dataDir, VAULT_KEY_FILE);
    this.#logger = logger;
  }

  /** Undefined: there is no file. @throws VaultKeyError when it holds something else */
  read(): MasterKeys | undefined {
    const found = this.#stat();
    if (found === undefined) return undefined;
    if ((found.mode & 0o077n) !== 0n) {
      chmodSync(this.path, 0o600);
      this.#logger.warn(
        { file: this.path },
        'the master key could be read by others; now only its owner can',
      );
    }
    const keys =
      found.size > BigInt(MAX_FILE_BYTES) ? undefined : parseMasterKeys(readFileSync(this.path, 'utf8'));
    if (keys === undefined) {
      throw new VaultKeyError(
        `The file ${this.path} holds no master key: 32 bytes in base64 are expected, one key a line. Restore it from a backup.`,
      );
    }
    this.#seen = stampOf(this.#stat());
    return keys;
  }

  /** The keys when the file is another one than was read last; undefined: it is not, or cannot be read. */
  readAnew(): MasterKeys | undefined {
    if (stampOf(this.#stat()) === this.#seen) return undefined;
    try {
      return this.read();
    } catch (error) {
      this.#logger.error(
        { err: error },
        'the file of the master keys cannot be read; those that were read before are used on',
      );
      return undefined;
    }
  }

  /** Whole or not at all, and on the disk: a kill in the middle leaves the former file. */
  write(keys: readonly string[]): void {
    const half = `${this.path}.${process.pid}`;
    try {
      const handle = openSync(half, 'w', 0o600);
      try {
        writeSync(handle, `${keys.join('\n')}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(half, this.path);
    } catch (thrown) {
      try {
        unlinkSync(half);
      } catch {
        // It was not made, or has its name already.
      }
      throw thrown;
    }
    // The name too: otherwise a lost power supply brings the former file back, without the key that seals by now.
    const folder = openSync(dirname(this.path), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }

  #stat(): BigIntStats | undefined {
    return statSync(this.path, { bigint: true, throwIfNoEntry: false });
  }
}

const stampOf = (found: BigIntStats | undefined): string | undefined =>
  found === undefined ? undefined : `${found.ino} ${found.mtimeNs} ${found.size}`;
