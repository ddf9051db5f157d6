import { type Field, levelName } from './source.ts';

/** A field's value as text, empty when the row has none; undefined for fields that have no values (words). */
export function fieldText(field: Field): string | undefined {
  switch (field.kind) {
    case 'text':
      return `toString(${field.show})`;
    case 'enum':
      return `lower(toString(${field.sql}))`;
    case 'level':
      return levelName(field);
    case 'id':
      return field.sql;
    case 'boolean':
      return `if(${field.sql}, 'true', 'false')`;
    case 'number':
      return `ifNull(toString(${field.scale === 1 ? field.sql : `${field.sql} / ${field.scale}`}), '')`;
    case 'words':
      return undefined;
  }
}

/** Whether a row has the field. */
export function fieldExists(field: Field): string {
  if (field.kind === 'number' || field.kind === 'words') return field.exists;
  if (field.kind === 'text') return `${field.show} != ''`;
  return field.kind === 'id' ? `${field.sql} != ''` : '1';
}
