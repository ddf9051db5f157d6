import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { sendLogs, sendMetrics, sendTrace } from './otlp.ts';
import { OWNED, OWNER } from './people.ts';
import { hostMetrics, servedTrace } from './seeds-hosts.ts';
import { agentTrace, hostileTrace } from './seeds.ts';
import { PHONE } from './shots/shot.ts';
import { openStage, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, pages on a telephone: ${missing}`);

const HERE = dirname(fileURLToPath(import.meta.url));
const GENERATED = join(HERE, '..', '..', 'apps', 'web', 'src', 'routeTree.gen.ts');

/** The pages without parameters in their path, as the generated route tree lists them. */
function staticRoutes(): string[] {
  const [, listed = ''] = /interface FileRoutesByTo \{([^}]*)\}/.exec(readFileSync(GENERATED, 'utf8')) ?? [];
  return [...listed.matchAll(/'([^'$]+)': typeof/g)].map(([, path = '']) => path);
}

/** Widths of the page and of what scrolls it up and down, which hides from the page that it is wider. */
const WIDTHS = `[document.documentElement, ...document.querySelectorAll('main, main *')]
  .filter(({ clientWidth, clientHeight }) => clientWidth > innerWidth * 0.9 && clientHeight > innerHeight / 3)
  .filter((element) => element === document.documentElement || getComputedStyle(element).overflowY === 'auto')
  .map(({ scrollWidth }) => scrollWidth)`;

describe('pages on a telephone', () => {
  it('are found in the route tree', () => {
    expect(staticRoutes()).toEqual(expect.arrayContaining(['/', '/traces', '/settings/audit']));
  });
});

describe.skipIf(missing !== undefined)('a page on a telephone is no wider than its window', () => {
  let stage: Stage;
  let page: Page;
  beforeAll(async () => {
    stage = await openStage(OWNED);
    const { otlpHttp } = stage.platform;
    const now = Date.now();
    const trace = agentTrace(now - 60_000);
    for (const each of [trace, hostileTrace(now - 50_000), servedTrace(now)]) await sendTrace(otlpHttp, each);
    const body = `GET /v1/organisations/${'unbroken'.repeat(20)} failed`;
    await sendLogs(otlpHttp, trace, [
      { afterMs: 10, severity: 17, body, spanId: trace.spans[0]?.spanId ?? '' },
    ]);
    await sendMetrics(otlpHttp, ...hostMetrics(now));
    ({ page } = await stage.open('/account', { as: OWNER }));
    await page.setViewportSize(PHONE);
  });
  afterAll(() => stage?.close());

  it.each(staticRoutes())('%s', async (path) => {
    await page.goto(`${stage.platform.http}${path}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    // Waited for: a page may lead elsewhere meanwhile.
    const widths = await page.waitForFunction<number[]>(WIDTHS);
    expect(Math.max(...(await widths.jsonValue())), path).toBeLessThanOrEqual(PHONE.width);
  });
});
