import { CONFIG_MASK, FLEET_LIMITS } from '@candela/contract';
import { fail } from '@candela/kernel';
import { scrub } from '@candela/redaction';
import { type Document, isMap, isPair, isScalar, isSeq, parseDocument, type Scalar } from 'yaml';

/** Keys whose values are secrets, by their last word, whatever stands before it. */
const SECRET =
  /(?:^|[._-])(?:authorization|cookie|password|passwd|passphrase|secret|token|credentials?|api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|key[_-]?pem|sas[_-]?(?:url|token)|connection[_-]?string|dsn)$|bearer|^(?:key|auth|basic)$/i;
/** Below these every value is one: names of headers say nothing about their values. */
const ALL_SECRET = /^(?:headers?|metadata|credentials?|client_auth|basicauth|htpasswd)$/i;
/** Where a value is taken from the environment or a file, it is not in the text. */
const REFERENCE = /^\$\{[^}]*\}$|^\$[A-Z_][A-Z0-9_]*$/;
const USERINFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/@\s]+@/i;

type Path = readonly (string | number)[];

/** Calls `take` for every scalar of a document, with the keys that lead to it. Aliases are left alone. */
function scalars(node: unknown, path: Path, take: (scalar: Scalar, path: Path) => void): void {
  if (isScalar(node)) return take(node, path);
  if (isSeq(node)) return node.items.forEach((item, at) => scalars(item, [...path, at], take));
  if (!isMap(node)) return;
  for (const pair of node.items) {
    if (!isPair(pair)) continue;
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    scalars(pair.value, [...path, key], take);
  }
}

function parsed(text: string): Document | undefined {
  const document = parseDocument(text, { logLevel: 'silent' });
  return document.errors.length === 0 ? document : undefined;
}

const isSecret = (path: Path): boolean => {
  const keys = path.filter((key): key is string => typeof key === 'string');
  return SECRET.test(keys.at(-1) ?? '') || keys.some((key) => ALL_SECRET.test(key));
};

/** A configuration without its secrets. One that cannot be read is not shown: nobody knows what is in it. */
export function maskConfig(text: string): string {
  if (Buffer.byteLength(text) > FLEET_LIMITS.configBytes) return '# Too long to be shown.\n';
  const document = parsed(text);
  if (document === undefined) return '# No YAML: it is not shown.\n';
  scalars(document.contents, [], (scalar, path) => {
    const { value } = scalar;
    if (value === null || value === '' || typeof value === 'boolean') return;
    const own = String(value);
    if (REFERENCE.test(own)) return;
    if (isSecret(path)) scalar.value = CONFIG_MASK;
    else if (USERINFO.test(own)) scalar.value = own.replace(USERINFO, `$1${CONFIG_MASK}@`);
    else if (scrub(own, 2) !== own) scalar.value = CONFIG_MASK;
  });
  // Comments are text like any other.
  return scrub(document.toString(), 1);
}

/**
 * A configuration as a person sends it, with the secrets of the version before in the place of masks.
 * @throws refused when it is no YAML, or a mask stands where nothing was
 */
export function unmaskConfig(text: string, before: string | undefined): string {
  const document = parsed(text);
  if (document === undefined || !isMap(document.contents))
    throw fail('refused', { detail: 'The configuration is no YAML with keys and values.' });
  if (!text.includes(CONFIG_MASK)) return text;
  const old = new Map<string, unknown>();
  const previous = before === undefined ? undefined : parsed(before);
  scalars(previous?.contents, [], ({ value }, path) => old.set(JSON.stringify(path), value));
  scalars(document.contents, [], (scalar, path) => {
    if (typeof scalar.value !== 'string' || !scalar.value.includes(CONFIG_MASK)) return;
    const known = old.get(JSON.stringify(path));
    if (known === undefined)
      throw fail('refused', {
        detail: `${path.join('.')} is masked, and no pushed version has a value there: write it, or name a variable such as \${env:NAME}.`,
      });
    scalar.value = known;
  });
  return document.toString();
}
