import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendMetrics, type SeedPoint } from './otlp.ts';
import { MetricsPage } from './pages/metrics-page.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, metrics in the browser: ${missing}`);

const MINUTE = 60_000;

describe.skipIf(missing !== undefined)('metrics', () => {
  let stage: Stage;
  const traceId = newTraceId();
  const spanId = newSpanId();
  const now = Date.now();
  /** Half an hour of points a minute apart. */
  const every = (point: (index: number, at: number) => Omit<SeedPoint, 'at'>) =>
    Array.from({ length: 30 }, (_, index): SeedPoint => {
      const at = now - (30 - index) * MINUTE;
      return { at, ...point(index, at) };
    });

  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  const heard: string[][] = [];
  afterEach(() => expect(heard.splice(0).flat()).toEqual([]));

  const open = async (path: string, options?: Parameters<Stage['open']>[1]) => {
    const opened = await stage.open(path, options);
    heard.push(opened.complaints);
    return { page: opened.page, metrics: new MetricsPage(opened.page) };
  };

  it('shows what to paste, and turns live when the first metric arrives', async () => {
    const { page, metrics } = await open('/metrics?from=-1h');
    await page.getByRole('heading', { name: 'Send the first metric' }).waitFor();
    await stage.seed({
      traceId,
      service: 'shop',
      startedAt: now - 5 * MINUTE,
      spans: [{ spanId, name: 'POST /pay', durationMs: 900 }],
    });
    await sendMetrics(
      stage.platform.otlpHttp,
      {
        name: 'shop.orders',
        kind: 'counter',
        unit: '{order}',
        description: 'Orders placed',
        startedAt: now - 10 * 86_400_000,
        points: [
          ...every((index) => ({ value: 1_000 + index * 60, attributes: { plan: 'pro' } })),
          // A restart in the middle: the count falls, the rate does not.
          ...every((index) => ({
            value: index < 15 ? 500 + index * 120 : (index - 15) * 120,
            attributes: { plan: 'free' },
          })),
        ],
      },
      {
        name: 'shop.pay.duration',
        kind: 'histogram',
        unit: 's',
        description: 'Time to pay',
        startedAt: now - 10 * 86_400_000,
        bounds: [0.1, 0.5, 1],
        points: every((index) => ({
          buckets: [10 * index, 5 * index, index, 0],
          ...(index === 25 ? { exemplar: { value: 0.9, traceId, spanId } } : {}),
        })),
      },
    );
    await metrics.rows.first().waitFor();
    await soon(() => metrics.rows.count()).toBe(2);
    // What comes a moment after the first shows by itself too.
    await sendMetrics(stage.platform.otlpHttp, {
      name: 'queue.length',
      kind: 'gauge',
      unit: '{job}',
      service: 'worker',
      points: every((index) => ({ value: index })),
    });
    await soon(() => metrics.rows.count()).toBe(3);
    await page.getByText('3 metrics').waitFor();
  });

  it('finds metrics by words and facets, by keyboard too', async () => {
    const { page, metrics } = await open('/metrics?from=-1h');
    await metrics.rows.first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('placed orders');
    await soon(() => metrics.rows.count()).toBe(1);
    await soon(() => metrics.rows.first().innerText()).toContain('shop.orders');
    await soon(() => new URL(page.url()).searchParams.get('q')).toBe('placed orders');
    await metrics.search.fill('');
    await soon(() => metrics.rows.count()).toBe(3);
    await metrics.facet('Service', 'worker').click();
    await soon(() => metrics.rows.count()).toBe(1);
    await metrics.facet('Service', 'worker').click();
    await soon(() => metrics.rows.count()).toBe(3);
    await soon(() => page.url()).not.toContain('service=');
    // Away from the facet, which Enter would press.
    await metrics.search.focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/metrics\/explore/);
    await metrics.query('A').waitFor();
    expect(await metrics.page.getByRole('combobox', { name: 'Metric of A' }).inputValue()).toBe(
      'shop.orders',
    );
  });

  it('opens the question behind the list with everything that narrows it, and shows all columns', async () => {
    const { page, metrics } = await open('/metrics?from=-1h&q=shop&type=histogram');
    await soon(() => metrics.rows.count()).toBe(1);
    await page.getByRole('button', { name: /query/i }).click();
    const request = page.getByRole('dialog').getByTestId('request');
    const asked = { q: 'shop', type: 'histogram', from: '-1h' };
    expect(JSON.parse(await request.innerText())).toMatchObject(asked);
    await page.keyboard.press('Escape');
    const last = await page.getByRole('columnheader', { name: 'Last seen' }).boundingBox();
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(1_440);
  });

  it('has its facets behind a button when the window is narrow, which says what is chosen', async () => {
    const { page, metrics } = await open('/metrics?from=-1h&type=histogram');
    await page.setViewportSize({ width: 720, height: 900 });
    await soon(() => metrics.rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Facets 1 chosen' }).click();
    await metrics.facet('Type', 'Histogram').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await metrics.facet('Type', 'Histogram').click();
    await soon(() => metrics.rows.count()).toBe(3);
  });

  it('shows the rate of a counter through a restart, by label', async () => {
    const { page, metrics } = await open('/metrics/explore?from=-1h&a=metric%3Dshop.orders');
    await metrics.chart.waitFor();
    // 60 and 120 a minute.
    await soon(() => metrics.lines()).toEqual([expect.stringMatching(/^rate shop\.orders .* 3 orders\/s /)]);
    await metrics.groupBy('A', 'attributes.plan');
    await soon(() => metrics.lines()).toEqual([
      expect.stringMatching(/^plan free .*2 orders\/s/),
      expect.stringMatching(/^plan pro .*1 order\/s/),
    ]);
    await page.getByRole('table').getByRole('button', { name: 'plan pro' }).click();
    await soon(() => metrics.lines()).toEqual([expect.stringContaining('plan pro')]);
    expect(new URL(page.url()).searchParams.get('a')).toContain('q=attributes.plan%3Apro');
    await page.reload();
    await soon(() => metrics.lines()).toEqual([expect.stringContaining('plan pro')]);
  });

  it('puts several queries on one chart, refuses nothing silently', async () => {
    const { page, metrics } = await open('/metrics/explore?from=-1h&a=metric%3Dshop.pay.duration');
    await soon(() => metrics.lines()).toHaveLength(1);
    await page.getByRole('button', { name: 'Query', exact: true }).click();
    const picker = page.getByRole('combobox', { name: 'Metric of B' });
    await picker.fill('queue');
    await page.getByRole('option', { name: /queue\.length/ }).click();
    await soon(() => metrics.lines()).toHaveLength(2);
    // Two units, two axes.
    await soon(() => metrics.chart.count()).toBe(2);
    await metrics.chooseAggregation('A', 'p50');
    await soon(async () => (await metrics.lines())[0]).toContain('p50 shop.pay.duration');
    const filter = page.getByRole('combobox', { name: 'Filter of A' });
    await filter.fill('plan:pro');
    await filter.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/There is no field "plan"/)
      .waitFor();
    await filter.fill('');
    await filter.press('Enter');
    await page.getByRole('button', { name: 'Remove query B' }).click();
    await soon(() => metrics.lines()).toHaveLength(1);
  });

  it('divides one query by another, and says when their labels do not fit', async () => {
    const a = encodeURIComponent('metric=shop.orders&by=attributes.plan');
    const { page, metrics } = await open(`/metrics/explore?from=-1h&a=${a}&b=metric%3Dshop.orders`);
    await page.getByRole('button', { name: 'ratio none' }).click();
    await page.getByRole('menuitemradio', { name: 'A ÷ B' }).click();
    // The shares of 120 and 60 a minute.
    await soon(async () => (await metrics.lines()).slice(0, 2)).toEqual([
      expect.stringMatching(/^A ÷ B free .* 66\.7% 66\.7%$/),
      expect.stringMatching(/^A ÷ B pro 33\.3% .* 33\.3%$/),
    ]);
    await soon(() => metrics.chart.count()).toBe(2);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'ratio A ÷ B' }).click();
    await page.getByRole('menuitemradio', { name: 'B ÷ A' }).click();
    await page.getByText('B and A have different labels').waitFor();
    await page.getByRole('button', { name: 'Remove query B' }).click();
    await soon(() => metrics.lines()).toHaveLength(2);
    expect(new URL(page.url()).searchParams.get('ratio')).toBeNull();
  });

  it('tells the values of a place within the chart, also where that is narrow', async () => {
    const a = encodeURIComponent('metric=shop.orders&by=attributes.plan&by=service');
    // A step over midnight says both days: somewhere the last two hours have one.
    const hour = new Date().getUTCHours();
    const timezoneId = hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`;
    const { page, metrics } = await open(`/metrics/explore?from=-2h&a=${a}`, { timezoneId });
    await page.setViewportSize({ width: 390, height: 800 });
    await metrics.chart.waitFor();
    const chart = await metrics.chart.boundingBox();
    if (chart === null) throw new Error('no chart');
    const tooltip = page.getByTestId('chart-tooltip');
    const tellsWhole = async () => {
      await tooltip.waitFor();
      const told = await tooltip.evaluate((element) => {
        const { left, right } = element.getBoundingClientRect();
        return { left, right, cut: element.scrollWidth > element.clientWidth };
      });
      expect(told.left).toBeGreaterThanOrEqual(chart.x - 1);
      expect(told.right).toBeLessThanOrEqual(chart.x + chart.width + 1);
      expect(told.cut).toBe(false);
    };
    for (const part of [0.25, 0.6, 0.95]) {
      await page.mouse.move(chart.x + chart.width * part, chart.y + chart.height / 2);
      await tellsWhole();
    }
    const overMidnight: string[] = [];
    await metrics.chart.press('Home');
    for (let left = Number(await metrics.chart.getAttribute('aria-valuemax')); left >= 0; left -= 1) {
      await tellsWhole();
      const text = await tooltip.innerText();
      if (/23:5\d:\d\d – \d/.test(text.replaceAll('\n', ' '))) overMidnight.push(text);
      await metrics.chart.press('ArrowRight');
    }
    expect(overMidnight.filter((text) => /00:00:00/.test(text))).toHaveLength(1);
  });

  it('keeps the keyboard where the work goes on, and says at once that words alone find nothing', async () => {
    const { page, metrics } = await open('/metrics/explore?from=-1h&a=metric%3Dshop.orders');
    await metrics.chart.waitFor();
    const focused = () => page.evaluate<string>(`document.activeElement?.getAttribute('aria-label') ?? ''`);
    await page.getByRole('button', { name: 'Query', exact: true }).press('Enter');
    await soon(focused).toBe('Metric of B');
    await page.getByRole('button', { name: 'Remove query B' }).press('Enter');
    await soon(() => metrics.query('B').count()).toBe(0);
    await soon(() => page.evaluate(`document.activeElement?.textContent`)).toBe('Query');
    const filter = page.getByRole('combobox', { name: 'Filter of A' });
    await filter.fill('checkout');
    await filter.press('Enter');
    await page.getByRole('alert').getByText('Words without a field find nothing in metrics.').waitFor();
  });

  it('keeps the chart, and who stands on it, while another time range is asked for', async () => {
    const { page, metrics } = await open(
      '/metrics/explore?from=-1h&a=metric%3Dshop.orders&b=metric%3Dshop.pay.duration',
    );
    await soon(() => metrics.chart.count()).toBe(2);
    await soon(() => metrics.lines()).toHaveLength(2);
    let shown = false;
    await page.exposeFunction('skeletonShown', () => (shown = true));
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('section .skeleton')) skeletonShown();
    }).observe(document.body, { childList: true, subtree: true })`);
    await metrics.chart.first().focus();
    await page.keyboard.press('Home');
    for (let step = 0; step < 25; step++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=20/);
    await page.waitForLoadState('networkidle');
    await soon(() => page.evaluate(`document.activeElement?.getAttribute('data-testid')`)).toBe('time-chart');
    expect(shown).toBe(false);
  });

  it('compares a month with the month before, however many days that had', async () => {
    const { page, metrics } = await open('/metrics/explore');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/metrics/query')) asked.push(request.postData() ?? '');
    });
    const start = new Date(now);
    const month = (by: number) => Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + by, 1);
    const iso = (by: number) => new Date(month(by)).toISOString();
    await page.goto(
      `${stage.platform.http}/metrics/explore?from=${iso(0)}&to=${iso(1)}&before=1&a=metric%3Dshop.orders`,
    );
    await metrics.chart.waitFor();
    await soon(() => asked.map((body) => JSON.parse(body) as { from: number; to: number })).toContainEqual(
      expect.objectContaining({ from: month(-1), to: month(0) }),
    );
  });

  it('gives a label one colour in all queries, and opens each of them', async () => {
    const by = 'metric%3Dshop.orders%26by%3Dattributes.plan';
    const { page, metrics } = await open(
      `/metrics/explore?from=-1h&a=${by}&b=${by}%26agg%3Dincrease&c=${by}`,
    );
    await soon(() => metrics.lines()).toHaveLength(6);
    const legends = page.getByRole('list', { name: /^Legend/ });
    await soon(() => legends.getByRole('button').count()).toBe(6);
    const buttons = await legends.getByRole('button').all();
    const colours = await Promise.all(
      buttons.map(async (button) => [
        (await button.innerText()).slice(3),
        (await button.locator('span').first().getAttribute('style'))?.match(/--series-\d/)?.[0],
      ]),
    );
    expect(new Set(colours.map(String)).size).toBe(2);
    await page.getByRole('button', { name: /^Open A: rate shop\.orders/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'A: shop.orders' }).waitFor();
    await dialog.getByRole('region', { name: 'C: shop.orders' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('leads back from the explorer to the list as it was', async () => {
    const { page, metrics } = await open('/metrics?from=-1h&type=gauge');
    await soon(() => metrics.rows.count()).toBe(1);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await metrics.chart.waitFor();
    await page.keyboard.press('Escape');
    await soon(() => metrics.rows.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('type')).toBe('gauge');
  });

  it('leads from an exemplar to its trace, and shows the heat map', async () => {
    const { page, metrics } = await open(
      '/metrics/explore?from=-1h&a=metric%3Dshop.pay.duration&heat=1&before=1',
    );
    await metrics.chart.waitFor();
    await page.getByTestId('heatmap').waitFor();
    const exemplar = page.getByRole('button', { name: `Trace ${traceId.slice(0, 8)}` });
    // Whose it is and what was measured, once.
    expect(await exemplar.getAttribute('aria-label')).toMatch(/^Trace [\da-f]{8}, [^,]+$/);
    await exemplar.click();
    await page.waitForURL(new RegExp(`/traces/${traceId}.*span=${spanId}`));
  });

  it('shows all there is to know of a metric on a telephone', async () => {
    const { page, metrics } = await open('/metrics?from=-1h');
    await page.setViewportSize({ width: 360, height: 740 });
    await metrics.rows.first().getByText('Last value').waitFor();
    const hidden = await page.getByTestId('scroller').evaluate((box) => box.scrollWidth - box.clientWidth);
    expect(hidden).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it.each(['dark', 'light'] as const)('is accessible (%s)', async (colorScheme) => {
    const { page, metrics } = await open('/metrics?from=-1h', { colorScheme });
    await metrics.rows.first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.goto(
      `${stage.platform.http}/metrics/explore?from=-1h&heat=1&a=metric%3Dshop.pay.duration&b=metric%3Dshop.orders%26by%3Dattributes.plan`,
    );
    await soon(() => metrics.lines()).toHaveLength(3);
    await page.getByTestId('heatmap').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });
});
