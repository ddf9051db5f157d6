import { ask, OWNER } from '../people.ts';
import { dialog } from './settings.ts';
import { PHONE, type ShotGroup } from './shot.ts';

const ROUTING = { path: '/settings/connectors', ready: 'text=Save the routing' } as const;

/** Where telemetry is kept, and for how long. */
export const connectorShots: ShotGroup = {
  owned: true,
  seed: async (stage) => {
    const { page } = await stage.open('/', { as: OWNER });
    const data = { kind: 'embedded', name: 'Apart' };
    await ask(page, stage, 'POST', '/api/connectors', { data });
    await page.context().close();
  },
  shots: [
    { ...ROUTING, name: 'settings-connectors' },
    { ...ROUTING, name: 'phone-settings-connectors', size: PHONE },
    { name: 'settings-retention', path: '/settings/retention', ready: 'text=Chosen by' },
    {
      ...ROUTING,
      name: 'settings-new-connector',
      act: async (page) => {
        await dialog('New connector')(page);
        await page.getByLabel('Kind', { exact: true }).selectOption('clickhouse');
      },
    },
    {
      ...ROUTING,
      name: 'settings-check',
      act: async (page) => {
        await page
          .getByRole('button', { name: /^Check/ })
          .first()
          .click();
        await page.getByRole('list', { name: 'Steps' }).waitFor();
      },
    },
  ],
};
