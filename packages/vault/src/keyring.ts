import type { Logger } from '@candela/kernel';
import type { MetadataStore, Repositories } from '@candela/metadata-store';
import { Envelope, type MasterKeys, newMasterKey } from './envelope.ts';
import { KeyFile, VaultKeyError } from './key-file.ts';

export interface KeyringOptions {
  /** Keys of the configuration; undefined: those of the file. */
  readonly keys: MasterKeys | undefined;
  readonly dataDir: string;
  readonly metadata: Pick<MetadataStore, 'change' | 'changes'>;
  readonly logger: Logger;
}

/**
 * Opens the envelope with the master keys of the configuration, else of the key file, which the first start makes and
 * which is read again when a key is missing or the store says that there is another one.
 * @throws VaultKeyError when secrets are there that these keys did not seal
 */
export async function openEnvelope(options: KeyringOptions): Promise<Envelope> {
  const { metadata, dataDir, logger } = options;
  const file = new KeyFile(dataDir, logger);
  // In one change: of two replicas that start for the first time one waits for the other.
  const keys = await told(metadata, async (repositories) => {
    const chosen = await chooseKeys(options, file, repositories);
    await repositories.vaultKeys.add(chosen[0].id);
    return chosen;
  });
  if (options.keys !== undefined) return new Envelope(keys);
  const envelope = new Envelope(keys, () => file.readAnew());
  metadata.changes.on(['vault_keys'], () => envelope.refresh());
  return envelope;
}

/** A change whose sentences about keys are told as they are: others are translated for whoever sent a request. */
export async function told<T>(
  metadata: Pick<MetadataStore, 'change'>,
  work: (repositories: Repositories) => Promise<T>,
): Promise<T> {
  const outcome = await metadata.change(undefined, async (repositories) => {
    try {
      return { done: await work(repositories) };
    } catch (thrown) {
      if (thrown instanceof VaultKeyError) return { refused: thrown };
      throw thrown;
    }
  });
  if ('refused' in outcome) throw outcome.refused;
  return outcome.done;
}

async function chooseKeys(
  { keys: given }: KeyringOptions,
  file: KeyFile,
  { vaultKeys, sealed }: Repositories,
): Promise<MasterKeys> {
  const known = await vaultKeys.list();
  const there = given ?? file.read() ?? (known.length === 0 ? makeKeyFile(file) : undefined);
  if (there === undefined) {
    throw new VaultKeyError(
      `Secrets are sealed with the master key ${known.at(-1)}, and there is none: neither PLATFORM_VAULT_KEY nor the file ${file.path}. Set the variable, or restore the file from a backup.`,
    );
  }
  const ids = new Set(there.map(({ id }) => id));
  const missing = known.filter((id) => !ids.has(id));
  const none = known.length > 0 && missing.length === known.length;
  for (const id of missing) {
    const count = none ? 1 : await sealed.count(id);
    if (count === 0) continue;
    const where = given === undefined ? `The file ${file.path}` : 'PLATFORM_VAULT_KEY';
    throw new VaultKeyError(
      `${where} holds the master key ${there[0].id}, but secrets are sealed with ${none ? known.at(-1) : id}. Give the former key; to change it, give both, the new one first, and run "candela vault rotate".`,
    );
  }
  return there;
}

function makeKeyFile(file: KeyFile): MasterKeys {
  const { key, text } = newMasterKey();
  file.write([text]);
  return [key];
}
