/**
 * What a word of a stored text is, in regular expressions of RE2, and the text of which an index tells the same. All of it is about
 * texts in the engine's lower case.
 */

/** Inside of brackets: what may be a letter or a digit. */
const LETTERS = 'a-z0-9\\x{80}-\\x{10FFFF}';

/** Letters that stand for the end of a line or a tab after a backslash, inside of JSON. */
export const ESCAPES = ['n', 't'];
const AFTER_ESCAPE = `\\\\[${ESCAPES.join('')}]`;

/** What stands before a word, and after it. */
export const BEFORE_WORD = `(?:^|[^${LETTERS}]|${AFTER_ESCAPE})`;
export const AFTER_WORD = `(?:[^${LETTERS}]|$)`;

/** What stands before a word inside of JSON that escapes all letters beyond ASCII. */
export const beforeEscaped = (word: string): string =>
  `(?:^|[^${LETTERS}${ESCAPES.includes(word.charAt(0)) ? '\\\\' : ''}]|${AFTER_ESCAPE})`;
/** And after it: neither a letter nor an escaped one. */
export const AFTER_ESCAPED_WORD = `(?:[^${LETTERS}\\\\]|\\\\[^u]|\\\\?$)`;

/** A regular expression as a text of a statement. */
const text = (pattern: string): string => `'${pattern.replaceAll('\\', '\\\\')}'`;

const ESCAPED = '\\\\u[0-9a-f]{4}';
const LETTER = `(?:[${LETTERS}]|${ESCAPED})`;
/**
 * Runs of letters that no sender escapes like that, some beyond ASCII as they are, some of ASCII escaped, or digits missing; and those with a
 * half of a letter, whose other half may be missing.
 */
const HALF_ESCAPED = `${LETTER}*(?:(?:[\\x{80}-\\x{10FFFF}]|\\\\u00[0-7][0-9a-f]|\\\\ud[89a-f][0-9a-f]{2})${LETTER}*|\\\\u[0-9a-f]{0,3}(?:[g-z\\x{80}-\\x{10FFFF}]${LETTER}*|[^${LETTERS}]|$))`;
const ESCAPED_WORD = `[a-z0-9]*${ESCAPED}${LETTER}*`;

/** The words of a text that JSON escapes, as they are. */
const unescaped = (sql: string): string =>
  `JSONExtractString(concat('"', arrayStringConcat(extractAll(replaceRegexpAll(${sql}, ${text(HALF_ESCAPED)}, ' '), ${text(ESCAPED_WORD)}), ' '), '"'))`;

/**
 * A text of which `hasToken` finds what {@link BEFORE_WORD} and {@link AFTER_WORD} say is a word, in whatever case it is beyond
 * ASCII: ends of lines and tabs are there once more as blanks, and words that JSON escapes follow as they are. It has no lambda, which
 * the engine cannot work out for a part that lacks the index.
 * @param lowered a text in the engine's lower case
 */
export function apart(lowered: string): string {
  const blanks = `replaceRegexpAll(${lowered}, ${text(AFTER_ESCAPE)}, ' ')`;
  return `concat(${lowered}, if(position(${lowered}, '\\\\') = 0, '', concat(' ', ${blanks}, ' ', ${unescaped(blanks)})))`;
}
