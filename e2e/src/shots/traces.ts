import { NARROW, ROWS, type ShotGroup } from './shot.ts';

export const tracesShots: ShotGroup = {
  seed: async (stage) => {
    const views = [
      { name: 'Failed checkouts', search: '?q=service%3Acheckout+status%3Aerror' },
      { name: 'Slow model calls', search: '?view=spans&q=model%3A*+duration%3E5s&sort=-duration' },
      { name: 'Cost of the week', search: '?from=-7d&sort=-cost' },
    ];
    for (const view of views) {
      const response = await fetch(`${stage.platform.http}/api/telemetry/views`, {
        method: 'POST',
        body: JSON.stringify({ page: 'traces', ...view }),
      });
      await response.body?.cancel();
    }
  },
  shots: [
    { name: 'first-run', path: '/', ready: 'text=Send the first trace', empty: true },
    { name: 'traces-first', path: '/traces', ready: 'text=Send the first trace', empty: true },
    { name: 'traces', path: '/traces', ready: ROWS },
    {
      name: 'traces-live',
      path: '/traces?view=spans',
      ready: ROWS,
      act: async (page) => {
        await page.keyboard.press('l');
        await page.waitForTimeout(1_000);
      },
    },
    { name: 'traces-filtered', path: '/traces?q=service:support-agent+status:error', ready: ROWS },
    { name: 'traces-spans', path: '/traces?view=spans&q=model:*', ready: ROWS },
    {
      name: 'traces-facets',
      path: '/traces?facets=resource.host.name,attributes.gen_ai.request.model,user',
      ready: ROWS,
      act: async (page) => {
        await page.getByRole('button', { name: 'Add facet' }).click();
        await page.getByRole('searchbox', { name: 'Find a field' }).fill('http');
        await page.getByRole('button', { name: 'attributes.http.route' }).waitFor();
      },
    },
    { name: 'traces-wide', path: '/traces', ready: ROWS, size: { width: 1920, height: 1080 } },
    { name: 'traces-narrow', path: '/traces', ready: ROWS, size: NARROW },
    {
      name: 'traces-completion',
      path: '/traces',
      ready: ROWS,
      act: async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('status:error model:');
        await page.waitForTimeout(800);
      },
    },
    {
      name: 'traces-differs',
      path: '/traces?diff=status:error',
      ready: 'aside section h3',
    },
    {
      name: 'traces-differs-narrow',
      path: '/traces?diff=status:error',
      ready: 'aside section h3',
      size: NARROW,
    },
    { name: 'traces-compared', path: '/traces?from=-6h&compare=1', ready: ROWS },
    {
      name: 'traces-duration',
      path: '/traces?view=spans&chart=duration&diff=duration%3E%3D5s',
      ready: 'aside section h3',
    },
    {
      name: 'traces-views',
      path: '/traces',
      ready: ROWS,
      act: (page) => page.getByRole('button', { name: 'Views' }).click(),
    },
    {
      name: 'traces-export',
      path: '/traces?view=spans',
      ready: ROWS,
      act: (page) => page.getByRole('button', { name: 'Export', exact: true }).click(),
    },
    {
      name: 'traces-query',
      path: '/traces?q=status:error',
      ready: ROWS,
      act: (page) => page.getByRole('button', { name: 'Open Traces as query' }).click(),
    },
    {
      name: 'traces-pointed',
      path: '/traces',
      ready: ROWS,
      act: (page) => page.getByTestId('time-chart').hover(),
    },
    { name: 'traces-trouble', path: '/traces?q=duration>2x+status:error', ready: '[role=alert]' },
    { name: 'traces-nothing', path: '/traces?q=service:nobody', ready: 'text=Nothing matches' },
  ],
};
