import { spawnSync } from 'node:child_process';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendRecords } from './otlp.ts';
import { LogsPage } from './pages/logs-page.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, logs in the browser: ${missing}`);

const HOSTILE = '<img src=x onerror="window.__hacked=1"> \u001B[31mred\u001B[0m';

describe.skipIf(missing !== undefined)('logs', () => {
  let stage: Stage;
  const traceId = newTraceId();
  const spanId = newSpanId();
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, options);
    heard.push(opened.complaints);
    return { page: opened.page, logs: new LogsPage(opened.page) };
  };

  it('begin with what to paste, and turn live when it was run', async () => {
    const { page, logs } = await open('/logs');
    await page.getByRole('heading', { name: 'Send the first log record' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const snippet = await page.getByRole('tabpanel').innerText();
    const run = spawnSync('bash', ['-c', snippet], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    await logs.loaded();
    expect(await logs.lines()).toEqual([expect.stringContaining('Hello from the shell')]);
  });

  it('take the records of the other tests', async () => {
    const now = Date.now();
    const severities = [1, 5, 9, 13, 17, 21];
    await sendRecords(
      stage.platform.otlpHttp,
      { service: 'shop' },
      Array.from({ length: 240 }, (_, index) => ({
        at: now - 3_000_000 + index * 10_000,
        severity: severities[index % severities.length] as number,
        body: `shop line ${index}`,
        attributes: { 'order.id': `o-${index % 7}` },
      })),
    );
    await sendRecords(stage.platform.otlpHttp, { service: 'checkout' }, [
      { at: now - 60_000, severity: 9, body: { msg: 'order placed', note: `${'long '.repeat(200)}end` } },
      { at: now - 59_000, body: HOSTILE, severityText: 'WARNING', attributes: { [HOSTILE]: HOSTILE } },
      {
        at: now - 58_000,
        severity: 17,
        body: 'charge failed\n  second line',
        traceId,
        spanId,
        attributes: {
          'exception.type': 'CardDeclined',
          'exception.message': 'card 4711 declined',
          'session.id': 'visit 7',
          'user.id': 'ada',
        },
      },
      {
        at: now - 57_000,
        severity: 9,
        body: { content: 'Where is my parcel?' },
        eventName: 'gen_ai.user.message',
      },
    ]);
    await stage.seed({
      traceId,
      service: 'checkout',
      startedAt: now - 58_500,
      spans: [{ spanId, name: 'charge', durationMs: 900, failed: 'declined' }],
    });
    await soon(async () => {
      const answer = await fetch(`${stage.platform.http}/api/telemetry/logs/search`, {
        method: 'POST',
        body: JSON.stringify({ q: 'service:checkout' }),
      });
      return ((await answer.json()) as { data: unknown[] }).data.length;
    }).toBe(4);
  });

  it('are searched by words, severity and attributes', async () => {
    const { page, logs } = await open('/logs');
    await logs.loaded();
    await page.keyboard.press('/');
    await logs.search('severity>=error service:shop');
    await soon(() => logs.parameter('q')).toBe('severity>=error service:shop');
    await soon(async () => (await logs.lines()).every((line) => /Error|Fatal/.test(line))).toBe(true);
    await logs.search('attributes.order.id:o-3 body:"line 3"');
    await soon(() => logs.rows.count()).toBe(1);
    await logs.search('severity>=loud');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toContain('unset, trace, debug');
  });

  it('page further on scrolling, and go the other way round', async () => {
    const { page, logs } = await open('/logs?q=service:shop');
    await logs.loaded();
    const scroller = page.getByTestId('scroller');
    for (let step = 0; step < 40 && !(await page.getByText('All 240 rows shown').isVisible()); step += 1) {
      await scroller.evaluate((element: { scrollTop: number; scrollHeight: number }) => {
        element.scrollTop = element.scrollHeight;
      });
      await page.waitForTimeout(150);
    }
    expect(await page.getByText('All 240 rows shown').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Time', exact: true }).click();
    await soon(async () => (await logs.lines())[0]).toContain('shop line 0');
    expect(logs.parameter('sort')).toBe('time');
  });

  it('filter by facets and by the chart', async () => {
    const { page, logs } = await open('/logs');
    await logs.loaded();
    await logs.facet('Severity').getByRole('button', { name: 'warn' }).first().click();
    await soon(() => logs.parameter('q')).toBe('severity:warn');
    await soon(async () => (await logs.lines()).every((line) => line.includes('Warn'))).toBe(true);
    await page
      .getByRole('img', { name: /Log records by severity/ })
      .or(page.getByLabel('Log records by severity'))
      .first()
      .waitFor();
  });

  it('open beside the list, walk by keyboard, and close', async () => {
    const { page, logs } = await open('/logs?q=service:checkout');
    await logs.loaded();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await logs.panel.waitFor();
    await logs.panel.getByText('Where is my parcel?').first().waitFor();
    await page.keyboard.press('j');
    await logs.panel.getByText('second line').first().waitFor();
    await logs.panel.getByText('card 4711 declined').waitFor();
    await page.reload();
    await logs.panel.getByText('second line').first().waitFor();
    await logs.panel.getByRole('tab', { name: 'Context' }).click();
    await soon(() => logs.contextLines.count()).toBe(4);
    expect(await logs.contextLines.nth(2).getAttribute('aria-current')).toBe('true');
    await logs.contextLines.nth(1).getByRole('button').click();
    await logs.panel.getByRole('tab', { name: 'Body' }).click();
    await logs.panel.getByText('onerror').waitFor();
    expect(await logs.panel.locator('pre').first().innerText()).toMatch(/^<img src=x onerror=.* red$/);
    await page.keyboard.press('Escape');
    await logs.panel.waitFor({ state: 'detached' });
    expect(await page.evaluate('window.__hacked')).toBeUndefined();
  });

  it('lead to the span, and their attributes to records like them', async () => {
    const search = 'service:nobody or service:checkout severity:error';
    const { page, logs } = await open(`/logs?q=${search}`);
    await logs.loaded();
    await logs.rows.first().click();
    await logs.panel.getByRole('tab', { name: 'Attributes' }).click();
    await logs.panel.getByText('exception.type').hover();
    await logs.panel.getByRole('button', { name: 'Only records with this exception.type' }).click();
    // All of the search goes on, and not the last of what "or" joins alone.
    await soon(() => logs.parameter('q')).toBe(`(${search}) attributes.exception.type:CardDeclined`);
    // Whose record it is leads there.
    const links = logs.panel.getByRole('link');
    expect(await links.filter({ hasText: 'ada' }).getAttribute('href')).toMatch(/^\/users\/ada/);
    expect(await links.filter({ hasText: 'visit 7' }).getAttribute('href')).toMatch(/^\/sessions\/~/);
    await logs.panel.getByRole('link', { name: 'Open the span in its trace' }).click();
    await page.getByRole('heading', { name: 'charge' }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('span')).toBe(spanId);
  });

  it('wrap, and choose columns', async () => {
    const { page, logs } = await open('/logs?q=body:"charge failed"');
    await logs.loaded();
    const height = async () => (await logs.rows.first().boundingBox())?.height ?? 0;
    const before = await height();
    await page.keyboard.press('w');
    await soon(height).toBeGreaterThan(before);
    expect(logs.parameter('wrap')).toBe('1');
    await logs.search('body:"order placed"');
    await soon(() => logs.rows.first().innerText()).toMatch(/long end/);
    await page.getByRole('button', { name: 'Choose columns' }).click();
    await page.getByRole('checkbox', { name: 'Scope' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Scope' }).waitFor();
  });

  it('say what they say first on a telephone', async () => {
    const { page, logs } = await open('/logs?q=body:"charge failed"');
    await logs.loaded();
    await page.setViewportSize({ width: 390, height: 844 });
    const said = logs.rows.first().getByText(/charge failed/);
    const service = logs.rows.first().getByText('checkout', { exact: true });
    await soon(async () => {
      const [text, below] = [await said.boundingBox(), await service.boundingBox()];
      return text !== null && below !== null && text.x < 80 && text.y < below.y;
    }).toBe(true);
    const grid = await page.getByTestId('scroller').evaluate((box) => box.scrollWidth - box.clientWidth);
    expect(grid).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    // Rows are walked and opened as everywhere, and columns that somebody chose are columns.
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await logs.panel.waitFor();
    // All tabs are there to be seen, beside or above what copies.
    const copy = logs.panel.getByRole('button', { name: 'Copy the line' });
    await copy.waitFor();
    const row = await logs.panel.getByRole('tablist').evaluate((list) => list.scrollWidth - list.clientWidth);
    expect(row).toBe(0);
    const [tab, first] = [
      await logs.panel.getByRole('tab', { name: 'Context' }).boundingBox(),
      await copy.boundingBox(),
    ];
    expect((tab?.x ?? 999) + (tab?.width ?? 0)).toBeLessThan(390);
    expect((tab?.y ?? 999) + (tab?.height ?? 999)).toBeLessThanOrEqual((first?.y ?? 0) + 1);
    // The keyboard goes as the eye does, here and where all are in one line.
    const cross = logs.panel.getByRole('button', { name: 'Close the record' });
    const isBefore = (one: Locator, other: Locator) => async () => {
      await one.focus();
      await page.keyboard.press('Tab');
      return other.evaluate((element) => element === element.ownerDocument.activeElement);
    };
    await soon(isBefore(cross, copy)).toBe(true);
    expect(await cross.evaluate((one) => one.nextElementSibling?.textContent)).toContain('Line');
    await page.setViewportSize({ width: 1_280, height: 844 });
    await soon(isBefore(logs.panel.getByRole('button', { name: 'Copy as cURL' }), cross)).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('Escape');
    await page.goto(`${page.url()}&cols=time,service`);
    await page.getByRole('columnheader', { name: 'Service' }).waitFor();
  });

  it('arrive live', async () => {
    const { logs } = await open('/logs?q=service:late&from=-1h&live=1');
    await logs.page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await sendRecords(stage.platform.otlpHttp, { service: 'late' }, [
      { at: Date.now(), severity: 9, body: 'just now' },
    ]);
    await logs.loaded();
    expect(await logs.lines()).toEqual([expect.stringContaining('just now')]);
  });

  for (const colorScheme of ['dark', 'light'] as const)
    it(`pass the accessibility rules (${colorScheme})`, async () => {
      const { page, logs } = await open('/logs', { colorScheme });
      await logs.loaded();
      await logs.facet('Severity').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await logs.rows.nth(1).click();
      await logs.panel.waitFor();
      for (const tab of ['Body', 'Attributes', 'Context']) {
        await logs.panel.getByRole('tab', { name: tab }).click();
        await page.waitForTimeout(300);
        expect(await accessibilityFindings(page), tab).toEqual([]);
      }
    });
});
