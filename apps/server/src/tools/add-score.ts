import { SCORE_LIMITS } from '@candela/contract';
import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool, pageOf } from './tool.ts';

export const addScore = defineTool({
  id: 'add_score',
  title: 'Add a score',
  about: 'Of a trace, span or session: a value or a label.',
  input: z.object({
    name: z.string().min(1).max(SCORE_LIMITS.name),
    value: z.union([z.number(), z.boolean()]).optional(),
    label: z.string().max(SCORE_LIMITS.label).optional(),
    comment: z.string().max(SCORE_LIMITS.comment).optional(),
    verdict: z.enum(['pass', 'fail']).optional(),
    traceId: z.string().max(32).optional(),
    spanId: z.string().max(16).optional(),
    sessionId: z.string().max(512).optional(),
  }),
  routes: ['addScore'],
  effect: 'create',
  card: ({ name, value, label }) => ({ title: `Add the score "${name}": ${String(value ?? label ?? '')}` }),
  async run(call, input) {
    // Whose judgement it is: what an agent says is not the word of a user.
    const body = defined({ ...input, source: 'api' });
    const { data } = (await call('addScore', { body })) as { readonly data: { readonly id: string } };
    const { traceId, spanId, sessionId, name } = input;
    const page =
      traceId === undefined
        ? `/sessions/${encodeURIComponent(sessionId ?? '')}`
        : pageOf(`/traces/${encodeURIComponent(traceId)}`, { span: spanId });
    return { data: { id: data.id }, page, note: `Added the score "${name}".` };
  },
});
