import { EVENT_KINDS } from '@candela/contract';
import { z } from 'zod';
import { defineTool, listed, windowInput } from './tool.ts';

export const describe = defineTool({
  id: 'describe',
  title: 'Describe the data',
  about:
    'Call it first. What there is: tables (for run_sql), fields (of filters and groupBy), values (of one field), metrics. Filters (q): service:checkout model:gpt-4o status:error duration>2s attributes.http.route:/chat, or words.',
  input: z.object({
    what: z.enum(['tables', 'fields', 'values', 'metrics']),
    signal: z.enum(EVENT_KINDS).optional(),
    field: z.string().max(300).optional().describe('of values'),
    prefix: z.string().max(300).optional(),
    ...windowInput,
  }),
  routes: ['describeSql', 'listFields', 'listFieldValues', 'listMetrics'],
  effect: 'read',
  async run(call, { what, signal, field, prefix, from, to }) {
    const window = { from, to };
    if (what === 'tables') return listed(await call('describeSql'));
    if (what === 'metrics') return listed(await call('listMetrics', { query: { ...window, q: prefix } }));
    if (what === 'fields') return listed(await call('listFields', { query: { ...window, signal, prefix } }));
    return listed(await call('listFieldValues', { query: { ...window, signal, prefix, field } }));
  },
});
