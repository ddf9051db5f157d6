import {
  type Filter,
  type FilterCondition,
  type SaidHit,
  canonicalFilter,
  MAX_SAID_HITS,
  wordsOf,
} from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import {
  type Conversation,
  type LogReader,
  type Message,
  messageIdentity,
  readConversation,
} from '@candela/semconv';
import { fold } from '../core/fold.ts';
import { SPREAD } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from './span-fields.ts';
import { readSpansLogs } from './span-logs.ts';
import { iso } from './span-row.ts';
import { CONTENT_COLUMNS, READER_COLUMNS, spanReader, type StoredSpan } from './stored-span.ts';

/** Longer contents are not opened for a snippet. */
const MAX_CONTENT_BYTES = 262_144;
/** All contents of one answer, which keeps it within memory. */
const MAX_BYTES = 32 << 20;
const BYTES = 'arraySum(arrayMap(v -> length(v), mapValues(ContentAttributes)))';
const [BEFORE, AFTER] = [60, 160];

/** Whose messages a field looks into; others are no texts of messages. */
const SPEAKERS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ['user_said', ['user']],
  ['assistant_said', ['assistant']],
  ['system_prompt', ['system']],
  ['tool_result', ['tool']],
  ['prompt', ['user', 'system', 'tool', 'assistant']],
  ['completion', ['assistant']],
  ['text', ['user', 'assistant', 'system', 'tool']],
]);

interface Sought {
  readonly roles: readonly string[];
  /** In lower case; all of them are in one message. */
  readonly terms: readonly string[];
}

/** What hits are asked of: `ids` of traces, of sessions, or of spans as `trace id-span id`. */
export interface SaidInput {
  readonly window: Window;
  readonly filter: Filter;
  readonly of: 'traces' | 'sessions' | 'spans';
  readonly ids: readonly string[];
  /** Hits of each at most: the first by time. */
  readonly each: number;
  /** A message that one of them repeats of another is no hit of its own. */
  readonly oneConversation?: boolean;
}

const ID = { traces: 'TraceId', sessions: 'SessionId', spans: "concat(TraceId, '-', SpanId)" } as const;

/** Where the texts of a filter were said first. @throws bad_query */
export async function saidHits(runner: Runner, asking: RequestContext, input: SaidInput): Promise<SaidHit[]> {
  // Log records with messages are looked for around this time range.
  const context = { ...asking, window: input.window };
  const conditions = textConditions(canonicalFilter(input.filter, 'spans'));
  if (conditions.length === 0 || input.ids.length === 0) return [];
  const sought = conditions.map(soughtBy);
  const open = Scope.of(context, SPANS).during(input.window);
  const id = ID[input.of];
  const ids = open.params.bind(input.ids, 'Array(String)');
  const traces = input.ids.map((one) => one.slice(0, 32));
  const named =
    input.of === 'spans' ? open.and(`TraceId IN ${open.params.bind(traces, 'Array(String)')}`) : open;
  const matching = named
    .and(`${id} IN ${ids}`)
    .matching(conditions.length === 1 ? conditions[0] : { or: conditions })
    .and(`${BYTES} <= ${MAX_CONTENT_BYTES}`);
  // A span more than is wanted of each: that words are in a message of that role its reader has to say.
  const places = await runner.run<{ TraceId: string; SpanId: string; Ns: string; Bytes: number }>(
    matching,
    `SELECT TraceId, SpanId, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns, ${BYTES} AS Bytes ${matching.from}
     ORDER BY Timestamp, SpanId LIMIT ${input.each + 1} BY ${id} LIMIT ${MAX_SAID_HITS}`,
  );
  let room = MAX_BYTES;
  const chosen = places.filter(({ Bytes }) => (room -= Bytes) >= 0);
  if (chosen.length === 0) return [];
  const narrow = Scope.of(context, SPANS).at(chosen.map(({ Ns }) => BigInt(Ns)));
  const keys = narrow.params.bind(chosen.map(keyOf), 'Array(String)');
  const scope = narrow.and(`${ID.spans} IN ${keys}`).and(`${BYTES} <= ${MAX_CONTENT_BYTES}`);
  const rows = await runner.run<StoredSpan & { Id: string; TraceId: string; SpanId: string }>(
    scope,
    `SELECT ${id} AS Id, TraceId, SpanId, ${READER_COLUMNS}, ${CONTENT_COLUMNS} ${scope.from}
     LIMIT 1 BY TraceId, SpanId ${SPREAD}`,
  );
  const silent = rows.filter((row) => isSilent(readConversation(spanReader(row))));
  const logs = await readSpansLogs(runner, context, {
    spans: silent.map(keyOf),
    traceIds: silent.map(({ TraceId }) => TraceId),
    during: input.window,
  });
  return hitsOf(rows, logs, sought, input).slice(0, MAX_SAID_HITS);
}

const keyOf = ({ TraceId, SpanId }: { readonly TraceId: string; readonly SpanId: string }): string =>
  `${TraceId}-${SpanId}`;

/** A side of the conversation may stand in log records. */
const isSilent = ({ input, output }: Conversation): boolean =>
  output.length === 0 || input.every(({ role }) => role === 'system');

/** The conditions on texts that a filter demands or allows; those that it excludes find nothing. */
function textConditions(filter: Filter): FilterCondition[] {
  if ('and' in filter) return filter.and.flatMap(textConditions);
  if ('or' in filter) return filter.or.flatMap(textConditions);
  if ('not' in filter) return [];
  const isText = SPEAKERS_OF.has(filter.field) && (filter.op === 'matches' || filter.op === 'contains');
  return isText ? [filter] : [];
}

function soughtBy({ field, op, value }: FilterCondition): Sought {
  const text = String(value);
  const terms = op === 'contains' ? [fold(text)] : wordsOf(text).map(fold);
  return { roles: SPEAKERS_OF.get(field) ?? [], terms: terms.length > 0 ? terms : [fold(text.trim())] };
}

function hitsOf(
  rows: readonly (StoredSpan & { Id: string; TraceId: string; SpanId: string })[],
  logs: ReadonlyMap<string, readonly LogReader[]>,
  sought: readonly Sought[],
  { each, oneConversation = false }: SaidInput,
): SaidHit[] {
  const inOrder = [...rows].sort((a, b) => compare(a.StartNs, b.StartNs) || (a.SpanId < b.SpanId ? -1 : 1));
  const heard = new Set<string>();
  const counts = new Map<string, number>();
  const hits: SaidHit[] = [];
  for (const row of inOrder) {
    for (const message of messagesOf(readConversation(spanReader(row), logs.get(keyOf(row))))) {
      // Later calls repeat what was said before them.
      const identity = `${oneConversation ? '' : row.Id} ${messageIdentity(message)}`;
      if (heard.has(identity)) continue;
      heard.add(identity);
      const count = counts.get(row.Id) ?? 0;
      const found = count < each ? excerptOf(message, sought) : undefined;
      if (found === undefined) continue;
      counts.set(row.Id, count + 1);
      hits.push({
        id: row.Id,
        traceId: row.TraceId,
        spanId: row.SpanId,
        time: iso(BigInt(row.StartNs)),
        role: message.role,
        ...found,
      });
    }
  }
  return hits;
}

const compare = (a: string, b: string): number => (BigInt(a) < BigInt(b) ? -1 : a === b ? 0 : 1);

function messagesOf({ input, output, toolExecution }: Conversation): Message[] {
  const result = toolExecution?.result;
  const ran: Message[] =
    typeof result === 'string' && result !== ''
      ? [
          {
            role: 'tool',
            parts: [{ type: 'tool_result', id: toolExecution?.callId ?? '', name: '', result }],
          },
        ]
      : [];
  return [...input, ...output, ...ran];
}

/** The text around the first place in a message that holds what one of the conditions seeks. */
function excerptOf(
  message: Message,
  sought: readonly Sought[],
): Pick<SaidHit, 'before' | 'match' | 'after'> | undefined {
  const texts = textsOf(message);
  for (const { roles, terms } of sought) {
    const own = texts.filter(({ role }) => roles.includes(role));
    const all = fold(own.map(({ text }) => text).join('\n'));
    if (terms.length === 0 || !terms.every((term) => all.includes(term))) continue;
    for (const { text } of own) {
      const line = text.replaceAll(/\s+/g, ' ');
      const small = fold(line);
      // Some letters grow when they turn small; then the places do not fit any more.
      if (small.length !== line.length) continue;
      const term = terms.find((one) => small.includes(one));
      if (term === undefined) continue;
      const at = small.indexOf(term);
      const end = at + term.length;
      return {
        before: `${at > BEFORE ? '…' : ''}${line.slice(Math.max(0, at - BEFORE), at)}`,
        match: line.slice(at, end),
        after: `${line.slice(end, end + AFTER)}${line.length > end + AFTER ? '…' : ''}`,
      };
    }
  }
  return undefined;
}

/** Texts of a message, each with who says it: results of tools stand in messages of the user, too. */
const textsOf = ({ role, parts }: Message): { role: string; text: string }[] =>
  parts.flatMap((part) => {
    if (part.type === 'text' || part.type === 'refusal' || part.type === 'reasoning')
      return [{ role, text: part.text }];
    if (part.type === 'json') return [{ role, text: part.json }];
    return part.type === 'tool_result' ? [{ role: 'tool', text: part.result }] : [];
  });
