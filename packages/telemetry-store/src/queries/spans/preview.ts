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
import { SPREAD } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { readTraceLogs } from './span-logs.ts';
import { CONTENT_COLUMNS, READER_COLUMNS, spanReader, type StoredSpan } from './stored-span.ts';
import { type RawSpeaker, SPEAKER, SPEAKER_COLUMNS, SPEAKS } from './speaker.ts';
import type { RawTotals } from './trace-totals.ts';
import { SPANS } from './span-fields.ts';

export type Preview = TraceRow['preview'];

export const NO_PREVIEW: Preview = { input: null, output: null };

const MAX_CHARACTERS = 240;
/** Longer contents are not worth reading for a line of text. */
const MAX_CONTENT_BYTES = 65_536;
const SIZE_SQL = 'arraySum(arrayMap(v -> length(v), mapValues(ContentAttributes)))';

/**
 * What the speaker of a trace said, for a statement over the spans of traces: a column beside `CHECKED_TOTALS`. Of a
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
export function spokenPreview(raw: RawSpeaker & RawSpoken): Preview | undefined {
  if (raw.SpeakerId === '') return undefined;
  const [convention, operation, types, events, eventKeys, eventValues, keys, values] = raw.Spoken;
  // Its content is too long to be read for a line of text.
  if (keys.length === 0) return NO_PREVIEW;
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
  const silent = traces
    .filter((trace) => trace.SpeakerId === '' && trace.Models.length > 0)
    .map((trace) => ({
      traceId: trace.TraceId,
      during: { from: BigInt(trace.StartNs), to: BigInt(trace.EndNs) },
    }));
  return new Map([
    ...(await spanPreviews(runner, context, traces)),
    ...(await logPreviews(runner, context, silent)),
  ]);
}

/** A trace of a list whose first words are asked for. */
export interface ListedTrace {
  readonly traceId: string;
  /** When the span began that shows the conversation, nanoseconds; null where its row said that none does. */
  readonly openingNs: bigint | null;
  readonly during: Window;
}

/** First words of traces of a list, after their rows. Those that have none are left out. */
export async function listedPreviews(
  runner: Runner,
  context: RequestContext,
  traces: readonly ListedTrace[],
): Promise<Map<string, Preview>> {
  const open = traces.flatMap(({ traceId, openingNs }) =>
    openingNs === null ? [] : [{ traceId, openingNs }],
  );
  const silent = traces.filter(({ openingNs }) => openingNs === null);
  const speakers = await readSpeakers(runner, context, open);
  const known = speakers.flatMap((raw) => {
    const preview = spokenPreview(raw);
    return preview === undefined ? [] : [[raw.TraceId, preview] as const];
  });
  const shown = new Map(known);
  const others = speakers.filter(({ TraceId }) => !shown.has(TraceId));
  return new Map([
    ...shown,
    ...(await spanPreviews(runner, context, others)),
    ...(await logPreviews(runner, context, silent)),
  ]);
}

/** The span of each trace that shows it best, among those of one instant. */
async function readSpeakers(
  runner: Runner,
  context: RequestContext,
  traces: readonly { readonly traceId: string; readonly openingNs: bigint }[],
): Promise<(RawSpeaker & RawSpoken)[]> {
  if (traces.length === 0) return [];
  const then = Scope.of(context, SPANS).at(traces.map(({ openingNs }) => openingNs));
  const ids = then.params.bind(
    traces.map(({ traceId }) => traceId),
    'Array(String)',
  );
  const scope = then.and(`TraceId IN ${ids}`);
  return runner.run(
    scope,
    `SELECT TraceId, ${SPEAKER_COLUMNS}, ${SPOKEN} ${scope.from} GROUP BY TraceId ${SPREAD}`,
  );
}

/** Of traces of model calls whose spans carry no content. */
async function logPreviews(
  runner: Runner,
  context: RequestContext,
  silent: readonly { readonly traceId: string; readonly during: Window }[],
): Promise<[string, Preview][]> {
  if (silent.length === 0) return [];
  const during = {
    from: silent.map((trace) => trace.during.from).reduce((a, b) => (a < b ? a : b)),
    to: silent.map((trace) => trace.during.to).reduce((a, b) => (a > b ? a : b)),
  };
  const traceIds = silent.map((trace) => trace.traceId);
  const logs = await readTraceLogs(runner, context, { traceIds, during });
  return [...logs].map(([traceId, records]) => [traceId, previewOf(readLogConversation(records))]);
}

/** Read from the one span of each trace that shows it best. */
async function spanPreviews(
  runner: Runner,
  context: RequestContext,
  traces: readonly RawSpeaker[],
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
    `SELECT TraceId, ${READER_COLUMNS}, ${CONTENT_COLUMNS} ${spans.from} LIMIT 1 BY TraceId ${SPREAD}`,
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
