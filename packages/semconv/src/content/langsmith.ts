/** Conversation of LangSmith: `gen_ai.prompt` holds the whole request, `gen_ai.completion` the whole response. */
import { textOf } from '../facts/values.ts';
import type { Conversation, SpanReader } from '../types.ts';
import { firstJson } from './attribute-json.ts';
import { Budget, isRecord, member } from './builder.ts';
import { documentsOf, readScores, toolExecution } from './extras.ts';
import { genAiInput, genAiOutput } from './gen-ai.ts';
import { readMessages } from './messages.ts';
import { apartFromTools, readTools } from './tools.ts';

const REQUEST = ['gen_ai.prompt', 'langsmith.inputs', 'input.value'];
const RESPONSE = ['gen_ai.completion', 'langsmith.outputs', 'output.value'];

export function langsmithConversation(span: SpanReader): Conversation {
  const budget = new Budget();
  const { attributes } = span;
  const kind = textOf(attributes.get('langsmith.span.kind')).toLowerCase();
  const isTool = kind === 'tool';
  const request = isTool ? undefined : firstJson(attributes, REQUEST);
  const response = isTool ? undefined : firstJson(attributes, RESPONSE);
  const apart = apartFromTools(request);
  const input = readMessages(apart.messages, 'user', budget);
  const output = readMessages(response, 'assistant', budget);
  const extra = isRecord(request) ? member(request, 'invocation_params') : undefined;
  return {
    input: input.length > 0 || isTool ? input : genAiInput(span, budget),
    output: output.length > 0 || isTool ? output : genAiOutput(span, budget),
    tools: readTools(
      isRecord(request)
        ? (member(request, 'tools') ?? (isRecord(extra) ? member(extra, 'tools') : undefined) ?? apart.tools)
        : apart.tools,
      budget,
    ),
    toolExecution: isTool
      ? toolExecution(
          span,
          budget,
          {
            id: ['gen_ai.tool.call.id'],
            args: ['gen_ai.tool.call.arguments', ...REQUEST],
            result: ['gen_ai.tool.call.result', ...RESPONSE],
          },
          onlyMember,
        )
      : undefined,
    retrievedDocuments: kind === 'retriever' ? documentsOf(response, budget) : [],
    scores: readScores(span, budget),
  };
}

/** A function's plain result comes as `{"outputs": result}`, its plain argument as `{"input": argument}`. */
function onlyMember(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const keys = Object.keys(value);
  const key = keys[0];
  return keys.length === 1 && (key === 'outputs' || key === 'output' || key === 'input') ? value[key] : value;
}
