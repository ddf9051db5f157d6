import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { Envelope, type MasterKey, newMasterKey, parseMasterKey } from './envelope.ts';

/** Beside the data; its owner alone may read it. */
export const VAULT_KEY_FILE = 'vault.key';
const MAX_FILE_BYTES = 65_536;

/** The master key is missing or is another one. The message says which and what to do. */
export class VaultKeyError extends Error {
  override readonly name = 'VaultKeyError';
}

export interface KeyringOptions {
  /** Keys of the configuration, the one that seals first; undefined: those of the file. */
  readonly keys: readonly MasterKey[] | undefined;
  readonly dataDir: string;
  readonly metadata: Pick<MetadataStore, 'change'>;
  readonly logger: Logger;
}

/**
 * Opens the envelope with the master keys of the configuration, else of the key file, which the first start makes.
 * @throws VaultKeyError when secrets are there that these keys did not seal
 */
export async function openEnvelope(options: KeyringOptions): Promise<Envelope> {
  // In one change: of two replicas that start for the first time one waits for the other.
  const opened = await options.metadata.change(undefined, async ({ vaultKeys }) => {
    try {
      const keys = chooseKeys(options, await vaultKeys.list());
      await vaultKeys.add(keys[0].id);
      return new Envelope(keys);
    } catch (thrown) {
      // Told as it is: what a change throws is otherwise translated for whoever sent a request.
      if (thrown instanceof VaultKeyError) return thrown;
      throw thrown;
    }
  });
  if (opened instanceof VaultKeyError) throw opened;
  return opened;
}

function chooseKeys(
  { keys: given, dataDir, logger }: KeyringOptions,
  known: readonly string[],
): readonly [MasterKey, ...MasterKey[]] {
  const file = join(dataDir, VAULT_KEY_FILE);
  const there = given ?? readKeyFile(dataDir, logger);
  const [first, ...others] = there ?? (known.length === 0 ? [makeKeyFile(dataDir)] : []);
  if (first === undefined) {
    throw new VaultKeyError(
      `Secrets are sealed with the master key ${known.at(-1)}, and there is none: neither PLATFORM_VAULT_KEY nor the file ${file}. Set the variable, or restore the file from a backup.`,
    );
  }
  if (known.length > 0 && ![first, ...others].some(({ id }) => known.includes(id))) {
    const where = given === undefined ? `The file ${file}` : 'PLATFORM_VAULT_KEY';
    throw new VaultKeyError(
      `${where} holds the master key ${first.id}, but secrets are sealed with ${known.at(-1)}. Give the former key; to change it, give both, separated by a comma, the new one first.`,
    );
  }
  return [first, ...others];
}

function readKeyFile(dataDir: string, logger: Logger): MasterKey[] | undefined {
  const file = join(dataDir, VAULT_KEY_FILE);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) {
    chmodSync(file, 0o600);
    logger.warn({ file }, 'the master key could be read by others; now only its owner can');
  }
  const lines = found.size > MAX_FILE_BYTES ? [] : readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);
  const keys = lines.map(parseMasterKey).filter((key) => key !== undefined);
  if (keys.length === 0 || keys.length !== lines.length) {
    throw new VaultKeyError(
      `The file ${file} holds no master key: 32 bytes in base64 are expected, one key a line. Restore it from a backup.`,
    );
  }
  return keys;
}

/** Whole or not at all: a kill in the middle leaves no half of a key. */
function makeKeyFile(dataDir: string): MasterKey {
  const { key, text } = newMasterKey();
  const file = join(dataDir, VAULT_KEY_FILE);
  const half = `${file}.${process.pid}`;
  const handle = openSync(half, 'w', 0o600);
  try {
    writeSync(handle, `${text}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(half, file);
  } finally {
    unlinkSync(half);
  }
  return key;
}
