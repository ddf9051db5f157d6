import { setImmediate as turn } from 'node:timers/promises';
import { type Message, MODEL_OPERATIONS, messageIdentity, readConversation } from '@candela/semconv';
import type { Runner } from '../core/run.ts';
import type { Scope } from '../core/scope.ts';
import { CONTENT_COLUMNS, READER_COLUMNS, spanReader, type StoredSpan } from './stored-span.ts';
import { fold } from '../core/fold.ts';

/** Contents that one search reads; calls beyond it count as matches of their own. */
const MAX_BYTES = 32 << 20;
/** Contents read at a stretch: about ten milliseconds, then others have a turn. */
const STRETCH_BYTES = 1 << 20;
const BYTES = 'arraySum(arrayMap(v -> length(v), mapValues(ContentAttributes)))';
const CALLS = [...MODEL_OPERATIONS].filter((operation) => operation !== 'embeddings');

interface Call extends StoredSpan {
  readonly SpanId: string;
  readonly ServiceName: string;
}

/**
 * Of the spans found in a trace, the model calls in which only the history holds what was sought: messages before
 * their last answer, which an earlier one of them was told or said.
 * @param terms each in all its spellings, lower case
 */
export async function toldBefore(
  runner: Runner,
  ofTrace: Scope,
  found: readonly string[],
  terms: readonly (readonly string[])[],
): Promise<ReadonlySet<string>> {
  const repeats = new Set<string>();
  if (found.length < 2) return repeats;
  const { params } = ofTrace;
  const calls = ofTrace
    .and(`SpanId IN ${params.bind(found, 'Array(String)')}`)
    .and(`GenAiOperation IN ${params.bind(CALLS, 'Array(String)')}`);
  // Which ones first, by sizes alone: sorting them with their contents would hold all of it in memory.
  const [chosen] = await runner.run<{ Ids: string[] }>(
    calls,
    `SELECT groupArrayIf(SpanId, Before <= ${MAX_BYTES}) AS Ids FROM (
       SELECT SpanId, sum(Bytes) OVER (ORDER BY Timestamp, SpanId ROWS UNBOUNDED PRECEDING) AS Before FROM (
         SELECT SpanId, Timestamp, ${BYTES} AS Bytes ${calls.from} ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId))`,
  );
  if (chosen === undefined || chosen.Ids.length < 2) return repeats;
  const read = ofTrace.and(`SpanId IN ${params.bind(chosen.Ids, 'Array(String)')}`);
  const rows = await runner.run<Call>(
    read,
    `SELECT SpanId, ServiceName, ${READER_COLUMNS}, ${CONTENT_COLUMNS} ${read.from}
     ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId`,
  );
  const heard = new Set<string>();
  let stretch = 0;
  for (const row of rows) {
    stretch += row.ContentValues.reduce((sum, value) => sum + value.length, 0);
    if (stretch > STRETCH_BYTES) {
      stretch = 0;
      await turn();
    }
    const { input, output } = readConversation(spanReader(row));
    const answered = input.findLastIndex(({ role }) => role === 'assistant' || role === 'tool');
    const told: string[] = [];
    const own = ownTexts(row);
    input.forEach((message, index) => {
      const isTold = index <= answered && heard.has(messageIdentity(message));
      (isTold ? told : own).push(...textsOf(message));
    });
    for (const message of output) own.push(...textsOf(message));
    if (told.length > 0 && holdAll(told, terms) && !holdAll(own, terms)) repeats.add(row.SpanId);
    for (const message of [...input, ...output]) heard.add(messageIdentity(message));
  }
  return repeats;
}

/** What a span holds beside its messages; events of the conventions carry messages too. */
function ownTexts(row: Call): string[] {
  const events = row.EventNames.flatMap((name, index) =>
    name.startsWith('gen_ai.') ? [] : [name, ...(row.EventValues[index] ?? [])],
  );
  const { SpanName, StatusMessage, SpanId, ServiceName, AttributeKeys, AttributeValues } = row;
  return [SpanName, StatusMessage, SpanId, ServiceName, ...AttributeKeys, ...AttributeValues, ...events];
}

const textsOf = (message: Message): string[] =>
  message.parts.flatMap(({ type: _type, ...part }) =>
    Object.values(part).filter((value) => typeof value === 'string'),
  );

function holdAll(texts: readonly string[], terms: readonly (readonly string[])[]): boolean {
  const text = fold(texts.join('\n'));
  return terms.every((spellings) => spellings.some((spelling) => text.includes(spelling)));
}
