/** Conversation of OpenInference: flattened `llm.*_messages.N.message.*`, else `input.value` and `output.value`. */
import { textOf } from '../facts/values.ts';
import type { Conversation } from '../types.ts';
import type { SpanReader } from '../types.ts';
import { jsonAttribute, unflatten } from './attribute-json.ts';
import { Budget } from './builder.ts';
import { documentsOf, readDocuments, readScores, toolExecution } from './extras.ts';
import { genAiInput, genAiOutput } from './gen-ai.ts';
import { readMessages } from './messages.ts';
import { apartFromTools, readTools } from './tools.ts';

export function openInferenceConversation(span: SpanReader): Conversation {
  const budget = new Budget();
  const { attributes } = span;
  const kind = textOf(attributes.get('openinference.span.kind')).toUpperCase();
  const isTool = kind === 'TOOL';
  const choose = (
    flat: string,
    texts: string,
    whole: string,
    role: string,
    other: () => Conversation['input'],
  ): Conversation['input'] => {
    const messages = readMessages(unflatten(attributes, flat), role, budget);
    if (messages.length > 0) return messages;
    const standard = other();
    if (standard.length > 0) return standard;
    const completed = readMessages(unflatten(attributes, texts), role, budget);
    if (completed.length > 0) return completed;
    return readMessages(apartFromTools(jsonAttribute(attributes, whole)).messages, role, budget);
  };
  const documents = readDocuments(span, budget);
  const defined = readTools(unflatten(attributes, 'llm.tools.'), budget);
  return {
    input: isTool
      ? []
      : choose('llm.input_messages.', 'llm.prompts.', 'input.value', 'user', () => genAiInput(span, budget)),
    output: isTool
      ? []
      : choose('llm.output_messages.', 'llm.choices.', 'output.value', 'assistant', () =>
          genAiOutput(span, budget),
        ),
    tools:
      defined.length > 0
        ? defined
        : readTools(apartFromTools(jsonAttribute(attributes, 'input.value')).tools, budget),
    toolExecution: isTool
      ? toolExecution(span, budget, {
          id: ['tool_call.id', 'gen_ai.tool.call.id'],
          args: ['input.value', 'tool.parameters', 'tool_call.function.arguments'],
          result: ['output.value'],
        })
      : undefined,
    retrievedDocuments:
      documents.length > 0 || kind !== 'RETRIEVER'
        ? documents
        : documentsOf(jsonAttribute(attributes, 'output.value'), budget),
    scores: readScores(span, budget),
  };
}
