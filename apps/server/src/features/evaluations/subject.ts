import type { SpanDetail } from '@candela/contract';
import type { Subject } from './kinds/index.ts';

/** Texts that one judge call takes for true. */
const MOST_CONTEXTS = 20;

type Message = SpanDetail['conversation']['input'][number];

/** The words of messages, a role before each where there are several. */
function textOf(messages: readonly Message[]): string {
  const texts = messages.map(({ role, parts }) => {
    const said = parts.map((part) => {
      switch (part.type) {
        case 'text':
        case 'refusal':
          return part.text;
        case 'tool_call':
          return `[calls ${part.name}(${part.arguments})]`;
        case 'tool_result':
          return `[${part.name} answered: ${part.result}]`;
        case 'json':
          return part.json;
        default:
          return '';
      }
    });
    return { role, text: said.filter((text) => text !== '').join('\n') };
  });
  const told = texts.filter(({ text }) => text !== '');
  return told.length === 1
    ? (told[0]?.text ?? '')
    : told.map(({ role, text }) => `${role}: ${text}`).join('\n\n');
}

/** Why a span is not judged; undefined: it can be. */
export function unjudgeable(span: SpanDetail): string | undefined {
  if (span.attributes.some(({ key }) => key === 'platform.feature'))
    return "The platform's own call is never judged.";
  const { input, output } = span.conversation;
  if (input.length === 0 && output.length === 0)
    return 'The span has no messages: its content was not captured.';
  if (output.length === 0) return 'The span has no answer.';
  return undefined;
}

/** A span as evaluators see it. @param given contexts that rules return for it */
export function subjectOf(span: SpanDetail, given: readonly string[] = []): Subject {
  const { input, output, retrievedDocuments } = span.conversation;
  const usage = span.usage;
  return {
    input: textOf(input),
    output: textOf(output),
    contexts: [...given, ...retrievedDocuments.map(({ content }) => content)].slice(0, MOST_CONTEXTS),
    durationMs: span.unfinished ? undefined : span.durationMs,
    costUsd: span.costUsd ?? undefined,
    inputTokens: usage === null ? undefined : usage.input + usage.cacheRead + usage.cacheWrite,
    outputTokens: usage === null ? undefined : usage.output + usage.reasoning,
    failed: span.status === 'error',
    errorType: span.errorType ?? undefined,
    toolCalls: output.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool_call' ? [{ name: part.name, arguments: part.arguments }] : [],
      ),
    ),
  };
}
