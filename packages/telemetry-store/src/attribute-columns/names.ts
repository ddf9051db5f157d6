/** The maps whose keys may get columns, by table, and what the names of their columns begin with. */
const PLACES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'otel_traces',
    new Map([
      ['SpanAttributes', 'Attribute_'],
      ['ResourceAttributes', 'Resource_'],
    ]),
  ],
  [
    'otel_logs',
    new Map([
      ['LogAttributes', 'Attribute_'],
      ['ResourceAttributes', 'Resource_'],
    ]),
  ],
]);

/** A key of a map of a table. */
export interface AttributeKey {
  readonly table: string;
  readonly map: string;
  readonly key: string;
}

/** Longer keys get no column: its name is that of files. */
const MAX_KEY_BYTES = 60;

export const LEARNED_TABLES: readonly string[] = [...PLACES.keys()];

/** A text for a key, for maps in memory. */
export const keyText = ({ table, map, key }: AttributeKey): string => `${table} ${map} ${key}`;

/** Whether a key could have a column, whatever its values. */
export const mayHaveColumn = (attribute: AttributeKey): boolean => columnName(attribute) !== undefined;

/**
 * The name of the column of a key: small letters and digits stay, every other byte of its UTF-8 is `_` and two
 * hexadecimal digits. So no two keys have one name, capitals neither (names of files may not tell them apart), and the
 * name tells the key. Undefined for keys that get none: empty, too long, or not well-formed text.
 */
export function columnName(attribute: AttributeKey): string | undefined {
  const { table, map, key } = attribute;
  const prefix = PLACES.get(table)?.get(map);
  if (prefix === undefined || key === '' || key.length > MAX_KEY_BYTES || !key.isWellFormed())
    return undefined;
  const bytes = Buffer.from(key, 'utf8');
  if (bytes.length > MAX_KEY_BYTES) return undefined;
  let name = prefix;
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    name += /[a-z0-9]/.test(character) ? character : `_${byte.toString(16).padStart(2, '0')}`;
  }
  return name;
}

const ENCODED = /^(?:[a-z0-9]|_[0-9a-f]{2})+$/;

/** The key that a column of a table was made for; undefined for columns that are nothing of the kind. */
export function keyOfColumn(table: string, name: string): AttributeKey | undefined {
  for (const [map, prefix] of PLACES.get(table) ?? []) {
    const rest = name.slice(prefix.length);
    if (!name.startsWith(prefix) || !ENCODED.test(rest)) continue;
    const percent = rest.replaceAll('_', '%');
    let key: string;
    try {
      key = decodeURIComponent(percent);
    } catch {
      return undefined;
    }
    const attribute = { table, map, key };
    return columnName(attribute) === name ? attribute : undefined;
  }
  return undefined;
}
