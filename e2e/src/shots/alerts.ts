import { PHONE, type ShotGroup } from './shot.ts';

const ON = {
  title: 'Errors by service',
  query: { kind: 'aggregate', body: { measures: ['errors'], groupBy: ['service'] } },
};

/** Alerts belong to somebody: the forms need who may save. */
export const alertShots: ShotGroup = {
  owned: true,
  shots: [
    { name: 'alerts-first', path: '/alerts', ready: 'text=Hear of it when it breaks' },
    {
      name: 'alert-new',
      path: `/alerts/new?on=${encodeURIComponent(JSON.stringify(ON))}`,
      ready: 'text=What it would have done',
      act: async (page) => {
        await page.getByRole('button', { name: 'Preview' }).click();
        await page.getByText(/It would have/).waitFor();
      },
      size: { width: 1440, height: 1300 },
    },
    {
      name: 'alert-new-phone',
      path: '/alerts/new',
      ready: 'text=What it would have done',
      size: { ...PHONE, height: 1900 },
    },
    {
      name: 'alert-new-budget',
      path: '/alerts/new',
      ready: 'text=What it would have done',
      act: async (page) => {
        await page.getByLabel('Watches').selectOption('budget');
        await page.getByLabel('Budget of').selectOption('key');
        await page.getByText('When and how often').click();
      },
      size: { width: 1440, height: 1300 },
    },
    {
      name: 'alerts-destinations-phone',
      path: '/alerts?tab=destinations',
      ready: 'text=Nobody is told yet',
      act: async (page) => {
        await page.getByRole('button', { name: 'New destination' }).click();
        await page.getByRole('dialog').getByLabel('Kind').selectOption('pagerduty');
      },
      size: PHONE,
    },
    { name: 'alerts-silences', path: '/alerts?tab=silences', ready: 'main', size: PHONE },
    {
      name: 'alerts-destinations',
      path: '/alerts?tab=destinations',
      ready: 'text=Nobody is told yet',
      act: async (page) => {
        await page.getByRole('button', { name: 'New destination' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
  ],
};
