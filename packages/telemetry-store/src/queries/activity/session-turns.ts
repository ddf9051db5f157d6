import type { Turn } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { type Conversation, isModelOperation, readConversation, readLogConversation } from '@candela/semconv';
import { decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import { MODEL_SQL } from '../core/gen-ai.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { readTraceLogs } from '../spans/span-logs.ts';
import { ms, orNull } from '../spans/span-row.ts';
import { CONTENT_COLUMNS, READER_COLUMNS, spanReader, type StoredSpan } from '../spans/stored-span.ts';
import { type TracePlace, tracePlaces } from './session.ts';
import { buildTurns, type Speaker, type SpokenTrace } from './turns.ts';

/** Traces before a page that are read for what they said: most clients repeat the last of it at least. */
const BEFORE = 3;
const MAX_SPANS_OF_TRACE = 200;
/** Each attribute is cut at 1 MiB at ingest: a long question still comes with its answer. */
const MAX_CONTENT_BYTES = 2 << 20;
/** All contents of a page, which keeps it within memory. */
const MAX_PAGE_BYTES = 32 << 20;
/** How far a trace may reach beyond those of its spans that name the session. */
const HOUR = 3_600_000_000_000n;

const CONTENT_BYTES = 'arraySum(arrayMap(v -> length(v), mapValues(ContentAttributes)))';

interface RawSpeaker extends StoredSpan {
  readonly TraceId: string;
  readonly SpanId: string;
  readonly GenAiOperation: string;
  readonly AgentName: string;
  readonly Model: string;
  readonly ToolName: string;
  readonly ErrorType: string;
}

/** What a page of traces adds to the conversation. @throws not_found, bad_query */
export async function readTurns(
  runner: Runner,
  context: RequestContext,
  input: {
    sessionId: string;
    window: Window;
    trace: string | undefined;
    limit: number;
    cursor: string | undefined;
  },
): Promise<{ data: Turn[]; nextCursor: string | null }> {
  const list = listName('turns', context, input.sessionId);
  const after = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 1).after[0];
  const begin = (after ?? input.trace)?.toLowerCase();
  const places = await tracePlaces(runner, context, input);
  if (places.length === 0) throw fail('not_found', { what: 'The session' });
  const at = begin === undefined ? 0 : places.findIndex((place) => place.TraceId === begin);
  if (at === -1) throw fail('not_found', { what: 'The trace in this session' });
  const page = places.slice(at, at + input.limit);
  const before = places.slice(Math.max(0, at - BEFORE), at);
  const next = places[at + input.limit];
  const spoken = await readSpoken(runner, context, [
    ...before,
    ...page,
    ...(next === undefined ? [] : [next]),
  ]);
  const end = before.length + page.length;
  return {
    data: buildTurns(spoken.slice(0, before.length), spoken.slice(before.length, end), spoken[end]),
    nextCursor: next === undefined ? null : encodeCursor({ list, from: 0n, to: 0n, after: [next.TraceId] }),
  };
}

async function readSpoken(
  runner: Runner,
  context: RequestContext,
  places: readonly TracePlace[],
): Promise<SpokenTrace[]> {
  const from = places.map((place) => BigInt(place.StartNs)).reduce((a, b) => (a < b ? a : b));
  const to = places.map((place) => BigInt(place.EndNs)).reduce((a, b) => (a > b ? a : b));
  const during = { from: from > HOUR ? from - HOUR : 0n, to: to + HOUR };
  const open = Scope.of(context, SPANS).during(during);
  const traceIds = places.map((place) => place.TraceId);
  const talking = open
    .and(`TraceId IN ${open.params.bind(traceIds, 'Array(String)')}`)
    .and("GenAiOperation != '' OR notEmpty(mapKeys(ContentAttributes))");
  const fits = `Place <= ${MAX_SPANS_OF_TRACE} AND Bytes <= ${MAX_CONTENT_BYTES} AND Before <= ${MAX_PAGE_BYTES}`;
  // Which spans first, by sizes alone: sorting them with their contents would hold all of it in memory.
  const found = await runner.run<Found>(
    talking,
    `SELECT TraceId, count() AS All, groupArrayIf(SpanId, ${fits}) AS Ids, groupArrayIf(Before, ${fits}) AS Until FROM (
       SELECT TraceId, SpanId, Bytes, row_number() OVER near AS Place,
         sumIf(Bytes, Bytes <= ${MAX_CONTENT_BYTES}) OVER near AS Before FROM (
         SELECT TraceId, SpanId, Timestamp, ${CONTENT_BYTES} AS Bytes ${talking.from}
         ORDER BY Timestamp, SpanId LIMIT 1 BY TraceId, SpanId)
       WINDOW near AS (PARTITION BY TraceId ORDER BY Timestamp, SpanId ROWS UNBOUNDED PRECEDING)
     ) GROUP BY TraceId`,
  );
  if (found.length === 0) return traceIds.map((traceId) => ({ traceId, speakers: [], cut: false }));
  const chosen = new Map(found.map((one) => [one.TraceId, one]));
  const inOrder = traceIds.flatMap((traceId) => chosen.get(traceId) ?? []);
  const bounds = boundsOf(inOrder.map(({ Until }) => Until));
  const ids = inOrder.flatMap(({ TraceId, Ids, Until }, at) =>
    Ids.filter((_, index) => (Until[index] ?? 0) <= (bounds[at] ?? 0)).map((id) => `${TraceId} ${id}`),
  );
  // By both ids and the size: another trace may have a span of that id, and a span may have been sent twice.
  const scope = talking
    .and(`concat(TraceId, ' ', SpanId) IN ${open.params.bind(ids, 'Array(String)')}`)
    .and(`${CONTENT_BYTES} <= ${MAX_CONTENT_BYTES}`);
  const rows = await runner.run<RawSpeaker>(
    scope,
    `SELECT * FROM (
       SELECT TraceId, SpanId, GenAiOperation, AgentName, ${MODEL_SQL} AS Model, ToolName, ErrorType,
         ${READER_COLUMNS}, ${CONTENT_COLUMNS} ${scope.from}
       ORDER BY Timestamp, SpanId LIMIT 1 BY TraceId, SpanId
     ) ORDER BY StartNs, SpanId LIMIT ${MAX_SPANS_OF_TRACE} BY TraceId`,
  );
  const byTrace = Map.groupBy(rows, (row) => row.TraceId);
  const traces = traceIds.map((traceId): SpokenTrace => {
    const own = byTrace.get(traceId) ?? [];
    return {
      traceId,
      speakers: own.map((row) => toSpeaker(row, readConversation(spanReader(row)))),
      cut: own.length < (chosen.get(traceId)?.All ?? 0),
    };
  });
  return withLogs(runner, context, traces, during);
}

/** Spans of a trace that may be read: each with the bytes of contents up to it and with it. */
interface Found {
  readonly TraceId: string;
  readonly Ids: readonly string[];
  readonly Until: readonly number[];
  readonly All: number;
}

/**
 * Up to where each trace is read: an equal share of the page, and one that needs more gets what that leaves, as long as
 * there is some, for one long span.
 */
function boundsOf(traces: readonly (readonly number[])[]): number[] {
  const upTo = (until: readonly number[], bound: number) =>
    until.reduce((most, bytes) => (bytes <= bound && bytes > most ? bytes : most), 0);
  const share = Math.floor(MAX_PAGE_BYTES / traces.length);
  const shares = traces.map((until) => upTo(until, share));
  let room = MAX_PAGE_BYTES - shares.reduce((sum, bytes) => sum + bytes, 0);
  return traces.map((until, at) => {
    const own = shares[at] ?? 0;
    const bound = Math.max(own, upTo(until, Math.min(own + room, MAX_CONTENT_BYTES)));
    room -= bound - own;
    return bound;
  });
}

/** Some instrumentations keep messages off their spans: such traces are read from the log records beside them. */
async function withLogs(
  runner: Runner,
  context: RequestContext,
  traces: readonly SpokenTrace[],
  during: Window,
): Promise<SpokenTrace[]> {
  const silent = traces.filter(
    ({ speakers }) =>
      speakers.some((speaker) => isModelOperation(speaker.operation)) && !speakers.some(speaks),
  );
  if (silent.length === 0) return [...traces];
  const logs = await readTraceLogs(runner, context, {
    traceIds: silent.map((trace) => trace.traceId),
    during,
  });
  return traces.map((trace) => {
    const records = logs.get(trace.traceId);
    const call = trace.speakers.find((speaker) => isModelOperation(speaker.operation));
    if (records === undefined || call === undefined) return trace;
    const conversation = readLogConversation(records);
    return {
      ...trace,
      speakers: trace.speakers.map((speaker) => (speaker === call ? { ...speaker, conversation } : speaker)),
    };
  });
}

const speaks = ({ conversation }: Speaker): boolean =>
  conversation.input.length + conversation.output.length > 0;

function toSpeaker(row: RawSpeaker, conversation: Conversation): Speaker {
  return {
    spanId: row.SpanId,
    name: row.SpanName,
    operation: row.GenAiOperation,
    agent: orNull(row.AgentName),
    model: orNull(row.Model),
    tool: orNull(row.ToolName),
    failed: row.StatusCode === 'Error',
    error: orNull(row.StatusMessage) ?? orNull(row.ErrorType),
    durationMs: ms(BigInt(row.DurationNs)),
    conversation,
  };
}
