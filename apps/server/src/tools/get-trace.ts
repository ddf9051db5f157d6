import { z } from 'zod';
import { defineTool, pageOf } from './tool.ts';

interface Span {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly [field: string]: unknown;
}

export const getTrace = defineTool({
  id: 'get_trace',
  title: 'Get a trace',
  about:
    'A trace: an outline of its spans (id, parent, name, service, status, duration, model), or with spans=true all their fields.',
  input: z.object({
    traceId: z.string().max(32),
    spans: z.boolean().default(false),
    cursor: z.string().max(1_024).optional(),
  }),
  routes: ['getTrace'],
  effect: 'read',
  async run(call, { traceId, spans, cursor }) {
    const answer = await call('getTrace', {
      params: { traceId },
      query: { limit: spans ? 100 : 1_000, cursor },
    });
    const { data, nextCursor } = answer as {
      readonly data: { readonly spans: readonly Span[] };
      readonly nextCursor: string | null;
    };
    const shown = spans ? data : { ...data, spans: data.spans.map(outline) };
    return { data: shown, nextCursor, page: pageOf(`/traces/${encodeURIComponent(traceId)}`) };
  },
});

const OUTLINE = [
  'spanId',
  'parentSpanId',
  'name',
  'service',
  'status',
  'startTime',
  'durationMs',
  'model',
  'costUsd',
];

const outline = (span: Span): Record<string, unknown> =>
  Object.fromEntries(OUTLINE.flatMap((field) => (span[field] === undefined ? [] : [[field, span[field]]])));
