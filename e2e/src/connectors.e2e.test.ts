import { type FakeAi, startFakeAi } from '@candela/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { describeController } from './controller-suite.ts';
import { SettingsPage } from './pages/settings-page.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, connectors in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('connectors, routing, models and retention', () => {
  let stage: Stage;
  let vendor: FakeAi;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage(OWNED);
    vendor = await startFakeAi({ chunkDelayMs: 0 });
  });
  afterAll(async () => {
    await stage?.close();
    await vendor?.close();
  });
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, { ...options, as: OWNER });
    heard.push(opened.complaints);
    return { page: opened.page, settings: new SettingsPage(opened.page) };
  };

  describeController(() => stage, heard);

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

  it('a model is added with a key of the vault, checked, changed and deleted', async () => {
    const { page, settings } = await open('/settings/models?project=default');
    await page.getByText('There is none yet').waitFor();
    await ask(page, stage, 'POST', '/api/vault', { data: { key: 'HOUSE_KEY', value: 'sk-of-the-house' } });
    await page.reload();
    await settings.button('New model').click();
    await page.getByLabel('Provider', { exact: true }).selectOption({ label: 'OpenAI-compatible server' });
    await settings.fill({ Name: 'House model', Model: 'llama3.3', 'Base URL': `${vendor.url}/v1` });
    await page.getByLabel('API key', { exact: true }).selectOption({ label: 'HOUSE_KEY' });
    expect(await accessibilityFindings(page)).toEqual([]);
    await settings.button('Add the model').click();
    await soon(async () => (await settings.rows('Models'))[0]?.slice(0, 5)).toEqual([
      'House model',
      'OpenAI-compatible server',
      'llama3.3',
      `${vendor.url}/v1`,
      'HOUSE_KEY',
    ]);
    await settings.button('Check House model').click();
    const check = settings.dialog('Check of House model');
    await check.getByText('The model answered').waitFor();
    expect(vendor.requests.at(-1)?.headers.authorization).toBe('Bearer sk-of-the-house');
    expect(await accessibilityFindings(page)).toEqual([]);
    await check.getByRole('button', { name: 'Close' }).click();
    await settings.button('Change House model').click();
    await settings.fill({ Model: 'absent' });
    await settings.button('Change').click();
    await soon(async () => (await settings.rows('Models'))[0]?.[2]).toBe('absent');
    await settings.button('Check House model').click();
    await check.getByText('The model absent does not exist').waitFor();
    await check.getByRole('button', { name: 'Close' }).click();
    await settings.button('Delete House model').click();
    await settings.dialog('Delete House model?').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There is none yet').waitFor();
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
