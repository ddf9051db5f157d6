import { canonicalFieldName, isCountable, MAX_COUNTED_KEYS, requireField } from '@candela/contract';
import { fail } from '@candela/kernel';
import { isContentKey } from '@candela/semconv';
import { fieldOf } from '../core/filter.ts';
import { readKey } from '../core/map-key.ts';
import { Params } from '../core/params.ts';
import { levelName, type Source } from '../core/source.ts';

/** What a facet is counted by, and how that becomes the text that is shown. */
export interface FacetColumn {
  /** The second counts where the first is empty. */
  readonly columns: readonly string[];
  shown(value: string): string;
}

const asIs = (value: string): string => `toString(${value})`;

/** @throws bad_query for a name that is no field of the signal, and for fields whose values are not counted */
export function facetColumn(source: Source, name: string, params: Params): FacetColumn {
  const resolved = requireField(name, source.signal);
  if (resolved.kind === 'key') {
    const { key, source: from } = resolved;
    if (from === 'attributes' && isContentKey(key)) throw uncounted(name, 'holds messages');
    // Asking first who has the key costs more than it spares, but for the rarest.
    return { columns: [readKey(source, from, key, params).value], shown: asIs };
  }
  if (!isCountable(resolved.definition)) {
    throw uncounted(
      name,
      resolved.definition.type === 'text' ? 'is searched by words' : 'is a number, nearly always another',
    );
  }
  const field = fieldOf(source, resolved.name);
  switch (field.kind) {
    case 'text':
      return { columns: field.sql, shown: asIs };
    case 'enum':
      return { columns: [field.sql], shown: (value) => `lower(toString(${value}))` };
    case 'level':
      return { columns: [field.sql], shown: (value) => levelName({ ...field, sql: value }) };
    case 'id':
      return { columns: [field.sql], shown: asIs };
    case 'boolean':
      return { columns: [field.sql], shown: (value) => `if(${value}, 'true', 'false')` };
    default:
      throw new RangeError(`${source.signal} has no texts of the field ${resolved.name}`);
  }
}

/** The full name of each field asked for, by the name it was asked by. @throws bad_query unless all can be counted */
export function requireFacets(source: Source, asked: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  let keys = 0;
  for (const name of asked) {
    facetColumn(source, name, new Params());
    const field = requireField(name, source.signal);
    if (field.kind === 'key' && !names.has(name)) keys += 1;
    names.set(name, canonicalFieldName(field));
  }
  if (keys > MAX_COUNTED_KEYS) {
    throw fail('bad_query', {
      detail: `At most ${MAX_COUNTED_KEYS} attributes can be counted at once, not ${keys}.`,
    });
  }
  return names;
}

const uncounted = (name: string, why: string) =>
  fail('bad_query', { detail: `"${name.slice(0, 80)}" ${why}: it has no values to count.` });
