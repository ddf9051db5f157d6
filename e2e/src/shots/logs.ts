import { NARROW, ROWS, type ShotGroup } from './shot.ts';

export const logsShots: ShotGroup = {
  shots: [
    { name: 'logs-first', path: '/logs', ready: 'text=Send the first log record', empty: true },
    { name: 'logs', path: '/logs', ready: ROWS },
    {
      name: 'logs-record',
      path: '/logs?q=severity>=error',
      ready: ROWS,
      act: async (page) => {
        await page.keyboard.press('j');
        await page.keyboard.press('Enter');
        await page.getByTestId('log-panel').waitFor();
        await page.waitForTimeout(600);
      },
    },
    {
      name: 'logs-context',
      path: '/logs?q=severity:warn',
      ready: ROWS,
      act: async (page) => {
        await page.locator(ROWS).nth(1).click();
        await page.getByRole('tab', { name: 'Context' }).click();
        await page.getByRole('list', { name: 'Lines around the record' }).waitFor();
      },
    },
    { name: 'logs-wrap', path: '/logs?wrap=1&q=severity>=warn', ready: ROWS },
    {
      name: 'logs-genai',
      path: '/logs?q=event:gen_ai.*',
      ready: ROWS,
      act: async (page) => {
        await page.locator(ROWS).first().click();
        await page.getByTestId('log-panel').waitFor();
        await page.waitForTimeout(600);
      },
    },
    { name: 'logs-narrow', path: '/logs', ready: ROWS, size: NARROW },
  ],
};
