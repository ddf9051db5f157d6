import type { PlaygroundMessage, SpanDetail } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { messagesOf, readJson } from './column.ts';

/** A call of a tool and what came of it, from a conversation or a trace. */
export interface RecordedResult {
  readonly name: string;
  /** Its arguments in one text: the same arguments have the same, however they were written. */
  readonly input: string;
  readonly output: string;
}

const inputText = (input: unknown): string =>
  JSON.stringify(typeof input === 'string' ? (readJson(input) ?? input) : input) ?? '';

/** Results of tools in a conversation. */
export function recordedIn(messages: readonly PlaygroundMessage[]): RecordedResult[] {
  const outputs = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.id, message.output] as const] : [])),
  );
  return messages
    .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    .flatMap(({ id, name, input }) => {
      const output = outputs.get(id);
      return output === undefined ? [] : [{ name, input: inputText(input), output }];
    });
}

/** What a tool that ran gave back, or what a later model call was told. */
function recordedBy({ conversation, tool, name }: SpanDetail): RecordedResult[] {
  const { toolExecution } = conversation;
  return toolExecution === undefined
    ? recordedIn(messagesOf(conversation.input))
    : [
        {
          name: tool ?? name,
          input: inputText(toolExecution.arguments),
          output: toolExecution.result,
        },
      ];
}

/** The result of the same call; else the newest of the tool, with the arguments that it had. */
export function resultFor(
  recorded: readonly RecordedResult[],
  call: { readonly name: string; readonly input: unknown },
): { readonly output: string; readonly of: string | undefined } | undefined {
  const input = inputText(call.input);
  const ofTool = recorded.filter(({ name }) => name === call.name);
  const same = ofTool.findLast((one) => one.input === input);
  if (same !== undefined) return { output: same.output, of: undefined };
  const newest = ofTool.at(-1);
  return newest && { output: newest.output, of: newest.input };
}

/** Spans of the trace that are looked into for results. */
const MOST_SPANS = 12;
const DAY_MS = 86_400_000;

/** What came of the calls that a model call made: the tools that its trace ran next, and what models were told of them. */
export const recordedQuery = (span: SpanDetail | undefined) =>
  queryOptions({
    queryKey: ['recorded-results', span?.traceId, span?.spanId],
    enabled:
      span?.conversation.output.some(({ parts }) => parts.some(({ type }) => type === 'tool_call')) === true,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<RecordedResult[]> => {
      if (span === undefined) return [];
      const { traceId } = span;
      const from = Math.floor(Date.parse(span.startTime));
      const { data } = await call('searchSpans', {
        signal,
        body: {
          from,
          to: from + DAY_MS,
          filter: {
            and: [
              { field: 'trace_id', op: '=', value: traceId },
              {
                or: [
                  { field: 'tool', op: 'exists' },
                  { field: 'model', op: 'exists' },
                ],
              },
            ],
          },
          sort: 'start',
          limit: MOST_SPANS + 1,
        },
      });
      const later = data.filter(({ spanId }) => spanId !== span.spanId).slice(0, MOST_SPANS);
      const read = await Promise.all(
        later.map(({ spanId }) => call('getSpan', { params: { traceId, spanId }, query: {}, signal })),
      );
      return read.flatMap(({ data: one }) => recordedBy(one));
    },
  });
