import { PHONE, type ShotGroup } from './shot.ts';

const READY = '[aria-label="Calls by model"] svg';

export const boardShots: ShotGroup = {
  shots: [
    { name: 'boards', path: '/boards', ready: 'text=Coding agents' },
    { name: 'board-llm', path: '/boards/seed:llm', ready: READY, size: { width: 1440, height: 1500 } },
    { name: 'board-llm-phone', path: '/boards/seed:llm', ready: READY, size: PHONE },
    { name: 'board-cost', path: '/boards/seed:cost', ready: '[aria-label="Cost by model"] svg' },
  ],
};

/** The editor needs somebody who may save. */
export const ownedBoardShots: ShotGroup = {
  owned: true,
  shots: [
    {
      name: 'board-edit',
      path: '/boards/seed:cost',
      ready: 'text=Duplicate to edit',
      act: async (page) => {
        await page.getByRole('button', { name: 'Duplicate to edit' }).click();
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        await page.getByRole('button', { name: 'Add widget' }).click();
        await page.getByRole('region', { name: 'Preview' }).waitFor();
      },
    },
    {
      name: 'board-edit-phone',
      path: '/boards/seed:cost',
      ready: 'text=Duplicate to edit',
      act: async (page) => {
        await page.getByRole('button', { name: 'Duplicate to edit' }).click();
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        await page.getByRole('button', { name: 'Add widget' }).click();
        await page.getByRole('region', { name: 'Preview' }).waitFor();
      },
      size: PHONE,
    },
    {
      name: 'board-import',
      path: '/boards',
      ready: 'text=Coding agents',
      act: async (page) => {
        await page.getByRole('button', { name: 'Import' }).click();
        await page.getByLabel('JSON').fill(
          JSON.stringify({
            title: 'Inference',
            panels: [
              { type: 'timeseries', title: 'Requests', targets: [{ expr: 'rate(requests_total[5m])' }] },
              { type: 'stat', title: 'Forecast', targets: [{ expr: 'predict_linear(a[1h], 3600)' }] },
              { type: 'text', title: '<b>Read me</b>', options: { content: '# Hello' } },
            ].map((panel, at) => ({ ...panel, gridPos: { x: 0, y: at * 8, w: 24, h: 8 } })),
          }),
        );
        await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByText(/widgets were taken/).waitFor();
      },
    },
  ],
};
