/**
 * The little the host must know about SQL text: to quote values, to tell an insert with data from other statements,
 * and to put request settings and parameters into one `SET`.
 */

/** A ClickHouse string literal. Backslash and quote are what could break out; the rest is for readability. */
export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`;
}

/** A back-quoted identifier. */
export function quoteIdentifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

const INSERT_WITH_FORMAT = /^([\s\S]*?\bINSERT\s+INTO\b[\s\S]*?)\bFORMAT\s+(\w+)[ \t\r]*(?:;?\s*$|\n)/i;
const INSERT_WITH_VALUES = /^(\s*INSERT\s+INTO\b[\s\S]*?)\bVALUES\s*;?\s*$/i;
const COMMENT_OR_BLANK = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

/** `INSERT ... FORMAT x` split around its format; undefined for every other statement. */
export function splitInsert(
  sql: string,
): { readonly head: string; readonly format: string; readonly data: string } | undefined {
  if (!/^INSERT\b/i.test(sql.replace(COMMENT_OR_BLANK, ''))) return undefined;
  const withFormat = INSERT_WITH_FORMAT.exec(sql);
  if (withFormat) {
    return {
      head: withFormat[1] ?? '',
      format: withFormat[2] ?? '',
      data: sql.slice(withFormat[0].length),
    };
  }
  const values = INSERT_WITH_VALUES.exec(sql);
  return values ? { head: values[1] ?? '', format: 'Values', data: '' } : undefined;
}

/**
 * The insert that reads its data from `file`. `SETTINGS` in the head may follow the columns or precede the format in
 * the client's text; the engine wants `FROM INFILE` before them.
 */
export function insertFromFile(head: string, format: string, file: string): string {
  const settings = /\bSETTINGS\s+\w+\s*=[\s\S]*$/i.exec(head);
  const before = settings ? head.slice(0, settings.index) : head;
  return `${before.trimEnd()} FROM INFILE ${quote(file)} ${settings ? `${settings[0].trimEnd()} ` : ''}FORMAT ${format}`;
}

/** The explicit `FORMAT x` at the end of a reading statement, if it has one. */
export function trailingFormat(sql: string): string | undefined {
  return /\bFORMAT\s+(\w+)\s*;?\s*$/i.exec(sql)?.[1];
}

const SETTING_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** One `SET` of all settings and parameters; empty text when there are none. Throws a RangeError on a bad name. */
export function setStatement(
  settings: ReadonlyMap<string, string>,
  parameters: ReadonlyMap<string, string>,
): string {
  const parts: string[] = [];
  for (const [name, value] of settings) parts.push(`${checkName(name)} = ${quote(value)}`);
  for (const [name, value] of parameters) parts.push(`param_${checkName(name)} = ${quote(value)}`);
  return parts.length === 0 ? '' : `SET ${parts.join(', ')}`;
}

function checkName(name: string): string {
  if (!SETTING_NAME.test(name))
    throw new RangeError(`${JSON.stringify(name)} is not a setting or parameter name`);
  return name;
}

/** True when the text holds a `;` that is not its last character, so that it may be several statements. */
export function mayBeSeveral(sql: string): boolean {
  const at = sql.indexOf(';');
  return (
    at !== -1 &&
    sql
      .slice(at + 1)
      .replace(COMMENT_OR_BLANK, '')
      .trim() !== ''
  );
}
