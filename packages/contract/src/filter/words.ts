import { FILTER_LIMITS, type Filter, type FilterCondition } from './ast.ts';
import { parseGlob } from './glob.ts';

/** Scripts written without spaces, or with endings joined to what a person searches for. */
const UNSPACED =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const BETWEEN_UNSPACED = /[\p{P}\p{Z}]+/u;

/** Whether a word is of a script without spaces: it may stand anywhere. */
export const isUnspaced = (word: string): boolean => UNSPACED.test(word);

/** In the engine's `lower`, which the token indexes are made with. */
export const asciiLower = (text: string): string => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase());

/**
 * What stands between words, beyond ASCII, as ranges of code points: signs, typographic quotes and dashes, symbols, emoji, and
 * the scripts of {@link isUnspaced}, whose words may stand anywhere. The token indexes are made with it.
 */
export const BETWEEN_WORDS: readonly (readonly [from: number, to: number])[] = [
  // Signs of Latin-1: all but its letters, ordinals and raised digits.
  [0x80, 0xa9],
  [0xab, 0xb1],
  [0xb4, 0xb4],
  [0xb6, 0xb8],
  [0xbb, 0xbb],
  [0xbf, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  // Of Greek, Armenian, Hebrew, Arabic, Devanagari and Ethiopic.
  [0x37e, 0x37e],
  [0x387, 0x387],
  [0x55a, 0x55f],
  [0x589, 0x58a],
  [0x5be, 0x5be],
  [0x5c0, 0x5c0],
  [0x5c3, 0x5c3],
  [0x5f3, 0x5f4],
  [0x60c, 0x60d],
  [0x61b, 0x61f],
  [0x66a, 0x66d],
  [0x6d4, 0x6d4],
  [0x964, 0x965],
  [0x1361, 0x1368],
  // Thai, Lao, Tibetan, Myanmar; Hangul; Khmer.
  [0xe00, 0x109f],
  [0x1100, 0x11ff],
  [0x1780, 0x17ff],
  // Punctuation; money; arrows, mathematics, boxes, symbols.
  [0x2000, 0x206f],
  [0x20a0, 0x20cf],
  [0x2190, 0x2bff],
  // More punctuation, then Chinese, Japanese and what is written with them.
  [0x2e00, 0x9fff],
  [0xa960, 0xa97f],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  // Vertical, small and wide forms of signs, and of Japanese and Korean.
  [0xfe10, 0xfe1f],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff0f],
  [0xff1a, 0xff20],
  [0xff3b, 0xff40],
  [0xff5b, 0xffef],
  // Japanese, emoji and symbols, Chinese.
  [0x1_b000, 0x1_b16f],
  [0x1_f000, 0x1_faff],
  [0x2_0000, 0x3_ffff],
];

const inClass = BETWEEN_WORDS.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join('-')).join(
  '',
);
const SIGNS = new RegExp(`[${inClass}]+`, 'u');

/** The words of a text as the token indexes know them: runs of letters and digits, see {@link BETWEEN_WORDS}. */
export function wordsOf(text: string): readonly string[] {
  const runs = asciiLower(text).match(/[a-z0-9\u0080-\u{10FFFF}]+/gu) ?? [];
  const parts = runs.flatMap((run) => (isUnspaced(run) ? run.split(BETWEEN_UNSPACED) : [run]));
  const words = parts.flatMap((part) => (isUnspaced(part) ? [part] : part.split(SIGNS)));
  return [...new Set(words.filter((word) => word !== ''))];
}

/** Words of a text field as they are written in quotes: a star is no wildcard, and as no part of a word it is left out. */
export function literalWords(field: string, text: string): FilterCondition {
  if (!text.includes('*')) return { field, op: 'matches', value: text };
  const words = text.replaceAll('*', ' ');
  return words.trim() === ''
    ? { field, op: 'contains', value: text }
    : { field, op: 'matches', value: words };
}

/** That the literals around the stars of a pattern occur, anywhere, inside of words too; undefined for stars alone. */
export function piecesOccur(field: string, pieces: readonly string[]): Filter | undefined {
  const parts = pieces.filter((piece) => piece !== '');
  const items = parts.map((value): Filter => ({ field, op: 'contains', value }));
  return items.length > 1 ? { and: items } : items[0];
}

/**
 * `matches` of a text field with stars in it as what it means: of words with a star the pieces occur anywhere, the others
 * whole; `\` takes a star literally, which is then no part of a word.
 */
export function starredWords(field: string, text: string): Filter {
  const patterns: Filter[] = [];
  const plain: string[] = [];
  let any = false;
  for (const word of text.split(/\s+/)) {
    const pieces = word.includes('*') ? parseGlob(word) : [word];
    if (pieces.length === 1) {
      plain.push(pieces[0] ?? '');
      continue;
    }
    any = true;
    const occurs = piecesOccur(field, pieces);
    if (occurs !== undefined) patterns.push(...('and' in occurs ? occurs.and : [occurs]));
  }
  const words = plain.join(' ').trim();
  if (words !== '') patterns.push(literalWords(field, words));
  const [only] = patterns;
  if (only === undefined) return any ? { field, op: 'exists' } : literalWords(field, text);
  return patterns.length === 1 ? only : { and: patterns };
}

const utf8 = new TextEncoder();

/** Counts what a filter looks for. @throws whatever `refuse` makes of the limit that is crossed */
export class FilterSize {
  private conditions = 0;
  private bytes = 0;
  private words = 0;
  private readonly refuse: (detail: string) => Error;

  constructor(refuse: (detail: string) => Error) {
    this.refuse = refuse;
  }

  /** One more condition; `ofWords`: its value is looked for word by word. */
  add({ value }: FilterCondition, ofWords: boolean): void {
    const { conditions, valueBytes, words } = FILTER_LIMITS;
    if (++this.conditions > conditions) {
      throw this.refuse(`The filter has more than ${conditions} conditions.`);
    }
    const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
    for (const text of texts) this.bytes += utf8.encode(text).length;
    if (this.bytes > valueBytes) {
      throw this.refuse(
        `The values of the filter are longer than ${valueBytes.toLocaleString('en')} bytes together. Look for fewer or shorter ones, or ask several times.`,
      );
    }
    if (ofWords) this.words += texts.reduce((sum, text) => sum + wordsOf(text).length, 0);
    if (this.words > words) {
      throw this.refuse(
        `The filter looks for more than ${words} words. Look for fewer of them, or for a text exactly as it is: body:*"the text"*, in a filter object {"op":"contains"}.`,
      );
    }
  }
}
