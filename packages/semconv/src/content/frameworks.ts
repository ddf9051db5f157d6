/** Where frameworks on `gen_ai.*` keep what was said when it is in none of the convention's own attributes. */
import type { AttributeReader, Message, SpanEvent } from '../types.ts';
import { jsonAttribute } from './attribute-json.ts';
import { type Budget, isRecord, member, memberText } from './builder.ts';
import { readMessages } from './messages.ts';

/** Requests and responses whole, of a model call: Google's ADK, Logfire. */
const REQUESTS = ['gcp.vertex.agent.llm_request', 'request_data'];
const RESPONSES = ['gcp.vertex.agent.llm_response', 'response_data'];
/** Both sides in one list: Pydantic AI, the events of OpenTelemetry among them as JSON. */
const WHOLE = ['pydantic_ai.all_messages', 'all_messages_events', 'events'];

/** The messages of one side; none when no framework keeps them apart. */
export function frameworkMessages(
  attributes: AttributeReader,
  side: 'input' | 'output',
  budget: Budget,
): Message[] {
  const [keys, role] = side === 'input' ? [REQUESTS, 'user'] : [RESPONSES, 'assistant'];
  for (const key of keys) {
    const value = jsonAttribute(attributes, key);
    // What Logfire puts together of a stream.
    const streamed = isRecord(value) ? memberText(value, 'combined_chunk_content') : '';
    const isTold = isRecord(value) && Object.keys(value).length > 0;
    const messages = isTold ? readMessages(streamed || value, role, budget) : [];
    if (messages.length > 0) return messages;
  }
  for (const key of WHOLE) {
    const list = jsonAttribute(attributes, key);
    if (!Array.isArray(list)) continue;
    const items = (list as readonly unknown[]).filter(isRecord);
    const from = answerAt(items);
    const own = side === 'input' ? items.slice(0, from) : items.slice(from);
    if (items.length > 0) return readMessages(own, role, budget);
  }
  return [];
}

/** Where the answer begins: at the first choice, else at the message of the assistant that stands last. */
function answerAt(items: readonly Parameters<typeof member>[0][]): number {
  const choice = items.findIndex((item) => member(item, 'event.name') === 'gen_ai.choice');
  if (choice !== -1) return choice;
  return member(items.at(-1) ?? {}, 'role') === 'assistant' ? items.length - 1 : items.length;
}

/** The tools that such a request offers. */
export function frameworkTools(attributes: AttributeReader): unknown {
  for (const key of REQUESTS) {
    const request = jsonAttribute(attributes, key);
    if (!isRecord(request)) continue;
    const config = member(request, 'config');
    return member(request, 'tools') ?? (isRecord(config) ? member(config, 'tools') : undefined);
  }
  return undefined;
}

/** What a tool was given and gave back, told by the events of its span: Strands Agents. */
export function runByEvents(
  events: readonly SpanEvent[],
): { readonly args: unknown; readonly result: unknown } | undefined {
  const given = events.find(({ name }) => name === 'gen_ai.tool.message');
  if (given === undefined) return undefined;
  const back = events.find(({ name }) => name === 'gen_ai.choice');
  return {
    args: jsonAttribute(given.attributes, 'content'),
    result: back && jsonAttribute(back.attributes, 'message'),
  };
}
