import type { Params } from './params.ts';

export type ContentPart = 'prompt' | 'completion' | 'any';

const MAX_WORDS = 20;

/** The words of a text as the token search knows them: runs of ASCII letters and digits and of anything beyond ASCII. */
export function wordsOf(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[a-z0-9\u0080-\u{10FFFF}]+/gu) ?? [])].slice(0, MAX_WORDS);
}

/** Content keys that hold what the model answered; every other content key holds what it was asked. */
const COMPLETION_KEY = '(?i)(output|completion|response|generated|\\\\.answer)';

/** The values to search, as an array of texts. */
function values(part: ContentPart): string {
  if (part === 'any') return 'mapValues(ContentAttributes)';
  const matches = `match(k, '${COMPLETION_KEY}')`;
  const wanted = part === 'completion' ? matches : `NOT ${matches}`;
  return `mapValues(mapFilter((k, v) -> ${wanted}, ContentAttributes))`;
}

/** All words occur, in any order, whole, whatever their case, in one of the texts. */
export function wordsAnywhere(part: ContentPart, text: string, params: Params): string {
  const words = wordsOf(text);
  if (words.length === 0) return containsAnywhere(part, text.trim(), params);
  const bound = words.map((word) => params.bind(word, 'String'));
  const has = (sql: string) => bound.map((word) => `hasTokenCaseInsensitive(${sql}, ${word})`).join(' AND ');
  const inContent = `arrayExists(t -> ${has('t')}, ${values(part)})`;
  if (part !== 'any') return inContent;
  return `${inContent} OR (${has('SpanName')}) OR (${has('StatusMessage')})`;
}

/** The text occurs as it is, whatever its case, in one of the texts. */
export function containsAnywhere(part: ContentPart, text: string, params: Params): string {
  const needle = params.bind(text.toLowerCase(), 'String');
  const inContent = `arrayExists(t -> position(lowerUTF8(t), ${needle}) > 0, ${values(part)})`;
  if (part !== 'any') return inContent;
  return `${inContent} OR position(lowerUTF8(SpanName), ${needle}) > 0 OR position(lowerUTF8(StatusMessage), ${needle}) > 0`;
}
