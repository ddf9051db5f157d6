import { requireField } from '@candela/contract';
import { fail } from '@candela/kernel';
import { fieldExists, fieldText } from './field-text.ts';
import { hasKey, valueOfKey } from './map-key.ts';
import type { Params } from './params.ts';
import { readScore } from './score.ts';
import type { Source } from './source.ts';

/** How one field, a named one or a key of a map, is read from the rows of a signal. */
export interface FieldReading {
  readonly exists: (params: Params) => string;
  readonly value: (params: Params) => string;
  /** It lies in a map, which is read for few rows only. */
  readonly wide: boolean;
}

/** @throws bad_query for a name that is no field, or one without values */
export function fieldReading(source: Source, name: string): FieldReading {
  const resolved = requireField(name, source.signal);
  if (resolved.kind === 'key') {
    const { key, source: from } = resolved;
    if (from === 'score') {
      const text = (params: Params) => readScore(key, params).text;
      return { exists: (params) => `${text(params)} != ''`, value: text, wide: true };
    }
    const map = source.mapOf(from, key);
    return {
      exists: (params) => hasKey(map, params.bind(key, 'String')),
      value: (params) => valueOfKey(map, params.bind(key, 'String')),
      wide: true,
    };
  }
  const field = source.fields[resolved.name];
  const value = field === undefined ? undefined : fieldText(field);
  if (field === undefined || value === undefined) {
    throw fail('bad_query', { detail: `"${resolved.name}" is searched by words; it has no values to list.` });
  }
  return { exists: () => fieldExists(field), value: () => value, wide: false };
}
