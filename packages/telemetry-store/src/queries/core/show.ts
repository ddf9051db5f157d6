import { requireField } from '@candela/contract';
import { fail } from '@candela/kernel';
import { isContentKey } from '@candela/semconv';
import { fieldOf } from './filter.ts';
import { readKey } from './map-key.ts';
import type { Params } from './params.ts';
import { levelName, type Source } from './source.ts';

/** The value of a field as one text expression, as it is grouped by and shown. @throws bad_query */
export function shownSql(source: Source, name: string, params: Params): string {
  const resolved = requireField(name, source.signal);
  if (resolved.kind === 'key') {
    const { key, source: from } = resolved;
    if (from === 'attributes' && isContentKey(key)) throw ungrouped(name, 'holds messages');
    return readKey(source, from, key, params).value;
  }
  const field = fieldOf(source, resolved.name);
  switch (field.kind) {
    case 'text':
      return field.show;
    case 'enum':
      return `lower(${field.sql})`;
    case 'level':
      return levelName(field);
    case 'id':
      return field.sql;
    case 'boolean':
      return `if(${field.sql}, 'true', 'false')`;
    case 'number':
    case 'words':
      throw ungrouped(resolved.name, field.kind === 'number' ? 'is a number' : 'is searched by words');
  }
}

const ungrouped = (name: string, why: string) =>
  fail('bad_query', { detail: `"${name.slice(0, 80)}" ${why}: it cannot be grouped by.` });
