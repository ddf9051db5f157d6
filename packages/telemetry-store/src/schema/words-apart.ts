import { BETWEEN_WORDS } from '@candela/contract';

/**
 * What words of stored texts are, in regular expressions of RE2 and in SQL: texts as people type them, and as senders escape them
 * inside of JSON. All of it is about texts in the engine's lower case.
 */

const hex = (code: number, digits = 0): string => code.toString(16).padStart(digits, '0');

/** Inside of brackets: all that is no letter and no digit, beyond ASCII. */
const SIGNS = BETWEEN_WORDS.map(([from, to]) => `\\x{${hex(from)}}-\\x{${hex(to)}}`).join('');

/** Inside of brackets: what may be a letter or a digit. */
const LETTERS = 'a-z0-9\\x{80}-\\x{10FFFF}';

/** A digit between two others. */
function digit(from: number, to: number): string {
  const [low, high] = [hex(from), hex(to)];
  if (from === to) return low;
  return from < 10 && to > 9 ? `[${low}-9a-${high}]` : `[${low}-${high}]`;
}

/** Numbers between two others, as so many hexadecimal digits each. */
function numbers(from: number, to: number, digits: number): string[] {
  if (digits === 0) return [''];
  const unit = 16 ** (digits - 1);
  const [first, last] = [Math.floor(from / unit), Math.floor(to / unit)];
  if (first === last) {
    return numbers(from % unit, to % unit, digits - 1).map((rest) => `${hex(first)}${rest}`);
  }
  const any = digits === 1 ? '' : digits === 2 ? '[0-9a-f]' : `[0-9a-f]{${digits - 1}}`;
  const [whole, end] = [from % unit === 0 ? first : first + 1, (to + 1) % unit === 0 ? last : last - 1];
  return [
    ...(whole === first ? [] : numbers(from, (first + 1) * unit - 1, digits)),
    ...(whole > end ? [] : [`${digit(whole, end)}${any}`]),
    ...(end === last ? [] : numbers(last * unit, to, digits)),
  ];
}

/** What else JSON escapes by four digits and is no letter: signs of ASCII, and halves of what has two, emoji for the most part. */
const OTHER_SIGNS = [
  [0x00, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0x7f],
  [0xd800, 0xdfff],
] as const;

/** Four digits of signs, as JSON escapes them. */
const SIGN_DIGITS = [...BETWEEN_WORDS.filter(([, to]) => to <= 0xffff), ...OTHER_SIGNS]
  .flatMap(([from, to]) => numbers(from, to, 4))
  .join('|');

/** A colour of a terminal, or another of its commands, as it is and as JSON and programs escape it. */
const COMMAND = '(?:\\x1b|\\\\u001b|\\\\x1b)\\[[0-9;?]*[a-z]';

/** Letters that stand for signs after a backslash: ends of lines, tabs and the like. */
const SIGN_LETTERS = 'bfnrt';

/** What stands between words and looks like letters: commands of a terminal; ends of lines, tabs and signs inside of JSON. */
const DISGUISED = `(?:${COMMAND}|\\\\[${SIGN_LETTERS}]|\\\\u(?:${SIGN_DIGITS}))`;

/** What stands before a word, and after it. */
export const BEFORE_WORD = `(?:^|[^${LETTERS}]|[${SIGNS}]|${DISGUISED})`;
export const AFTER_WORD = `(?:[^${LETTERS}]|[${SIGNS}]|$)`;

/**
 * What stands before a word inside of JSON that escapes all letters beyond ASCII. A letter that stands for a sign after a backslash begins
 * no such word.
 */
export const beforeEscaped = (word: string): string =>
  `(?:^|[^${LETTERS}${SIGN_LETTERS.includes(word.charAt(0)) ? '\\\\' : ''}]|${DISGUISED})`;
/** And after it: neither a letter nor an escaped one. */
export const AFTER_ESCAPED_WORD = `(?:[^${LETTERS}\\\\]|\\\\[^u]|\\\\?$|${DISGUISED})`;

/** A regular expression as a text of a statement. */
const text = (pattern: string): string => `'${pattern.replaceAll('\\', '\\\\')}'`;

const ESCAPED = '\\\\u[0-9a-f]{4}';
const LETTER = `(?:[${LETTERS}]|${ESCAPED})`;
/** Runs of letters that no sender escapes like that: some beyond ASCII are as they are, some of ASCII escaped, or digits are missing. */
const HALF_ESCAPED = `${LETTER}*(?:(?:[\\x{80}-\\x{10FFFF}]|\\\\u00[0-7][0-9a-f])${LETTER}*|\\\\u[0-9a-f]{0,3}(?:[g-z\\x{80}-\\x{10FFFF}]${LETTER}*|[^${LETTERS}]|$))`;
const ESCAPED_WORD = `[a-z0-9]*${ESCAPED}${LETTER}*`;

/** The words of a text that JSON escapes, as they are. */
const unescaped = (sql: string): string =>
  `JSONExtractString(concat('"', arrayStringConcat(extractAll(replaceRegexpAll(${sql}, ${text(HALF_ESCAPED)}, ' '), ${text(ESCAPED_WORD)}), ' '), '"'))`;

/**
 * A text of which `hasToken` finds what {@link BEFORE_WORD} and {@link AFTER_WORD} say is a word, in whatever case they are beyond
 * ASCII: what looks like letters is there once more as blanks, words that JSON escapes follow as they are, and signs are blanks.
 * It has no lambda, which the engine cannot work out for a part that lacks the text index.
 * @param lowered a text in the engine's lower case
 */
export function apart(lowered: string): string {
  const blanks = `replaceRegexpAll(${lowered}, ${text(DISGUISED)}, ' ')`;
  const more = `if(position(${lowered}, '\\\\') = 0 AND position(${lowered}, '\\x1B') = 0, '', concat(' ', ${blanks}, ' ', ${unescaped(blanks)}))`;
  const all = `concat(${lowered}, ${more})`;
  // Most texts have nothing beyond ASCII to look for. `if` would have the engine work out all of it several times.
  const where = (condition: string) => `substring(${all}, 1, 4294967295 * (${condition}))`;
  const [ascii, foreign] = ['=', '>'].map((sign) =>
    where(`length(${lowered}) ${sign} lengthUTF8(${lowered})`),
  );
  return `concat(${ascii}, replaceRegexpAll(${foreign}, ${text(`[${SIGNS}]+`)}, ' '))`;
}
