import { createHash, createPublicKey, verify } from 'node:crypto';
import { RE2JS } from 're2js';
import { parse } from 'yaml';
import { ScanError } from './engine.ts';
import { SEVERITIES, type Severity } from './types.ts';

/** A rule of a bundle: a pattern (RE2, so that no rule takes long) in files of some endings. */
export interface BundleRule {
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly explanation: string;
  readonly fix: string;
  readonly pattern: string;
  /** Endings of paths, such as `.py` or `mcp.json`; empty: every text. */
  readonly files: readonly string[];
}

const MAX_RULES = 500;
const RULES_FILE = /^rules\/[\w./-]{1,200}\.ya?ml$/;
const MANIFEST = 'MANIFEST';
const SIGNATURE = 'MANIFEST.sig';

/** Whether a file of a repository of rules is part of the bundle. */
export const isOfBundle = (path: string): boolean =>
  path === MANIFEST || path === SIGNATURE || RULES_FILE.test(path);

/** Reads the rules of a bundle: every `rules/*.yaml`. @throws ScanError a file is no list of rules, with its name */
export function readRules(files: ReadonlyMap<string, Uint8Array>): BundleRule[] {
  const rules: BundleRule[] = [];
  for (const [path, content] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (!RULES_FILE.test(path)) continue;
    let value: unknown;
    try {
      value = parse(Buffer.from(content).toString('utf8'), { maxAliasCount: 0 });
    } catch {
      throw new ScanError(`${path} of the rules is no YAML.`);
    }
    const listed = typeof value === 'object' && value !== null && 'rules' in value ? value.rules : undefined;
    if (!Array.isArray(listed)) throw new ScanError(`${path} of the rules has no list "rules".`);
    for (const one of listed as unknown[]) rules.push(ruleOf(one, path));
    if (rules.length > MAX_RULES) throw new ScanError(`A bundle has at most ${MAX_RULES} rules.`);
  }
  if (rules.length === 0) throw new ScanError('The repository has no rules: put them in rules/*.yaml.');
  const twice = rules.find(({ id }, at) => rules.findIndex((other) => other.id === id) !== at);
  if (twice !== undefined) throw new ScanError(`Two rules are called "${twice.id}".`);
  return rules;
}

function ruleOf(value: unknown, path: string): BundleRule {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  const text = (key: string, most: number): string => {
    const one = given[key];
    if (typeof one !== 'string' || one.trim() === '' || one.length > most)
      throw new ScanError(
        `A rule in ${path} needs "${key}", a text of at most ${most} characters${typeof given['id'] === 'string' ? ` (${given['id'].slice(0, 60)})` : ''}.`,
      );
    return one;
  };
  const id = text('id', 60);
  if (!/^[a-z0-9-]+$/.test(id)) throw new ScanError(`"${id}" in ${path} is no id: a-z, 0-9 and -.`);
  const severity = SEVERITIES.find((one) => one === given['severity']);
  if (severity === undefined)
    throw new ScanError(`The severity of "${id}" in ${path} is one of ${SEVERITIES.join(', ')}.`);
  const pattern = text('pattern', 1_000);
  try {
    RE2JS.compile(pattern);
  } catch {
    throw new ScanError(`The pattern of "${id}" in ${path} is no RE2 expression.`);
  }
  const files = given['files'] ?? [];
  if (!Array.isArray(files) || files.length > 50 || files.some((one) => typeof one !== 'string'))
    throw new ScanError(`"files" of "${id}" in ${path} is a list of endings of paths.`);
  return {
    id,
    severity,
    title: text('title', 200),
    explanation: text('explanation', 1_000),
    fix: text('fix', 1_000),
    pattern,
    files: files as string[],
  };
}

/**
 * Verifies a bundle: `MANIFEST` has a line `<sha256>  <path>` a file, as sha256sum writes it, and `MANIFEST.sig` its Ed25519 signature in
 * base64 by one of the keys. Returns undefined when it holds, else why it does not.
 * @param keys PEM of public keys
 */
export function verifyBundle(
  files: ReadonlyMap<string, Uint8Array>,
  keys: readonly string[],
): string | undefined {
  if (keys.length === 0)
    return 'no key of a signer is known: name a file of public keys in PLATFORM_SCANNER_RULE_KEYS_FILE';
  const [manifest, signature] = [files.get(MANIFEST), files.get(SIGNATURE)];
  if (manifest === undefined || signature === undefined)
    return 'the bundle has no MANIFEST with MANIFEST.sig';
  const bytes = Buffer.from(Buffer.from(signature).toString('latin1'), 'base64');
  const isSigned = keys.some((key) => {
    try {
      return verify(null, manifest, createPublicKey(key), bytes);
    } catch {
      return false;
    }
  });
  if (!isSigned) return 'the signature of MANIFEST is by none of the known keys';
  const sums = new Map(
    Buffer.from(manifest)
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const match = /^([0-9a-f]{64}) [ *](.+)$/.exec(line);
        return match === null ? [] : [[match[2] ?? '', match[1] ?? '']];
      }),
  );
  for (const [path, content] of files) {
    if (!RULES_FILE.test(path)) continue;
    if (sums.get(path) !== createHash('sha256').update(content).digest('hex'))
      return `${path} is not as MANIFEST has it`;
  }
  const missing = [...sums.keys()].find((path) => !files.has(path));
  return missing === undefined ? undefined : `${missing.slice(0, 200)} of MANIFEST is missing`;
}
