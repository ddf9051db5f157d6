import { startMessageReceiver } from '@candela/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendTrace } from './otlp.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, alerts in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('alerts', () => {
  let stage: Stage;
  let receiver: Awaited<ReturnType<typeof startMessageReceiver>>;
  const heard: string[][] = [];
  beforeAll(async () => {
    receiver = await startMessageReceiver();
    stage = await openStage({ ...OWNED, PLATFORM_ALERT_PRIVATE_RECEIVERS: 'true' });
    const { page } = await stage.open('/', { as: OWNER });
    const { apiKey } = await ask<{ apiKey: string }>(page, stage, 'POST', '/api/api-key', {
      data: { name: 'sender', scopes: ['ingest'] },
    });
    await sendTrace(
      stage.platform.otlpHttp,
      {
        traceId: newTraceId(),
        service: 'shop',
        startedAt: Date.now() - 120_000,
        spans: Array.from({ length: 20 }, (_, n) => ({
          spanId: newSpanId(),
          name: 'chat',
          kind: 3,
          startMs: n,
          durationMs: n * 10,
          attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' },
        })),
      },
      apiKey,
    );
    await page.context().close();
  });
  afterAll(async () => {
    await stage?.close();
    await receiver.close();
  });
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, { as: OWNER, ...options });
    heard.push(opened.complaints);
    return opened.page;
  };

  it('a destination is made and tested, a chart becomes an alert with a preview, and it fires', async () => {
    const page = await open('/alerts?tab=destinations');
    await page.getByRole('button', { name: 'New destination' }).click();
    await page.getByLabel('Name').fill('On call');
    await page.getByLabel('Address', { exact: true }).fill(`${receiver.url}/hook`);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByLabel('Signing secret', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send a test to On call' }).click();
    await page.getByText('On call took the message.').waitFor();
    expect(receiver.messages.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'alert.test',
    ]);
    expect(await accessibilityFindings(page)).toEqual([]);

    const on = {
      title: 'Calls',
      query: { kind: 'aggregate', body: { measures: ['count'], groupBy: ['service'] } },
      threshold: { value: 5, when: 'above' },
    };
    await page.goto(`${stage.platform.http}/alerts/new?on=${encodeURIComponent(JSON.stringify(on))}`);
    expect(await page.getByLabel('Limit').inputValue()).toBe('5');
    await page.getByLabel('Over', { exact: true }).first().selectOption('3600');
    await page.getByLabel('On call').check();
    await page.getByText('When and how often').click();
    await page.getByLabel('Waits for late data').selectOption('0');
    await page.getByLabel('Evaluated every').selectOption('30');
    await page.getByRole('region', { name: 'Preview' }).getByLabel('Over').selectOption('-6h');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText(/It would have fired 1 time|It would have told nobody/).waitFor();
    const old = page.getByText('The alert has changed since this preview.');
    expect(await old.count()).toBe(0);
    await page.getByLabel('Limit').fill('6');
    await old.waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('Limit').fill('5');
    await old.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    const events = () => ask<{ status: string }[]>(page, stage, 'GET', '/api/alerts/events');
    await expect.poll(events, { timeout: 60_000, interval: 500 }).toMatchObject([{ status: 'firing' }]);
    await page.goto(`${stage.platform.http}/alerts`);
    await page.getByRole('link', { name: 'Calls' }).click();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByRole('button', { name: /Acknowledged by/ }).waitFor();
    await page.getByRole('button', { name: 'Silence' }).click();
    await page.getByLabel('Comment').fill('We know');
    await page.getByRole('dialog').getByRole('button', { name: 'Silence' }).click();
    await page.getByRole('button', { name: 'Silenced' }).waitFor();
    await page.goto(`${stage.platform.http}/alerts?tab=silences`);
    await soon(() => page.getByRole('row').count()).toBe(2);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('a preview is cancelled when its page is left', async () => {
    const page = await open('/alerts/new');
    await page.getByRole('button', { name: 'Preview' }).waitFor();
    await intercept(page, '**/api/alerts/preview', () => undefined);
    const asked = page.waitForRequest('**/api/alerts/preview');
    await page.getByRole('button', { name: 'Preview' }).click();
    const request = await asked;
    expect(request.failure()).toBe(null);
    await page.getByRole('link', { name: 'Back to the alerts' }).click();
    await soon(() => request.failure()?.errorText).toBe('net::ERR_ABORTED');
    await page.context().close();
  });

  it('a budget of keys is written with its lists, and switches a rule', async () => {
    const page = await open('/alerts/new');
    const rule = await ask<{ id: string }>(page, stage, 'POST', '/api/rule-engine/rules', {
      data: {
        name: 'Cheap model',
        groups: [{ conditions: [{ field: 'model', operator: 'equals', value: 'x' }] }],
      },
    });
    await page.reload();
    await page.getByLabel('Name').fill('Keys');
    await page.getByLabel('Watches').selectOption('budget');
    await page.getByLabel('Budget of').selectOption('key');
    await page.getByLabel('Told at percent').fill('50, 50');
    await page.getByText('A percentage is given twice.').waitFor();
    await page.getByLabel('Told at percent').fill('');
    await page.getByLabel('Told at percent').pressSequentially('70, 100');
    await page.getByLabel('Switches the rule').selectOption({ label: 'Cheap model' });
    await page.getByLabel('While spent the rule is').selectOption('INACTIVE');
    await page.getByText('Words and labels').click();
    await page.getByLabel('Labels').pressSequentially('team=search, tier=1');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    const [, id] = /alerts\/([^/?]+)/.exec(page.url()) ?? [];
    expect(await ask<object>(page, stage, 'GET', `/api/alerts/${id}`)).toMatchObject({
      alert: {
        labels: { team: 'search', tier: '1' },
        source: { scope: 'key', thresholds: [70, 100], ruleSwitch: { ruleId: rule.id, status: 'INACTIVE' } },
      },
    });
    await page.context().close();
  });

  it('is readable in the dark and on a telephone', async () => {
    for (const path of ['/alerts', '/alerts?tab=history', '/alerts/new']) {
      const page = await open(path, { colorScheme: 'dark' });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await accessibilityFindings(page), path).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(
        390,
      );
      await page.context().close();
    }
  });
});
