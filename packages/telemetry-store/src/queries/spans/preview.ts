import type { TraceRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import {
  type Conversation,
  type Message,
  readCall,
  readConversation,
  readLogConversation,
} from '@candela/semconv';
import { toAttributeMap } from '../core/attributes.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { readTraceLogs } from './span-logs.ts';
import { CONTENT_COLUMNS, READER_COLUMNS, spanReader, type StoredSpan } from './stored-span.ts';
import { SPEAKER, SPEAKS } from './speaker.ts';
import type { RawTotals } from './trace-rows.ts';
import { SPANS } from './span-fields.ts';

export type Preview = TraceRow['preview'];

const MAX_CHARACTERS = 240;
/** Longer contents are not worth reading for a line of text. */
const MAX_CONTENT_BYTES = 65_536;
const SIZE_SQL = 'arraySum(arrayMap(v -> length(v), mapValues(ContentAttributes)))';

/**
 * What the speaker of a trace said, for a statement over the spans of traces: a column beside `TRACE_TOTALS`. Of a
 * model call it is all a preview needs; the other attributes, which take as long to read, are left out.
 */
export const SPOKEN = `argMinIf((toString(GenAiConvention), toString(GenAiOperation),
    substring(toString(AttributeTypes), 1 + SpanAttributes.size0), Events.Name,
    arrayMap(m -> mapKeys(m), Events.Attributes), arrayMap(m -> mapValues(m), Events.Attributes),
    if(${SIZE_SQL} <= ${MAX_CONTENT_BYTES}, mapKeys(ContentAttributes), []),
    if(${SIZE_SQL} <= ${MAX_CONTENT_BYTES}, mapValues(ContentAttributes), [])), ${SPEAKER}, ${SPEAKS}) AS Spoken`;

export interface RawSpoken {
  readonly Spoken: readonly [
    convention: string,
    operation: string,
    types: string,
    events: readonly string[],
    eventKeys: readonly string[][],
    eventValues: readonly string[][],
    keys: readonly string[],
    values: readonly string[],
  ];
}

/** The preview of a trace from {@link SPOKEN}; undefined where that does not tell. */
export function spokenPreview(raw: RawTotals & RawSpoken): Preview | undefined {
  if (raw.SpeakerId === '') return undefined;
  const [convention, operation, types, events, eventKeys, eventValues, keys, values] = raw.Spoken;
  // Its content is too long to be read for a line of text.
  if (keys.length === 0) return { input: null, output: null };
  const call = readCall({
    convention,
    operation,
    attributes: toAttributeMap({ keys, values }, types),
    events: events.map((name, index) => ({
      name,
      timeUnixNano: 0n,
      attributes: toAttributeMap({ keys: eventKeys[index] ?? [], values: eventValues[index] ?? [] }),
    })),
  });
  return call === undefined ? undefined : previewOf({ ...call, toolExecution: undefined });
}

/** First words of the conversation of each trace, from its spans or else from the log records beside them. */
export async function previews(
  runner: Runner,
  context: RequestContext,
  traces: readonly RawTotals[],
): Promise<Map<string, Preview>> {
  return new Map([
    ...(await spanPreviews(runner, context, traces)),
    ...(await logPreviews(runner, context, traces)),
  ]);
}

/** Of traces of model calls whose spans carry no content. */
async function logPreviews(
  runner: Runner,
  context: RequestContext,
  traces: readonly RawTotals[],
): Promise<[string, Preview][]> {
  const silent = traces.filter((trace) => trace.SpeakerId === '' && trace.Models.length > 0);
  if (silent.length === 0) return [];
  const starts = silent.map((trace) => BigInt(trace.StartNs));
  const ends = silent.map((trace) => BigInt(trace.EndNs));
  const during = {
    from: starts.reduce((a, b) => (a < b ? a : b)),
    to: ends.reduce((a, b) => (a > b ? a : b)),
  };
  const traceIds = silent.map((trace) => trace.TraceId);
  const logs = await readTraceLogs(runner, context, { traceIds, during });
  return [...logs].map(([traceId, records]) => [traceId, previewOf(readLogConversation(records))]);
}

/** Read from the one span of each trace that shows it best. */
async function spanPreviews(
  runner: Runner,
  context: RequestContext,
  traces: readonly RawTotals[],
): Promise<Map<string, Preview>> {
  const speakers = traces.filter((trace) => trace.SpeakerId !== '');
  if (speakers.length === 0) return new Map();
  const narrow = Scope.of(context, SPANS).at(speakers.map((speaker) => BigInt(speaker.SpeakerNs)));
  const spans = narrow
    .and(
      `TraceId IN ${narrow.params.bind(
        speakers.map((speaker) => speaker.TraceId),
        'Array(String)',
      )} AND SpanId IN ${narrow.params.bind(
        speakers.map((speaker) => speaker.SpeakerId),
        'Array(String)',
      )}`,
    )
    .and(`${SIZE_SQL} <= ${MAX_CONTENT_BYTES}`);
  const rows = await runner.run<StoredSpan & { TraceId: string }>(
    spans,
    `SELECT TraceId, ${READER_COLUMNS}, ${CONTENT_COLUMNS} ${spans.from} LIMIT 1 BY TraceId`,
  );
  return new Map(rows.map((row) => [row.TraceId, previewOf(readConversation(spanReader(row)))]));
}

/** The last thing a user said and the first thing the model answered. */
export function previewOf(conversation: Pick<Conversation, 'input' | 'output' | 'toolExecution'>): Preview {
  const users = conversation.input.filter((message) => message.role === 'user');
  const asked = users.at(-1) ?? conversation.input.at(-1);
  const input = asked === undefined ? undefined : textOf(asked);
  const output = conversation.output.map(textOf).find((text) => text !== '');
  const execution = conversation.toolExecution;
  return {
    input: shorten(input ?? execution?.arguments ?? ''),
    output: shorten(output ?? execution?.result ?? ''),
  };
}

function textOf(message: Message): string {
  for (const part of message.parts) {
    if (part.type === 'text' && part.text.trim() !== '') return part.text;
    if (part.type === 'tool_call') return `${part.name}(${part.arguments})`;
    if (part.type === 'tool_result') return part.result;
    if (part.type === 'json') return part.json;
  }
  return '';
}

function shorten(text: string): string | null {
  const line = text
    .slice(0, MAX_CHARACTERS * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line === '') return null;
  const characters = Array.from(line);
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : line;
}
