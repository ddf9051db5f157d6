/** Conversation of OpenLLMetry: `gen_ai.*` in either form on model calls, `traceloop.entity.*` on workflows and tools. */
import { textOf } from '../facts/values.ts';
import type { Conversation, SpanReader } from '../types.ts';
import { jsonAttribute, toJson, unflatten } from './attribute-json.ts';
import { Budget, isRecord, member } from './builder.ts';
import { readDocuments, readScores, toolExecution } from './extras.ts';
import { GEN_AI_TOOL_KEYS, genAiInput, genAiOutput } from './gen-ai.ts';
import { readMessages } from './messages.ts';
import { readTools } from './tools.ts';

const ENTITY = {
  id: GEN_AI_TOOL_KEYS.id,
  args: ['traceloop.entity.input'],
  result: ['traceloop.entity.output'],
};

export function traceloopConversation(span: SpanReader): Conversation {
  const budget = new Budget();
  const { attributes } = span;
  const isTool = textOf(attributes.get('traceloop.span.kind')) === 'tool';
  let input = genAiInput(span, budget);
  if (input.length === 0) input = readMessages(unflatten(attributes, 'llm.prompts.'), 'user', budget);
  if (input.length === 0 && !isTool)
    input = readMessages(callArguments(jsonAttribute(attributes, 'traceloop.entity.input')), 'user', budget);
  let output = genAiOutput(span, budget);
  if (output.length === 0)
    output = readMessages(unflatten(attributes, 'llm.completions.'), 'assistant', budget);
  if (output.length === 0 && !isTool)
    output = readMessages(jsonAttribute(attributes, 'traceloop.entity.output'), 'assistant', budget);
  const defined = readTools(toJson(attributes.get('gen_ai.tool.definitions')), budget);
  return {
    input,
    output,
    tools: defined.length > 0 ? defined : readTools(unflatten(attributes, 'llm.request.functions.'), budget),
    toolExecution: isTool
      ? (toolExecution(span, budget, GEN_AI_TOOL_KEYS) ?? toolExecution(span, budget, ENTITY, callArguments))
      : undefined,
    retrievedDocuments: readDocuments(span, budget),
    scores: readScores(span, budget),
  };
}

/** `{args, kwargs}` of the traced function: what it was called with; undefined for a call without arguments. */
function callArguments(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const args = member(value, 'args');
  const kwargs = member(value, 'kwargs');
  if (!Array.isArray(args) || Object.keys(value).length > 2) return value;
  const named = isRecord(kwargs) && Object.keys(kwargs).length > 0;
  if (args.length === 0) return named ? kwargs : undefined;
  if (named) return value;
  return args.length === 1 ? args[0] : args;
}
