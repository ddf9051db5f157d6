import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool, filterInput, listed, pageOf, windowInput } from './tool.ts';

export const listExceptions = defineTool({
  id: 'list_exceptions',
  title: 'List exceptions',
  about: 'Exceptions grouped by type and message, with counts and trend, latest first.',
  input: z.object({
    q: filterInput,
    ...windowInput,
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(1_024).optional(),
  }),
  routes: ['searchExceptions'],
  effect: 'read',
  async run(call, input) {
    const { q, from, to } = input;
    const answer = listed(await call('searchExceptions', { body: defined(input) }));
    return { ...answer, page: pageOf('/exceptions', { q, from, to }) };
  },
});
