/** Conversation of Langfuse: `langfuse.observation.input` and `.output`, whose meaning follows the observation type. */
import { textOf } from '../facts/values.ts';
import type { Conversation, SpanReader } from '../types.ts';
import { jsonAttribute } from './attribute-json.ts';
import { Budget, isRecord, member } from './builder.ts';
import { documentsOf, readScores, toolExecution } from './extras.ts';
import { genAiInput, genAiOutput } from './gen-ai.ts';
import { readMessages } from './messages.ts';
import { apartFromTools, readTools } from './tools.ts';

const INPUT = 'langfuse.observation.input';
const OUTPUT = 'langfuse.observation.output';

export function langfuseConversation(span: SpanReader): Conversation {
  const budget = new Budget();
  const { attributes } = span;
  const kind = textOf(attributes.get('langfuse.observation.type')).toLowerCase();
  const isTool = kind === 'tool';
  const request = isTool ? undefined : jsonAttribute(attributes, INPUT);
  const response = isTool ? undefined : jsonAttribute(attributes, OUTPUT);
  const apart = apartFromTools(request);
  const input = readMessages(apart.messages, 'user', budget);
  const output = readMessages(response, 'assistant', budget);
  return {
    input: input.length > 0 || isTool ? input : genAiInput(span, budget),
    output: output.length > 0 || isTool ? output : genAiOutput(span, budget),
    tools: readTools(isRecord(request) ? (member(request, 'tools') ?? apart.tools) : apart.tools, budget),
    toolExecution: isTool
      ? toolExecution(span, budget, { id: ['gen_ai.tool.call.id'], args: [INPUT], result: [OUTPUT] })
      : undefined,
    retrievedDocuments: kind === 'retriever' ? documentsOf(response, budget) : [],
    scores: readScores(span, budget),
  };
}
