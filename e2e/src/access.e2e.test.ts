import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { chunkOf } from './chunks.ts';
import { TracesPage } from './pages/traces-page.ts';
import { agentTrace, requestTraces } from './seeds.ts';
import { hostMetrics } from './seeds-hosts.ts';
import { sendMetrics } from './otlp.ts';
import { intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, other ways to use the pages: ${missing}`);

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** What has the focus: its role, and the row that it says it stands on. */
const FOCUS = `(() => {
  const { id, role, tagName } = document.activeElement;
  const row = document.getElementById(document.activeElement.getAttribute('aria-activedescendant'));
  return { on: role ?? (id || tagName), row: row?.innerText.replace(/\\s+/g, ' ') ?? '' };
})()`;

/** Colours that say something without words, and stand out less than 3 to 1 (WCAG 1.4.11) where they may lie. */
const FAINT_COLOURS = `(() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    // The build writes #fff for #ffffff.
    const colour = style.getPropertyValue(name).trim().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
    const [r, g, b] = colour.match(/[0-9a-f]{2}/gi).map((pair) => {
      const share = parseInt(pair, 16) / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const data = ['accent-fill', 'danger', 'ok', 'warn']
    .concat(['llm', 'agent', 'tool', 'retrieval', 'embedding', 'other'].map((kind) => 'kind-' + kind))
    .concat([1, 2, 3, 4, 5, 6, 7, 8].map((at) => 'series-' + at));
  return data.flatMap((name) => ['bg', 'surface', 'selected'].flatMap((ground) => {
    const [one, other] = [light('--' + name), light('--' + ground)];
    const contrast = Math.max(one, other) / Math.min(one, other);
    return !(contrast >= 3) ? [name + ' on ' + ground + ': ' + contrast.toFixed(2)] : [];
  }));
})()`;

/** Moves fingers, all at once, from where they are to where they go. */
async function move(page: Page, from: readonly [number, number][], to: readonly [number, number][]) {
  const device = await page.context().newCDPSession(page);
  const at = (share: number) =>
    from.map(([x, y], id) => {
      const [toX, toY] = to[id] ?? [x, y];
      return { x: x + (toX - x) * share, y: y + (toY - y) * share, id };
    });
  await device.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
  for (let step = 1; step <= 10; step += 1)
    await device.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(step / 10) });
  await device.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

describe.skipIf(missing !== undefined)('other ways to use the pages', () => {
  let stage: Stage;
  const agent = agentTrace(Date.now() - 60_000);
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agent, ...requestTraces(40, Date.now()));
    await sendMetrics(stage.platform.otlpHttp, ...hostMetrics(Date.now()));
  });
  afterAll(() => stage?.close());

  /** A page as another device, or another person's settings, would show it. */
  const open = async (path: string, options: BrowserContextOptions = {}, before?: string): Promise<Page> => {
    const context = await stage.browser.newContext({ colorScheme: 'dark', ...options });
    if (before !== undefined) await context.addInitScript(before);
    const page = await context.newPage();
    await page.goto(`${stage.platform.http}${path}`);
    return page;
  };

  it('says which row the keyboard stands on, and the name of the page that it opens', async () => {
    const page = await open('/traces');
    const traces = new TracesPage(page);
    await traces.loaded();
    // As far as its duration: tokens, cost and words may come after the row.
    const [second = ''] = /^.* ms /.exec((await traces.rows.nth(1).innerText()).replace(/\s+/g, ' ')) ?? [];
    expect(second).not.toBe('');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await soon(() => page.evaluate(FOCUS)).toEqual({ on: 'grid', row: expect.stringContaining(second) });
    await page.keyboard.press('End');
    await soon(async () => (await page.evaluate<{ row: string }>(FOCUS)).row).not.toContain(second);
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('treeitem').first().waitFor();
    await soon(() => page.evaluate(FOCUS)).toEqual({ on: 'main', row: '' });
    await soon(() => page.getByTestId('page-news').innerText()).toContain('· Candela');
    await page.context().close();
  });

  it('says what became of a search', async () => {
    const page = await open('/traces');
    const traces = new TracesPage(page);
    await traces.loaded();
    const news = page.getByTestId('rows-news');
    await soon(() => news.textContent()).toBe('41 traces');
    await traces.search('service:nobody');
    await soon(() => news.textContent()).toBe('Nothing matches');
    await page.context().close();
  });

  it('counts the siblings of a span, also those that are not drawn', async () => {
    const page = await open(`/traces/${agent.traceId}`);
    const root = page.getByRole('treeitem').first();
    await root.waitFor();
    expect(await root.getAttribute('aria-posinset')).toBe('1');
    expect(await root.getAttribute('aria-setsize')).toBe('2');
    await page.getByRole('tree').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('f');
    await soon(() => page.url()).toContain('focus=');
    await page.context().close();
  });

  it("keeps bars and choices in the browser's own colours", async () => {
    const page = await open(`/traces/${agent.traceId}`, { forcedColors: 'active' });
    await page.getByRole('treeitem').first().waitFor();
    const colourOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    const canvas = await colourOf('body');
    expect(await colourOf('[role=treeitem] .bg-kind-agent')).not.toBe(canvas);
    expect(await colourOf('[role=treeitem][aria-selected=true]')).not.toBe(canvas);
    expect(await colourOf('[role=tab][aria-selected=true]')).not.toBe(canvas);
    expect(await colourOf('nav [aria-current=page]')).not.toBe(canvas);
    await page.context().close();
  });

  it('draws the focus and all data in colours that stand out in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open('/sign-in', { colorScheme });
      await page.getByRole('main').or(page.locator('form')).first().waitFor();
      const faint = await page.evaluate<string[]>(FAINT_COLOURS);
      expect([colorScheme, ...faint]).toEqual([colorScheme]);
      await page.context().close();
    }
  });

  it('gives rows the height of larger text', async () => {
    const page = await open(
      '/traces',
      {},
      "document.addEventListener('readystatechange', () => (document.documentElement.style.fontSize = '24px'))",
    );
    const { rows } = new TracesPage(page);
    await rows.first().waitFor();
    const [first, second] = [await rows.nth(0).boundingBox(), await rows.nth(1).boundingBox()];
    expect(first && second && second.y - first.y).toBeGreaterThanOrEqual(first?.height ?? 0);
    expect(
      await page.evaluate<string>(
        `getComputedStyle(document.querySelector('[role=row][aria-rowindex]')).fontSize`,
      ),
    ).toBe('19.5px');
    await page.context().close();
  });

  it('scrolls under a thumb that lands on a chart', async () => {
    const page = await open('/', PHONE);
    const chart = page.getByTestId('time-chart').first();
    await chart.waitFor();
    const box = await chart.boundingBox();
    if (!box) throw new Error('The chart has no place.');
    const x = box.x + box.width / 2;
    await move(page, [[x, box.y + 80]], [[x + 4, box.y - 170]]);
    await soon(async () => (await chart.boundingBox())?.y).toBeLessThan(box.y - 100);
    expect(new URL(page.url()).pathname).toBe('/');
    await page.context().close();
  });

  it('zooms a graph between two fingers', async () => {
    const page = await open(`/traces/${agent.traceId}?view=graph`, PHONE);
    const graph = page.getByTestId('graph');
    const node = graph.locator('[data-node]').first();
    await node.waitFor();
    const wide = (await node.boundingBox())?.width ?? 0;
    const box = await graph.boundingBox();
    if (!box) throw new Error('The graph has no place.');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await move(
      page,
      [
        [x - 30, y],
        [x + 30, y],
      ],
      [
        [x - 60, y],
        [x + 60, y],
      ],
    );
    await soon(async () => (await node.boundingBox())?.width).toBeGreaterThan(wide * 1.3);
    await page.context().close();
  });

  it('is no wider than the narrowest window', async () => {
    const page = await open('/', { ...PHONE, viewport: { width: 320, height: 640 } });
    for (const path of ['/', '/traces', `/traces/${agent.traceId}`, '/hosts', '/logs', '/metrics']) {
      await page.goto(`${stage.platform.http}${path}`);
      await page.locator('main h1').waitFor({ state: 'attached' });
      await soon(() => page.locator('main .skeleton').count()).toBe(0);
      // A page that is wider makes the window of a telephone wider.
      expect([path, await page.evaluate('innerWidth')]).toEqual([path, 320]);
    }
    await page.context().close();
  });

  it('keeps the page when a part of it is gone since an upgrade, and offers to load it again', async () => {
    const page = await open('/traces');
    const traces = new TracesPage(page);
    await traces.loaded();
    // As the server answers for the files of the release before.
    const parts = [chunkOf('features/shell/palette.tsx'), chunkOf('features/explore/what-differs.tsx')];
    for (const part of parts) await intercept(page, part, (route) => route.fulfill({ status: 404 }));
    const again = page.getByRole('button', { name: 'Load the page again' });
    await page.keyboard.press('Control+k');
    await again.waitFor();
    expect(await traces.rows.count()).toBeGreaterThan(1);
    await page.keyboard.press('Escape');
    await again.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'What differs' }).click();
    await again.waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(true);
    for (const part of parts) await page.unroute(part);
    await again.click();
    await traces.loaded();
    expect(page.url()).toContain('diff=');
    await page.context().close();
  });

  it('keeps the keys from the page while the palette is on its way, and gives the focus back', async () => {
    const page = await open('/traces');
    await new TracesPage(page).loaded();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, chunkOf('features/shell/palette.tsx'), async (route) => {
      await held;
      await route.continue();
    });
    const refresh = page.getByRole('button', { name: 'Refresh', exact: true });
    await refresh.focus();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('status', { name: 'Loading' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const key of ['r', 't', 'l', 'd', 'j']) await page.keyboard.press(key);
    // Escape takes it back.
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    const isOn = (name: string) =>
      page.evaluate<boolean>(`document.activeElement.getAttribute('aria-label') === ${JSON.stringify(name)}`);
    expect(await isOn('Refresh')).toBe(true);
    await page.keyboard.press('Control+k');
    await palette.getByRole('status', { name: 'Loading' }).waitFor();
    expect(asked.filter((url) => url.includes('/api/'))).toEqual([]);
    release();
    await soon(() => isOn('Type a command, a page or a trace id')).toBe(true);
    await page.keyboard.type('light');
    await palette.getByRole('option', { name: 'Theme Light' }).waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    expect(await isOn('Refresh')).toBe(true);
    // Opened from what stands above the page, which closes and is gone.
    await page.getByRole('button', { name: 'Add facet' }).click();
    await soon(() => isOn('Find a field')).toBe(true);
    await page.keyboard.press('Control+k');
    await soon(() => isOn('Type a command, a page or a trace id')).toBe(true);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Add facet');
    await page.context().close();
  });

  it('shows that it is coming while the script is under way', async () => {
    const page = await open('/sign-in');
    await page.route('**/assets/*.js', () => undefined);
    await page.goto(`${stage.platform.http}/traces`, { waitUntil: 'commit' });
    await page.getByText('Loading Candela').waitFor();
    await page.context().close();
  });
});
