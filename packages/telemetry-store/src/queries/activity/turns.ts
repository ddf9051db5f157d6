import type { Turn, TurnEntry } from '@candela/contract';
import {
  asksForMore,
  CallResults,
  callIdsOf,
  type Conversation,
  givesBack,
  isModelOperation,
  type Message,
  messageIdentity,
  type MessagePart,
  sentIds,
  ShownCalls,
  stretchesOf,
} from '@candela/semconv';

/** A span of a trace that may say something. */
export interface Speaker {
  readonly spanId: string;
  readonly name: string;
  readonly operation: string;
  readonly agent: string | null;
  readonly model: string | null;
  readonly tool: string | null;
  readonly failed: boolean;
  readonly error: string | null;
  readonly durationMs: number;
  readonly conversation: Conversation;
}

export interface SpokenTrace {
  readonly traceId: string;
  /** In the order they began. */
  readonly speakers: readonly Speaker[];
  /** True when there are more spans than were read. */
  readonly cut: boolean;
}

const MAX_ENTRIES = 300;
const MAX_CHARACTERS = 16_000;
/** Of pictures, sound and files: of one, and of those of a page. */
const MAX_MEDIA = 1 << 20;
const MAX_PAGE_MEDIA = 4 << 20;
/** What a reader is told in place of what is left out. */
const ELSEWHERE = '[the span has all of it]';

/**
 * Reads traces of a session, in order, as one conversation: what each adds to it. Clients send the whole history again
 * with every call, so a message stands where it was said first. `known` traces come before and are not returned, nor is
 * the one after them, which only tells results of tools that they asked for.
 */
export function buildTurns(
  known: readonly SpokenTrace[],
  traces: readonly SpokenTrace[],
  next?: SpokenTrace,
): Turn[] {
  const before: Said = { heard: new Map(), settled: new Set(), room: 0 };
  const all = [...known, ...traces];
  const turns: Turn[] = [];
  let own: Calls | undefined;
  for (const [at, trace] of all.entries()) {
    own ??= readCalls(trace.speakers);
    const after = all[at + 1] ?? next;
    const later = after && readCalls(after.speakers);
    if (at === known.length) before.room = MAX_PAGE_MEDIA;
    const turn = turnOf(trace, own, later, before, at === 0 && known.length === 0);
    if (at >= known.length) turns.push(turn);
    own = later;
  }
  return turns;
}

/** What traces before have said, as the next ones need it; grows. */
interface Said {
  /** How often each message occurred in one conversation. */
  readonly heard: Map<string, number>;
  /** Characters of media that the page still has room for. */
  room: number;
  /** Calls of the trace just before that stand there with the result that this one reports. */
  settled: Set<string>;
}

/** @param later those of the trace after it: results of tools that the client itself runs come with the next question */
function turnOf(
  trace: SpokenTrace,
  { idsOf, results }: Calls,
  later: Calls | undefined,
  before: Said,
  opens: boolean,
): Turn {
  const { heard } = before;
  const { settled } = before;
  before.settled = new Set();
  const speakers = speaking(trace.speakers);
  const calls = new ShownCalls<Speaker>();
  const answered = new Set<string>();
  const entries: TurnEntry[] = [];
  /** Results that a message holds, by the entry: they go where their call stands in this trace. */
  const loose = new Map<TurnEntry, Map<MessagePart, string>>();
  let fresh = !opens;
  for (const speaker of trace.speakers) {
    const { conversation, spanId, agent, model } = speaker;
    const said = { spanId, agent, model };
    if (speaker.operation === 'execute_tool' && conversation.toolExecution !== undefined) {
      const run = conversation.toolExecution;
      const first = results.firstOf(speaker);
      if (!calls.isRun(first)) {
        calls.add(results.ranBy(first), threadOf(speaker), run.arguments, first);
        const ran = toolEntry(
          speaker,
          run.callId,
          speaker.tool ?? speaker.name,
          run.arguments,
          speaker,
          run.result,
        );
        // A span that does not say which call it runs runs the first of its name and arguments without a result.
        const asked = run.callId === '' ? entries.findIndex((entry) => isOpen(entry, ran)) : -1;
        const call = entries[asked];
        if (call?.kind === 'tool') entries[asked] = { ...ran, callId: call.callId };
        else entries.push(ran);
      }
      continue;
    }
    if (speakers.has(speaker)) {
      const thread = threadOf(speaker);
      const own = idsOf(speaker);
      const given = new Map<string, number>();
      // What a graph gives back with its answer is not said again.
      const counts = givesBack(conversation) ? new Map<string, number>() : given;
      const since = fresh ? lastQuestion(conversation.input) : Number.POSITIVE_INFINITY;
      const count = (occurred: Map<string, number>, message: Message, callIds: readonly string[]) => {
        const identity = `${messageIdentity(message)}\u0000${sentIds(message, callIds)}`;
        const nth = (occurred.get(identity) ?? 0) + 1;
        occurred.set(identity, nth);
        return { identity, nth, isNew: nth > (heard.get(identity) ?? 0) };
      };
      const add = (message: Message, side: 'input' | 'output', callIds: readonly string[]) => {
        for (const stretch of stretchesOf(message, () => false)) {
          if (stretch.kind === 'said') {
            const { parts } = stretch.message;
            const entry: TurnEntry = { kind: 'message', ...said, side, message: stretch.message };
            entries.push(entry);
            loose.set(entry, new Map(parts.map((part, at) => [part, callIds[stretch.at + at] ?? ''])));
            continue;
          }
          const { part } = stretch;
          const id = callIds[stretch.at] ?? '';
          if (calls.has(id, thread, part.arguments)) continue;
          let answer = results.of(thread, id);
          if (answer === undefined && later?.isGiven(thread, id) === true) {
            answer = later.results.reported(thread, id);
            if (answer !== undefined) before.settled.add(id);
          }
          calls.add(id, thread, part.arguments, answer?.by);
          entries.push(
            toolEntry(
              speaker,
              part.id,
              part.name,
              part.arguments,
              answer?.by,
              answer?.result,
              answer?.failed,
            ),
          );
        }
      };
      let asks = false;
      conversation.input.forEach((message, index) => {
        const callIds = own.input[index] ?? [];
        const { isNew } = count(given, message, callIds);
        if (!isNew && index !== since) return;
        asks ||= asksForMore(message);
        add(message, 'input', callIds);
      });
      conversation.output.forEach((message, index) => {
        const callIds = own.output[index] ?? [];
        const { identity, nth, isNew } = count(counts, message, callIds);
        if (counts !== given && nth <= (given.get(identity) ?? 0)) return;
        // Whoever was asked something else and says the same has said it again; who only repeats a call has not.
        if (!isNew && !asks && answered.has(identity)) return;
        answered.add(identity);
        add(message, 'output', callIds);
      });
      for (const [identity, times] of [...given, ...counts])
        if (times > (heard.get(identity) ?? 0)) heard.set(identity, times);
      fresh = false;
    }
    if (speaker.failed && (isModelOperation(speaker.operation) || speakers.has(speaker)))
      entries.push({ kind: 'failure', ...said, name: speaker.name, message: cutOrNull(speaker.error) });
  }
  const spoken = entries.flatMap((entry): TurnEntry[] => {
    if (entry.kind !== 'message') return [entry];
    const own = loose.get(entry);
    const parts = entry.message.parts.filter((part) => {
      const id = own?.get(part) ?? '';
      return part.type !== 'tool_result' || id === '' || !(calls.names(id) || settled.has(id));
    });
    return parts.length === 0 ? [] : [{ ...entry, message: { ...entry.message, parts } }];
  });
  // What is left out takes no room from what is shown.
  const shown = spoken.slice(0, MAX_ENTRIES).map((entry): TurnEntry => {
    if (entry.kind !== 'message') return entry;
    const parts = entry.message.parts.map((part) => shortened(part, before));
    return { ...entry, message: { ...entry.message, parts } };
  });
  return {
    traceId: trace.traceId,
    entries: shown,
    truncated: trace.cut || spoken.length > MAX_ENTRIES,
  };
}

/** Model calls speak; where none has messages, the first other span that has. */
function speaking(speakers: readonly Speaker[]): Set<Speaker> {
  const has = ({ conversation }: Speaker) => conversation.input.length + conversation.output.length > 0;
  const models = speakers.filter(
    (speaker) => isModelOperation(speaker.operation) && speaker.operation !== 'embeddings' && has(speaker),
  );
  if (models.length > 0) return new Set(models);
  const other = speakers.find((speaker) => speaker.operation !== 'embeddings' && has(speaker));
  return new Set(other === undefined ? [] : [other]);
}

/** Where the question stands that nobody has answered in these messages; -1 without one. */
function lastQuestion(messages: readonly Message[]): number {
  const last = messages.findLastIndex(
    ({ role }) => role === 'user' || role === 'assistant' || role === 'tool',
  );
  const message = messages[last];
  const asks = message?.role === 'user' && message.parts.some(({ type }) => type !== 'tool_result');
  return asks ? last : -1;
}

type ToolEntry = Extract<TurnEntry, { kind: 'tool' }>;

/** True of a call without a result that asks for what was run. */
const isOpen = (entry: TurnEntry, ran: ToolEntry): boolean =>
  entry.kind === 'tool' &&
  entry.result === null &&
  entry.name === ran.name &&
  entry.arguments === ran.arguments;

/** The tool calls of a trace. */
interface Calls {
  /** Ids of the calls in what a span says. */
  idsOf(speaker: Speaker): ReturnType<typeof callIdsOf>;
  /** The result of every call that anybody reported. */
  readonly results: CallResults<Speaker>;
  /** Whether a call comes from before: the trace is told of it, and did not ask for an equal one by itself until then. */
  isGiven(thread: string, id: string): boolean;
}

function readCalls(speakers: readonly Speaker[]): Calls {
  const ids = new Map<Speaker, ReturnType<typeof callIdsOf>>();
  const results = new CallResults<Speaker>();
  const given = new Set<string>();
  const own = new Set<string>();
  for (const speaker of speakers) {
    const thread = threadOf(speaker);
    const said = callIdsOf(speaker.conversation, thread);
    ids.set(speaker, said);
    for (const id of said.input.flat()) if (!own.has(id)) given.add(inThread(thread, id));
    for (const id of said.output.flat()) if (!given.has(inThread(thread, id))) own.add(id);
    results.addTold(thread, speaker.conversation, said);
    const run = speaker.conversation.toolExecution;
    if (run !== undefined) results.addRun(thread, run, speaker.failed, speaker);
  }
  return {
    idsOf: (speaker) => ids.get(speaker) ?? { input: [], output: [] },
    results,
    isGiven: (thread, id) => given.has(inThread(thread, id)) || !own.has(id),
  };
}

const inThread = (thread: string, id: string): string => `${thread}\u0000${id}`;

const threadOf = ({ agent }: Speaker): string => agent ?? '';

function toolEntry(
  asked: Speaker,
  callId: string,
  name: string,
  input: string,
  ran: Speaker | undefined,
  result: string | undefined,
  failed = ran?.failed ?? false,
): ToolEntry {
  return {
    kind: 'tool',
    spanId: (ran ?? asked).spanId,
    agent: asked.agent,
    model: asked.model,
    callId,
    name,
    arguments: cut(input),
    result: result === undefined || (result === '' && ran?.failed === true) ? null : cut(result),
    failed,
    durationMs: ran?.durationMs ?? null,
  };
}

function shortened(part: MessagePart, page: Said): MessagePart {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
    case 'citation':
      return { ...part, text: cut(part.text) };
    case 'tool_call':
      return { ...part, arguments: cut(part.arguments) };
    case 'tool_result':
      return { ...part, result: cut(part.result) };
    case 'json':
      return { ...part, json: cut(part.json) };
    case 'media':
      // An address is short; what it leads to is no part of the page.
      if (part.uri.length <= MAX_CHARACTERS && !part.uri.startsWith('data:')) return part;
      // Half a picture is none.
      if (part.uri.length > Math.min(MAX_MEDIA, page.room)) return { ...part, uri: ELSEWHERE };
      page.room -= part.uri.length;
      return part;
  }
}

const cut = (text: string): string =>
  text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}… ${ELSEWHERE}`;
const cutOrNull = (text: string | null): string | null => (text === null ? null : cut(text));
