import { LOG_MEASURES, MEASURES, EVENT_KINDS } from '@candela/contract';
import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool, filterInput, listed, pageOf, windowInput } from './tool.ts';

export const aggregate = defineTool({
  id: 'aggregate',
  title: 'Count and measure',
  about: `Figures of spans or logs, by time and up to three fields. Measures of logs: ${LOG_MEASURES.join(', ')}. Tokens and cost count once.`,
  input: z.object({
    signal: z.enum(EVENT_KINDS).default('spans'),
    q: filterInput,
    ...windowInput,
    measures: z.array(z.enum(MEASURES)).min(1).max(10),
    groupBy: z.array(z.string().max(300)).max(3).optional().describe('service, model, attributes.<key>'),
    bucketSeconds: z.int().min(1).optional().describe('by time'),
    limit: z.int().min(1).max(100).optional(),
  }),
  routes: ['aggregate'],
  effect: 'read',
  async run(call, input) {
    const { q, from, to, signal } = input;
    const answer = listed(await call('aggregate', { body: defined(input) }));
    return { ...answer, page: pageOf(signal === 'logs' ? '/logs' : '/traces', { q, from, to }) };
  },
});
