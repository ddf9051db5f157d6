import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool } from './tool.ts';

export const createAlert = defineTool({
  id: 'create_alert',
  title: 'Create an alert',
  about:
    'source: {kind: threshold|change (percent), query: {kind: aggregate, body: {measures: [one], groupBy?, q?}}, windowSeconds?, condition: {op: >|<, value}}, {kind: budget, scope: project|user|model, limitUsd}, {kind: exception} or {kind: ingest_stopped}.',
  input: z.object({
    name: z.string().max(120),
    source: z.record(z.string().max(40), z.unknown()),
    severity: z.enum(['info', 'warning', 'critical']).optional(),
    forSeconds: z.int().min(0).optional(),
    destinations: z.array(z.string().max(64)).max(10).optional().describe('ids of list destinations'),
  }),
  routes: ['createAlert'],
  effect: 'create',
  card: ({ name }) => ({ title: `Create the alert "${name}"` }),
  async run(call, input) {
    const { data } = (await call('createAlert', { body: defined(input) })) as {
      readonly data: { readonly id: string; readonly name: string; readonly status: string };
    };
    const { id, name, status } = data;
    return {
      data: { id, name, status },
      page: `/alerts/${encodeURIComponent(id)}`,
      note: `Created the alert "${name}".`,
    };
  },
});
