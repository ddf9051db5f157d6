import { encodeLogsRequest, encodeTraceRequest } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { LogsPage } from './pages/logs-page.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, estimates in the browser: ${missing}`);

/** More log records than a sample is worth taking of; every 50th has the word. */
const RECORDS = 1_200_000;
const BATCH = 20_000;
const HITS = RECORDS / 50;
const HOURS = 6;

/** More spans than a list is first made of a part of; each a trace, ten of them a session, every 20th session has the word. */
const SPANS = 440_000;
const OF_SESSION = 10;
const OF_WORD = 20 * OF_SESSION;

const FROM = BigInt(Date.now() - HOURS * 3_600_000) * 1_000_000n;
const timeOf = (place: number, all: number): bigint =>
  FROM + (BigInt(place) * BigInt(HOURS) * 3_600_000_000_000n) / BigInt(all + 1);
const attributes = { 'service.name': 'orchard' };

async function send(url: string, body: Uint8Array): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: Buffer.from(body),
  });
  if (!response.ok) throw new Error(`OTLP answered ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

async function sendLogs(otlpHttp: string): Promise<void> {
  for (let at = 0; at < RECORDS; at += BATCH) {
    const logRecords = Array.from({ length: BATCH }, (_, index) => ({
      timeUnixNano: timeOf(at + index, RECORDS),
      severityNumber: (at + index) % 500 === 0 ? 17 : 9,
      body: (at + index) % 50 === 0 ? 'a crate of walnuts' : 'a crate of apples',
    }));
    const scopeLogs = [{ scope: { name: 'orchard' }, logRecords }];
    await send(
      `${otlpHttp}/v1/logs`,
      encodeLogsRequest({ resourceLogs: [{ resource: { attributes }, scopeLogs }] }),
    );
  }
}

async function sendSpans(otlpHttp: string): Promise<void> {
  for (let at = 0; at < SPANS; at += BATCH) {
    const spans = Array.from({ length: BATCH }, (_, index) => {
      const own = at + index;
      const startTimeUnixNano = timeOf(own, SPANS);
      return {
        traceId: (own + 1).toString(16).padStart(32, '0'),
        spanId: (own + 1).toString(16).padStart(16, '0'),
        name: 'chat',
        kind: 3,
        startTimeUnixNano,
        endTimeUnixNano: startTimeUnixNano + BigInt((1 + ((own * 7) % 997)) * 1_000_000),
        attributes: {
          'session.id': `session ${Math.floor(own / OF_SESSION)}`,
          'gen_ai.input.messages': own % OF_WORD === 0 ? 'a crate of walnuts' : 'a crate of apples',
        },
      };
    });
    const scopeSpans = [{ scope: { name: 'orchard' }, spans }];
    await send(
      `${otlpHttp}/v1/traces`,
      encodeTraceRequest({ resourceSpans: [{ resource: { attributes }, scopeSpans }] }),
    );
  }
}

describe.skipIf(missing !== undefined)('numbers of a search that reads every text', () => {
  let stage: Stage;
  beforeAll(async () => {
    // With an index of words there would be nothing to estimate.
    stage = await openStage({ PLATFORM_OTLP_MAX_BYTES: String(64 << 20), PLATFORM_TEXT_INDEX: 'false' });
    await sendLogs(stage.platform.otlpHttp);
    await sendSpans(stage.platform.otlpHttp);
    await stage.settled();
  }, 180_000);
  afterAll(() => stage?.close());

  it('are estimated first, say so, and become exact, also for whoever comes back', async () => {
    const { page, complaints } = await stage.open('/logs');
    const logs = new LogsPage(page);
    await logs.loaded();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let exact = 0;
    await intercept(page, /\/api\/telemetry\/(aggregate|facets)$/, async (route) => {
      const { early, q } = route.request().postDataJSON() as { early?: boolean; q?: string };
      if (early !== true && q === 'walnuts') {
        exact += 1;
        await held;
      }
      // Whoever left does not wait for it.
      await route.continue().catch(() => undefined);
    });
    await logs.search('walnuts');
    const facets = page.getByRole('complementary', { name: 'Facets' });
    const notes = page.getByText('estimated', { exact: true });
    await soon(() => notes.count()).toBe(2);
    const ofService = logs.facet('Service').getByTitle(/^About [\d,]+ log records$/);
    const told = Number((await ofService.getAttribute('title'))?.replaceAll(/\D/g, ''));
    expect(told).toBeGreaterThan(HITS * 0.9);
    expect(told).toBeLessThan(HITS * 1.1);
    expect(await facets.getByText('estimated', { exact: true }).getAttribute('title')).toMatch(
      /^Told from \d+(\.\d+)? % of the log records in this time range, while all of them are looked at$/,
    );
    expect(await accessibilityFindings(page)).toEqual([]);
    await soon(() => exact).toBe(2);

    // Away and back while all are still looked at: they are asked for again, and not estimated once more.
    await page.getByRole('link', { name: 'Traces', exact: true }).click();
    await page.getByRole('group', { name: 'Rows' }).or(page.getByRole('heading')).first().waitFor();
    await logs.rows.first().waitFor({ state: 'detached' });
    await page.goBack();
    await soon(() => exact).toBe(4);
    await soon(() => notes.count()).toBe(2);

    release();
    await logs
      .facet('Service')
      .getByTitle(`${HITS.toLocaleString('en-US')} log records`)
      .waitFor();
    await soon(() => notes.count()).toBe(0);
    expect(complaints).toEqual([]);
  }, 60_000);

  it('are exact at once where few are looked at', async () => {
    const { page, complaints } = await stage.open('/logs?from=-15m&q=walnuts');
    await new LogsPage(page).loaded();
    await page
      .getByRole('complementary', { name: 'Facets' })
      .getByTitle(/^[\d,]+ log records$/)
      .first()
      .waitFor();
    expect(await page.getByText('estimated', { exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each([
    {
      list: 'Spans',
      address: '/traces?view=spans&sort=-duration&q=walnuts',
      noun: 'spans',
      all: '50 or more spans',
    },
    {
      list: 'Traces',
      address: '/traces?sort=-duration&q=walnuts',
      noun: 'traces',
      all: '50 or more traces',
    },
    { list: 'Sessions', address: '/sessions?q=walnuts', noun: 'sessions', all: '50 or more sessions' },
  ])('$list come from a part first, say so, and are all there then', async ({ list, address, noun, all }) => {
    const { page, complaints } = await stage.open('/logs');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let [early, exact] = [0, 0];
    await intercept(page, /\/api\/telemetry\/(spans\/search|traces\/search|sessions\?)/, async (route) => {
      const asked = `${route.request().url()} ${route.request().postData() ?? ''}`;
      if (/early(=|":)true/.test(asked)) early += 1;
      else if (asked.includes('walnuts')) {
        exact += 1;
        await held;
      }
      await route.continue().catch(() => undefined);
    });
    await page.goto(new URL(address, page.url()).href);
    const rows = page.getByRole('grid', { name: list }).or(page.getByRole('table', { name: list }));
    await rows.first().waitFor();
    const news = page.getByTestId('rows-news');
    await soon(() => news.textContent()).toBe(`25 ${noun} so far`);
    expect(await page.getByTestId('rows-part').textContent()).toMatch(
      /^Found in the newest \d+(\.\d+)? % of the spans, looking at the rest …$/,
    );
    expect(await page.getByText('rows shown').count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await soon(() => exact).toBe(1);
    expect(early).toBe(1);

    // Away and back: the page is asked for again, and its first rows are not.
    await page.getByRole('link', { name: 'Logs', exact: true }).click();
    await rows.first().waitFor({ state: 'detached' });
    await page.goBack();
    await soon(() => exact).toBe(2);
    expect(early).toBe(1);
    expect(await news.textContent()).toBe(`25 ${noun} so far`);

    release();
    await soon(() => news.textContent()).toBe(all);
    expect(await page.getByTestId('rows-part').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
