import { asciiLower, isUnspaced, wordsOf } from '@candela/contract';
import {
  AFTER_ESCAPED_WORD,
  AFTER_WORD,
  BEFORE_WORD,
  beforeEscaped,
  ESCAPES,
} from '../../schema/words-apart.ts';
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

/** A condition on one lowered text. */
type Holds = (lowered: string) => string;

/** Where words of a table's texts may be indexed. */
export interface WordIndex {
  readonly table: string;
  /** What the text index is made of: see `schema/expressions.ts`. */
  readonly words: string;
}

interface WordSearch {
  /** That a condition holds for one of the texts that `lowered` is put together of. */
  readonly anywhere?: ((holds: Holds) => string) | undefined;
  /** Whether the token index is asked, too. */
  readonly byIndex?: boolean;
  /** What a text index tells alone, where there is one. */
  readonly index?: WordIndex | undefined;
}

/** Words of one text that the token index is asked for: those after them would pass by next to nothing more. */
const INDEXED_WORDS = 20;
/** Spellings that a text index is asked for in one statement. */
const MOST_SPELLINGS = 16;

/** A condition that a word occurs, or the spellings of which the text index tells whether one of them does. */
type Word = { readonly read: string } | { readonly told: readonly string[] };

/** That all words of a text occur, each as {@link wordIn} tells; undefined of a text without any. */
export function hasWords(
  lowered: string,
  text: string,
  params: Params,
  { anywhere, byIndex = true, index }: WordSearch = {},
): string | undefined {
  const asked = index !== undefined && params.indexesWords(index.table) ? index : undefined;
  const words = wordsOf(text).map((word, at) =>
    wordIn(lowered, word, params, { anywhere, byIndex: byIndex && at < INDEXED_WORDS, index: asked }),
  );
  if (words.length === 0) return undefined;
  const told = words.flatMap((word) => ('told' in word ? [word.told] : []));
  const read = words.flatMap((word) => ('read' in word ? [word.read] : []));
  if (asked === undefined || told.length === 0) return read.join(' AND ');
  params.usesTextIndex = true;
  return [...toldBy(asked, told, params), ...read].join(' AND ');
}

/**
 * That the text index tells it. All words of one spelling are asked for at once: the engine takes as long to plan what the index is
 * made of, which each condition repeats, as to look a word up.
 */
function toldBy({ words }: WordIndex, told: readonly (readonly string[])[], params: Params): string[] {
  const bound = (tokens: readonly string[]) => params.bind(tokens, 'Array(String)');
  const alone = told.flatMap((spellings) => (spellings.length === 1 ? spellings : []));
  const several = told.filter((spellings) => spellings.length > 1);
  return [
    ...(alone.length === 0 ? [] : [`hasAllTokens(${words}, ${bound(alone)})`]),
    ...several.map((spellings) => `hasAnyTokens(${words}, ${bound(spellings)})`),
  ];
}

/**
 * That a word of {@link wordsOf} occurs whole, in the way the token index can pass by what does not hold it. `lowered` is
 * a text in the engine's lower case, as the index is made of it. Where that text is put together of others, `anywhere` is
 * that a condition holds for one of these, so that they are not put together for every row. A word of a script without
 * spaces may stand anywhere, which no index knows: all texts are read that the other conditions leave.
 */
function wordIn(
  lowered: string,
  word: string,
  params: Params,
  { anywhere = (holds) => holds(lowered), byIndex = true, index }: WordSearch = {},
): Word {
  const cases = casesOf(word);
  const inJson = BEYOND_ASCII.test(word) ? cases.map(escaped) : [];
  if (isUnspaced(word)) {
    params.readsTexts = true;
    const bound = [...cases, ...inJson].map((text) => params.bind(text, 'String'));
    const read = anywhere((text) => any(bound.map((spelling) => `position(${text}, ${spelling}) > 0`)));
    return { read };
  }
  // Of letters that JSON escapes as two halves the index does not know.
  const inHalves = inJson.some((text) => /\\ud[89a-f]/.test(text));
  const mayTell = byIndex && index !== undefined && !inHalves;
  if (mayTell && params.mayAskFor(word, cases.length, MOST_SPELLINGS)) return { told: cases };
  params.readsTexts = true;
  const escapes = inJson.map((text) => text.replaceAll('\\', '\\\\'));
  const patterns = [`${BEFORE_WORD}${oneOf(cases)}${AFTER_WORD}`];
  if (inJson.length > 0) patterns.push(`${beforeEscaped(word)}${oneOf(escapes)}${AFTER_ESCAPED_WORD}`);
  const bound = patterns.map((pattern) => params.bind(pattern, 'String'));
  // What patterns of several spellings are tried on; of one alone the engine looks for it by itself.
  const spellings = [...cases, ...inJson];
  const several = spellings.length > 1 ? params.bind(spellings, 'Array(String)') : undefined;
  const whole: Holds = (text) => {
    const fits = any(bound.map((pattern) => `match(${text}, ${pattern})`));
    return several === undefined ? fits : `(multiSearchAny(${text}, ${several}) AND ${fits})`;
  };
  if (!byIndex) return { read: anywhere(whole) };
  // The last letters of an escaped word stand alone between what escapes them and the end of the word.
  const tokens = [
    ...['', ...ESCAPES].flatMap((letter) => cases.map((one) => letter + one)),
    ...inJson.map((text) => text.slice(text.lastIndexOf('\\') + 1)),
  ];
  const known = [...new Set(tokens)].map((token) => `hasToken(${lowered}, ${params.bind(token, 'String')})`);
  // The pattern decides and is one pass; the tokens are asked of what it finds, and of the index before anything is read.
  // `identity` keeps the pattern from the index, which would try it on every granule for half of its time.
  return { read: `(identity(${anywhere(whole)}) AND ${any(known)})` };
}

const any = (conditions: readonly string[]): string =>
  conditions.length === 1 ? (conditions[0] ?? '') : `(${conditions.join(' OR ')})`;

/** One text as it is: the engine looks for that before it tries the pattern. */
const oneOf = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : `(?:${texts.join('|')})`;

/** That a text occurs as it is, whatever its case, also where it is escaped inside of JSON. */
export function containsText(sql: string, text: string, params: Params): string {
  params.readsTexts = true;
  const small = fold(text);
  const spellings = BEYOND_ASCII.test(text)
    ? [small, escaped(small), escaped(text.toLowerCase()), escaped(upper(text)).toLowerCase()]
    : [small];
  const occurs = [...new Set(spellings)].map(
    (spelling) => `position(${foldedSql(sql, spelling)}, ${params.bind(spelling, 'String')}) > 0`,
  );
  return occurs.length === 1 ? (occurs[0] ?? '') : `(${occurs.join(' OR ')})`;
}
