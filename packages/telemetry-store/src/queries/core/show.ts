import { requireField } from '@candela/contract';
import { fail } from '@candela/kernel';
import { fieldOf } from './filter.ts';
import { readKey } from './map-key.ts';
import type { Params } from './params.ts';
import { levelName, type Source } from './source.ts';

/** The value of a field as one text expression, as it is grouped by and shown. @throws bad_query */
export function shownSql(source: Source, name: string, params: Params): string {
  const resolved = requireField(name, source.signal);
  if (resolved.kind === 'key') return readKey(source, resolved.source, resolved.key, params).value;
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
      throw fail('bad_query', { detail: `"${resolved.name}" cannot be grouped by.` });
  }
}
