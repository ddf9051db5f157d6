import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { sendMetrics } from './otlp.ts';
import { HomePage } from './pages/home-page.ts';
import { HostsPage } from './pages/hosts-page.ts';
import { SessionsPage } from './pages/sessions-page.ts';
import { TracesPage } from './pages/traces-page.ts';
import { agentTrace, requestTraces } from './seeds.ts';
import { hostMetrics, servedTrace } from './seeds-hosts.ts';
import { seedSession } from './seeds-sessions.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, pages while the server is away: ${missing}`);

const FAILED = { name: 'This could not be loaded' };
const NEWER = 'What is newer could not be loaded.';

describe.skipIf(missing !== undefined)('while answers are late or do not come', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const now = Date.now();
    await stage.seed(agentTrace(now - 60_000), servedTrace(now), ...requestTraces(120, now));
    await sendMetrics(stage.platform.otlpHttp, ...hostMetrics(now));
    await seedSession(stage, 'visit', 8, now - 60_000);
    await stage.settled();
  });
  afterAll(() => stage?.close());

  const open = async (path: string) => (await stage.open(path)).page;
  /** What matches does not reach the server; how often it was tried. */
  const cut = async (page: Page, what: string | RegExp) => {
    const tried = { times: 0 };
    await intercept(page, what, async (route) => {
      tried.times += 1;
      await route.abort();
    });
    return tried;
  };
  const chooseRange = async (page: Page, name: string) => {
    await page.getByTestId('time-range').click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  /** Counts the alerts that come from here on. */
  const countAlerts = (page: Page) =>
    page.evaluate(`
      window.alerts = 0;
      new MutationObserver((records) => {
        for (const { addedNodes } of records)
          for (const node of addedNodes)
            if (node.nodeType === 1)
              window.alerts += node.querySelectorAll('[role=alert]').length + (node.matches('[role=alert]') ? 1 : 0);
      }).observe(document.body, { childList: true, subtree: true });
    `);
  const alerts = (page: Page) => page.evaluate<number>('window.alerts');

  it('asks a server that can be reached though the browser says it is offline', async () => {
    const page = await open('/traces');
    const traces = new TracesPage(page);
    await traces.loaded();
    await page.evaluate('window.dispatchEvent(new Event("offline"))');
    await traces.search('name:"POST /chat"');
    await soon(() => traces.rows.count()).toBe(1);
  });

  it('says once what could not be loaded, keeps who stands there, and leads them on', async () => {
    const page = await open('/');
    const home = new HomePage(page);
    await home.loaded();
    await countAlerts(page);
    const tried = await cut(page, '**/api/telemetry/{aggregate,exceptions/search}');
    await chooseRange(page, 'Last hour');
    const card = home.card('Slowest operations');
    await card.getByRole('alert').waitFor();
    await home.card('Newest exceptions').getByRole('alert').waitFor();
    await home.card('Errors by service').getByRole('alert').waitFor();
    const again = card.getByRole('button', { name: 'Try again' });
    await again.focus();
    // Several failures of each: what is tried is tried three times.
    const before = tried.times;
    await soon(() => tried.times).toBeGreaterThan(before + 40);
    expect(await alerts(page)).toBe(await page.getByRole('alert').count());
    expect(await again.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.unroute('**/api/telemetry/{aggregate,exceptions/search}');
    await card.getByRole('link').first().waitFor();
    await soon(() => card.evaluate((element) => element.contains(element.ownerDocument.activeElement))).toBe(
      true,
    );
  });

  it('keeps the fleet while newer figures do not come, and dims it under another time range', async () => {
    const page = await open('/hosts?from=-1h');
    const hosts = new HostsPage(page);
    await hosts.host('gpu-node-1').waitFor();
    const fleet = /\/api\/telemetry\/hosts\?/;
    await cut(page, fleet);
    await page.keyboard.press('r');
    await page.getByText(NEWER).waitFor();
    expect(await hosts.host('gpu-node-1').isVisible()).toBe(true);
    expect(await accessibilityFindings(page)).toEqual([]);
    // By itself, as soon as it can be had.
    await page.unroute(fleet);
    await page.getByText(NEWER).waitFor({ state: 'detached' });

    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await intercept(page, fleet, async (route) => {
      await held;
      await route.abort();
    });
    // Time that goes on changes nothing that was chosen.
    const asked = page.waitForRequest(fleet);
    await page.keyboard.press('r');
    await asked;
    expect(await page.locator('[aria-busy=true] [data-testid=fleet]').count()).toBe(0);
    await chooseRange(page, 'Last 4 hours');
    await page.locator('[aria-busy=true] [data-testid=fleet]').waitFor();
    expect(await hosts.host('gpu-node-1').isVisible()).toBe(true);
    release();
    // Nobody knows what was in these hours.
    await page.getByRole('heading', FAILED).waitFor();
    expect(await hosts.hosts.count()).toBe(0);
  });

  for (const [path, what, shown] of [
    ['/agents', /\/api\/telemetry\/agents\?/, 'shop-assistant'],
    ['/agents/shop-assistant', /\/api\/telemetry\/agents\/shop-assistant\?/, 'Model calls'],
    ['/hosts/gpu-node-1?tab=calls', /\/model-calls\?/, 'By model'],
    ['/hosts/gpu-node-1/gpus/GPU-0', /\/gpus\/GPU-0\?/, 'Id'],
  ] as const)
    it(`keeps ${path}, dimmed, until another time range has its answer`, async () => {
      const page = await open(path);
      const figures = page.getByRole('main').getByText(shown, { exact: true }).first();
      await figures.waitFor();
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      await intercept(page, what, async (route) => {
        await held;
        await route.continue();
      });
      await chooseRange(page, 'Last 3 days');
      const old = page.locator('[aria-busy=true]', { hasText: shown }).first();
      await old.waitFor();
      expect(
        await old.evaluate((element) => element.ownerDocument.defaultView.getComputedStyle(element).opacity),
      ).toBe('0.6');
      release();
      await soon(() => page.locator('[aria-busy=true]').count()).toBe(0);
      expect(await figures.isVisible()).toBe(true);
    });

  it('draws the counts of an exception in their own time, and says what more of it could not be had', async () => {
    const page = await open('/exceptions');
    await page.getByRole('link', { name: 'ECONNRESET' }).first().waitFor();
    await page.route(/\/api\/telemetry\/exceptions\/[0-9a-f]{16}\?/, async (route) => {
      if (route.request().url().includes('cursor=')) return await route.abort();
      const answer = await route.fetch();
      return await route.fulfill({
        response: answer,
        json: { ...(await answer.json()), nextCursor: 'next' },
      });
    });
    await page.getByRole('link', { name: 'ECONNRESET' }).first().click();
    await page.getByRole('button', { name: 'More occurrences' }).click();
    await page.getByRole('alert').getByText('More occurrences could not be loaded.').waitFor();
    expect(await page.getByRole('heading', { name: 'ECONNRESET' }).isVisible()).toBe(true);

    await page.unroute(/\/api\/telemetry\/exceptions\/[0-9a-f]{16}\?/);
    await page.route(/\/api\/telemetry\/exceptions\/[0-9a-f]{16}\?/, () => new Promise(() => undefined));
    const times = () => page.getByTestId('time-chart').locator('..').innerText();
    const before = await times();
    await chooseRange(page, 'Last 30 days');
    await page.locator('[aria-busy=true]').getByRole('heading', { name: 'ECONNRESET' }).waitFor();
    expect(await times()).toBe(before);
  });

  for (const [path, what, label, shown] of [
    ['/traces', '**/api/telemetry/traces/search', 'Traces', 'POST /chat'],
    ['/sessions', /\/api\/telemetry\/sessions\?/, 'Sessions', 'Question 0'],
    ['/metrics', /\/api\/telemetry\/metrics\?/, 'Metrics', 'gpu'],
  ] as const)
    it(`keeps the rows of ${path} while newer ones do not come, and counts them as before`, async () => {
      const page = await open(path);
      const grid = page.getByRole('grid', { name: label });
      await grid.getByText(shown).first().waitFor();
      const counted = await grid.getAttribute('aria-rowcount');
      const said = await page.getByText('rows shown').count();
      let isAsked = false;
      const held = Promise.withResolvers<void>();
      await intercept(page, what, async (route) => {
        isAsked = true;
        await held.promise;
        await route.abort();
      });
      // While the page still asks for itself, a refresh asks for nothing more.
      const refreshed = async () => {
        if (!isAsked) await page.keyboard.press('r');
        return isAsked;
      };
      await expect.poll(refreshed, { timeout: 20_000, interval: 500 }).toBe(true);
      expect(await grid.getAttribute('aria-rowcount')).toBe(counted);
      expect(await page.getByText('rows shown').count()).toBe(said);
      held.resolve();
      await page.getByRole('alert').getByText(NEWER).waitFor();
      expect(await page.getByText(NEWER).count()).toBe(1);
      expect(await grid.getByText(shown).first().isVisible()).toBe(true);
      expect(await grid.getAttribute('aria-rowcount')).toBe(counted);
      expect(await accessibilityFindings(page)).toEqual([]);
      // Asked once more, they stand until there is an answer, which comes by itself.
      await page.keyboard.press('r');
      expect(await page.getByText(NEWER).isVisible()).toBe(true);
      await page.unroute(what);
      await page.getByText(NEWER).waitFor({ state: 'detached' });
      expect(await grid.getByText(shown).first().isVisible()).toBe(true);
    });

  it('tells rows that are not the newest from rows that do not come', async () => {
    const page = await open('/');
    await page.clock.install();
    await page.goto(new URL('/traces', page.url()).href);
    const traces = new TracesPage(page);
    const grid = page.getByRole('grid', { name: 'Traces' });
    const scroller = page.getByTestId('scroller');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/telemetry/traces/search', async (route) => {
      if (route.request().postDataJSON().cursor === undefined) return await route.continue();
      await held;
      return await route.abort();
    });
    await traces.loaded();
    await scroller.evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 700;
    });
    await page.getByText('Loading more').waitFor();
    // How many there are is not known because the next ones are on their way.
    expect(await grid.getAttribute('aria-rowcount')).toBe('-1');
    release();
    await page.clock.runFor(10_000);
    await page.getByText('More rows could not be loaded.').waitFor();
    await page.unroute('**/api/telemetry/traces/search');
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('More rows could not be loaded.').waitFor({ state: 'detached' });
    await soon(() => page.getByText('Loading more').count()).toBe(0);

    await cut(page, '**/api/telemetry/traces/search');
    await page.clock.runFor(60_000);
    await page.evaluate('window.dispatchEvent(new Event("offline"))');
    await page.evaluate('window.dispatchEvent(new Event("online"))');
    await page.clock.runFor(10_000);
    await page.getByText(NEWER).waitFor();
    expect(await traces.rows.count()).toBeGreaterThan(0);
    await page.unroute('**/api/telemetry/traces/search');
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
    await page.getByText(NEWER).waitFor({ state: 'detached' });
  });

  it('says once that a part of a conversation does not come', async () => {
    const page = await open('/');
    await cut(page, '**/api/telemetry/sessions/visit/turns?**');
    await page.goto(new URL('/sessions/visit', page.url()).href);
    const sessions = new SessionsPage(page);
    await sessions.turn(2).getByText('This part could not be loaded.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.getByRole('button', { name: 'Turn 1', exact: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.unroute('**/api/telemetry/sessions/visit/turns?**');
    await sessions.turn(1).getByRole('button', { name: 'Try again' }).click();
    await sessions.turn(1).getByText('Question 0', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
