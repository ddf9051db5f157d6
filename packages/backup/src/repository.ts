import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { ID, type Manifest, type Pack, parseManifest } from './manifest.ts';
import { knownSeal, newSeal, OPEN, type Seal, type SealTerms } from './seal.ts';
import { BackupError, type Target } from './targets/target.ts';

const REPOSITORY = 'repository.json';
/** Naming and sealing one holds up everything else that the process does: as long as a few requests, not as long as a page. */
const CHUNK_BYTES = 4 << 20;

const chunkPath = (name: string): string => `chunks/${name.slice(0, 2)}/${name}`;
const manifestPath = (id: string): string => `backups/${id}`;

interface Terms {
  readonly candelaBackup: 1;
  readonly seal: SealTerms | null;
}

/** The name of a backup of that moment. */
export const newId = (now: number): string =>
  `${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomBytes(4).toString('hex')}`;

/** Backups in one place. */
export class Repository {
  readonly target: Target;
  readonly isSealed: boolean;
  readonly #seal: Seal;
  /** Chunks that are known to be there. */
  readonly #there = new Set<string>();

  private constructor(target: Target, seal: Seal, isSealed: boolean) {
    this.target = target;
    this.#seal = seal;
    this.isSealed = isSealed;
  }

  /**
   * Opens what is there, or begins a repository where there is none and `make` is set.
   * @throws BackupError of a wrong or missing passphrase, or where there is none
   */
  static async open(
    target: Target,
    passphrase: string | undefined,
    { make = false }: { readonly make?: boolean } = {},
  ): Promise<Repository> {
    const found = await target.get(REPOSITORY);
    if (found === undefined) {
      if (!make) throw new BackupError(`There are no backups at ${target.name}.`);
      const made = passphrase === undefined ? undefined : await newSeal(passphrase);
      const terms: Terms = { candelaBackup: 1, seal: made?.terms ?? null };
      await target.put(REPOSITORY, Buffer.from(`${JSON.stringify(terms)}\n`));
      return new Repository(target, made?.seal ?? OPEN, made !== undefined);
    }
    const terms = termsOf(found, target);
    if (terms.seal === null) {
      if (passphrase === undefined) return new Repository(target, OPEN, false);
      throw new BackupError(
        `The backups at ${target.name} were begun without a passphrase. Name another place, or unset PLATFORM_BACKUP_PASSPHRASE.`,
      );
    }
    if (passphrase === undefined) {
      throw new BackupError(`The backups at ${target.name} are sealed. Set PLATFORM_BACKUP_PASSPHRASE.`);
    }
    return new Repository(target, await knownSeal(passphrase, terms.seal), true);
  }

  /** Ids, newest first. */
  async ids(): Promise<string[]> {
    const ids: string[] = [];
    for await (const path of this.target.list('backups/')) {
      const id = path.slice('backups/'.length);
      if (ID.test(id)) ids.push(id);
    }
    return ids.toSorted().toReversed();
  }

  /** @throws BackupError where there is none, or it is damaged */
  async manifest(id: string): Promise<Manifest> {
    const sealed = ID.test(id) ? await this.target.get(manifestPath(id)) : undefined;
    if (sealed === undefined) throw new BackupError(`There is no backup ${id} at ${this.target.name}.`);
    return parseManifest(this.#seal.open(sealed, manifestPath(id)), id);
  }

  /** The newest manifest that can be read: a damaged one must not stop the next backup. */
  async newest(): Promise<Manifest | undefined> {
    for (const id of await this.ids()) {
      try {
        return await this.manifest(id);
      } catch (thrown) {
        if (!(thrown instanceof BackupError)) throw thrown;
      }
    }
    return undefined;
  }

  /**
   * Learns which chunks are there, those of a backup that was cut off too: they are not stored again. Asked of the place and not of a
   * manifest, so that one which went missing is stored anew.
   */
  async look(): Promise<void> {
    for await (const path of this.target.list('chunks/'))
      this.#there.add(path.slice(path.lastIndexOf('/') + 1));
  }

  /** Whether all chunks of a pack are known to be there. */
  hasAll({ chunks }: Pack): boolean {
    return chunks.every((chunk) => this.#there.has(chunk));
  }

  /** Makes a backup known: its chunks are stored. */
  async keep(manifest: Manifest): Promise<void> {
    const path = manifestPath(manifest.id);
    await this.target.put(path, this.#seal.close(Buffer.from(JSON.stringify(manifest)), path));
  }

  /** Stores files of a directory. @returns the pack, and how many of its bytes were new */
  async store(
    root: string,
    dir: string,
    names: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly pack: Pack; readonly newBytes: number }> {
    const files: [string, number][] = [];
    const chunks: string[] = [];
    let parts: Buffer[] = [];
    let length = 0;
    let newBytes = 0;
    const flush = async (): Promise<void> => {
      if (length === 0) return;
      const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      [parts, length] = [[], 0];
      const name = this.#seal.nameOf(bytes);
      chunks.push(name);
      if (this.#there.has(name)) return;
      signal?.throwIfAborted();
      await this.target.put(chunkPath(name), this.#seal.close(bytes, chunkPath(name)));
      this.#there.add(name);
      newBytes += bytes.length;
    };
    for (const name of names) {
      let size = 0;
      const reading = createReadStream(join(root, dir, name), { highWaterMark: 1 << 20 });
      for await (const read of reading as AsyncIterable<Buffer>) {
        size += read.length;
        for (let rest = read; rest.length > 0; ) {
          const part = rest.subarray(0, CHUNK_BYTES - length);
          parts.push(part);
          length += part.length;
          rest = rest.subarray(part.length);
          if (length === CHUNK_BYTES) await flush();
        }
      }
      files.push([name, size]);
    }
    await flush();
    return { pack: { dir, files, chunks }, newBytes };
  }

  /** Lays the files of a pack down. @throws BackupError where a chunk is missing, changed or damaged */
  async restore(pack: Pack, root: string): Promise<void> {
    const dir = join(root, pack.dir);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const chunks = pack.chunks[Symbol.iterator]();
    let rest: Buffer = Buffer.alloc(0);
    for (const [name, size] of pack.files) {
      const file = await open(join(dir, name), 'wx', 0o600);
      try {
        for (let left = size; left > 0; ) {
          if (rest.length === 0) {
            const next = chunks.next();
            if (next.done === true)
              throw new BackupError(`The files of ${pack.dir} are longer than what is stored.`);
            rest = await this.#chunk(next.value);
          }
          const part = rest.subarray(0, left);
          await file.writeFile(part);
          left -= part.length;
          rest = rest.subarray(part.length);
        }
      } finally {
        await file.close();
      }
    }
  }

  /**
   * Takes away all backups but the newest, and what only they needed.
   * @throws BackupError, and nothing is removed, where one that stays cannot be read: what it needs is not known
   */
  async prune(keep: number): Promise<{ readonly backups: number; readonly chunks: number }> {
    const ids = await this.ids();
    // Chunks alone are of a first backup that is being made, or of manifests that somebody took away.
    if (ids.length === 0) return { backups: 0, chunks: 0 };
    const gone = ids.slice(keep);
    const needed = new Set<string>();
    for (const id of ids.slice(0, keep)) {
      const { packs } = await this.manifest(id).catch((thrown: unknown) => {
        if (!(thrown instanceof BackupError)) throw thrown;
        throw new BackupError(
          `${thrown.message} Nothing was pruned: what it needs is not known. Remove ${manifestPath(id)} from ${this.target.name} to give it up.`,
          { cause: thrown },
        );
      });
      for (const pack of packs) for (const chunk of pack.chunks) needed.add(chunk);
    }
    for (const id of gone) await this.target.remove(manifestPath(id));
    await this.target.sweep();
    let chunks = 0;
    for await (const path of this.target.list('chunks/')) {
      if (needed.has(path.slice(path.lastIndexOf('/') + 1))) continue;
      await this.target.remove(path);
      chunks += 1;
    }
    return { backups: gone.length, chunks };
  }

  async #chunk(name: string): Promise<Buffer> {
    const path = chunkPath(name);
    const sealed = await this.target.get(path);
    if (sealed === undefined)
      throw new BackupError(`${this.target.name} lacks ${path}. The backup is not whole.`);
    const bytes = this.#seal.open(sealed, path);
    if (this.#seal.nameOf(bytes) !== name)
      throw new BackupError(`${path} was changed since it was stored, or is damaged.`);
    return bytes;
  }
}

function termsOf(bytes: Buffer, target: Target): Terms {
  try {
    const terms = JSON.parse(bytes.toString('utf8')) as Terms;
    if (terms.candelaBackup === 1) return terms;
  } catch {
    // Said below.
  }
  throw new BackupError(`${target.name} holds something else than backups of this program.`);
}
