import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_ORGANISATION_ID, type Logger, newRequestId } from '@candela/kernel';
import type { MetadataStore, Repositories } from '@candela/metadata-store';
import { Envelope, type MasterKey, type MasterKeys, newMasterKey } from './envelope.ts';
import { KeyFile, VaultKeyError } from './key-file.ts';
import { told } from './keyring.ts';
import { resealAll, type Unreadable } from './reseal.ts';

export interface RotateOptions {
  /** Keys of the configuration; undefined: those of the file. */
  readonly keys: MasterKeys | undefined;
  readonly dataDir: string;
  readonly metadata: MetadataStore;
  readonly logger: Logger;
  /** One line for a person, as soon as it is true. */
  readonly say: (line: string) => void;
}

export interface Rotation {
  /** Id of the key that seals now. */
  readonly keyId: string;
  /** Texts that were sealed anew. */
  readonly changed: number;
  /** Ids of keys that nothing is sealed with any more. */
  readonly retired: readonly string[];
  readonly unreadable: readonly Unreadable[];
}

/** How often what was sealed with the former key meanwhile is looked for, and how long between. */
const ROUNDS = 60;
const ROUND_MS = 250;
/** Platforms that run hear of a new key in the file within a second; until then they seal with the former one. */
const HEARD_MS = 2_000;

/**
 * Goes over to another master key while everything goes on: with a key file to a new one that it makes, else to the
 * first of the configuration. The former keys are given up only when nothing is sealed with them. Killed at any moment
 * it is finished by the next call. @throws VaultKeyError with a sentence for a person
 */
export async function rotateMasterKey(options: RotateOptions): Promise<Rotation> {
  const { keys, metadata, say } = options;
  const file = new KeyFile(options.dataDir, options.logger);
  if (keys === undefined) await startWithFile(file, options);
  else await requireStarted(metadata, keys);
  const all = keys ?? readFile(file);
  const envelope = new Envelope(all);
  let changed = 0;
  for (let round = 1; ; round += 1) {
    const pass = await resealAll(metadata, envelope);
    changed += pass.changed;
    if (round === 1 && keys === undefined) await sleep(HEARD_MS);
    const { retired, left } = await retire(metadata, envelope.keyId);
    if (left === 0 || pass.unreadable.length > 0) {
      if (keys === undefined) keepLive(file, await metadata.vaultKeys.list());
      return { keyId: envelope.keyId, changed, retired, unreadable: pass.unreadable };
    }
    if (round === ROUNDS) {
      throw new VaultKeyError(
        `A platform still seals with a former master key: ${left} texts. Restart every platform with the keys as they are now, then run this again.`,
      );
    }
    say('Something was sealed with the former key meanwhile; once more.');
    await sleep(ROUND_MS);
  }
}

/** A new key first in the file, unless one that was begun before is to be finished. */
async function startWithFile(file: KeyFile, { metadata, say }: RotateOptions): Promise<void> {
  const [current, ...former] = readFile(file);
  await told(metadata, async (repositories) => {
    const known = await repositories.vaultKeys.list();
    if (known.length > 0 && ![current, ...former].some(({ id }) => known.includes(id))) {
      throw new VaultKeyError(
        `The file ${file.path} holds the master key ${current.id}, but secrets are sealed with ${known.at(-1)}. Restore the file from a backup.`,
      );
    }
    if (former.length > 0) {
      say('A rotation that was begun before is finished.');
      await repositories.vaultKeys.add(current.id);
      return;
    }
    const { key, text } = newMasterKey();
    // Both for as long as this change is on its way: whoever reads the file finds every key that seals anything.
    file.write([text, textOf(current)]);
    await repositories.vaultKeys.add(key.id);
    await note(repositories, key.id, { former: current.id });
    say(`The new master key ${key.id} is in ${file.path}, before the former one.`);
  });
}

/** With keys of the configuration: every platform must have the new one, or it would find what it cannot open. */
async function requireStarted(metadata: MetadataStore, [first, ...former]: MasterKeys): Promise<void> {
  const known = await metadata.vaultKeys.list();
  if (former.length === 0 && known.every((id) => id === first.id)) {
    throw new VaultKeyError(
      'PLATFORM_VAULT_KEY holds one master key, and everything is sealed with it. To change it: make a new key with "openssl rand -base64 32"; give every platform "<former>,<new>" and restart it; then "<new>,<former>", and restart again; then run this with the same value.',
    );
  }
  if (!known.includes(first.id)) {
    throw new VaultKeyError(
      `No platform was started with the master key ${first.id} yet. Give every platform the same PLATFORM_VAULT_KEY as this command, restart it, then run this again.`,
    );
  }
}

/** Gives up the keys that nothing is sealed with: from then on no platform can seal with them any more. */
async function retire(
  metadata: MetadataStore,
  current: string,
): Promise<{ retired: string[]; left: number }> {
  return metadata.change(undefined, async (repositories) => {
    const retired: string[] = [];
    let left = 0;
    for (const id of await repositories.vaultKeys.list()) {
      if (id === current) continue;
      const count = await repositories.sealed.count(id);
      left += count;
      if (count > 0) continue;
      await repositories.vaultKeys.remove(id);
      retired.push(id);
    }
    if (retired.length > 0) await note(repositories, current, { retired });
    return { retired, left };
  });
}

/** Only the keys that are in use stay in the file. */
function keepLive(file: KeyFile, live: readonly string[]): void {
  const keys = readFile(file);
  const kept = keys.filter(({ id }) => live.includes(id));
  if (kept.length > 0 && kept.length < keys.length) file.write(kept.map(textOf));
}

function readFile(file: KeyFile): MasterKeys {
  const keys = file.read();
  if (keys !== undefined) return keys;
  throw new VaultKeyError(
    `There is no ${file.path}. Name the data directory of the installation, or set PLATFORM_VAULT_KEY as the platform has it.`,
  );
}

const textOf = ({ bytes }: MasterKey): string => bytes.toString('base64');

async function note(
  { audit }: Pick<Repositories, 'audit'>,
  keyId: string,
  details: Readonly<Record<string, string | readonly string[]>>,
): Promise<void> {
  await audit.append({
    organisationId: DEFAULT_ORGANISATION_ID,
    projectId: null,
    actorKind: 'system',
    actorId: null,
    actorName: 'candela vault rotate',
    action: 'vault.rotate',
    objectKind: 'master-key',
    objectId: keyId,
    details,
    address: null,
    userAgent: null,
    requestId: newRequestId(),
  });
}
