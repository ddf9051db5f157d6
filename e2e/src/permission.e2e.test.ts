import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { TracesPage } from './pages/traces-page.ts';
import { SignInPage } from './pages/sign-in-page.ts';
import { requestTraces } from './seeds.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, permission in the browser: ${missing}`);

const KEY = 'pk_e2e00000_browser-test-key';

describe.skipIf(missing !== undefined)('permission and failure', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ PLATFORM_BOOTSTRAP_API_KEY: KEY });
    await stage.seed(...requestTraces(3, Date.now()));
  });
  afterAll(() => stage?.close());

  it('asks for a key, says why one is refused, and opens with the right one for this tab', async () => {
    // As if it came through a proxy: then nobody is taken for the person at this machine.
    const { page } = await stage.open('/traces', { headers: { 'x-forwarded-for': '203.0.113.7' } });
    const sign = new SignInPage(page);
    await sign.heading('Sign in').waitFor();
    await page.getByText('Nobody owns this installation yet').waitFor();
    await sign.useKey('wrong');
    // Instead of the page: its parts may have said so on their way out.
    const refusal = page.getByTestId('notice').filter({ hasText: 'not known or was revoked' });
    await refusal.waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // Another one is refused in the same words, which go and come: else nobody would notice.
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await intercept(page, '**/api/**', async (route) => {
      await held;
      await route.continue();
    });
    const use = page.getByRole('button', { name: 'Use this key' });
    await page.getByLabel('API key').fill('as wrong');
    await use.click();
    await refusal.waitFor({ state: 'detached' });
    release();
    await refusal.waitFor();
    await page.unroute('**/api/**');
    await page.getByLabel('API key').fill(KEY);
    await use.click();
    const traces = new TracesPage(page);
    await traces.loaded();
    await page.reload();
    await traces.loaded();
    expect(await traces.rows.count()).toBe(3);
  });

  it('says what failed with the request id, and recovers', async () => {
    const { page } = await stage.open('/traces');
    const traces = new TracesPage(page);
    await traces.loaded();
    await intercept(page, '**/api/**', (route) =>
      route.fulfill({
        status: 422,
        headers: { 'x-request-id': 'abc123', 'x-platform-error-code': 'query_too_expensive' },
        json: { err: 'The query needs more memory than its bound allows.' },
      }),
    );
    await page.reload();
    await page.getByText('The query needs more memory than its bound allows.').waitFor();
    await page.getByText('abc123').waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await traces.loaded();
  });

  it('of a busy store keeps what it has, says so in one line and goes on by itself when it was told to', async () => {
    const { page } = await stage.open('/traces');
    const traces = new TracesPage(page);
    await traces.loaded();
    const asked = new Map<string, number[]>();
    await intercept(page, /\/api\/telemetry\/(traces\/search|facets|aggregate)/, (route) => {
      const key = `${route.request().url()} ${route.request().postData()}`;
      asked.set(key, [...(asked.get(key) ?? []), Date.now()]);
      return route.fulfill({
        status: 503,
        headers: { 'retry-after': '2', 'x-platform-error-code': 'overloaded' },
        json: { err: 'The store is busy. Try again shortly.' },
      });
    });
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Last 4 hours' }).click();
    const line = page.getByTestId('busy-line');
    await line.getByText('The store is busy').waitFor();
    await soon(() => Math.max(...[...asked.values()].map((times) => times.length))).toBeGreaterThan(1);
    expect(await traces.rows.count()).toBe(3);
    expect(await page.getByRole('alert').count()).toBe(0);
    for (const times of asked.values())
      for (const [at, time] of times.entries())
        if (at > 0) expect(time - (times[at - 1] ?? 0)).toBeGreaterThanOrEqual(2_000);
    await page.unroute(/\/api\/telemetry\/(traces\/search|facets|aggregate)/);
    await line.getByText('The store is busy').waitFor({ state: 'detached' });
    await traces.loaded();
  });

  it('ends a live view that is refused meanwhile, and says why', async () => {
    const { page } = await stage.open('/traces?from=-1h');
    await new TracesPage(page).loaded();
    let opened = 0;
    await intercept(page, '**/api/telemetry/tail?**', (route) => {
      opened += 1;
      const failure = { err: 'Choose one.', code: 'choose_environment', status: 422, requestId: 'abc' };
      const body = `event: failure\ndata: ${JSON.stringify(failure)}\n\n`;
      return route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body });
    });
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    const live = page.getByRole('button', { name: 'Refused' });
    await live.waitFor();
    // The reason is told beside the rows, and nothing else.
    expect(await live.locator('[aria-live]').count()).toBe(0);
    await page.getByText('Choose one.').last().waitFor();
    expect(opened).toBe(1);
  });
});
