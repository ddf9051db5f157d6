/** Conversation of conventions that keep input and output of a span whole, one attribute each. */
import type { Conversation, SpanReader } from '../types.ts';
import { firstJson, jsonAttribute, toJson } from './attribute-json.ts';
import { Budget, isRecord, member } from './builder.ts';
import { documentsOf, readDocuments, readScores, toolExecution } from './extras.ts';
import { genAiInput, genAiOutput } from './gen-ai.ts';
import { readMessages } from './messages.ts';
import { apartFromTools, readTools } from './tools.ts';

interface WholeKeys {
  readonly isTool: boolean;
  readonly isRetriever?: boolean;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly id: readonly string[];
  /** Where the tools are, if not in the request or in OpenTelemetry's own attribute. */
  readonly tools?: string;
  /** Messages of `gen_ai.*` are the better ones where both are there. */
  readonly standardFirst?: true;
}

export function wholeConversation(span: SpanReader, keys: WholeKeys): Conversation {
  const budget = new Budget();
  const { attributes } = span;
  const request = keys.isTool ? undefined : firstJson(attributes, keys.input);
  const apart = apartFromTools(request);
  const side = (
    read: unknown,
    role: string,
    standard: (span: SpanReader, budget: Budget) => Conversation['input'],
  ): Conversation['input'] => {
    if (keys.isTool) return [];
    const own = (): Conversation['input'] => readMessages(read, role, budget);
    const [first, second] =
      keys.standardFirst === true ? [() => standard(span, budget), own] : [own, () => standard(span, budget)];
    const messages = first();
    return messages.length > 0 ? messages : second();
  };
  const named = keys.tools === undefined ? undefined : jsonAttribute(attributes, keys.tools);
  return {
    input: side(apart.messages, 'user', genAiInput),
    output: side(keys.isTool ? undefined : firstJson(attributes, keys.output), 'assistant', genAiOutput),
    tools: readTools(
      named ??
        toJson(attributes.get('gen_ai.tool.definitions')) ??
        (isRecord(request) ? member(request, 'tools') : undefined) ??
        apart.tools,
      budget,
    ),
    toolExecution: keys.isTool
      ? toolExecution(span, budget, {
          id: keys.id,
          args: ['gen_ai.tool.call.arguments', ...keys.input],
          result: ['gen_ai.tool.call.result', ...keys.output],
        })
      : undefined,
    retrievedDocuments:
      keys.isRetriever === true
        ? documentsOf(jsonAttribute(attributes, keys.output[0] ?? ''), budget)
        : readDocuments(span, budget),
    scores: readScores(span, budget),
  };
}
