import { ask, OWNER } from '../people.ts';
import type { Shot, ShotGroup } from './shot.ts';
import { PHONE } from './shot.ts';

const PAGES = [
  { name: 'organisation', path: '/settings/organisation', ready: 'text=Made' },
  { name: 'members', path: '/settings/members', ready: 'text=mary@example.com' },
  { name: 'projects', path: '/settings/projects', ready: 'text=Research' },
  { name: 'environments', path: '/settings/environments', ready: 'text=a person' },
  { name: 'keys', path: '/settings/keys', ready: 'text=checkout service' },
  { name: 'audit', path: '/settings/audit', ready: 'text=api-key.create' },
  { name: 'jobs', path: '/settings/jobs', ready: 'text=audit-retention' },
] as const;

/** Presses a button and waits for what it opens. */
export const dialog = (button: string) => async (page: Parameters<NonNullable<Shot['act']>>[0]) => {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('dialog').waitFor();
};

/** Who may do what; on an installation of its own, which has an owner. */
export const settingsShots: ShotGroup = {
  owned: true,
  seed: async (stage) => {
    const { page } = await stage.open('/', { as: OWNER });
    const post = (path: string, data: unknown) => ask(page, stage, 'POST', path, { data });
    const soonUsed = { email: 'mary@example.com', role: 'viewer' };
    await post('/api/organisation/invitations', soonUsed);
    await post('/api/projects', { name: 'Research' });
    await post('/api/api-key', {
      name: 'checkout service',
      scopes: ['ingest'],
      environments: ['production'],
    });
    await post('/api/api-key', { name: 'dashboards', scopes: ['telemetry'] });
    await page.context().close();
  },
  shots: [
    ...PAGES.map((page) => ({ ...page, name: `settings-${page.name}` })),
    ...PAGES.map((page) => ({ ...page, name: `phone-settings-${page.name}`, size: PHONE })),
    {
      name: 'settings-new-key',
      path: '/settings/keys',
      ready: 'text=checkout service',
      act: dialog('New key'),
    },
    {
      name: 'settings-key-made',
      path: '/settings/keys',
      ready: 'text=checkout service',
      act: async (page) => {
        await dialog('New key')(page);
        await page.getByLabel('Name', { exact: true }).fill(`picture ${Date.now()}`);
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByRole('button', { name: 'Done' }).waitFor();
      },
    },
    { name: 'account', path: '/account', ready: 'text=this one' },
    {
      name: 'account-second-factor',
      path: '/account',
      ready: 'text=this one',
      act: async (page) => {
        await dialog('Turn on')(page);
        await page.getByLabel('Your password', { exact: true }).fill(OWNER.password);
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
      },
    },
    {
      name: 'user-menu',
      path: '/settings/members',
      ready: 'text=mary@example.com',
      act: (page) => page.getByTestId('user-menu').click(),
    },
  ],
};

/** Pages of nobody yet. */
export const signInShots: ShotGroup = {
  owned: true,
  nobody: true,
  shots: [
    { name: 'sign-in', path: '/settings/keys', ready: 'text=Password' },
    {
      name: 'sign-in-wrong',
      path: '/sign-in',
      ready: 'text=Password',
      act: async (page) => {
        await page.getByLabel('E-mail', { exact: true }).fill(OWNER.email);
        await page.getByLabel('Password', { exact: true }).fill('not this one');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('alert').waitFor();
      },
    },
    { name: 'setup-done', path: '/setup', ready: 'text=has an owner' },
    { name: 'invitation-wrong', path: `/invitation?token=${'x'.repeat(43)}`, ready: 'text=new link' },
  ],
};

/** What stands there before anybody owns the installation. */
export const unownedShots: ShotGroup = {
  shots: [
    {
      name: 'unowned-settings',
      path: '/settings/members',
      ready: 'text=printed when Candela started',
      empty: true,
    },
    {
      name: 'unowned-setup',
      path: `/setup?token=${'x'.repeat(43)}`,
      ready: 'text=Become the owner',
      empty: true,
    },
  ],
};
