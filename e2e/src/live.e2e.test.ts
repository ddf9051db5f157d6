import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { sendRecords } from './otlp.ts';
import { LogsPage } from './pages/logs-page.ts';
import { TracesPage } from './pages/traces-page.ts';
import { agentTrace } from './seeds.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, live views in the browser: ${missing}`);

/** Puts the test in the place of the live stream, of what hides the tab, and of the clock. */
const STAND_IN = `{
  const { fetch, Date: { now } } = window;
  const streams = [];
  let visibility = 'visible';
  let ahead = 0;
  window.tail = { asked: [], say: (text) => streams.at(-1).enqueue(new TextEncoder().encode(text)) };
  window.show = (next) => { visibility = next; document.dispatchEvent(new Event('visibilitychange')); };
  window.pass = (ms) => { ahead += ms; };
  Date.now = () => now() + ahead;
  Object.defineProperty(document, 'visibilityState', { get: () => visibility });
  window.fetch = (input, init) => {
    const address = new URL(String(input), location.href);
    if (!address.pathname.endsWith('/telemetry/tail')) return fetch(input, init);
    const since = address.searchParams.get('since') ?? '';
    tail.asked.push({ begins: /^-\\d+s$/.test(since), after: init.headers.get('last-event-id') });
    return Promise.resolve(new Response(new ReadableStream({
      start(controller) {
        streams.push(controller);
        init.signal.addEventListener('abort', () => controller.error(new DOMException('left', 'AbortError')));
      },
    })));
  };
}`;

/** Counts from now on what is told of what arrives. */
const TELLINGS = `{
  window.tellings = 0;
  const told = document.querySelector('[data-testid=live-news]');
  const changed = (changes) => { tellings += changes.length; };
  new MutationObserver(changed).observe(told, { childList: true, characterData: true, subtree: true });
}`;

describe.skipIf(missing !== undefined)('live view', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agentTrace(Date.now() - 60_000));
    await sendRecords(stage.platform.otlpHttp, { service: 'shop' }, [
      { at: Date.now() - 60_000, severity: 9, body: 'listed' },
    ]);
    await stage.settled();
  });
  afterAll(() => stage?.close());
  const heard: string[][] = [];
  afterEach(() => expect(heard.splice(0).flat()).toEqual([]));

  /** The page with the stand-in, and the ends of the time ranges that its list was asked for. */
  async function open(path: string, list: string) {
    const { page, complaints } = await stage.open('/settings');
    heard.push(complaints);
    const ends: number[] = [];
    page.on('request', (request) => {
      if (request.url().includes(list)) ends.push((request.postDataJSON() as { to: number }).to);
    });
    await page.addInitScript(STAND_IN);
    await page.goto(`${stage.platform.http}${path}`);
    return { page, ends };
  }
  const asked = (page: Page) => page.evaluate<{ begins: boolean; after: string | null }[]>('tail.asked');
  const say = (page: Page, event: string, id: string, data: unknown) =>
    page.evaluate(
      `tail.say(${JSON.stringify(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)})`,
    );

  /** The first row of a search, to make others of. */
  async function rowOf(signal: 'logs' | 'spans'): Promise<Record<string, unknown>> {
    const answer = await fetch(`${stage.platform.http}/api/telemetry/${signal}/search`, {
      method: 'POST',
      body: JSON.stringify({ from: '-1h', limit: 1 }),
    });
    const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
    return data[0] ?? {};
  }

  it('loses nothing while the tab is hidden, catches up, and begins anew when it is turned off', async () => {
    const { page, ends } = await open('/logs?from=-1h&live=1', '/logs/search');
    const logs = new LogsPage(page);
    await logs.loaded();
    await soon(() => asked(page)).toEqual([{ begins: true, after: null }]);
    const row = await rowOf('logs');
    const record = (body: string) => ({ ...row, id: `${body}${String(row['id']).slice(body.length)}`, body });
    // Hidden before what came was drawn.
    await say(page, 'rows', 'a.1.1', [record('first')]);
    await page.evaluate("new Promise((done) => setTimeout(() => { show('hidden'); done(); }))");
    const before = Date.now();
    await page.evaluate("pass(60_000); show('visible')");
    await soon(() => asked(page)).toEqual([
      { begins: true, after: null },
      { begins: false, after: 'a.1.1' },
    ]);
    await soon(async () => (await logs.lines()).map((line) => line.includes('first'))).toEqual([true, false]);
    await soon(() => (ends.at(-1) ?? 0) - before >= 60_000).toBe(true);
    // More than it is sent at once, for whatever reason, is in the list.
    await say(page, 'skipped', 'a.2.1', { count: 7 });
    await page.getByText('7 more arrived than are shown here; the list has them').waitFor();
    await soon(() => page.getByTestId('live-news').textContent()).toContain('new log record');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Live', pressed: true }).click();
    await soon(() => logs.rows.count()).toBe(1);
    await page.evaluate('pass(60_000)');
    await page.keyboard.press('l');
    await soon(async () => (await asked(page)).slice(2)).toEqual([{ begins: true, after: null }]);
    await soon(() => (ends.at(-1) ?? 0) - before >= 120_000).toBe(true);
    expect(await page.getByText('more arrived').count()).toBe(0);
  });

  it('tells what arrives, not every look at the list, which stays as it is meanwhile', async () => {
    const { page, ends } = await open('/traces?from=-1h&live=1', '/traces/search');
    const traces = new TracesPage(page);
    await traces.loaded();
    const [list, news] = [page.getByTestId('rows-news'), page.getByTestId('live-news')];
    await soon(() => list.textContent()).toBe('');
    await soon(async () => (await asked(page)).length).toBe(1);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await intercept(page, '**/api/telemetry/traces/search', async (route) => {
      await held;
      await route.continue();
    });
    const looks = ends.length;
    await say(page, 'rows', 'a.1.1', [await rowOf('spans')]);
    await soon(() => news.textContent()).toBe('1 new span since Live began');
    await soon(() => ends.length).toBeGreaterThan(looks);
    expect(await page.locator('[aria-busy=false] [role=grid]').count()).toBe(1);
    expect(await list.textContent()).toBe('');
    // A trouble is told, and after it nothing again that was told before.
    await page.evaluate(TELLINGS);
    await say(page, 'failure', '', { err: 'Not now.', code: 'overloaded', status: 503, requestId: 'r' });
    const trouble = page.getByRole('main').getByText('Not now.');
    await soon(() => trouble.count()).toBe(2);
    await soon(async () => (await asked(page)).length).toBe(2);
    await soon(() => trouble.count()).toBe(0);
    expect(await page.evaluate('tellings')).toBe(0);
    // Another question is not the same one a moment later.
    await traces.search('service:cart');
    await soon(() => list.textContent()).toBe('Loading traces');
    expect(await page.locator('[aria-busy=true] [role=grid]').count()).toBe(1);
    release();
  });

  it('shows what arrives above a list that cannot be had', async () => {
    const { page } = await open('/settings', '/spans/search');
    await page.route('**/api/telemetry/spans/search', (route) => route.abort());
    await page.goto(`${stage.platform.http}/traces?from=-1h&live=1&view=spans`);
    await soon(async () => (await asked(page)).length).toBe(1);
    const row = await rowOf('spans');
    await say(page, 'rows', 'a.1.1', [{ ...row, spanId: 'e'.repeat(16), name: 'arrived meanwhile' }]);
    const grid = page.getByRole('grid', { name: 'Spans' });
    await grid.getByText('arrived meanwhile').waitFor();
    await page.getByRole('status').getByText('More rows could not be loaded.').waitFor();
    expect(await grid.getByText('arrived meanwhile').isVisible()).toBe(true);
    // A browser complains of what it cannot load.
    heard.splice(0);
  });

  it('is at the top of the other rows when they take the place of rows that were scrolled', async () => {
    const { page } = await open('/traces?from=-1h&live=1&view=spans', '/traces/search');
    const traces = new TracesPage(page);
    await traces.loaded();
    await soon(async () => (await asked(page)).length).toBe(1);
    const row = await rowOf('spans');
    const spans = Array.from({ length: 60 }, (_, at) => ({
      ...row,
      spanId: at.toString().padStart(16, '0'),
    }));
    await say(page, 'rows', 'a.1.1', spans);
    const count = () => page.getByRole('grid', { name: 'Spans' }).getAttribute('aria-rowcount');
    await soon(async () => Number(await count())).toBeGreaterThan(60);
    await page.getByTestId('scroller').evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 700;
    });
    await say(page, 'rows', 'a.1.2', [{ ...row, spanId: 'f'.repeat(16) }]);
    await page.getByRole('button', { name: '1 new span' }).waitFor();
    await page.getByRole('button', { name: 'traces', exact: true }).click();
    await page.getByRole('grid', { name: 'Traces' }).waitFor();
    await say(page, 'rows', 'a.1.3', [{ ...row, spanId: 'e'.repeat(16) }]);
    // What waited waits no more.
    await soon(() => page.getByRole('button', { name: /new span/ }).count()).toBe(0);
  });

  it('says where everybody sees it why it is not possible', async () => {
    const { page, ends } = await open(
      '/traces?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
      '/traces/search',
    );
    await soon(() => ends.length).toBeGreaterThan(0);
    const button = page.getByRole('button', { name: 'Live', exact: true });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.press('Enter');
    const why = page
      .getByRole('main')
      .getByText('Live needs a time range that ends now, and the newest first');
    await soon(() => why.count()).toBe(2);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('l');
    await soon(() => why.count()).toBe(0);
    expect(await asked(page)).toEqual([]);
  });
});
