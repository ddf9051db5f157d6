import type { Turn, TurnEntry } from '@candela/contract';
import {
  type CallIdOf,
  callIds,
  type Conversation,
  isModelOperation,
  type Message,
  messageIdentity,
  type MessagePart,
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

/**
 * Reads traces of a session, in order, as one conversation: what each adds to it. Clients send the whole history again
 * with every call, so a message stands where it was said first. `known` traces come before and are not returned.
 */
export function buildTurns(known: readonly SpokenTrace[], traces: readonly SpokenTrace[]): Turn[] {
  const heard = new Map<string, number>();
  for (const trace of known) turnOf(trace, heard, false);
  let first = known.length === 0;
  return traces.map((trace) => {
    const turn = turnOf(trace, heard, first);
    first = false;
    return turn;
  });
}

/** @param heard how often each message occurred in one conversation so far; grows. */
function turnOf(trace: SpokenTrace, heard: Map<string, number>, opens: boolean): Turn {
  const speakers = speaking(trace.speakers);
  const idsOf = new Map(trace.speakers.map((speaker) => [speaker, idsOfCalls(speaker)]));
  const results = resultsById(idsOf);
  const calls = new Set<string>();
  const answered = new Set<string>();
  const entries: TurnEntry[] = [];
  let fresh = !opens;
  for (const speaker of trace.speakers) {
    const { conversation, spanId, agent, model } = speaker;
    const idOf = idsOf.get(speaker) ?? sentId;
    const said = { spanId, agent, model };
    if (speaker.operation === 'execute_tool' && conversation.toolExecution !== undefined) {
      const run = conversation.toolExecution;
      if (run.callId === '' || !calls.has(run.callId)) {
        if (run.callId !== '') calls.add(run.callId);
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
      const counts = new Map<string, number>();
      const since = fresh ? lastAnswer(conversation.input) + 1 : Number.POSITIVE_INFINITY;
      const add = (message: Message, side: 'input' | 'output') => {
        const spoken = spokenParts(message, results, idOf);
        if (spoken.length > 0)
          entries.push({ kind: 'message', ...said, side, message: { ...message, parts: spoken } });
        for (const part of message.parts) {
          if (part.type !== 'tool_call' || (part.id !== '' && calls.has(part.id))) continue;
          if (part.id !== '') calls.add(part.id);
          const answer = results.get(idOf(part));
          entries.push(
            toolEntry(speaker, part.id, part.name, part.arguments, answer?.speaker, answer?.result),
          );
        }
      };
      conversation.input.forEach((message, index) => {
        const identity = messageIdentity(message);
        const nth = (counts.get(identity) ?? 0) + 1;
        counts.set(identity, nth);
        const asked = index >= since && message.role === 'user';
        if (asked || nth > (heard.get(identity) ?? 0)) add(message, 'input');
      });
      for (const message of conversation.output) {
        const identity = messageIdentity(message);
        counts.set(identity, (counts.get(identity) ?? 0) + 1);
        if (answered.has(identity)) continue;
        answered.add(identity);
        add(message, 'output');
      }
      for (const [identity, times] of counts)
        if (times > (heard.get(identity) ?? 0)) heard.set(identity, times);
      fresh = false;
    }
    if (speaker.failed && (isModelOperation(speaker.operation) || speakers.has(speaker)))
      entries.push({ kind: 'failure', ...said, name: speaker.name, message: cutOrNull(speaker.error) });
  }
  return {
    traceId: trace.traceId,
    entries: entries.slice(0, MAX_ENTRIES),
    truncated: trace.cut || entries.length > MAX_ENTRIES,
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

const lastAnswer = (messages: readonly Message[]): number =>
  messages.findLastIndex((message) => message.role === 'assistant' || message.role === 'tool');

interface Result {
  readonly result: string;
  readonly speaker: Speaker | undefined;
}

type ToolEntry = Extract<TurnEntry, { kind: 'tool' }>;

/** True of a call without a result that asks for what was run. */
const isOpen = (entry: TurnEntry, ran: ToolEntry): boolean =>
  entry.kind === 'tool' &&
  entry.result === null &&
  entry.name === ran.name &&
  entry.arguments === ran.arguments;

const sentId: CallIdOf = callIds([]);

/** Ids of the tool calls in what a span says. */
const idsOfCalls = ({ conversation, agent }: Speaker): CallIdOf =>
  callIds([...conversation.input, ...conversation.output], agent ?? '');

/** The result of every tool call that anybody reported; the span that ran it wins. */
function resultsById(speakers: ReadonlyMap<Speaker, CallIdOf>): Map<string, Result> {
  const results = new Map<string, Result>();
  for (const [speaker, idOf] of speakers) {
    for (const message of speaker.conversation.input)
      for (const part of message.parts) {
        const id = idOf(part);
        if (part.type === 'tool_result' && id !== '' && !results.has(id))
          results.set(id, { result: part.result, speaker: undefined });
      }
  }
  for (const speaker of speakers.keys()) {
    const run = speaker.conversation.toolExecution;
    if (run !== undefined && run.callId !== '') results.set(run.callId, { result: run.result, speaker });
  }
  return results;
}

function spokenParts(message: Message, results: ReadonlyMap<string, Result>, idOf: CallIdOf): MessagePart[] {
  return message.parts.flatMap((part): MessagePart[] => {
    if (part.type === 'tool_call') return [];
    if (part.type === 'tool_result' && results.has(idOf(part))) return [];
    return [shortened(part)];
  });
}

function toolEntry(
  asked: Speaker,
  callId: string,
  name: string,
  input: string,
  ran: Speaker | undefined,
  result: string | undefined,
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
    failed: ran?.failed ?? false,
    durationMs: ran?.durationMs ?? null,
  };
}

function shortened(part: MessagePart): MessagePart {
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
      // Half a picture is none: the span has it whole.
      return part.uri.length > MAX_CHARACTERS ? { ...part, uri: '' } : part;
  }
}

const cut = (text: string): string =>
  text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}… [the span has all of it]`;
const cutOrNull = (text: string | null): string | null => (text === null ? null : cut(text));
