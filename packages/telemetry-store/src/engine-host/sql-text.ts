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

const COMMENT_OR_BLANK = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;
/** `INSERT INTO name (columns) SETTINGS ...`, then `FORMAT x` or a `VALUES` with nothing after it. */
const INSERT_WITH_DATA = new RegExp(
  [
    /^(INSERT\s+INTO\s+(?:TABLE\s+)?(?:`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|[\w.])+\s*(?:\([^)']*\))?)\s*/,
    /(SETTINGS\b(?:(?!\b(?:FORMAT|VALUES|SELECT|WITH)\b)[\s\S])*)?/,
    /(?:FORMAT\s+(\w+)[ \t\r]*(?:;?\s*$|\n)|VALUES\s*;?\s*$)/,
  ]
    .map((part) => part.source)
    .join(''),
  'i',
);

/** An insert that brings data in a format, taken apart. */
export interface InsertText {
  readonly into: string;
  /** `SETTINGS ...` or empty text. */
  readonly settings: string;
  readonly format: string;
  /** Data that follows in the same text. */
  readonly data: string;
}

/** `INSERT ... FORMAT x` (or an open `VALUES`) taken apart; undefined for every other statement. */
export function splitInsert(sql: string): InsertText | undefined {
  const text = sql.replace(COMMENT_OR_BLANK, '');
  const match = INSERT_WITH_DATA.exec(text);
  if (match === null) return undefined;
  return {
    into: (match[1] ?? '').trimEnd(),
    settings: (match[2] ?? '').trim(),
    format: match[3] ?? 'Values',
    data: text.slice(match[0].length),
  };
}

/** The insert that reads its data from `file`. The engine wants `FROM INFILE` before the settings. */
export function insertFromFile(insert: InsertText, file: string): string {
  return [insert.into, `FROM INFILE ${quote(file)}`, insert.settings, `FORMAT ${insert.format}`]
    .filter((part) => part !== '')
    .join(' ');
}

const INPUT_ROWS = /\binput\('/;

/** A statement that selects from data of its own (`FROM input('<columns>')`) with that data in `file`. */
export const inputFromFile = (sql: string, file: string, format: string): string =>
  sql.replace(INPUT_ROWS, () => `file(${quote(file)}, ${quote(format)}, '`);

/** An insert that makes its rows of data that comes with it. */
export interface InputText {
  /** Without the format. */
  readonly sql: string;
  readonly format: string;
}

/** `INSERT INTO ... SELECT ... FROM input('<columns>') FORMAT x` taken apart; undefined for every other statement. */
export function splitInput(sql: string): InputText | undefined {
  const text = sql.replace(COMMENT_OR_BLANK, '');
  const format = trailingFormat(text);
  if (format === undefined || !/^INSERT\s/i.test(text) || !INPUT_ROWS.test(text)) return undefined;
  return { sql: text.replace(TRAILING_FORMAT, '').trimEnd(), format };
}

/** The explicit `FORMAT x` at the end of a reading statement, if it has one. */
export function trailingFormat(sql: string): string | undefined {
  return TRAILING_FORMAT.exec(sql)?.[1];
}

const TRAILING_FORMAT = /\bFORMAT\s+(\w+)\s*;?\s*$/i;

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
