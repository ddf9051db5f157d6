import type { Attribute } from '@candela/contract';
import type { AttributeValue } from '@candela/semconv';

const TYPE_NAMES: ReadonlyMap<string, Attribute['type']> = new Map([
  ['s', 'string'],
  ['i', 'int'],
  ['d', 'double'],
  ['b', 'bool'],
  ['j', 'json'],
  ['x', 'bytes'],
  ['n', 'null'],
]);

/** One attribute map as stored: keys and values side by side, since an object could neither repeat nor order keys. */
export interface StoredMap {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** Attributes as the API shows them. `types` holds one letter each; missing letters mean text. */
export function toAttributes(stored: StoredMap, types = ''): Attribute[] {
  return stored.keys.map((key, index): Attribute => {
    const type = TYPE_NAMES.get(types.charAt(index)) ?? 'string';
    const text = stored.values[index] ?? '';
    const value = restore(type, text);
    return value === undefined ? { key, type: 'string', value: text } : { key, type, value };
  });
}

/** The value of a stored text in its type, as JSON can carry it; undefined when the text does not fit the type. */
function restore(type: Attribute['type'], text: string): unknown {
  switch (type) {
    case 'int': {
      const number = Number(text);
      return Number.isSafeInteger(number) ? number : text;
    }
    case 'double': {
      const number = Number(text);
      return Number.isFinite(number) ? number : text;
    }
    case 'bool':
      return text === 'true';
    case 'null':
      return null;
    case 'json':
      return parseJson(text);
    default:
      return text;
  }
}

/** JSON with integers beyond 2^53 kept as text; undefined when it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, exactNumbers);
  } catch {
    return undefined;
  }
}

function exactNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  const lossy = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return lossy && source !== undefined ? source : value;
}

/** The attribute set as the conventions read it: a map, arrays and maps restored from their JSON. */
export function toAttributeMap(stored: StoredMap, types = ''): Map<string, AttributeValue> {
  return new Map(
    stored.keys.map((key, index): [string, AttributeValue] => {
      const text = stored.values[index] ?? '';
      return [key, attributeValue(types.charAt(index), text)];
    }),
  );
}

function attributeValue(letter: string, text: string): AttributeValue {
  switch (letter) {
    case 'i': {
      const number = Number(text);
      if (Number.isSafeInteger(number)) return number;
      return /^-?\d+$/.test(text) ? BigInt(text) : text;
    }
    case 'd':
      return Number(text);
    case 'b':
      return text === 'true';
    case 'n':
      return null;
    case 'x':
      return Uint8Array.from(Buffer.from(text, 'base64'));
    case 'j': {
      const value = parseJson(text);
      return value === undefined ? text : fromJson(value);
    }
    default:
      return text;
  }
}

function fromJson(value: unknown): AttributeValue {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  ) {
    return value;
  }
  if (Array.isArray(value)) return value.map(fromJson);
  return new Map(Object.entries(value as object).map(([key, item]) => [key, fromJson(item)]));
}
