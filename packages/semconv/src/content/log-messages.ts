/** What log records tell of a conversation: instrumentations that keep messages off their spans send them so. */
import { eventNameOf } from '../conventions/logs.ts';
import type { AttributeReader, Conversation, LogReader, Message, SpanEvent } from '../types.ts';
import { parsed, toJson } from './attribute-json.ts';
import { asText, Budget, isRecord, type JsonRecord, member, memberText } from './builder.ts';
import { scoresOf } from './extras.ts';
import { DETAILS_EVENT, eventMessages, MESSAGE_EVENT_ROLES } from './gen-ai.ts';
import { readMessages } from './messages.ts';
import { readTools } from './tools.ts';

/** The log records that {@link withLogs} understands have names that begin so, or such a name as their body. */
export const MESSAGE_LOG_PREFIX = 'gen_ai.';

/**
 * The conversation of a span, completed by the log records that name it: messages of a side that the span itself does
 * not hold, and scores. Records in the order of their time.
 */
export function withLogs(own: Conversation, logs: readonly LogReader[]): Conversation {
  const budget = new Budget();
  const events = logs.map(eventOf);
  // Each of these repeats the whole request so far: the last one says it all.
  const details = events.findLast((event) => event.name === DETAILS_EVENT);
  const told = (side: 'input' | 'output'): Message[] => {
    const whole = details === undefined ? [] : eventMessages([details], budget, side);
    return whole.length > 0 ? whole : logs.flatMap((log, at) => messagesOf(log, events[at], side, budget));
  };
  return {
    ...own,
    input: completed(own.input, () => told('input')),
    output: own.output.length > 0 ? own.output : told('output'),
    tools:
      own.tools.length > 0
        ? own.tools
        : readTools(toJson(details?.attributes.get('gen_ai.tool.definitions')), budget),
    scores: scoresOf(events, budget, own.scores),
  };
}

/** Instructions alone are not what was asked. */
function completed(own: readonly Message[], told: () => readonly Message[]): readonly Message[] {
  if (own.some((message) => message.role !== 'system')) return own;
  const messages = told();
  return messages.some((message) => message.role === 'system') ? messages : [...own, ...messages];
}

function eventOf(log: LogReader): SpanEvent {
  return { name: eventNameOf(log), timeUnixNano: 0n, attributes: attributesOf(log) };
}

/** Some send as members of the body what the convention calls attributes. */
function attributesOf(log: LogReader): AttributeReader {
  const body = parsed(log.body);
  if (!isRecord(body) || !Object.keys(body).some((key) => key.startsWith(MESSAGE_LOG_PREFIX))) {
    return log.attributes;
  }
  const all = new Map(Object.entries(body).map(([key, value]) => [key, asText(value)] as const));
  return {
    get: (key) => log.attributes.get(key) ?? all.get(key),
    has: (key) => log.attributes.has(key) || all.has(key),
    keys: () => new Set([...log.attributes.keys(), ...all.keys()]),
  };
}

function messagesOf(
  log: LogReader,
  event: SpanEvent | undefined,
  side: 'input' | 'output',
  budget: Budget,
): Message[] {
  const role = event === undefined ? undefined : MESSAGE_EVENT_ROLES.get(event.name);
  if (event === undefined || role === undefined) return [];
  if ((event.name === 'gen_ai.choice') !== (side === 'output')) return [];
  const body = parsed(log.body);
  if (isRecord(body)) return readMessages(messageOf(body, role), role, budget);
  if (typeof body === 'string' && body !== '' && body !== event.name) return readMessages(body, role, budget);
  return eventMessages([event], budget, side);
}

/** The message in the body of an event; without its text when the sender keeps that to itself. */
function messageOf(body: JsonRecord, role: string): JsonRecord {
  const wrapped = member(body, 'message');
  const inner = isRecord(wrapped) ? wrapped : body;
  const callId = role === 'tool' ? memberText(inner, 'tool_call_id', 'id') : '';
  const finish = memberText(body, 'finish_reason');
  return {
    ...(typeof wrapped === 'string' ? { content: wrapped } : { content: '', ...inner }),
    ...(callId === '' ? {} : { tool_call_id: callId }),
    ...(finish === '' ? {} : { finish_reason: finish }),
  };
}
