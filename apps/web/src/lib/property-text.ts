/**
 * Properties as people write them: a text stays a text, anything else is its JSON. A text that would be read as JSON
 * stands in quotes, so that every value comes back as it was.
 */
export function propertyText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? '';
  return isJson(value) ? JSON.stringify(value) : value;
}

export function propertyValue(text: string): unknown {
  return isJson(text) ? (JSON.parse(text) as unknown) : text;
}

function isJson(text: string): boolean {
  if (!/^\s*(?:["{[\d-]|true|false|null)/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export interface Pair {
  readonly key: string;
  readonly text: string;
}

export const pairsOf = (properties: Readonly<Record<string, unknown>>): Pair[] =>
  Object.entries(properties).map(([key, value]) => ({ key, text: propertyText(value) }));

/** The pairs as an object without a prototype's names; a pair without a key counts for nothing. */
export const propertiesOf = (pairs: readonly Pair[]): Record<string, unknown> =>
  Object.fromEntries(
    pairs.filter(({ key }) => key.trim() !== '').map(({ key, text }) => [key.trim(), propertyValue(text)]),
  );
