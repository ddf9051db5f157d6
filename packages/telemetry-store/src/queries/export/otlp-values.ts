import type { StoredMap } from '../core/attributes.ts';

/** OTLP/JSON as written to a file. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One attribute as OTLP/JSON. */
export type KeyValue = { readonly key: string; readonly value: { readonly [key: string]: Json } };

/** Attributes as they were received: `types` holds one letter each; without letters all is text, as it is stored. */
export function otlpAttributes(stored: StoredMap, types = ''): KeyValue[] {
  return stored.keys.map((key, index) => ({
    key,
    value: anyValue(types.charAt(index), stored.values[index] ?? ''),
  }));
}

/** The value of a stored text, so that receiving it again stores the same text and the same letter. */
function anyValue(letter: string, text: string): { readonly [key: string]: Json } {
  switch (letter) {
    case 'i':
      return { intValue: text };
    case 'd':
      return { doubleValue: Number.isFinite(Number(text)) ? Number(text) : text };
    case 'b':
      return { boolValue: text === 'true' };
    case 'x':
      return { bytesValue: text };
    case 'n':
      return {};
    case 'j':
      return parsed(text);
    default:
      return { stringValue: text };
  }
}

/** Half a character, which no received key has: before a key that is a number, so that an object leaves it in its place. */
const PLACED = /^\ud800(?=\d+$)/;

/** An array or map of a stored JSON text; text that was cut is no JSON any more and stays text. */
function parsed(text: string): { readonly [key: string]: Json } {
  // Within a text a quote is never bare, so that this begins a key. JSON is stored without spaces.
  const inOrder = text.replaceAll(/([{,])"(?=\d+":)/g, '$1"\\ud800');
  try {
    return JSON.parse(inOrder, revive) as { readonly [key: string]: Json };
  } catch {
    return { stringValue: text };
  }
}

/** Bottom up: every value becomes its OTLP form, so parts of arrays and maps are done when their whole is. */
function revive(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (value === null) return {};
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') {
    const source = context?.source ?? String(value);
    return /^-?\d+$/.test(source) && inInt64(source) ? { intValue: source } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value as unknown[] } };
  const entries = Object.entries(value as object);
  const values = entries.map(([key, item]) => ({
    key: key.replace(PLACED, ''),
    value: item as unknown,
  }));
  return { kvlistValue: { values } };
}

function inInt64(text: string): boolean {
  const value = BigInt(text);
  return value >= -(2n ** 63n) && value < 2n ** 63n;
}
