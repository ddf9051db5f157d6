import { z } from 'zod';
import { defineTool, filterInput, listed, pageOf, windowInput } from './tool.ts';

const ROUTE = { traces: 'searchTraces', spans: 'searchSpans', logs: 'searchLogs' } as const;

export const search = defineTool({
  id: 'search',
  title: 'Search traces, spans or logs',
  about: 'Records that match a filter, newest first.',
  input: z.object({
    signal: z.enum(['traces', 'spans', 'logs']),
    q: filterInput,
    ...windowInput,
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(1_024).optional().describe('nextCursor of the answer before'),
  }),
  routes: Object.values(ROUTE),
  effect: 'read',
  async run(call, { signal, ...body }) {
    const answer = listed(await call(ROUTE[signal], { body: defined(body) }));
    const { q, from, to } = body;
    const page = pageOf(signal === 'logs' ? '/logs' : '/traces', { q, from, to });
    return { ...answer, page };
  },
});

/** Strict bodies take no fields without a value. */
export const defined = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
