const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};
const escaped = (text: string): string => text.replaceAll(/[\t\n\r'\\]/g, (found) => ESCAPES[found] ?? found);

/**
 * The text that ClickHouse's HTTP interface takes for a value of a `{name:Type}` placeholder: a scalar, or a list of
 * them. As in its TSV format; texts inside of a list are quoted. @throws TypeError for any other value
 */
export function queryParam(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inList).join(',')}]`;
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value === null || value === undefined ? '\\N' : numeric(value);
}

function inList(value: unknown): string {
  if (Array.isArray(value)) return queryParam(value);
  if (typeof value === 'string') return `'${escaped(value)}'`;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value === null || value === undefined ? 'NULL' : numeric(value);
}

function numeric(value: unknown): string {
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value as number | bigint);
  if (typeof value !== 'number') throw new TypeError(`A ${typeof value} is no value of a query parameter`);
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? '+inf' : '-inf';
}
