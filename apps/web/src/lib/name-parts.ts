/** Names that have room nearly everywhere. */
const SHORT = 22;
/** Shorter names than these have room anywhere. */
const LEAST = 12;
/** Longer ones are texts. */
const MOST = 2_000;
/** Characters that stay of the end at most: a version, a region, the last part of an id. */
const END = 10;
/** The part of a name that its end is, where that is less. */
const END_SHARE = 0.4;
/** The same of an end that holds more than ASCII: many of those are twice as wide. */
const END_OF_WIDE = 5;
/** The last word of a path of names stays whole up to this: of `com.acme.billing.InvoiceTimeoutException` what was thrown. */
const LONGEST_LAST = 32;
/** The least that is left for the beginning. */
const BEGINNING = 7;
/** The same before a long last word. */
const BEGINNING_OF_PATH = 12;
/** Code units of the end that are looked at: characters may be made of many. */
const LOOKED_AT = 80;

/** Scripts from right to left, and marks that turn the direction: two halves side by side would read in another order. */
const TURNS =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|\ud802|\ud83a|\ud83b/;
/** People and machines of one domain differ at their beginning: `ann@acme.example`, `ip-10-0-3-17.eu-west-1.acme.example`. */
const OF_A_DOMAIN = /^[^\s@/]+@[\w.-]+\.[a-z-]+$|^[a-z-]*\d[\w-]*(?:\.[\w-]+)+\.[a-z-]+$/i;
const PLAIN = /^[\x20-\x7e]*$/;
const LAST_WORD = /[./:\\#]([^./:\\#\s]+)$/;
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * A name as its beginning and the end that has to stay where there is no room for all of it: names of one kind often
 * differ at their end only. The end is empty for what is cut at its end, as any text is.
 */
export function nameParts(name: string): readonly [beginning: string, end: string] {
  if (name.length < LEAST || name.length > MOST || TURNS.test(name) || OF_A_DOMAIN.test(name))
    return [name, ''];
  const at = lastWordOf(name) ?? lastCharactersOf(name);
  return at < BEGINNING ? [name, ''] : [name.slice(0, at), name.slice(at)];
}

/** Whether a name is so short that several of them stand side by side. */
export const isShortName = (name: string): boolean => name.length < SHORT;

/** Where the last word begins, when it is worth more room than the last characters. */
function lastWordOf(name: string): number | undefined {
  const word = LAST_WORD.exec(name.slice(-LOOKED_AT))?.[1] ?? '';
  const at = name.length - word.length;
  const isFit = word.length > END && word.length <= LONGEST_LAST && at >= BEGINNING_OF_PATH;
  return isFit && PLAIN.test(word) ? at : undefined;
}

/** Where the last characters begin; 0 when there is no such place. */
function lastCharactersOf(name: string): number {
  const isPlain = PLAIN.test(name.slice(-END));
  const starts = startsOf(name, isPlain);
  const most = Math.min(isPlain ? END : END_OF_WIDE, Math.floor(name.length * END_SHARE));
  let place = starts.length - most;
  // A space at an edge would be lost.
  while (place >= 0 && isBesideSpace(name, starts[place] as number)) place -= 1;
  return starts[place] ?? 0;
}

/** Where characters begin, as they are seen: none of them is taken apart. */
function startsOf(name: string, isPlain: boolean): readonly number[] {
  const from = Math.max(1, name.length - LOOKED_AT);
  const end = name.slice(from);
  return isPlain && PLAIN.test(end)
    ? Array.from(end, (_, index) => from + index)
    : // What the first of them belongs to lies before.
      Array.from(characters.segment(end), ({ index }) => from + index).slice(1);
}

const isBesideSpace = (name: string, at: number): boolean => /\s/.test(name.slice(at - 1, at + 1));
