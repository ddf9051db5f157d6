import { SPAN_TEXT, SPAN_WORDS } from '../../schema/expressions.ts';
import type { Params } from '../core/params.ts';
import { roleTexts, type SpokenRole } from './role-texts.ts';
import { EVENT_MESSAGES, eventTexts, toldElsewhere } from './told-texts.ts';
import { containsText, hasWords, type WordIndex } from '../core/words.ts';

const INDEX: WordIndex = { table: 'otel_traces', words: SPAN_WORDS };

type ContentPart = 'prompt' | 'completion' | 'any';

/** Content keys that hold what the model answered; every other content key holds what it was asked. */
const COMPLETION_KEY = '(?i)(output|completion|response|generated|\\\\.answer)';

/** Whether a key `k` is one of that side of the conversation. */
function isKeyOf(part: 'prompt' | 'completion'): string {
  const matches = `match(k, '${COMPLETION_KEY}')`;
  return part === 'completion' ? matches : `NOT ${matches}`;
}

/** The texts of one side of the conversation. */
const values = (part: 'prompt' | 'completion'): string =>
  `mapValues(mapFilter((k, v) -> ${isKeyOf(part)}, ContentAttributes))`;

/** There is any text, which the keys alone tell. */
export const hasText = (part: ContentPart): string =>
  part === 'any'
    ? 'notEmpty(mapKeys(ContentAttributes))'
    : `arrayExists(k -> ${isKeyOf(part)}, mapKeys(ContentAttributes))`;

/** All words occur, in any order, whole, whatever their case: see {@link hasWords}. */
export function wordsAnywhere(part: ContentPart, text: string, params: Params): string {
  const inSpan = hasWords(SPAN_TEXT, text, params, { anywhere: inAnyText, index: INDEX });
  if (inSpan === undefined) return containsAnywhere(part, text.trim(), params);
  if (part === 'any') return inSpan;
  const inOne = hasWords('lower(t)', text, params, { byIndex: false });
  // The index first: it passes by whole granules. Then the side of the conversation.
  return `${inSpan} AND arrayExists(t -> ${inOne}, ${values(part)})`;
}

/** In one of the texts that `SPAN_TEXT` is put together of: what stands between them is part of no word. */
const inAnyText = (holds: (lowered: string) => string): string =>
  `(arrayExists(t -> ${holds('lower(t)')}, mapValues(ContentAttributes)) OR ${holds("lower(concat(SpanName, ' ', StatusMessage))")})`;

/** The text occurs as it is, whatever its case, in one of the texts. */
export function containsAnywhere(part: ContentPart, text: string, params: Params): string {
  return anywhere(part, (sql) => containsText(sql, text, params));
}

/** A regular expression matches one of the texts. */
export function matchesAnywhere(part: ContentPart, pattern: string, params: Params): string {
  const bound = params.bind(pattern, 'String');
  return anywhere(part, (sql) => `match(${sql}, ${bound})`);
}

function anywhere(part: ContentPart, found: (sql: string) => string): string {
  const texts = part === 'any' ? 'mapValues(ContentAttributes)' : values(part);
  const inContent = `arrayExists(t -> ${found('t')}, ${texts})`;
  return part === 'any' ? `${inContent} OR ${found('SpanName')} OR ${found('StatusMessage')}` : inContent;
}

/**
 * Conditions on what one speaker said. The words of the whole span come first: few rows have their messages opened. Messages also
 * stand in events of a span and in log records that name it, of which no index of spans knows.
 */
export function roleWords(role: SpokenRole) {
  const texts = roleTexts(role);
  const either = (own: string, holds: string, params: Params): string =>
    `(${own}) OR ${toldElsewhere(role, holds, params)}`;
  const contains = (text: string, params: Params): string => {
    const holds = containsText('t', text, params);
    const inSpan = `arrayExists(t -> ${holds}, mapValues(ContentAttributes))`;
    return either(`${inSpan} AND arrayExists(t -> ${holds}, ${texts})`, holds, params);
  };
  const side = hasText(role === 'assistant' ? 'completion' : role === 'user' ? 'prompt' : 'any');
  return {
    exists: `arrayExists(t -> notEmpty(t), ${texts}) OR arrayExists(t -> notEmpty(t), ${eventTexts(role)})`,
    mayExist: `(${side} OR ${EVENT_MESSAGES})`,
    contains,
    words(text: string, params: Params): string {
      const inSpan = hasWords(SPAN_TEXT, text, params, { anywhere: inAnyText, index: INDEX });
      const inOne = hasWords('lower(t)', text, params, { byIndex: false });
      if (inSpan === undefined || inOne === undefined) return contains(text.trim(), params);
      return either(`${inSpan} AND arrayExists(t -> ${inOne}, ${texts})`, inOne, params);
    },
    matches(pattern: string, params: Params): string {
      const holds = `match(t, ${params.bind(pattern, 'String')})`;
      return either(`arrayExists(t -> ${holds}, ${texts})`, holds, params);
    },
  };
}
