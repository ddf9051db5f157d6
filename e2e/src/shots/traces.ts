import { NARROW, ROWS, type ShotGroup } from './shot.ts';

export const tracesShots: ShotGroup = {
  shots: [
    { name: 'first-run', path: '/', ready: 'text=Send the first trace', empty: true },
    { name: 'traces', path: '/traces', ready: ROWS },
    { name: 'traces-filtered', path: '/traces?q=service:support-agent+status:error', ready: ROWS },
    { name: 'traces-spans', path: '/traces?view=spans&q=model:*', ready: ROWS },
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
    { name: 'traces-trouble', path: '/traces?q=duration>2x+status:error', ready: '[role=alert]' },
    { name: 'traces-nothing', path: '/traces?q=service:nobody', ready: 'text=Nothing matches' },
  ],
};
