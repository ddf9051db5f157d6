import { printedQuery } from '../pages/metric-query.ts';
import { NARROW, ROWS, type ShotGroup } from './shot.ts';

const CHART = '[data-testid=time-chart]';
const explore = (queries: Record<string, string>, more = '') =>
  `/metrics/explore?${new URLSearchParams(queries).toString()}${more}`;

export const metricsShots: ShotGroup = {
  shots: [
    { name: 'metrics-first', path: '/metrics', ready: 'text=Send the first metric', empty: true },
    { name: 'metrics', path: '/metrics', ready: ROWS },
    { name: 'metrics-search', path: '/metrics?q=gen_ai+duration', ready: ROWS },
    { name: 'metrics-narrow', path: '/metrics', ready: ROWS, size: NARROW },
    { name: 'metrics-explore-empty', path: '/metrics/explore', ready: 'text=All metrics' },
    {
      name: 'metrics-explore-rate',
      path: explore({ a: printedQuery('shop.orders.placed') }),
      ready: CHART,
    },
    {
      name: 'metrics-explore-quantiles',
      path: explore(
        {
          a: printedQuery('gen_ai.client.operation.duration', {
            agg: 'p95',
            by: 'attributes.gen_ai.request.model',
          }),
        },
        '&heat=1&before=1',
      ),
      ready: '[data-testid=heatmap]',
    },
    {
      name: 'metrics-explore-several',
      path: explore({
        a: printedQuery('http.server.request.duration', { agg: 'p99', by: 'service' }),
        b: printedQuery('db.client.operation.duration', { agg: 'p99' }),
        c: printedQuery('app.active_requests', { by: 'service' }),
      }),
      ready: CHART,
    },
    {
      name: 'metrics-explore-labels',
      path: explore({ a: printedQuery('http.server.request.duration') }),
      ready: CHART,
      act: async (page) => {
        await page.getByRole('button', { name: 'Group A by' }).click();
        await page.waitForTimeout(500);
      },
    },
  ],
};
