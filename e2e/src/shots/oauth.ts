import { ask, OWNER } from '../people.ts';
import { dialog } from './settings.ts';
import type { ShotGroup } from './shot.ts';

/** Applications that ask for tokens. */
export const oauthShots: ShotGroup = {
  owned: true,
  seed: async (stage) => {
    const { page } = await stage.open('/', { as: OWNER });
    const data = {
      name: 'Notebook',
      kind: 'public',
      redirectUris: ['http://localhost/callback'],
      grants: ['authorization_code', 'refresh_token'],
      scopes: ['telemetry', 'prompts'],
    };
    await ask(page, stage, 'POST', '/api/oauth/clients', { data });
    await page.context().close();
  },
  shots: [
    { name: 'settings-oauth', path: '/settings/oauth', ready: 'text=Notebook' },
    {
      name: 'settings-new-application',
      path: '/settings/oauth',
      ready: 'text=Notebook',
      act: dialog('New application'),
    },
  ],
};
