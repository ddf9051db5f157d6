import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleRule } from '@candela/scanners';
import { CloneError, type CloneRequest, cloneRepository } from './clone.ts';

/** Which bundle of rules a scan uses. */
export interface RulesOrder {
  readonly repo: string;
  readonly ref: string | null;
  readonly requireSigned: boolean;
  /** The copy of an earlier scan is used. */
  readonly noUpdate: boolean;
}

export interface RuleBundle {
  readonly rules: readonly BundleRule[];
  /** What the job says of it: commit, signature, whether it is a copy. */
  readonly note: string;
}

const MAX_BUNDLE_BYTES = 4 * 1_048_576;

/**
 * Fetches a bundle, or reads the copy of an earlier scan, and verifies it where that is asked for: a copy is verified again.
 * @param folder of the project's copies @param keysFile PEM of public keys @throws CloneError, ScanError with a sentence
 */
export async function loadRules(
  order: RulesOrder,
  request: Pick<CloneRequest, 'hosts' | 'trustedHosts' | 'caFile'>,
  parts: { readonly folder: string; readonly keysFile: string | undefined },
  signal: AbortSignal,
): Promise<RuleBundle> {
  const { readRules, verifyBundle } = await import('@candela/scanners');
  const name = createHash('sha256')
    .update(JSON.stringify([order.repo, order.ref]))
    .digest('hex');
  const copy = join(parts.folder, `${name}.json`);
  const { commit, files } = order.noUpdate
    ? await readCopy(copy)
    : await fetchBundle(order, request, copy, signal);
  const keys = parts.keysFile === undefined ? [] : await readKeys(parts.keysFile);
  const unsigned = verifyBundle(files, keys);
  if (unsigned !== undefined && order.requireSigned)
    throw new CloneError(`The rules of ${order.repo} were refused: ${unsigned}.`);
  const rules = readRules(files);
  const signature = unsigned === undefined ? 'its signature is verified' : `not verified: ${unsigned}`;
  return {
    rules,
    note: `${rules.length} rules of ${order.repo} at ${commit.slice(0, 12)}${order.noUpdate ? ' (copy)' : ''}; ${signature}.`,
  };
}

interface Fetched {
  readonly commit: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

async function fetchBundle(
  { repo, ref }: RulesOrder,
  request: Pick<CloneRequest, 'hosts' | 'trustedHosts' | 'caFile'>,
  copy: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const { isOfBundle } = await import('@candela/scanners');
  const clone = await cloneRepository({ ...request, target: repo, ref, token: null }, signal);
  const files = new Map<string, Uint8Array>();
  try {
    let size = 0;
    for await (const { path, content } of clone.files(new Map())) {
      if (!isOfBundle(path)) continue;
      size += content.length;
      if (size > MAX_BUNDLE_BYTES) throw new CloneError('A bundle of rules has at most 4 MiB.');
      files.set(path, content);
    }
  } finally {
    clone.remove();
  }
  const written = {
    commit: clone.commit,
    files: Object.fromEntries(
      [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]),
    ),
  };
  await mkdir(join(copy, '..'), { recursive: true, mode: 0o700 });
  const fresh = `${copy}.${crypto.randomUUID()}`;
  await writeFile(fresh, JSON.stringify(written), { mode: 0o600 });
  await rename(fresh, copy);
  return { commit: clone.commit, files };
}

async function readCopy(copy: string): Promise<Fetched> {
  let text: string;
  try {
    text = await readFile(copy, 'utf8');
  } catch {
    throw new CloneError(
      'There is no copy of the rules yet. Scan once without noRulesUpdate, so that they are fetched.',
    );
  }
  const { commit, files } = JSON.parse(text) as { commit: string; files: Record<string, string> };
  return {
    commit,
    files: new Map(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes, 'base64')])),
  };
}

async function readKeys(file: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    throw new CloneError('The file of PLATFORM_SCANNER_RULE_KEYS_FILE cannot be read.');
  }
  return text.match(/-----BEGIN PUBLIC KEY-----[\s\S]+?-----END PUBLIC KEY-----/g) ?? [];
}
