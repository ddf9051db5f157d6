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

/** The words of a text as the token index knows them: runs of ASCII letters and digits and of anything beyond ASCII. */
export function wordsOf(text: string): readonly string[] {
  const runs = asciiLower(text).match(/[a-z0-9\u0080-\u{10FFFF}]+/gu) ?? [];
  const words = runs.flatMap((run) => (isUnspaced(run) ? run.split(BETWEEN_UNSPACED) : [run]));
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
