/** A cell that a spreadsheet would run: it begins with a sign of a formula, or with what some skip before one. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Some programs part cells at semicolons and tabs, too: unquoted, the rest of a text would be a cell that they run. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** One value as a cell of RFC 4180. Texts that would be run as a formula begin with an apostrophe; numbers never do. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  const text =
    typeof value === 'string'
      ? value
      : Array.isArray(value) && value.every(isText)
        ? value.join('; ')
        : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** One line with its end. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;
