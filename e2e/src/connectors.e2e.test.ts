import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { SettingsPage } from './pages/settings-page.ts';
import { OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, connectors in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('connectors, routing and retention', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage(OWNED);
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, { ...options, as: OWNER });
    heard.push(opened.complaints);
    return { page: opened.page, settings: new SettingsPage(opened.page) };
  };

  it('a connector is made, checked and bound', async () => {
    const { page, settings } = await open('/settings/connectors?project=default');
    await settings.button('New connector').click();
    await settings.fill({ Name: 'Apart' });
    expect(await accessibilityFindings(page)).toEqual([]);
    await settings.button('Add the connector').click();
    await soon(async () => (await settings.rows('Connectors')).length).toBe(2);
    await settings.button('Check Apart').click();
    const check = settings.dialog('Check of Apart');
    await check.getByRole('list', { name: 'Steps' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await check.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('metrics of production').selectOption({ label: 'Apart' });
    await page.getByText('1 changed, not saved yet').waitFor();
    await settings.button('Save the routing').click();
    await soon(async () => (await settings.rows('Connectors'))[1]?.[4]).toBe('1 binding');
    expect(await settings.button('Delete Apart').isDisabled()).toBe(true);
    await page.getByLabel('metrics of production').selectOption('inherit');
    await settings.button('Save the routing').click();
    await settings.button('Delete Apart').click();
    await settings.dialog('Delete Apart?').getByRole('button', { name: 'Delete', exact: true }).click();
    await soon(async () => (await settings.rows('Connectors')).length).toBe(1);
  });

  it('retention that deletes asks first', async () => {
    const { settings } = await open('/settings/retention?project=default');
    await settings.button('Change the retention of logs').click();
    await settings.fill({ Days: '3' });
    await settings.button('Keep so long').click();
    await settings.button('Delete what is older').click();
    await soon(async () => (await settings.rows('Retention'))[2]).toEqual(
      expect.arrayContaining(['Logs', '3 days', 'this project']),
    );
  });
});
