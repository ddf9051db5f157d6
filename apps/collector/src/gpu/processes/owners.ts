import { join } from 'node:path';
import { readHead } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';
import { hasUnsafe } from '../../unsafe-text.ts';

const MAX_PASSWD_BYTES = 1_048_576;
const MAX_USERS = 65_536;
const MAX_NAME = 64;

/** Names of the host's users, by `/etc/passwd`, which is read again when somebody unknown turns up. */
export class Owners {
  readonly #path: string;
  #names: ReadonlyMap<number, string> | undefined;
  readonly #nameless = new Set<number>();

  constructor(paths: HostPaths) {
    this.#path = join(paths.etc, 'passwd');
  }

  /** The name of a user; the number itself where it has none (most users of containers). */
  nameOf(uid: number): string {
    const known = this.#names?.get(uid);
    if (known !== undefined) return known;
    if (!this.#nameless.has(uid)) {
      this.#names = parsePasswd(readHead(this.#path, MAX_PASSWD_BYTES) ?? '');
      if (!this.#names.has(uid) && this.#nameless.size < MAX_USERS) this.#nameless.add(uid);
    }
    return this.#names?.get(uid) ?? String(uid);
  }
}

/** `name:password:uid:…`; the first of several names of one user counts. */
export function parsePasswd(text: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name = '', , uid = ''] = line.split(':', 4);
    if (name === '' || name.length > MAX_NAME || hasUnsafe(name) || !/^\d{1,10}$/.test(uid)) continue;
    if (!names.has(Number(uid)) && names.size < MAX_USERS) names.set(Number(uid), name);
  }
  return names;
}
