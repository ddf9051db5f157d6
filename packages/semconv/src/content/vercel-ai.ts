/** Conversation of the Vercel AI SDK up to 5: `ai.prompt*`, `ai.response.*`, `ai.toolCall.*`. */
import { textOf } from '../facts/values.ts';
import type { Conversation, Message, MessagePart, SpanReader } from '../types.ts';
import { jsonAttribute, toJson } from './attribute-json.ts';
import { Budget, textPart } from './builder.ts';
import { readScores, toolExecution } from './extras.ts';
import { genAiInput, genAiOutput } from './gen-ai.ts';
import { readMessages } from './messages.ts';
import { readParts } from './parts.ts';
import { canonicalFinishReason } from '../facts/operation.ts';
import { readTools } from './tools.ts';

const INPUT_KEYS = ['ai.prompt.messages', 'ai.prompt', 'ai.value', 'ai.values'];

export function vercelConversation(span: SpanReader): Conversation {
  const budget = new Budget();
  const { attributes } = span;
  let input: Message[] = [];
  for (const key of INPUT_KEYS) {
    if (input.length === 0) input = readMessages(embedded(jsonAttribute(attributes, key)), 'user', budget);
  }
  if (input.length === 0) input = genAiInput(span, budget);
  const answer = output(span, budget);
  return {
    input,
    output: answer.length > 0 ? answer : genAiOutput(span, budget),
    tools: readTools(toJson(attributes.get('ai.prompt.tools')), budget),
    toolExecution: toolExecution(span, budget, {
      id: ['ai.toolCall.id'],
      args: ['ai.toolCall.args', 'ai.toolCall.input'],
      result: ['ai.toolCall.result', 'ai.toolCall.output'],
    }),
    retrievedDocuments: [],
    scores: readScores(span, budget),
  };
}

/** `ai.values` is a list of JSON texts: each one input of an embedding. */
function embedded(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => {
    if (typeof item !== 'string' || !item.startsWith('"')) return item;
    try {
      return JSON.parse(item) as unknown;
    } catch {
      return item;
    }
  });
}

function output(span: SpanReader, budget: Budget): Message[] {
  const { attributes } = span;
  const parts: MessagePart[] = [];
  const reasoning = textPartOf(attributes.get('ai.response.reasoning'));
  if (reasoning !== '') parts.push({ type: 'reasoning', text: budget.text(reasoning) });
  const text = textPartOf(attributes.get('ai.response.text')) || textPartOf(attributes.get('ai.result.text'));
  if (text !== '') parts.push(textPart(budget, text));
  for (const key of ['ai.response.object', 'ai.result.object']) {
    const object = textPartOf(attributes.get(key));
    if (object !== '') {
      parts.push({ type: 'json', json: budget.text(object) });
      break;
    }
  }
  for (const key of ['ai.response.files', 'ai.response.toolCalls'])
    parts.push(...readParts(jsonAttribute(attributes, key), budget));
  if (parts.length === 0) return [];
  const reason = canonicalFinishReason(textOf(attributes.get('ai.response.finishReason')));
  return [{ role: 'assistant', ...(reason === '' ? {} : { finishReason: reason }), parts }];
}

const textPartOf = (value: unknown): string => (typeof value === 'string' ? value : '');
