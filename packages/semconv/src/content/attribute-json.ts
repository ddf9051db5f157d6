/** From attribute values to plain JSON values, and from flattened names back to the tree they came from. */
import type { AttributeReader, AttributeValue } from '../types.ts';
import { MAX_DEPTH } from './builder.ts';

const MAX_JSON = 8_000_000;
const MAX_FLAT_KEYS = 20_000;
/** What follows the prefix of a member of a flattened list. */
const MEMBER = /^\d{1,6}(?:\.|$)/;

/** Maps become null-prototype objects, so that a key named `__proto__` is just a key. */
export function toJson(value: AttributeValue | undefined, depth = 0): unknown {
  if (value === undefined || value === null || depth > MAX_DEPTH) return undefined;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value))
    return (value as readonly AttributeValue[]).map((item) => toJson(item, depth + 1));
  if (typeof value === 'object') {
    const out = emptyRecord();
    for (const [key, entry] of value as ReadonlyMap<string, AttributeValue>)
      out[key] = toJson(entry, depth + 1);
    return out;
  }
  return value;
}

/** JSON text parsed, other text as it is: malformed JSON is text, never an error. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const first = value.trimStart().charAt(0);
  if ((first !== '{' && first !== '[' && first !== '"') || value.length > MAX_JSON) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** An attribute as JSON: structured, or text parsed. */
export const jsonAttribute = (attributes: AttributeReader, key: string): unknown =>
  parsed(toJson(attributes.get(key)));

/** First of these attributes that is there and not empty. */
export function firstJson(attributes: AttributeReader, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = jsonAttribute(attributes, key);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/**
 * The tree behind `prefix.N.a.b` names, as a list in the order of N; other names with the prefix belong to no list.
 * Inside it what has numbers for names is a list, too; bounded in keys and depth.
 */
export function unflatten(attributes: AttributeReader, prefix: string): unknown[] {
  const root = emptyRecord();
  let taken = 0;
  for (const key of attributes.keys()) {
    // What begins with a word says something of all: `gen_ai.prompt.name` beside `gen_ai.prompt.0.content`.
    if (!key.startsWith(prefix) || !MEMBER.test(key.slice(prefix.length))) continue;
    if (++taken > MAX_FLAT_KEYS) break;
    const path = key.slice(prefix.length).split('.');
    if (path.length > MAX_DEPTH) continue;
    place(root, path, toJson(attributes.get(key)));
  }
  const list = asList(root);
  return Array.isArray(list) ? list : [];
}

function place(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let node = root;
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) {
      // A longer name may already have made this a node: then the shorter one loses.
      if (node[step] === undefined) node[step] = value;
      return;
    }
    const next = node[step];
    if (isNode(next)) node = next;
    else {
      const made = emptyRecord();
      node[step] = made;
      nodes.add(made);
      node = made;
    }
  }
}

const nodes = new WeakSet<object>();
const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && nodes.has(value);

function asList(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, asList(entry)] as const);
  if (entries.length > 0 && entries.every(([key]) => /^\d{1,6}$/.test(key))) {
    return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, entry]) => entry);
  }
  const out = emptyRecord();
  for (const [key, entry] of entries) out[key] = entry;
  return out;
}

const emptyRecord = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;
