import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendTrace } from './otlp.ts';
import { SettingsPage } from './pages/settings-page.ts';
import { TracesPage } from './pages/traces-page.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, settings in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('settings', () => {
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

  it.each(['dark', 'light'] as const)(
    'every page passes the accessibility rules (%s)',
    async (colorScheme) => {
      const { page, settings } = await open('/settings', { colorScheme });
      await page.getByRole('heading', { name: 'Organisation', level: 1 }).waitFor();
      for (const name of await settings.nav.getByRole('link').allInnerTexts()) {
        await settings.open(name);
        await page.getByRole('main').getByRole('status').first().waitFor({ state: 'detached' });
        expect({ name, findings: await accessibilityFindings(page) }).toEqual({ name, findings: [] });
      }
    },
  );

  it('a key is shown once, sends, is rotated and revoked', async () => {
    const { page, settings } = await open('/settings/keys');
    await settings.button('New key').click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await settings.fill({ Name: 'checkout service' });
    await page.getByRole('checkbox', { name: 'telemetry' }).check();
    await settings.button('Create key').click();
    const dialog = settings.dialog('The key checkout service');
    const key = await dialog.getByLabel('Key', { exact: true }).innerText();
    expect(key).toMatch(/^pk_\w{8}_\w{43}$/);
    await page.keyboard.press('Escape');
    await dialog.waitFor();
    await settings.button('Done').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key);
    const search = (bearer: string) =>
      fetch(`${stage.platform.http}/api/telemetry/traces/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}` },
        body: '{}',
      }).then((answer) => answer.status);
    expect(await search(key)).toBe(200);
    await soon(() => settings.rows('Keys')).toEqual([
      expect.arrayContaining(['checkout service', 'Active', 'ingest, telemetry', 'all']),
    ]);

    await settings.button('Rotate checkout service').click();
    await page.getByLabel('The old key', { exact: true }).selectOption('3600');
    await settings.button('Create new key').click();
    const next = await dialog.getByLabel('Key', { exact: true }).innerText();
    expect(next).not.toBe(key);
    await settings.button('Done').click();
    expect([await search(key), await search(next)]).toEqual([200, 200]);
    await soon(async () => (await settings.rows('Keys')).map((row) => row[2])).toEqual([
      'Active',
      'Replaced',
    ]);

    await page.getByRole('button', { name: 'Revoke checkout service' }).first().click();
    await settings
      .dialog('Revoke checkout service?')
      .getByRole('button', { name: 'Revoke', exact: true })
      .click();
    await soon(async () => (await settings.rows('Keys')).length).toBe(1);
    await soon(() => search(next)).toBe(401);
  });

  it('a price is set, shows in a stored call, and is taken away again', async () => {
    const { page, settings } = await open('/settings/models');
    const { apiKey } = await ask<{ apiKey: string }>(page, stage, 'POST', '/api/api-key', {
      data: { name: 'calls', scopes: ['ingest'] },
    });
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'house',
      'gen_ai.request.model': 'house-9',
      'gen_ai.usage.input_tokens': 1_000_000,
      'gen_ai.usage.output_tokens': 500_000,
    };
    const spans = [{ spanId, name: 'chat house-9', kind: 3, durationMs: 900, attributes }];
    await sendTrace(
      stage.platform.otlpHttp,
      { traceId, service: 'till', startedAt: Date.now() - 60_000, spans },
      apiKey,
    );
    const stored = `${stage.platform.http}/api/telemetry/traces/${traceId}`;
    await soon(async () => (await page.request.get(stored)).status()).toBe(200);
    const call = await open(`/traces/${traceId}`);
    await call.page.getByTestId('span-panel').getByText('unpriced').waitFor();

    await settings.button('New price').click();
    await settings.fill({ Models: 'house-9', Input: '2', Output: '4', 'Valid from': '2026-01-01' });
    expect(await accessibilityFindings(page)).toEqual([]);
    await settings.button('Set the price').click();
    await soon(async () => (await settings.rows('Custom prices')).map((row) => row[0])).toEqual(['house-9']);
    await call.page.reload();
    const cost = call.page.getByTestId('span-panel').getByTitle(/custom price of house-9 of 2026-01-01/);
    await cost.waitFor();
    // Which classes of tokens, at which rate.
    expect((await cost.getAttribute('title'))?.split('\n').slice(1)).toEqual([
      '1,000,000 input at 2 USD per million: 2 USD',
      '500,000 output at 4 USD per million: 2 USD',
    ]);
    await call.page.goto(`${stage.platform.http}/traces?q=service:till`);
    await call.page.getByRole('gridcell', { name: '$4.00' }).waitFor();

    await settings.button('Delete the price of house-9').click();
    await settings.button('Delete').click();
    await soon(() => settings.rows('Custom prices')).toEqual([]);
    await call.page.goto(`${stage.platform.http}/traces/${traceId}`);
    await call.page.getByTestId('span-panel').getByText('unpriced').waitFor();
  });

  it('a second project is apart, and the address says which one is open', async () => {
    const { page, settings } = await open('/settings/projects');
    await settings.button('New project').click();
    await settings.fill({ Name: 'Research' });
    await settings.button('Create project').click();
    await soon(async () => (await settings.rows('Projects')).length).toBe(2);
    const projects = await ask<{ id: string; name: string }[]>(page, stage, 'GET', '/api/projects');
    const research = projects.find((project) => project.name === 'Research')?.id ?? '';
    const made = await ask<{ apiKey: string }>(page, stage, 'POST', '/api/api-key', {
      data: { name: 'research sender' },
      headers: { 'x-platform-project-id': research },
    });
    const now = Date.now();
    const traceOf = (name: string) => ({
      traceId: newTraceId(),
      service: 'shop',
      startedAt: now - 60_000,
      spans: [{ spanId: newSpanId(), name, durationMs: 5 }],
    });
    const ours = traceOf('of the default project');
    const theirs = traceOf('of research');
    await sendTrace(stage.platform.otlpHttp, ours);
    await sendTrace(stage.platform.otlpHttp, theirs, made.apiKey);
    for (const [{ traceId }, project] of [
      [ours, 'default'],
      [theirs, research],
    ] as const)
      await soon(async () => {
        const url = `${stage.platform.http}/api/telemetry/traces/${traceId}`;
        return (await page.request.get(url, { headers: { 'x-platform-project-id': project } })).status();
      }).toBe(200);

    await page.goto(`${stage.platform.http}/traces`);
    const list = new TracesPage(page);
    await soon(async () => (await list.cells()).join()).toContain('of the default project');
    expect(page.url()).toContain('project=default');
    await page.getByTestId('project').click();
    await page.getByRole('menuitemradio', { name: 'Research' }).click();
    await soon(async () => (await list.cells()).join()).toContain('of research');
    expect((await list.cells()).join()).not.toContain('of the default project');
    expect(page.url()).toContain(`project=${research}`);
    // The same address shows the same, in another tab, too; and going back leads to the project before.
    const other = await open(page.url().slice(stage.platform.http.length));
    await soon(async () => (await new TracesPage(other.page).cells()).join()).toContain('of research');
    await page.goBack();
    await soon(async () => (await list.cells()).join()).toContain('of the default project');
  });

  it('environments are made and taken off the list', async () => {
    const { page, settings } = await open('/settings/environments?project=default');
    await settings.button('New environment').click();
    await settings.fill({ Name: 'Not valid' });
    await page.getByText('the first a letter or digit').waitFor();
    await settings.fill({ Name: 'staging' });
    await settings.button('Create environment').click();
    await soon(async () => (await settings.rows('Environments')).map((row) => row[0])).toContain('staging');
    await page.getByTestId('environment').click();
    await page.getByRole('menuitemradio', { name: 'staging' }).waitFor();
    await page.keyboard.press('Escape');
    await settings.button('Delete staging').click();
    await settings.dialog('Delete staging?').getByRole('button', { name: 'Delete', exact: true }).click();
    await soon(async () => (await settings.rows('Environments')).map((row) => row[0])).not.toContain(
      'staging',
    );
  });

  it('the audit log has what was done, and narrows by a click', async () => {
    const { page, settings } = await open('/settings/audit');
    await soon(async () => (await settings.rows('What was done')).length).toBeGreaterThan(5);
    const all = await settings.rows('What was done');
    expect(all.flat().join(' ')).not.toMatch(/pk_\w{8}_\w{43}/);
    // People stand there by their names, as objects too.
    await soon(async () => (await settings.rows('What was done')).map((row) => row[3])).toContain(
      `user ${OWNER.email}`,
    );
    await page.getByRole('button', { name: 'project.create' }).first().click();
    await soon(async () => new Set((await settings.rows('What was done')).map((row) => row[2])).size).toBe(1);
    expect(page.url()).toContain('action=project.create');
    await page.reload();
    await soon(async () => new Set((await settings.rows('What was done')).map((row) => row[2])).size).toBe(1);
  });

  it('a job is run by a click, and its runs are listed', async () => {
    const { page, settings } = await open('/settings/jobs');
    const row = async () =>
      (await settings.rows('Background jobs')).find(([name]) => name?.includes('audit-retention')) ?? [];
    await soon(row).toEqual([
      expect.stringContaining('Remove old events of the audit log'),
      expect.stringMatching(/^\d+[mhd]/),
      expect.any(String),
      expect.stringMatching(/\d\d:\d\d/),
      expect.any(String),
      expect.any(String),
      expect.stringContaining('Run now'),
    ]);
    await settings.button('Run now: audit-retention').click();
    await settings.button('Runs of audit-retention').click();
    await settings.dialog('Runs of audit-retention').waitFor();
    await soon(async () => (await settings.rows('Runs')).map(([, by, how]) => `${by} ${how}`)).toContainEqual(
      expect.stringMatching(/^manual ok/),
    );
    expect(await accessibilityFindings(page)).toEqual([]);
    await settings.button('Close').click();
    await soon(async () => (await row())[5]).toMatch(/^ok/);
  });
});
