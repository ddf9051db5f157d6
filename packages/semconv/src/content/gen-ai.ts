/** Conversation of `gen_ai.*`: attributes now, deprecated attributes, numbered families and per-message events. */
import { canonicalOperation, isModelOperation } from '../facts/operation.ts';
import { textOf } from '../facts/values.ts';
import type { AttributeReader, Conversation, Message, SpanEvent, SpanReader } from '../types.ts';
import { firstJson, jsonAttribute, toJson, unflatten } from './attribute-json.ts';
import { asText, Budget, isRecord } from './builder.ts';
import { readDocuments, readScores, toolExecution } from './extras.ts';
import { frameworkMessages, frameworkTools, runByEvents } from './frameworks.ts';
import { readMessages } from './messages.ts';
import { resultText } from './parts.ts';
import { readTools } from './tools.ts';

export const GEN_AI_TOOL_KEYS = {
  id: ['gen_ai.tool.call.id', 'gen_ai.tool.call_id'],
  args: [
    'gen_ai.tool.call.arguments',
    'gen_ai.tool.args',
    'mcp.request.arguments',
    'gcp.vertex.agent.tool_call_args',
    'tool_arguments',
  ],
  result: [
    'gen_ai.tool.call.result',
    'mcp.response.content',
    'gcp.vertex.agent.tool_response',
    'tool_response',
  ],
};

/** Input side: system instructions, then the messages by the newest name present. */
export function genAiInput(span: SpanReader, budget: Budget): Message[] {
  const { attributes } = span;
  const system = readMessages(jsonAttribute(attributes, 'gen_ai.system_instructions'), 'system', budget);
  const current = readMessages(jsonAttribute(attributes, 'gen_ai.input.messages'), 'user', budget);
  if (current.length > 0) {
    // Some emitters repeat the instructions as the first message.
    return current[0]?.role === 'system' ? current : [...system, ...current];
  }
  const flat = readMessages(unflatten(attributes, 'gen_ai.prompt.'), 'user', budget);
  if (flat.length > 0) return [...system, ...flat];
  const old = readMessages(firstJson(attributes, ['gen_ai.prompt', 'gen_ai.content.prompt']), 'user', budget);
  if (old.length > 0) return [...system, ...old];
  const told = eventMessages(span.events, budget, 'input');
  return [...system, ...(told.length > 0 ? told : frameworkMessages(attributes, 'input', budget))];
}

export function genAiOutput(span: SpanReader, budget: Budget): Message[] {
  const { attributes } = span;
  const current = readMessages(jsonAttribute(attributes, 'gen_ai.output.messages'), 'assistant', budget);
  if (current.length > 0) return current;
  const flat = readMessages(unflatten(attributes, 'gen_ai.completion.'), 'assistant', budget);
  if (flat.length > 0) return flat;
  const old = readMessages(
    firstJson(attributes, ['gen_ai.completion', 'gen_ai.content.completion']),
    'assistant',
    budget,
  );
  if (old.length > 0) return old;
  const told = eventMessages(span.events, budget, 'output');
  return told.length > 0 ? told : frameworkMessages(attributes, 'output', budget);
}

export const MESSAGE_EVENT_ROLES: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
  ['gen_ai.choice', 'assistant'],
]);

/** The event that carries a whole call instead of attributes on its span. */
export const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';

/** Message events of OpenTelemetry up to 1.36, and the two content events before them. */
export function eventMessages(
  events: readonly SpanEvent[],
  budget: Budget,
  side: 'input' | 'output',
): Message[] {
  const messages: Message[] = [];
  for (const event of events) {
    const { attributes, name } = event;
    if (name === DETAILS_EVENT) {
      const key = side === 'input' ? 'gen_ai.input.messages' : 'gen_ai.output.messages';
      const instructions =
        side === 'input' ? jsonAttribute(attributes, 'gen_ai.system_instructions') : undefined;
      messages.push(...readMessages(instructions, 'system', budget));
      messages.push(
        ...readMessages(jsonAttribute(attributes, key), side === 'input' ? 'user' : 'assistant', budget),
      );
      continue;
    }
    if (name === 'gen_ai.content.prompt' || name === 'gen_ai.content.completion') {
      if ((name === 'gen_ai.content.prompt') !== (side === 'input')) continue;
      const key = side === 'input' ? 'gen_ai.prompt' : 'gen_ai.completion';
      messages.push(
        ...readMessages(jsonAttribute(attributes, key), side === 'input' ? 'user' : 'assistant', budget),
      );
      continue;
    }
    const role = MESSAGE_EVENT_ROLES.get(name);
    if (role === undefined || (name === 'gen_ai.choice') !== (side === 'output')) continue;
    const whole = firstJson(attributes, ['gen_ai.event.content', 'event_content', 'message']);
    if (whole !== undefined) {
      const finish = textOf(attributes.get('finish_reason'));
      const choice = finish === '' || !isRecord(whole) ? whole : { message: whole, finish_reason: finish };
      messages.push(...readMessages(choice, role, budget));
      continue;
    }
    messages.push(
      ...readMessages(
        {
          role: textOf(attributes.get('role')) || role,
          content: jsonAttribute(attributes, 'content') ?? '',
          tool_calls: jsonAttribute(attributes, 'tool_calls'),
          tool_call_id: textOf(attributes.get('id')) || textOf(attributes.get('tool_call_id')),
          finish_reason: textOf(attributes.get('finish_reason')),
        },
        role,
        budget,
      ),
    );
  }
  return messages;
}

/** A model call may repeat the tool it asks for; that is no execution. */
const isModelSpan = (attributes: AttributeReader): boolean =>
  isModelOperation(canonicalOperation(textOf(attributes.get('gen_ai.operation.name')))) ||
  attributes.has('gen_ai.usage.input_tokens');

export function genAiConversation(span: SpanReader): Conversation {
  const budget = new Budget();
  const { attributes } = span;
  const isTool = canonicalOperation(textOf(attributes.get('gen_ai.operation.name'))) === 'execute_tool';
  const told = isTool ? runByEvents(span.events) : undefined;
  const defined = readTools(toJson(attributes.get('gen_ai.tool.definitions')), budget);
  return {
    input: told === undefined ? genAiInput(span, budget) : [],
    output: told === undefined ? genAiOutput(span, budget) : [],
    tools: defined.length > 0 ? defined : readTools(frameworkTools(attributes), budget),
    toolExecution: isModelSpan(attributes)
      ? undefined
      : (toolExecution(span, budget, GEN_AI_TOOL_KEYS) ??
        (told && {
          callId: textOf(attributes.get('gen_ai.tool.call.id')),
          arguments: budget.text(asText(told.args)),
          result: budget.text(resultText(told.result)),
        })),
    retrievedDocuments: readDocuments(span, budget),
    scores: readScores(span, budget),
  };
}
