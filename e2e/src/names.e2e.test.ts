import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, type SeedTrace } from './otlp.ts';
import { openStage, type Stage } from './stage.ts';

const SERVICES = [
  'retrieval-index-builder-for-customers-eu-west-1',
  'retrieval-index-builder-for-customers-eu-west-2',
];
const NAMES = SERVICES.map(
  (_, at) => `POST /v1/organisations/{organisation}/projects/{project}/indexes/v${at + 1}`,
);

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, long names in the browser: ${missing}`);

let stage: Stage | undefined;
beforeAll(async () => {
  if (missing !== undefined) return;
  stage = await openStage();
  const now = Date.now();
  await stage.seed(
    ...SERVICES.map(
      (service, at): SeedTrace => ({
        traceId: newTraceId(),
        service,
        startedAt: now - 60_000 * (at + 1),
        spans: [{ spanId: newSpanId(), name: NAMES[at] ?? '', durationMs: 20 }],
      }),
    ),
  );
}, 120_000);
afterAll(() => stage?.close());

/** What is seen of a name: whether its beginning is cut, what is drawn of its end, and whether all of that has room. */
const seen = (name: Locator) =>
  name.evaluate((element) => {
    const beginning = element.firstElementChild;
    const around = element.parentElement.getBoundingClientRect();
    return {
      cut: beginning.scrollWidth > beginning.clientWidth,
      end: element.ownerDocument.defaultView.getComputedStyle(element, '::after').content,
      inside: element.getBoundingClientRect().right <= around.right + 1,
    };
  });

describe.skipIf(missing !== undefined)('names that differ at their end only', () => {
  const open = (path: string) => (stage as Stage).open(path);
  it.each([1_024, 1_440])('are told apart where they are cut, at %i pixels', async (width) => {
    const { page, complaints } = await open('/traces?view=spans');
    await page.setViewportSize({ width, height: 800 });
    const facets = page.getByRole('region', { name: 'Service' });
    for (const [at, service] of SERVICES.entries()) {
      const places = [
        page.getByRole('link', { name: NAMES[at] ?? '', exact: true }).locator('.middle-truncation'),
        page.getByRole('row').getByTitle(service),
        facets.getByRole('button', { name: service }).first().locator('.middle-truncation'),
      ];
      for (const place of places) {
        const end = place === places[0] ? `indexes/v${at + 1}` : `u-west-${at + 1}`;
        expect(await seen(place)).toEqual({ cut: true, end: expect.stringContaining(end), inside: true });
      }
    }
    expect(complaints).toEqual([]);
  });

  it('are whole in what is copied', async () => {
    const { page } = await open('/traces?view=spans');
    const [service = ''] = SERVICES;
    const cell = page.getByRole('row').getByTitle(service);
    await cell.waitFor();
    const copied = await cell.evaluate((element) => {
      const selection = element.ownerDocument.getSelection();
      selection.selectAllChildren(element);
      return String(selection);
    });
    expect(copied).toBe(service);
  });

  it('take the lines they need on a telephone', async () => {
    const { page } = await open('/traces?view=spans');
    await page.setViewportSize({ width: 390, height: 800 });
    const link = page.getByRole('link', { name: NAMES[0] ?? '', exact: true });
    await link.waitFor();
    const text = await link.innerText();
    expect(text).toBe(NAMES[0]);
    const { height } = (await link.boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThan(30);
  });
});
