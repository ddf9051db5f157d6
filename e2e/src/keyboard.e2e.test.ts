import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { sendMetrics, sendRecords } from './otlp.ts';
import { LogsPage } from './pages/logs-page.ts';
import { SessionsPage } from './pages/sessions-page.ts';
import { TracePage } from './pages/trace-page.ts';
import { TracesPage } from './pages/traces-page.ts';
import { agentTrace, requestTraces } from './seeds.ts';
import { hostMetrics } from './seeds-hosts.ts';
import { seedSession } from './seeds-sessions.ts';
import { longTalkTrace } from './seeds-shapes.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, the keyboard in the browser: ${missing}`);

/** The name of what has the focus. */
const FOCUS = `(() => {
  const { activeElement } = document;
  return activeElement.getAttribute('aria-label') ?? (activeElement.id || activeElement.tagName);
})()`;
/** No clipboard but that of the selection command, as on a host without TLS; and what was copied. */
const NO_CLIPBOARD = `
  Object.defineProperty(navigator, 'clipboard', { value: undefined });
  addEventListener('copy', (event) => (window.copied = event.target.value), true);
`;
/** Whether the row that was walked to can be seen and pressed, whatever scrolls around it. */
const ROW_IN_SIGHT = `(() => {
  const row = document.querySelector('[role=row][aria-selected=true]');
  if (row === null) return 'no row';
  const { left, top, bottom } = row.getBoundingClientRect();
  const at = document.elementFromPoint(left + 40, (top + bottom) / 2);
  return row.contains(at) && top >= 0 && bottom <= innerHeight ? 'seen' : \`\${top} to \${bottom} of \${innerHeight}\`;
})()`;

describe.skipIf(missing !== undefined)('the keyboard', () => {
  let stage: Stage;
  const heard: string[][] = [];
  const agent = agentTrace(Date.now() - 60_000);
  const talk = longTalkTrace(160, Date.now() - 120_000);
  const LONG = 'A long line of a log record. '.repeat(1_000);
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agent, talk, ...requestTraces(60, Date.now()));
    await seedSession(stage, 'visit', 8, Date.now() - 60_000);
    await sendMetrics(stage.platform.otlpHttp, ...hostMetrics(Date.now()));
    await sendRecords(
      stage.platform.otlpHttp,
      { service: 'shop' },
      Array.from({ length: 60 }, (_, index) => ({
        at: Date.now() - 60_000 + index * 100,
        severity: 9,
        body: index === 59 ? LONG : `line ${index}`,
      })),
    );
    await stage.settled();
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    // What a test cuts off is no fault of the page.
    const cut = 'net::ERR_FAILED';
    expect(
      heard
        .splice(0)
        .flat()
        .filter((complaint) => !complaint.includes(cut)),
    ).toEqual([]);
  });
  const open = async (path: string): Promise<Page> => {
    const opened = await stage.open(path);
    heard.push(opened.complaints);
    return opened.page;
  };
  const has = (place: Locator) =>
    place.evaluate((element) => element.contains(element.ownerDocument.activeElement));
  const said = (page: Page, text: string | RegExp) =>
    page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });

  it('walks rows that are seen in a low window, at 400 % and on a telephone that lies', async () => {
    const page = await open('/traces');
    for (const viewport of [
      { width: 320, height: 256 },
      { width: 640, height: 300 },
    ]) {
      await page.setViewportSize(viewport);
      for (const path of [
        '/traces',
        '/traces?q=service%3Acheckout&view=spans',
        '/logs',
        '/sessions',
        '/users',
        '/exceptions',
        '/metrics',
        '/agents',
      ]) {
        await page.goto(`${stage.platform.http}${path}`);
        await new TracesPage(page).rows.first().waitFor({ state: 'attached' });
        await page.keyboard.press('j');
        await soon(async () => [path, viewport.width, await page.evaluate(ROW_IN_SIGHT)]).toEqual([
          path,
          viewport.width,
          'seen',
        ]);
      }
      // By wheel too: the page brings its rows, and goes on in them.
      await page.goto(`${stage.platform.http}/traces`);
      const rows = page.getByTestId('scroller');
      await rows.waitFor();
      await page.mouse.move(viewport.width - 30, viewport.height - 30);
      await page.mouse.wheel(0, 2_000);
      await soon(async () => {
        const box = await rows.boundingBox();
        return box !== null && box.y + box.height <= viewport.height + 1 && box.height > 100;
      }).toBe(true);
      for (const [path, place] of [
        [`/traces/${agent.traceId}`, page.getByRole('tree')],
        ['/sessions/visit', page.getByTestId('conversation')],
      ] as const) {
        await page.goto(`${stage.platform.http}${path}`);
        await place.waitFor({ state: 'attached' });
        await soon(async () => [path, ((await place.boundingBox())?.height ?? 0) > 80]).toEqual([path, true]);
      }
    }
  });

  it('walks down rows that stay in sight, and leaves the list by a tab or two', async () => {
    const page = await open('/traces');
    const traces = new TracesPage(page);
    await traces.loaded();
    for (let row = 0; row < 40; row += 1) await page.keyboard.press('j');
    await soon(() => page.evaluate(ROW_IN_SIGHT)).toBe('seen');
    const grid = page.getByRole('grid');
    expect(await has(grid)).toBe(true);
    // Past the heads that sort, to the link of the row walked to, and out.
    const passed: (string | null)[] = [];
    for (let tab = 0; tab < 10 && (await has(grid)); tab += 1) {
      await page.keyboard.press('Tab');
      passed.push(await page.evaluate('document.activeElement.closest("[role=row]")?.ariaSelected ?? null'));
    }
    expect(await has(grid)).toBe(false);
    expect(passed.filter((selected) => selected === 'true')).toHaveLength(1);
    expect(passed).not.toContain('false');
    // What a control opens beside the list has the focus.
    await page.getByRole('button', { name: 'What differs' }).press('Enter');
    const panel = page.getByRole('complementary', { name: 'What differs' });
    await soon(() => has(panel)).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(FOCUS)).toBe('Close what differs');
    // Not from who writes by the time it has come.
    const late = await open('/traces');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await intercept(late, /what-differs.*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    await new TracesPage(late).loaded();
    await late.getByRole('button', { name: 'What differs' }).press('Enter');
    await new TracesPage(late).searchBox.focus();
    release();
    await late.getByRole('complementary', { name: 'What differs' }).waitFor();
    expect(await late.evaluate(FOCUS)).toBe('Search');
  });

  it('scrolls what has the focus, and walks by letters', async () => {
    const last = talk.spans.at(-2)?.spanId ?? '';
    const page = await open(`/traces/${talk.traceId}?span=${last}`);
    const trace = new TracePage(page);
    await trace.loaded();
    const panel = trace.panel.getByRole('tabpanel');
    await trace.panel.getByText('Port the module').first().waitFor();
    const top = () => panel.evaluate((element) => element.parentElement?.scrollTop ?? 0);
    await panel.focus();
    await page.keyboard.press('End');
    await soon(top).toBeGreaterThan(500);
    await page.keyboard.press('Home');
    await soon(top).toBe(0);
    await page.keyboard.press('ArrowDown');
    await soon(top).toBeGreaterThan(0);
    expect(trace.spanInUrl()).toBe(last);
    expect(await panel.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    // Where no list can say it, a line does; the panel of the span keeps the focus.
    await page.goto(`${stage.platform.http}/traces/${agent.traceId}?view=transcript`);
    await trace.transcript.getByText('Where is order').waitFor();
    await panel.focus();
    await page.keyboard.press('j');
    await soon(() => trace.spanInUrl()).not.toBe('');
    await said(page, 'execute_tool track_parcel');
    expect(await has(panel)).toBe(true);
    // A list takes it.
    await page.getByRole('tab', { name: 'tree' }).click();
    await trace.loaded();
    await page.keyboard.press('j');
    await soon(() => page.evaluate(FOCUS)).toBe('Spans');
    await page.getByRole('button', { name: 'Next failed span' }).press('Enter');
    await said(page, /, failed, \d of \d failed spans$/);
    expect(await page.evaluate(FOCUS)).toBe('Next failed span');
    const controls = await page.getByRole('tab', { name: 'tree' }).getAttribute('aria-controls');
    expect(await page.locator(`[id="${controls}"]`).getByRole('tree').count()).toBe(1);
    expect(await trace.items.first().ariaSnapshot()).not.toMatch(/fold/i);
    expect(await accessibilityFindings(page)).toEqual([]);

    await page.goto(`${stage.platform.http}/sessions/visit`);
    const sessions = new SessionsPage(page);
    await sessions.turn(1).getByText('Answer 0.').waitFor();
    const read = () => sessions.conversation.evaluate((box) => box.scrollTop);
    await sessions.conversation.focus();
    await page.keyboard.press('ArrowDown');
    await soon(read).toBeGreaterThan(0);
    expect(new URL(page.url()).searchParams.get('turn')).toBeNull();
    await page.keyboard.press('j');
    await said(page, 'Turn 1 of 8');
  });

  it('leads into the record of a log line and back, and keeps its place in it', async () => {
    const page = await open('/logs?q=service%3Ashop');
    const logs = new LogsPage(page);
    await logs.loaded();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const record = page.getByRole('complementary', { name: 'Log record' });
    await record.getByRole('button', { name: 'show all' }).waitFor();
    await said(page, 'The record is open beside the list');
    expect(await page.evaluate(FOCUS)).toBe('Log records');
    const body = record.getByRole('tabpanel');
    await body.focus();
    expect(
      await body.evaluate(
        (element) => element.ownerDocument.defaultView.getComputedStyle(element).outlineStyle,
      ),
    ).toBe('solid');
    await page.keyboard.press('ArrowDown');
    await soon(() => body.evaluate((element) => element.parentElement?.scrollTop ?? 0)).toBeGreaterThan(0);
    expect(await has(body)).toBe(true);
    // What goes away when it is pressed leaves the focus at what it brought.
    await record.getByRole('button', { name: 'show all' }).press('Enter');
    await record.getByRole('button', { name: 'show all' }).waitFor({ state: 'detached' });
    expect(await has(body)).toBe(true);
    await record.getByRole('tab', { name: 'Context' }).click();
    await record.getByRole('button', { name: 'line 50' }).press('Enter');
    await soon(() => record.locator('li[aria-current=true]').innerText()).toContain('line 50');
    await soon(() => has(record.locator('li[aria-current=true]'))).toBe(true);
    await record.getByRole('button', { name: 'Close the record' }).press('Enter');
    await record.waitFor({ state: 'detached' });
    expect(await page.evaluate(FOCUS)).toBe('Log records');
  });

  it('leaves who went on where they are, while lines around a record come late or do not come', async () => {
    const page = await open('/logs?q=service%3Ashop');
    const logs = new LogsPage(page);
    await logs.loaded();
    for (let row = 0; row < 25; row += 1) await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await logs.panel.getByRole('tab', { name: 'Context' }).click();
    const own = logs.panel.locator('li[aria-current=true]');
    await own.waitFor();
    expect(await logs.contextLines.count()).toBe(41);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const around = /\/api\/telemetry\/logs\/[^/]+\/context/;
    await intercept(page, around, async (route) => {
      await held;
      await route.continue();
    });
    const text = await logs.contextLines.nth(18).innerText();
    await logs.contextLines.nth(18).getByRole('button').press('Enter');
    await logs.searchBox.focus();
    release();
    await soon(() => own.innerText()).toBe(text);
    expect(await has(logs.searchBox)).toBe(true);

    await page.unroute(around);
    await intercept(page, around, (route) => route.abort());
    await logs.panel.getByRole('button', { name: 'More lines' }).press('Enter');
    await logs.panel.getByText('More lines could not be loaded.').waitFor();
    expect(await logs.contextLines.count()).toBe(41);
    await page.unroute(around);
    await logs.panel.getByRole('button', { name: 'Try again' }).press('Enter');
    await soon(() => logs.contextLines.count()).toBeGreaterThan(50);
    // The next record has as many lines as the first one had.
    await page.keyboard.press('j');
    await soon(() => logs.contextLines.count()).toBe(41);
  });

  it('goes on where a control was that went away', async () => {
    const page = await open('/traces?q=service%3Anobody%20status%3Aok%20name%3Anothing');
    const traces = new TracesPage(page);
    const remove = (name: string) => page.getByRole('button', { name: `Remove ${name}` });
    await remove('service:nobody').press('Enter');
    await soon(() => page.evaluate(FOCUS)).toBe('Remove status:ok');
    await remove('name:nothing').press('Enter');
    await soon(() => page.evaluate(FOCUS)).toBe('Remove status:ok');
    await remove('status:ok').press('Enter');
    await soon(() => page.evaluate(FOCUS)).toBe('Search');
    await traces.search('service:nobody');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).last().press('Enter');
    await traces.loaded();
    expect(await has(page.locator('[data-rows]'))).toBe(true);
    await traces.search('service:nobody');
    await page.getByRole('button', { name: 'Clear the search' }).first().press('Enter');
    await soon(() => page.evaluate(FOCUS)).toBe('Search');
    await page.keyboard.press('Escape');
    await traces.loaded();
    // A view that is renamed, and one that is kept, has the focus again.
    await page.getByTitle('Saved views of the project').press('Enter');
    const views = page.getByRole('dialog', { name: 'Saved views' });
    await views.getByRole('textbox').fill('Mine');
    await views.getByRole('textbox').press('Enter');
    await views.getByRole('button', { name: 'Rename Mine' }).press('Enter');
    await page.keyboard.type(' too');
    await page.keyboard.press('Enter');
    const view = views.getByRole('button', { name: 'Mine too', exact: true });
    await soon(() => has(view)).toBe(true);
    await views.getByRole('button', { name: 'Delete Mine too' }).press('Enter');
    await views.getByRole('button', { name: 'Keep' }).press('Enter');
    await soon(() => has(view)).toBe(true);
    // What failed stays, and leads nobody on who has gone elsewhere since.
    await page.route('**/api/telemetry/views/*', (route) => route.abort());
    await views.getByRole('button', { name: 'Rename Mine too' }).press('Enter');
    await page.keyboard.press('Enter');
    const failed = views.getByRole('alert');
    await failed.waitFor();
    await failed.click();
    await page.evaluate('document.activeElement.blur(); document.body.append(document.createElement("i"))');
    expect(await page.evaluate(FOCUS)).not.toBe('Name of the new view');
    // A link that goes with its page leads to the beginning of the next one.
    await page.goto(`${stage.platform.http}/no/such/page`);
    await page.getByRole('link', { name: 'Go to Traces' }).press('Enter');
    await traces.loaded();
    await soon(() => page.evaluate(FOCUS)).toBe('main');
  });

  it('copies without the clipboard of the browser, and keeps the focus and what is open', async () => {
    const page = await open('/sign-in');
    await page.addInitScript(NO_CLIPBOARD);
    await page.goto(`${stage.platform.http}/traces`);
    await new TracesPage(page).loaded();
    const copied = () => page.evaluate<string>('window.copied');
    await page.getByTestId('time-range').press('Enter');
    const link = page.getByRole('button', { name: 'Copy link to these times' });
    await link.press('Enter');
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await copied()).toContain('/traces?');
    expect(await has(link)).toBe(true);
    await page.keyboard.press('Escape');
    // In a dialog nothing outside of it can be selected.
    await page.getByRole('button', { name: 'Open Traces as query' }).press('Enter');
    const query = page.getByRole('dialog');
    const copy = query.getByRole('button', { name: 'Copy as JSON' });
    await copy.press('Enter');
    await query.getByText('Copied', { exact: true }).waitFor();
    expect(await copied()).toBe(await query.getByTestId('request').innerText());
    expect(await has(copy)).toBe(true);
    await page.evaluate('document.execCommand = () => false');
    await copy.press('Enter');
    await query.getByText('It could not be copied').waitFor();
  });

  it('names every part of a record on a telephone, and what it is sorted by', async () => {
    const page = await open('/traces');
    await page.setViewportSize({ width: 390, height: 844 });
    const traces = new TracesPage(page);
    await traces.loaded();
    await page.getByRole('group', { name: 'Sort by' }).waitFor();
    expect(await page.getByRole('columnheader').count()).toBe(0);
    const cells = traces.rows.first().getByRole('gridcell');
    expect(await cells.allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Name\s/), expect.stringMatching(/^Service\s/)]),
    );
    const order = page.getByRole('group', { name: 'Sort by' });
    await order.getByRole('button', { name: 'Duration' }).press('Enter');
    await order.getByRole('button', { name: 'Duration descending' }).waitFor();
    await traces.loaded();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it("shows where it is in the browser's own colours", async () => {
    const page = await open('/traces');
    await page.emulateMedia({ forcedColors: 'active' });
    const traces = new TracesPage(page);
    await traces.loaded();
    const outline = (place: Locator) =>
      place.evaluate((element) => element.ownerDocument.defaultView.getComputedStyle(element).outlineStyle);
    expect(await outline(traces.searchBox)).toBe('none');
    await traces.searchBox.focus();
    expect(await outline(traces.searchBox)).toBe('solid');
    await page.getByRole('button', { name: 'Theme' }).press('Enter');
    const theme = page.getByRole('menuitemradio', { name: 'Dark' });
    await theme.hover();
    expect(await outline(theme)).toBe('solid');
    const trace = new TracePage(page);
    await page.goto(`${stage.platform.http}/traces/${agent.traceId}?view=transcript`);
    await trace.transcript.getByText('Where is order').waitFor();
    await page.keyboard.press('j');
    const marked = trace.transcript.locator('[aria-current=true]').first();
    await marked.waitFor();
    expect(await outline(marked)).toBe('solid');
  });
});
