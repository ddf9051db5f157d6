import { encodeLogsRequest } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { LogsPage } from './pages/logs-page.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, estimates in the browser: ${missing}`);

/** More log records than a sample is worth taking of; every 50th has the word. */
const RECORDS = 1_200_000;
const BATCH = 20_000;
const HITS = RECORDS / 50;
const HOURS = 6;

async function sendLogs(otlpHttp: string): Promise<void> {
  const from = BigInt(Date.now() - HOURS * 3_600_000) * 1_000_000n;
  const step = (BigInt(HOURS) * 3_600_000_000_000n) / BigInt(RECORDS + 1);
  const attributes = { 'service.name': 'orchard' };
  for (let at = 0; at < RECORDS; at += BATCH) {
    const logRecords = Array.from({ length: BATCH }, (_, index) => ({
      timeUnixNano: from + BigInt(at + index) * step,
      severityNumber: (at + index) % 500 === 0 ? 17 : 9,
      body: (at + index) % 50 === 0 ? 'a crate of walnuts' : 'a crate of apples',
    }));
    const body = encodeLogsRequest({
      resourceLogs: [{ resource: { attributes }, scopeLogs: [{ scope: { name: 'orchard' }, logRecords }] }],
    });
    const response = await fetch(`${otlpHttp}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf' },
      body: Buffer.from(body),
    });
    if (!response.ok) throw new Error(`OTLP answered ${response.status}: ${await response.text()}`);
    await response.body?.cancel();
  }
}

describe.skipIf(missing !== undefined)('numbers of a search that reads every text', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ PLATFORM_OTLP_MAX_BYTES: String(64 << 20) });
    await sendLogs(stage.platform.otlpHttp);
    await stage.settled();
  }, 180_000);
  afterAll(() => stage?.close());

  it('are estimated first, say so, and become exact, also for whoever comes back', async () => {
    const { page, complaints } = await stage.open('/logs');
    const logs = new LogsPage(page);
    await logs.loaded();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let exact = 0;
    await page.route(/\/api\/telemetry\/(aggregate|facets)$/, async (route) => {
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
});
