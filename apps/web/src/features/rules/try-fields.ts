import type { FieldValue } from '@candela/rules';

/** What was pasted, read as fields, or what is wrong with it. */
export type TriedFields =
  | { readonly fields: ReadonlyMap<string, FieldValue>; readonly dropped: readonly string[] }
  | { readonly trouble: string };

/** Reads a JSON object of names and values. What is neither text, number nor boolean is left out, and named. */
export function readFields(text: string): TriedFields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { trouble: `This is no JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { trouble: 'Give an object: {"model": "gpt-4o", "tokens": 1200}' };
  }
  const fields = new Map<string, FieldValue>();
  const dropped: string[] = [];
  for (const [name, given] of Object.entries(value)) {
    if (typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean') {
      fields.set(name, given);
    } else dropped.push(name);
  }
  return { fields, dropped };
}
