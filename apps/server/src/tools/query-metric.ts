import { METRIC_AGGREGATIONS } from '@candela/contract';
import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool, filterInput, listed, pageOf, windowInput } from './tool.ts';

export const queryMetric = defineTool({
  id: 'query_metric',
  title: 'Query a metric',
  about:
    'A metric over time: rates of counters, quantiles of histograms, by label. describe(metrics) lists names.',
  input: z.object({
    name: z.string().max(300),
    q: filterInput,
    ...windowInput,
    aggregation: z.enum(METRIC_AGGREGATIONS).optional(),
    groupBy: z.array(z.string().max(300)).max(3).optional(),
  }),
  routes: ['queryMetric'],
  effect: 'read',
  async run(call, { name, ...rest }) {
    const answer = listed(await call('queryMetric', { body: defined({ metric: name, ...rest }) }));
    const { q, from, to, aggregation, groupBy = [] } = rest;
    // As the page writes a query of its own.
    const query = new URLSearchParams({ metric: name });
    if (aggregation !== undefined) query.set('agg', aggregation);
    for (const label of groupBy) query.append('by', label);
    if (q !== undefined) query.set('q', q);
    return { ...answer, page: pageOf('/metrics/explore', { a: query, from, to }) };
  },
});
