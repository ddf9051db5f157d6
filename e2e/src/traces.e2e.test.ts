import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { Shell } from './pages/shell.ts';
import { TracesPage } from './pages/traces-page.ts';
import { newSpanId, newTraceId } from './otlp.ts';
import { agentTrace, hostileTrace, requestTraces } from './seeds.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, Traces page in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('Traces page', () => {
  let stage: Stage;
  const agent = agentTrace(Date.now() - 60_000);
  const hostile = hostileTrace(Date.now() - 30_000);
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agent, hostile, ...requestTraces(240, Date.now()));
  });
  afterAll(() => stage?.close());
  const heard: string[][] = [];
  afterEach(() => {
    // Being told that something asked for is absent is no fault of the page; everything else is.
    expect(
      heard
        .splice(0)
        .flat()
        .filter((complaint) => !complaint.includes('404')),
    ).toEqual([]);
  });

  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, options);
    heard.push(opened.complaints);
    const traces = new TracesPage(opened.page);
    return { ...opened, traces, shell: new Shell(opened.page) };
  };

  it('lists traces and pages further on scrolling', async () => {
    const { page, traces, complaints } = await open('/traces');
    await traces.loaded();
    const scroller = page.getByTestId('scroller');
    for (let step = 0; step < 40 && !(await page.getByText('All 242 rows shown').isVisible()); step += 1) {
      await scroller.evaluate((element: { scrollTop: number; scrollHeight: number }) => {
        element.scrollTop = element.scrollHeight;
      });
      await page.waitForTimeout(150);
    }
    expect(await page.getByText('All 242 rows shown').isVisible()).toBe(true);
    expect(await traces.rows.count()).toBeLessThan(80);
    expect(complaints).toEqual([]);
  });

  it('shows what was found first while it looks for the rest', async () => {
    const { page, traces } = await open('/');
    const asked: { readonly early?: boolean; readonly cursor?: string }[] = [];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    // As where rows are so rare that the first answer has three of them.
    await page.route('**/api/telemetry/traces/search', async (route) => {
      const body = route.request().postDataJSON();
      if (body.limit === 1) return await route.continue();
      asked.push(body);
      if (body.cursor !== undefined) await held;
      await route.continue({ postData: body.cursor === undefined ? { ...body, limit: 3 } : body });
    });
    await page.goto(new URL('/traces?q=status:error', page.url()).href);
    await traces.loaded();
    expect(await traces.rows.count()).toBe(3);
    await page.getByText('Loading more').waitFor();
    release();
    await page.getByText(/All \d+ rows shown/).waitFor();
    expect(await traces.rows.count()).toBeGreaterThan(3);
    // Whoever listens hears of all of them, not of those that came first.
    const [, shown] =
      /All (\d+) rows shown/.exec(await page.getByText(/All \d+ rows shown/).innerText()) ?? [];
    await soon(() => page.getByTestId('rows-news').textContent()).toBe(`${shown} traces`);
    expect(asked.map(({ early, cursor }) => [early, cursor !== undefined])).toEqual([
      [true, false],
      [undefined, true],
    ]);
  });

  it('shows that first words are on their way, and a dash only where there are none', async () => {
    const { page, traces } = await open('/traces?q=model:gpt-4o* duration>1s');
    await traces.loaded();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let asked = 0;
    await page.route('**/api/telemetry/traces/previews', async (route) => {
      asked += 1;
      await held;
      await route.continue();
    });
    await page.reload();
    await soon(() => traces.rows.count()).toBe(1);
    const awaited = traces.rows.locator('.skeleton');
    await soon(() => awaited.count()).toBe(1);
    // Nobody asks for the first words of a trace without model calls, also while those of others are awaited.
    const before = asked;
    await traces.search('');
    const silent = traces.rows.filter({ hasText: 'cart' });
    await soon(() => silent.count()).toBeGreaterThan(1);
    await soon(() => asked).toBeGreaterThan(before);
    expect(await silent.locator('.skeleton').count()).toBe(0);
    await page.goBack();
    await soon(() => awaited.count()).toBe(1);
    release();
    await soon(() => traces.cells()).toEqual([expect.stringContaining('Where is order')]);
    expect(await awaited.count()).toBe(0);
  });

  it('filters by the search box, keeps the query in the URL and marks what is wrong', async () => {
    const { page, traces } = await open('/traces');
    await traces.loaded();
    await page.keyboard.press('/');
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Search');
    await traces.search('model:gpt-4o* duration>1s');
    await soon(() => traces.cells()).toEqual([expect.stringContaining('POST /chat')]);
    // First words come by a request of their own, after the rows.
    await soon(() => traces.cells()).toEqual([expect.stringContaining('Where is order')]);
    expect(traces.query()).toBe('model:gpt-4o* duration>1s');
    expect(await traces.chips.allInnerTexts()).toEqual(['model:gpt-4o*', 'duration>1s', 'Clear all']);

    await page.reload();
    await soon(() => traces.rows.count()).toBe(1);
    await traces.search('servise:checkout');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toContain('Did you mean service?');
    expect(await alert.locator('mark').innerText()).toContain('servise');
    await page.goBack();
    await soon(() => traces.rows.count()).toBe(1);
  });

  it('completes fields and values', async () => {
    const { page, traces } = await open('/traces');
    await traces.loaded();
    await traces.searchBox.click();
    await page.keyboard.type('serv');
    await traces.suggestions.first().waitFor();
    expect((await traces.suggestions.first().innerText()).startsWith('service')).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.type('che');
    await traces.suggestions.first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await soon(() => traces.query()).toBe('service:checkout');
  });

  it('leaves the search box by the tab key to what stands behind it', async () => {
    const { page, traces } = await open('/traces');
    await traces.loaded();
    await page.keyboard.press('/');
    await traces.suggestions.first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('traces');
  });

  it('shows a trace that has no end yet as such, and a span of it that ended later once', async () => {
    const spanId = newSpanId();
    const trace = { traceId: newTraceId(), service: 'slow-job', startedAt: Date.now() - 5_000 };
    await stage.seed({ ...trace, spans: [{ spanId, name: 'nightly', unfinished: true }] });
    for (const view of ['traces', 'spans']) {
      const { page, traces } = await open(`/traces?q=service:slow-job&view=${view}`);
      await traces.loaded();
      await traces.rows.getByRole('img', { name: 'No end yet' }).waitFor();
      expect(await traces.cells()).toEqual([expect.stringContaining('running')]);
      if (view === 'spans') continue;
      await traces.rows.getByRole('link', { name: 'nightly' }).click();
      await page.getByRole('main').getByRole('img', { name: 'No end yet' }).waitFor();
      expect(await page.locator('main header').first().innerText()).toMatch(/Duration\s*no end yet/);
    }
    await stage.seed({
      ...trace,
      spans: [{ spanId, name: 'nightly', durationMs: 400, failed: 'no space' }],
    });
    await soon(async () => {
      const response = await fetch(`${stage.platform.http}/api/telemetry/traces/${trace.traceId}`);
      return ((await response.json()) as { data: { errorCount: number } }).data.errorCount;
    }).toBe(1);
    const { page, traces } = await open('/traces?q=service:slow-job&view=spans');
    await traces.rows.getByRole('img', { name: 'Failed' }).waitFor();
    expect(await traces.cells()).toEqual([expect.stringMatching(/400 ms[^]*no space/)]);
    await page.getByRole('button', { name: 'traces', exact: true }).click();
    await traces.rows.getByRole('img', { name: 'Failed' }).waitFor();
    expect(await traces.cells()).toEqual([expect.stringContaining('400 ms')]);
  });

  it('adds facet values to the query and takes them out', async () => {
    const { traces } = await open('/traces');
    await traces.loaded();
    const services = traces.facet('Service');
    await services.getByRole('button', { name: 'cart', exact: false }).first().click();
    await soon(() => traces.query()).toBe('service:cart');
    await soon(async () => (await traces.cells()).every((row) => row.includes('cart'))).toBe(true);
    // Its other values stay on offer.
    await services.getByRole('button', { name: 'checkout' }).first().waitFor();
    await traces.facet('Status').getByRole('button', { name: 'error' }).first().click();
    await soon(() => traces.query()).toBe('service:cart status:error');
    await traces.chips.first().getByRole('button').click();
    await soon(() => traces.query()).toBe('status:error');
  });

  it('keeps a chosen value among the facets, however rare it is, to be taken out there', async () => {
    const service = (name: string, spans: number) => ({
      traceId: newTraceId(),
      service: name,
      startedAt: Date.now() - 10_000,
      spans: Array.from({ length: spans }, () => ({ spanId: newSpanId(), name: 'tick', durationMs: 1 })),
    });
    const many = Array.from({ length: 12 }, (_, index) => service(`crowd-${index}`, 2));
    await stage.seed(...many, service('a-rare-one', 1));
    const { page, traces } = await open('/traces?q=service:a-rare-one');
    await traces.loaded();
    const services = traces.facet('Service');
    const rare = services.getByRole('button', { name: 'a-rare-one', exact: false }).first();
    await soon(() => services.getByText('top 12 values').count()).toBe(1);
    expect(await rare.getAttribute('aria-pressed')).toBe('true');
    expect((await rare.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/ 1$/);
    // With the others of the field, all of which stay.
    expect(await services.getByRole('listitem').count()).toBe(14);
    // While the next answer is on its way the number of the last one stands.
    const counting = '**/api/telemetry/facets';
    await intercept(page, counting, () => undefined);
    await page.keyboard.press('r');
    await page.locator('.opacity-60').getByRole('region', { name: 'Service' }).waitFor();
    expect((await rare.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/ 1$/);
    await page.unroute(counting);
    await page.keyboard.press('r');
    await page.locator('.opacity-60').getByRole('region', { name: 'Service' }).waitFor({ state: 'detached' });
    await rare.click();
    await soon(() => traces.query()).toBe('');
    await page.goto(`${stage.platform.http}/traces?q=service:(a-rare-one or nowhere-at-all)`);
    const gone = services.getByRole('button', { name: 'nowhere-at-all', exact: false }).first();
    await soon(async () => (await gone.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/ 0$/);
  });

  it('says of every number that it counts spans, and in how many traces they are', async () => {
    const { page, traces } = await open('/traces?q=service:shop');
    await traces.loaded();
    const histogram = page.getByTestId('histogram');
    const said = async () => (await histogram.innerText()).replaceAll(/\s+/g, ' ');
    await soon(said).toMatch(/^8 spans in 1 trace 1 failed span\b/);
    // While that of another search is not known, nothing is said of it.
    const counting = '**/api/telemetry/aggregate';
    await intercept(page, counting, async (route) => {
      const { measures } = route.request().postDataJSON() as { measures: string[] };
      if (measures.join() !== 'traces') await route.fallback();
    });
    await traces.search('service:shop status:error');
    await soon(said).toMatch(/^1 spans? 1 failed span\b/);
    await page.unroute(counting);
    await traces.search('service:shop');
    await soon(said).toMatch(/^8 spans in 1 trace 1 failed span\b/);
    // Nor do numbers of the search before stay while those of this one take their time.
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await intercept(page, counting, async (route) => {
      await held;
      await route.continue();
    });
    await traces.search('service:shop kind:server');
    await soon(said).toMatch(/^Counting spans … Unique counts/);
    release();
    await soon(said).toMatch(/^\d+ spans? in 1 trace/);
    await page.unroute(counting);
    await traces.search('service:shop');
    await soon(said).toMatch(/^8 spans in 1 trace 1 failed span\b/);
    const chart = page.getByRole('slider', { name: /Number of spans/ });
    const value = async () => (await chart.getAttribute('aria-valuetext')) ?? '';
    await chart.focus();
    await chart.press('End');
    for (let step = 0; step < 90 && !/failed spans 1\b/.test(await value()); step += 1)
      await chart.press('ArrowLeft');
    expect(await value()).toMatch(/failed spans 1\b/);
    expect(await value()).toMatch(/spans not failed \d/);
    const facets = page.getByRole('complementary', { name: 'Facets' });
    await soon(() => facets.getByText('number of spans').count()).toBe(1);
    const service = facets.getByRole('region', { name: 'Service', exact: true });
    await soon(() => service.getByTitle(/^\d+ spans?$/).count()).toBeGreaterThan(0);
    // Rows that are spans need not be told from what is counted.
    await page.getByRole('group', { name: 'Rows' }).getByRole('button', { name: 'spans' }).click();
    await soon(said).not.toContain('trace');
    expect(await facets.getByText('number of spans').count()).toBe(0);
  });

  it('sorts, chooses columns, shows spans', async () => {
    const { page, traces } = await open('/traces');
    await traces.loaded();
    await page.getByTestId('scroller').getByRole('button', { name: 'Duration' }).click();
    await soon(async () => (await traces.cells())[0]).toContain('POST /chat');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-duration');
    await page.getByRole('button', { name: 'Choose columns' }).click();
    await page.getByRole('checkbox', { name: 'Trace id' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Trace id' }).waitFor();
    await page.getByRole('button', { name: 'spans', exact: true }).click();
    await page.getByRole('grid', { name: 'Spans' }).waitFor();
    await traces.search('tool:track_parcel');
    await soon(() => traces.rows.count()).toBe(1);
  });

  it('walks the rows by keyboard, opens one and comes back to it', async () => {
    const { page, traces } = await open('/traces');
    await traces.loaded();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const row = page.locator('[role=row][aria-selected=true]');
    // First words come after the rows.
    await row.locator('.skeleton').waitFor({ state: 'detached' });
    const text = await row.innerText();
    // The address has the row: reloading and sharing show it selected.
    await soon(() => new URL(page.url()).searchParams.get('row')).toMatch(/^[0-9a-f]{32}$/);
    await page.reload();
    await traces.loaded();
    await soon(() => row.innerText()).toBe(text);
    await page.keyboard.press('Enter');
    await page.getByRole('tree', { name: 'Spans' }).waitFor();
    await page.goBack();
    await traces.loaded();
    await soon(() => row.innerText()).toBe(text);
    await page.keyboard.press('Escape');
    await soon(() => new URL(page.url()).searchParams.get('row')).toBeNull();
  });

  it('opens the row walked to, whatever was clicked before', async () => {
    const { page, traces } = await open('/logs');
    const tree = page.getByRole('tree', { name: 'Spans' });
    await page.getByRole('link', { name: 'Traces', exact: true }).click();
    await traces.loaded();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await tree.waitFor();
    await page.goBack();
    await traces.loaded();
    await page.getByRole('columnheader', { name: 'Duration' }).getByRole('button').click();
    await soon(() => new URL(page.url()).searchParams.get('sort')).toBe('-duration');
    await traces.loaded();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await tree.waitFor();
  });

  it('closes a trace with Escape and shows the search it came from', async () => {
    const { page, traces } = await open('/traces?q=service:cart&sort=-duration');
    await traces.loaded();
    const link = traces.rows.nth(2).getByRole('link');
    await link.click();
    await page.getByRole('tree', { name: 'Spans' }).waitFor();
    await page.keyboard.press('Escape');
    await traces.loaded();
    expect(traces.query()).toBe('service:cart');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-duration');
    expect(await traces.rows.nth(2).getAttribute('aria-selected')).toBe('true');
  });

  it('shows attributes as columns, keeps them in the URL and says when a row has none', async () => {
    const { page, traces } = await open('/traces?view=spans&q=operation:*');
    await traces.loaded();
    await page.getByRole('button', { name: 'Choose columns' }).click();
    await page.getByRole('searchbox', { name: 'Find an attribute' }).fill('request.model');
    await page.getByRole('button', { name: 'attributes.gen_ai.request.model' }).click();
    const head = page.getByRole('columnheader', { name: 'gen_ai.request.model' });
    await head.waitFor();
    await page.keyboard.press('Escape');
    expect(new URL(page.url()).searchParams.get('cols')).toContain('attributes.gen_ai.request.model');
    const cell = (name: string) =>
      traces.rows.filter({ hasText: name }).first().getByRole('gridcell').last().innerText();
    await soon(() => cell('chat gpt-4o-mini')).toBe('gpt-4o-mini');
    await soon(() => cell('invoke_agent')).toBe('–');
    await page.reload();
    await head.waitFor();
    await soon(() => cell('chat gpt-4o-mini')).toBe('gpt-4o-mini');
  });

  it('fits a narrow window', async () => {
    const { page, traces } = await open('/traces');
    await page.setViewportSize({ width: 390, height: 800 });
    await traces.loaded();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    for (const name of ['Refresh', 'Choose columns']) {
      const box = await page.getByRole('button', { name, exact: true }).boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 1_000)).toBeLessThanOrEqual(390);
    }
    // Rows are records there: nothing lies right of the edge, and orders are chosen above them.
    for (const path of ['/traces', '/traces?view=spans']) {
      await page.goto(new URL(path, page.url()).href);
      await traces.rows.first().waitFor();
      expect(await page.getByTestId('scroller').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
      expect(await accessibilityFindings(page)).toEqual([]);
    }
    await page.goto(new URL('/traces', page.url()).href);
    await page.getByRole('group', { name: 'Sort by' }).getByRole('button', { name: 'Cost' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('-cost');
    await traces.rows
      .first()
      .getByText(/^Spans/)
      .waitFor();
  });

  it('zooms by brushing the histogram and changes the range by keyboard', async () => {
    const { page, traces, shell } = await open('/traces?from=-1h');
    await traces.loaded();
    const chart = page.getByTestId('histogram');
    const box = await chart.boundingBox();
    if (!box) throw new Error('The histogram has no box.');
    const brush = async () => {
      await page.mouse.move(box.x + box.width * 0.5, box.y + 30);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.8, box.y + 30);
    };
    const from = () => new URL(page.url()).searchParams.get('from');
    await brush();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await brush();
    expect(from()).toBe('-1h');
    await page.mouse.up();
    await soon(from).toMatch(/^\d{4}-/);
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Last 15 minutes' }).click();
    await soon(() => new URL(page.url()).searchParams.get('from')).toBe('-15m');
    await soon(() => shell.timeRange.innerText()).toContain('Last 15 minutes');
    expect(new URL(page.url()).pathname).toBe('/traces');
  });

  it('filters by environment', async () => {
    const { page, traces } = await open('/traces');
    await traces.loaded();
    await page.getByTestId('environment').click();
    await page.getByRole('menuitemradio', { name: 'staging' }).click();
    await soon(() => new URL(page.url()).searchParams.get('env')).toBe('staging');
    await page.getByText('All 60 rows shown').waitFor();
  });

  it('has a palette, a sheet of keys and two themes that last', async () => {
    const { page, traces, shell } = await open('/traces');
    await traces.loaded();
    expect(await shell.theme()).toBe('dark');
    await shell.command('light');
    expect(await shell.theme()).toBe('light');
    await page.reload();
    await traces.loaded();
    expect(await shell.theme()).toBe('light');
    await shell.chooseTheme('System');
    expect(await shell.theme()).toBe('dark');
    await page.keyboard.press('?');
    await shell.keySheet.waitFor();
    expect(await shell.keySheet.innerText()).toContain('Next row');
    await page.keyboard.press('Escape');
    await shell.keySheet.waitFor({ state: 'detached' });
    // Who speaks to the browser has letters written by chance: alone they do nothing then.
    await page.keyboard.press('?');
    await shell.keySheet.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.reload();
    await traces.loaded();
    await page.keyboard.type('?d');
    await page.keyboard.press('ArrowDown');
    await soon(() => page.locator('[role=row][aria-selected=true]').count()).toBe(1);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await shell.keySheet.getByRole('checkbox', { name: 'Single-key shortcuts' }).check();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await shell.keySheet.waitFor();
    await page.keyboard.press('Escape');
    await shell.command(agent.traceId);
    await page.getByRole('heading', { name: 'POST /chat' }).waitFor();
  });

  it('says what to do when nothing matches, and shows the words of a refusal with its request id', async () => {
    const { page, traces } = await open('/traces?q=service:nobody');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.getByRole('main').getByText('Clear the search').click();
    await traces.loaded();
    await page.goto(`${stage.platform.http}/traces/${'0'.repeat(31)}1`);
    await page.getByRole('heading', { name: 'This trace is not here' }).waitFor();
    await page.goto(`${stage.platform.http}/traces/no-id`);
    await page.getByRole('heading', { name: 'This trace is not here' }).waitFor();
    await page.getByRole('link', { name: 'Back to Traces' }).waitFor();
    await page.goto(`${stage.platform.http}/no/such/page`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });

  it('turns new rows up while live', async () => {
    const { page, traces } = await open('/traces?q=service:late&from=-1h&live=1');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await stage.seed({ ...agentTrace(Date.now() - 3_000), service: 'late' });
    await traces.loaded();
    expect(await traces.rows.count()).toBe(1);
  });

  it('keeps hostile text inert', async () => {
    const { page, traces, complaints } = await open('/traces');
    await traces.loaded();
    await traces.search('duration>80ms duration<100ms status:error model:*');
    await soon(() => traces.rows.count()).toBe(1);
    await traces.rows.first().click();
    await page.getByRole('tree', { name: 'Spans' }).waitFor();
    for (const tab of ['Messages', 'Attributes', 'Events', 'Raw']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByText('onerror').last().waitFor();
    }
    expect(await page.evaluate('window.__hacked')).toBeUndefined();
    expect(await page.locator('img[src="x"], img[src*="evil"]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  for (const colorScheme of ['dark', 'light'] as const)
    it(`passes the accessibility rules (${colorScheme})`, async () => {
      const { page, traces, complaints } = await open('/traces', { colorScheme });
      await traces.loaded();
      await page.getByTestId('histogram').waitFor();
      await traces.facet('Service').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.keyboard.press('Control+k');
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });
});
