import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { TracePage } from './pages/trace-page.ts';
import { agentTrace, largeTrace } from './seeds.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, trace page in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('trace page', () => {
  let stage: Stage;
  const agent = agentTrace(Date.now() - 60_000);
  const large = largeTrace(30_000, Date.now() - 120_000);
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agent, large);
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

  const open = async (search = '', options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(`/traces/${agent.traceId}${search}`, options);
    heard.push(opened.complaints);
    return { ...opened, trace: new TracePage(opened.page) };
  };

  it('shows the tree with its totals, orphans included', async () => {
    const { page, trace, complaints } = await open();
    await trace.loaded();
    expect(await trace.outline()).toEqual([
      'POST /chat',
      '  invoke_agent shop-assistant',
      '    chat gpt-4o-mini',
      '    execute_tool track_parcel',
      '      GET parcels',
      '    chat gpt-4o-mini',
      '  INSERT messages',
      'lost parent',
    ]);
    const head = await page.locator('main header').first().innerText();
    expect(head).toContain('712 in · 85 out');
    expect(head).toMatch(/Cost\s*\$0\.000\d+/);
    await page.getByText('One span names a parent').waitFor();
    expect(complaints).toEqual([]);
  });

  it('walks the tree by keyboard, folds and unfolds', async () => {
    const { page, trace } = await open(`?span=${agent.spans[1]?.spanId}`);
    await trace.loaded();
    await trace.tree.focus();
    await page.keyboard.press('ArrowLeft');
    await soon(() => trace.items.count()).toBe(4);
    await page.keyboard.press('ArrowRight');
    await soon(() => trace.items.count()).toBe(8);
    await page.keyboard.press('ArrowDown');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[2]?.spanId);
    await page.keyboard.press(']');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[3]?.spanId);
    await page.keyboard.press('[');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[2]?.spanId);
    await page.keyboard.press('e');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[4]?.spanId);
    expect(await trace.selected.innerText()).toContain('GET parcels');
    await page.keyboard.press('Home');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[0]?.spanId);
  });

  it('renders messages as a conversation, markdown without HTML', async () => {
    const { page, trace, complaints } = await open(`?span=${agent.spans[5]?.spanId}`);
    await trace.loaded();
    const answer = trace.panel.getByRole('article', { name: 'Assistant' }).last();
    await answer.getByText('left the warehouse').first().waitFor();
    await soon(() => answer.locator('strong').count()).toBe(1);
    const link = answer.getByRole('link', { name: 'track it' });
    expect(await link.getAttribute('rel')).toContain('noopener');
    expect(await answer.getByText('bad').getAttribute('href')).not.toContain('javascript:');
    expect(await trace.panel.getByRole('article', { name: 'User' }).innerText()).toContain(
      'Where is order 4711?',
    );
    await page.getByText('track_parcel').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('filters attributes, links them to a search, shows events and raw JSON', async () => {
    const { page, trace } = await open(`?span=${agent.spans[4]?.spanId}`);
    await trace.loaded();
    await trace.openTab('Events');
    await trace.panel.getByText('connection reset', { exact: true }).waitFor();
    await trace.openTab('Raw');
    await trace.panel.getByText('"traceId"').waitFor();
    await trace.openTab('Attributes');
    await page.getByRole('searchbox', { name: 'Filter attributes' }).fill('error.type');
    await soon(() => trace.panel.locator('dt').count()).toBe(1);
    await trace.panel.getByRole('link', { name: 'Find traces with this error.type' }).click();
    await expect
      .poll(() => new URL(page.url()).searchParams.get('q'))
      .toBe('attributes.error.type:ECONNRESET');
    await page.getByText('The only row').waitFor();
  });

  it('reads the trace as a transcript', async () => {
    const { page, trace } = await open('?view=transcript');
    await trace.transcript.getByText('On its way').waitFor();
    const text = await trace.transcript.innerText();
    const order = [
      'shop-assistant',
      'Where is order',
      'track_parcel',
      'left the warehouse',
      'On its way',
    ].map((part) => text.indexOf(part));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order[0]).toBeGreaterThanOrEqual(0);
    expect(text.split('Where is order')).toHaveLength(2);
    await trace.transcript
      .getByRole('button', { name: /shop-assistant/ })
      .first()
      .click();
    expect(await trace.transcript.getByText('Where is order').count()).toBe(0);
    await page.keyboard.press('t');
    await trace.loaded();
  });

  it('finds inside the trace and reads it as a timeline', async () => {
    const { page, trace } = await open();
    await trace.loaded();
    await page.keyboard.press('/');
    await page.keyboard.type('insert');
    await page.keyboard.press('Enter');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[6]?.spanId);
    await page.getByRole('tab', { name: 'timeline' }).click();
    await page.getByRole('listbox', { name: 'Spans by time' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('keeps the focused stretch of time in the URL until Escape', async () => {
    const { page, trace } = await open();
    await trace.loaded();
    const box = await page.getByTestId('minimap').boundingBox();
    if (!box) throw new Error('The minimap has no box.');
    await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 20);
    await page.mouse.up();
    const focus = () => new URL(page.url()).searchParams.get('focus');
    await soon(focus).toMatch(/^[\d.]+-[\d.]+$/);
    const before = focus();
    await page.reload();
    await trace.loaded();
    expect(focus()).toBe(before);
    await page.keyboard.press('Escape');
    await soon(focus).toBeNull();
  });

  for (const colorScheme of ['dark', 'light'] as const)
    it(`passes the accessibility rules (${colorScheme})`, async () => {
      const { page, trace, complaints } = await open(`?span=${agent.spans[5]?.spanId}`, { colorScheme });
      await trace.loaded();
      await trace.panel.getByText('On its way').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await trace.openTab('Attributes');
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole('tab', { name: 'transcript' }).click();
      await trace.transcript.getByText('On its way').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });

  it('opens a trace of 30,000 spans, scrolls it and finds in it', async () => {
    const { page, complaints } = await stage.open('/traces');
    const trace = new TracePage(page);
    await page.locator('[role=grid] [role=row][aria-rowindex]').first().waitFor();
    const before = performance.now();
    await page.goto(`${stage.platform.http}/traces/${large.traceId}`);
    await trace.loaded();
    const firstPaintMs = performance.now() - before;
    await page.getByText('spans loaded').waitFor({ state: 'detached', timeout: 60_000 });
    const wholeMs = performance.now() - before;
    expect(await trace.items.count()).toBeLessThan(80);

    const frames = await page.evaluate<{ frames: number; worst: number; over: number }>(SCROLL);
    console.info(
      `30,000 spans: first rows after ${Math.round(firstPaintMs)} ms (whole page load), all loaded after ${Math.round(wholeMs)} ms; ` +
        `scrolling 2 s: ${frames.frames} frames, worst ${Math.round(frames.worst)} ms, ${frames.over} over 34 ms`,
    );
    await page.keyboard.press('/');
    await page.keyboard.type('step 29998');
    await page.keyboard.press('Enter');
    await soon(() => trace.spanInUrl()).toBe(large.spans[29_998]?.spanId);
    await trace.selected.getByText('step 29998').waitFor();
    expect(complaints).toEqual([]);
  });
});

/** Scrolls the tree for two seconds, measuring the time between frames. */
const SCROLL = `new Promise((resolve) => {
  const tree = document.querySelector('[role=tree]');
  const begun = performance.now();
  let last = begun, frames = 0, worst = 0, over = 0;
  const step = (now) => {
    const took = now - last;
    last = now;
    if (frames > 0) { worst = Math.max(worst, took); if (took > 34) over += 1; }
    frames += 1;
    tree.scrollTop += 150;
    if (now - begun < 2000) requestAnimationFrame(step); else resolve({ frames, worst, over });
  };
  requestAnimationFrame(step);
})`;
