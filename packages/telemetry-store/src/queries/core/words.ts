import { asciiLower, isUnspaced, wordsOf } from '@candela/contract';
import { fold, foldedSql, upper } from './fold.ts';
import type { Params } from './params.ts';

const BEYOND_ASCII = /[\u0080-\uFFFF]/;

/** A text as many senders write it inside of JSON: everything beyond ASCII escaped. In lower case, as what it is compared with. */
export const escaped = (text: string): string =>
  text.replaceAll(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The cases of a word whose letters beyond ASCII have any: the index keeps these as they were written. None of them is
 * another word: in capitals `ß` would be `ss` and `ı` be `i`.
 */
function casesOf(word: string): readonly string[] {
  if (!BEYOND_ASCII.test(word)) return [word];
  const title = (text: string): string => {
    const [first = '', ...rest] = text;
    return upper(first) + rest.join('');
  };
  // The second ends in the other small sigma of Greek.
  const small = [fold(word), word.toLowerCase()];
  const same = fold(word);
  const all = [word, ...small, upper(word), ...small.map(title)].map(asciiLower);
  return [...new Set(all)].filter((one) => fold(one) === same);
}

/** A new line or a tab of a text inside of JSON, which makes one token with the word after it. */
const ESCAPES = ['n', 't'];
const AFTER_ESCAPE = `\\\\[${ESCAPES.join('')}]`;
const NO_LETTER = '[^a-z0-9\\x{80}-\\x{10FFFF}]';
const BEFORE_WORD = `(?:^|${NO_LETTER}|${AFTER_ESCAPE})`;
const AFTER_WORD = `(?:${NO_LETTER}|$)`;
/** What may follow a word inside of JSON that escapes letters: neither a letter nor an escaped one. */
const AFTER_ESCAPED_WORD = '(?:[^a-z0-9\\x{80}-\\x{10FFFF}\\\\]|\\\\[^u]|$)';

/** A condition on one lowered text. */
type Holds = (lowered: string) => string;

interface WordSearch {
  /** That a condition holds for one of the texts that `lowered` is put together of. */
  readonly anywhere?: ((holds: Holds) => string) | undefined;
  /** Whether the token index is asked, too. */
  readonly byIndex?: boolean;
}

/** Words of one text that the token index is asked for: those after them would pass by next to nothing more. */
const INDEXED_WORDS = 20;

/** That all words of a text occur, each as {@link hasWord} tells; undefined of a text without any. */
export function hasWords(
  lowered: string,
  text: string,
  params: Params,
  { anywhere, byIndex = true }: WordSearch = {},
): string | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  return words
    .map((word, index) =>
      hasWord(lowered, word, params, { anywhere, byIndex: byIndex && index < INDEXED_WORDS }),
    )
    .join(' AND ');
}

/**
 * That a word of {@link wordsOf} occurs whole, in the way the token index can pass by what does not hold it. `lowered` is
 * a text in the engine's lower case, as the index is made of it. Where that text is put together of others, `anywhere` is
 * that a condition holds for one of these, so that they are not put together for every row. A word of a script without
 * spaces may stand anywhere, which no index knows: all texts are read that the other conditions leave.
 */
export function hasWord(
  lowered: string,
  word: string,
  params: Params,
  { anywhere = (holds) => holds(lowered), byIndex = true }: WordSearch = {},
): string {
  const cases = casesOf(word);
  const inJson = BEYOND_ASCII.test(word) ? cases.map(escaped) : [];
  if (isUnspaced(word)) {
    const bound = [...cases, ...inJson].map((text) => params.bind(text, 'String'));
    return anywhere((text) => any(bound.map((spelling) => `position(${text}, ${spelling}) > 0`)));
  }
  const escapes = inJson.map((text) => text.replaceAll('\\', '\\\\'));
  const patterns = [`${BEFORE_WORD}${oneOf(cases)}${AFTER_WORD}`];
  if (inJson.length > 0) patterns.push(`${BEFORE_WORD}${oneOf(escapes)}${AFTER_ESCAPED_WORD}`);
  const bound = patterns.map((pattern) => params.bind(pattern, 'String'));
  // What patterns of several spellings are tried on; of one alone the engine looks for it by itself.
  const spellings = [...cases, ...inJson];
  const several = spellings.length > 1 ? params.bind(spellings, 'Array(String)') : undefined;
  const whole: Holds = (text) => {
    const fits = any(bound.map((pattern) => `match(${text}, ${pattern})`));
    return several === undefined ? fits : `(multiSearchAny(${text}, ${several}) AND ${fits})`;
  };
  if (!byIndex) return anywhere(whole);
  // The last letters of an escaped word stand alone between what escapes them and the end of the word.
  const tokens = [
    ...['', ...ESCAPES].flatMap((letter) => cases.map((one) => letter + one)),
    ...inJson.map((text) => text.slice(text.lastIndexOf('\\') + 1)),
  ];
  const known = [...new Set(tokens)].map((token) => `hasToken(${lowered}, ${params.bind(token, 'String')})`);
  // The pattern decides and is one pass; the tokens are asked of what it finds, and of the index before anything is read.
  // `identity` keeps the pattern from the index, which would try it on every granule for half of its time.
  return `(identity(${anywhere(whole)}) AND ${any(known)})`;
}

const any = (conditions: readonly string[]): string =>
  conditions.length === 1 ? (conditions[0] ?? '') : `(${conditions.join(' OR ')})`;

/** One text as it is: the engine looks for that before it tries the pattern. */
const oneOf = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : `(?:${texts.join('|')})`;

/** That a text occurs as it is, whatever its case, also where it is escaped inside of JSON. */
export function containsText(sql: string, text: string, params: Params): string {
  const small = fold(text);
  const spellings = BEYOND_ASCII.test(text)
    ? [small, escaped(small), escaped(text.toLowerCase()), escaped(upper(text)).toLowerCase()]
    : [small];
  const occurs = [...new Set(spellings)].map(
    (spelling) => `position(${foldedSql(sql, spelling)}, ${params.bind(spelling, 'String')}) > 0`,
  );
  return occurs.length === 1 ? (occurs[0] ?? '') : `(${occurs.join(' OR ')})`;
}
