import { ask, OWNER } from '../people.ts';
import { dialog } from './settings.ts';
import { PHONE, type ShotGroup } from './shot.ts';

const ROUTING = { path: '/settings/connectors', ready: 'text=Save the routing' } as const;

const MODELS = { path: '/settings/models', ready: 'text=OPENAI_API_KEY' } as const;

/** Where telemetry is kept, and for how long; the models that prompts are tried with. */
export const connectorShots: ShotGroup = {
  owned: true,
  seed: async (stage) => {
    const { page } = await stage.open('/', { as: OWNER });
    const data = { kind: 'embedded', name: 'Apart' };
    await ask(page, stage, 'POST', '/api/connectors', { data });
    const secret = await ask<{ id: string }>(page, stage, 'POST', '/api/vault', {
      data: { key: 'OPENAI_API_KEY', value: 'sk-shown-nowhere' },
    });
    for (const model of [
      { name: 'Reviewer', provider: 'openai', model: 'gpt-4o', secretId: secret.id },
      {
        name: 'House model',
        provider: 'openai-compatible',
        model: 'llama3.3:70b',
        baseUrl: 'http://127.0.0.1:1/v1',
      },
    ])
      await ask(page, stage, 'POST', '/api/models', { data: model });
    await page.context().close();
  },
  shots: [
    { ...ROUTING, name: 'settings-connectors' },
    { ...ROUTING, name: 'phone-settings-connectors', size: PHONE },
    { ...MODELS, name: 'settings-models' },
    { ...MODELS, name: 'phone-settings-models', size: PHONE },
    { ...MODELS, name: 'settings-new-model', act: dialog('New model') },
    {
      ...MODELS,
      name: 'settings-model-check',
      act: async (page) => {
        await dialog('Check House model')(page);
        await page.getByText('Nothing listens').waitFor();
      },
    },
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
