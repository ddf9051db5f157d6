import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What git's own files say of a working folder, without starting git. */
export interface Repository {
  readonly root: string;
  /** `https://host/owner/name`, without credentials. */
  readonly url?: string;
  readonly branch?: string;
  /** Commit that is checked out. */
  readonly head?: string;
  readonly email?: string;
}

const LARGEST = 8 << 20;

/** The repository that a folder lies in; undefined where there is none or it cannot be read. */
export function repositoryOf(folder: string): Repository | undefined {
  try {
    for (let at = resolve(folder), depth = 0; depth < 64; at = dirname(at), depth++) {
      if (existsSync(join(at, '.git'))) return read(at);
      if (dirname(at) === at) return undefined;
    }
  } catch {
    // Not to be read: as none.
  }
  return undefined;
}

function read(root: string): Repository {
  let dir = join(root, '.git');
  // A worktree or a submodule: the file names the folder.
  if (statSync(dir).isFile()) dir = resolve(root, (/^gitdir: (.+)$/m.exec(text(dir)) ?? [])[1] ?? '.git');
  const common = resolve(dir, text(join(dir, 'commondir')).trim() || '.');
  const head = text(join(dir, 'HEAD')).trim();
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  const config = text(join(common, 'config'));
  const sha = ref === undefined ? head : shaOf(ref, [dir, common]);
  const url = normaliseUrl(
    /\[remote "origin"\][^[]{0,2000}?\burl\s*=\s*(\S{1,2000})/.exec(config)?.[1] ?? '',
  );
  const email = emailIn(config);
  return {
    root,
    ...(url === undefined ? {} : { url }),
    ...(ref === undefined ? {} : { branch: ref.replace(/^refs\/heads\//, '') }),
    ...(sha === undefined || sha === '' ? {} : { head: sha }),
    ...(email === undefined ? {} : { email }),
  };
}

function shaOf(ref: string, dirs: readonly string[]): string | undefined {
  if (ref.includes('..')) return undefined;
  for (const dir of dirs) {
    const loose = text(join(dir, ref)).trim();
    if (/^[0-9a-f]{40,64}$/.test(loose)) return loose;
    const line = text(join(dir, 'packed-refs'))
      .split('\n')
      .find((row) => row.endsWith(` ${ref}`));
    if (line !== undefined) return line.split(' ')[0];
  }
  return undefined;
}

/** The address in `user.email` of a git configuration. */
function emailIn(config: string): string | undefined {
  return /\[user\][^[]{0,2000}?\bemail\s*=\s*(\S{1,254})/.exec(config)?.[1];
}

function text(file: string): string {
  try {
    const { size } = statSync(file);
    return size > LARGEST ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** `https://host/path` of a remote in any of git's forms, without user, password and `.git`; undefined of local paths. */
export function normaliseUrl(remote: string): string | undefined {
  const scp = /^(?:[^\s@/]{1,100}@)?([A-Za-z0-9.-]{1,253}):(?!\/\/)([^\s]{1,1000})$/.exec(remote);
  const text = scp === null ? remote : `ssh://${scp[1]}/${scp[2]}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, pathname } = new URL(text);
  if (!/^(?:https?|ssh|git):$/.test(protocol) || hostname === '') return undefined;
  return `https://${hostname}${pathname.replace(/\/+$/, '').replace(/\.git$/, '')}`;
}
