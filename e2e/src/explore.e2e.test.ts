import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { chunkOf } from './chunks.ts';
import { Shell } from './pages/shell.ts';
import { TracesPage } from './pages/traces-page.ts';
import { newSpanId, newTraceId } from './otlp.ts';
import { agentTrace, requestTraces } from './seeds.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, explorer in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('explorer', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agentTrace(Date.now() - 60_000), ...requestTraces(120, Date.now()));
    // The installation is older than the hours compared. So old, a single span may be one that came late; these are many.
    const old = Date.now() - 50 * 3_600_000;
    const early = Array.from({ length: 100 }, (_, n) => requestTraces(1, old + n * 300_000)).flat();
    await stage.seed(...early);
  });
  afterAll(() => stage?.close());
  const heard: string[][] = [];
  afterEach(() => expect(heard.splice(0).flat()).toEqual([]));

  const open = async (path: string) => {
    const opened = await stage.open(path);
    heard.push(opened.complaints);
    const traces = new TracesPage(opened.page);
    await traces.loaded();
    return { ...opened, traces, shell: new Shell(opened.page) };
  };

  it('shows what differs between some spans and the rest, and filters by a click', async () => {
    const { page, traces } = await open('/traces');
    await page.getByRole('button', { name: 'What differs' }).click();
    const panel = page.getByRole('complementary', { name: 'What differs' });
    await panel.getByRole('button', { name: 'Failed' }).click();
    await soon(() => new URL(page.url()).searchParams.get('diff')).toBe('status:error');
    await panel.getByRole('region').first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.reload();
    await panel.getByRole('region').first().waitFor();
    // Any selection as text: one path is one route, which no other has.
    await panel.getByLabel('Selection').fill('name:"GET /item/3"');
    await panel.getByLabel('Selection').press('Enter');
    const route = panel.getByRole('region', { name: 'attributes.http.route' });
    await route.getByRole('button', { name: '/item/3' }).click();
    await soon(() => traces.query()).toBe('attributes.http.route:"/item/3"');
    await panel.getByText('there is nothing to compare it with').waitFor();
    await panel.getByLabel('Selection').fill('duration>2x');
    await panel.getByLabel('Selection').press('Enter');
    await panel.getByRole('alert').waitFor();
    await page.getByRole('heading', { name: 'What differs' }).click();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    // By keyboard: whoever closes it is where they opened it.
    const opener = page.getByRole('button', { name: 'What differs' });
    await opener.press('Enter');
    await panel.getByRole('button', { name: 'Failed' }).press('Enter');
    await panel.getByRole('region').first().waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  });

  it('hands over what is on screen: a link keeps its times, and whom it reaches is one click away', async () => {
    const { page, traces, shell } = await open(
      '/traces?q=status%3Aerror&view=spans&from=-1h&diff=status%3Aerror',
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await shell.timeRange.click();
    await page.getByRole('button', { name: 'Copy link to these times' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const link = new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
    const [from, to] = ['from', 'to'].map((end) => Date.parse(link.searchParams.get(end) ?? ''));
    expect((to ?? 0) - (from ?? 0)).toBe(3_600_000);
    expect(Math.abs(Date.now() - (to ?? 0))).toBeLessThan(600_000);
    for (const part of ['q', 'view', 'diff'])
      expect(link.searchParams.get(part)).toBe(new URL(page.url()).searchParams.get(part));
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Unique counts' }).click();
    const reach = page.getByRole('dialog', { name: 'Unique counts' });
    await reach.getByText('Input tokens').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await reach.getByRole('link', { name: 'Users' }).click();
    await page.waitForURL('**/users?**');
    expect(new URL(page.url()).searchParams.get('q')).toBe('status:error');
    await page.goBack();
    await traces.loaded();
    await soon(() => traces.query()).toBe('status:error');
  });

  it('compares what a rectangle over the durations holds', async () => {
    const { page } = await open('/traces?view=spans&from=-1h&chart=duration');
    const map = page.getByTestId('heatmap');
    await map.locator('rect').first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const box = await map.boundingBox();
    if (!box) throw new Error('The map has no box.');
    await page.mouse.move(box.x + 1, box.y + 1);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 1, box.y + box.height * 0.5, { steps: 4 });
    await page.mouse.up();
    await soon(() => new URL(page.url()).searchParams.get('diff')).toMatch(/^duration>=/);
    const panel = page.getByRole('complementary', { name: 'What differs' });
    await panel
      .getByText(/selected: \d/)
      .last()
      .waitFor();
    // All of the time range was drawn over: it stays.
    expect(new URL(page.url()).searchParams.get('from')).toBe('-1h');
    await page.getByRole('button', { name: 'count', exact: true }).click();
    await page.getByTestId('histogram').waitFor();
  });

  it('reads and marks the durations by keyboard', async () => {
    const { page } = await open('/traces?view=spans&from=-1h&chart=duration');
    const map = page.getByRole('slider', { name: /^Duration of spans: / });
    await map.focus();
    expect(await map.getAttribute('aria-valuetext')).toBe('whole time range');
    await page.keyboard.press('ArrowLeft');
    await soon(() => map.getAttribute('aria-valuetext')).toMatch(/, \d+ spans?$/);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.press('Enter');
    await soon(() => new URL(page.url()).searchParams.get('diff')).toMatch(/^duration/);
    await page.getByRole('complementary', { name: 'What differs' }).waitFor();
  });

  it('compares with the period before, and knows the calendar', async () => {
    const { page, shell } = await open('/traces');
    await page.keyboard.press('d');
    await page.getByRole('checkbox', { name: 'Compare with the period before' }).check();
    await soon(() => new URL(page.url()).searchParams.get('compare')).toBe('1');
    // It is the page that changes its range, not the page that changes.
    expect(new URL(page.url()).pathname).toBe('/traces');
    await page.getByText('to the period before').waitFor();
    await page.getByRole('button', { name: 'This week' }).click();
    await soon(() => new URL(page.url()).searchParams.get('from')).toBe('this-week');
    await soon(() => shell.timeRange.innerText()).toContain('This week');
    await page.getByRole('link', { name: 'Logs' }).click();
    await soon(() => new URL(page.url()).searchParams.get('compare')).toBe('1');
    expect(new URL(page.url()).searchParams.get('from')).toBe('this-week');
    // Nothing is compared there, and nothing says so.
    await soon(() => shell.timeRange.innerText()).not.toContain('compared');
    await page.keyboard.press('d');
    await page.getByRole('list', { name: 'Relative ranges' }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Compare with the period before' }).count()).toBe(0);
  });

  it('takes times as people say them, says what is none, and names the range in a few words', async () => {
    const { page, shell } = await open('/traces');
    await page.keyboard.press('d');
    const picker = page.getByRole('dialog', { name: 'Time range' });
    await picker.getByLabel('From').fill('yesterday lunch');
    await picker.getByText('From is not a time.').waitFor();
    await picker.getByLabel('From').fill('yesterday 14:00');
    await picker.getByLabel('To', { exact: true }).fill('13:00');
    await picker.getByText('From has to be before To.').waitFor();
    expect(await picker.getByRole('button', { name: 'Apply' }).isEnabled()).toBe(false);
    await picker.getByLabel('To', { exact: true }).fill('15:00');
    // What was typed stays, and so does who chooses the zone; Local is what is meant below.
    for (const zone of ['UTC', 'Local']) {
      const choice = picker.getByRole('radio', { name: zone });
      await choice.click();
      await soon(() => choice.isChecked()).toBe(true);
      expect(await choice.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      expect(await picker.getByLabel('From').inputValue()).toBe('yesterday 14:00');
    }
    await picker.getByLabel('To', { exact: true }).press('Enter');
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await soon(() => new URL(page.url()).searchParams.get('from')).toBe(`${day}T14:00:00.000Z`);
    await soon(() => new URL(page.url()).searchParams.get('to')).toBe(`${day}T15:00:00.000Z`);
    await soon(() => shell.timeRange.innerText()).toMatch(/^\d\d \w{3} 14:00 – 15:00$/);
    // However long its name, what stands beside it stays on the screen of a phone.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${page.url().split('?')[0]}?from=2025-11-20T10:30:10Z&to=2025-11-21T10:30:10Z`);
    const refresh = await page.getByRole('button', { name: 'Refresh' }).boundingBox();
    expect((refresh?.x ?? 0) + (refresh?.width ?? 999)).toBeLessThanOrEqual(390);
  });

  it('offers the zone alone where no time range is followed, and keeps the range for the pages that do', async () => {
    const { page, shell, traces } = await open('/traces?from=-3h');
    await traces.rows.first().getByRole('link').first().click();
    await page.getByRole('treeitem').first().waitFor();
    const zone = page.getByRole('button', { name: /^Time zone/ });
    expect(await shell.timeRange.count()).toBe(0);
    await page.keyboard.press('d');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await zone.click();
    await page.getByRole('menuitemradio', { name: 'UTC', exact: true }).click();
    await soon(() => zone.innerText()).toBe('UTC');
    // Refresh asks again for what is shown.
    const asked = page.waitForRequest(/\/api\/telemetry\/traces\/[0-9a-f]{32}/);
    await page.keyboard.press('r');
    await asked;
    for (const path of ['/settings/keys', '/contexts', '/no/such/page']) {
      await page.goto(`${new URL(page.url()).origin}${path}?from=-3h`);
      await zone.waitFor();
      expect(await shell.timeRange.count()).toBe(0);
    }
    await page.getByRole('link', { name: 'Logs' }).click();
    await soon(() => shell.timeRange.innerText()).toContain('Last 3 hours');
    await soon(() => shell.timeRange.innerText()).toContain('UTC');
  });

  it('begins another time range at its top, and comes back to where the one before was left', async () => {
    const { page, traces } = await open('/traces?view=spans');
    const scroller = page.getByTestId('scroller');
    const top = () => scroller.evaluate((element: { scrollTop: number }) => element.scrollTop);
    await scroller.evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 900;
    });
    await soon(top).toBe(900);
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await soon(() => new URL(page.url()).searchParams.get('from')).toBe('-7d');
    await traces.loaded();
    await soon(top).toBe(0);
    await page.goBack();
    await traces.loaded();
    await soon(top).toBe(900);
  });

  it('reads and zooms the chart by keyboard', async () => {
    const { page } = await open('/traces?from=-1h');
    const chart = page.getByRole('slider', { name: /Number of spans/ });
    await page.keyboard.press('j');
    await soon(() => new URL(page.url()).searchParams.has('row')).toBe(true);
    await chart.focus();
    // Of nothing yet: it is not meant for the row.
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/not failed \d/);
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    await soon(() => new URL(page.url()).searchParams.get('from')).toMatch(/^\d{4}-/);
    expect(new URL(page.url()).pathname).toBe('/traces');
  });

  it('reads a search with the grammar, which comes with the first one', async () => {
    const { page, traces } = await open('/traces');
    const grammar = chunkOf('features/explore/grammar.ts');
    const loaded = () =>
      page.evaluate<string[]>(
        `performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => name.endsWith('${grammar.slice(2)}'))`,
      );
    expect(await loaded()).toEqual([]);
    await traces.search('nosuchfield>3');
    await page.getByRole('alert').waitFor();
    expect(await loaded()).toHaveLength(1);
    // In an address it is read before anything is asked: the server refuses nothing.
    await page.reload();
    await page.getByText('The search cannot be read').waitFor();
    await page.getByRole('complementary', { name: 'Facets' }).waitFor({ state: 'detached' });
    expect(heard.at(-1)).toEqual([]);
    // Without it the server says what is wrong.
    await page.route(grammar, (route) => route.abort());
    await page.goto(`${new URL(page.url()).origin}/traces?q=service:*`);
    await traces.loaded();
    heard.at(-1)?.splice(0);
  });

  it('completes attributes of the data and their values, and remembers searches', async () => {
    const { page, traces } = await open('/traces');
    await traces.searchBox.click();
    await page.keyboard.type('http.rou');
    await traces.suggestions.filter({ hasText: 'attributes.http.route' }).first().click();
    await page.keyboard.type('/item/3');
    await traces.suggestions.filter({ hasText: '/item/3' }).first().click();
    await page.keyboard.press('Enter');
    await soon(() => traces.query()).toBe('attributes.http.route:"/item/3"');
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await traces.searchBox.focus();
    await traces.suggestions.filter({ hasText: 'recent' }).first().click();
    await soon(() => traces.query()).toBe('attributes.http.route:"/item/3"');
    // What one field was found to have is not offered for another.
    await traces.searchBox.fill('attributes.http.route:');
    await traces.suggestions.filter({ hasText: '/item/' }).first().waitFor();
    await traces.searchBox.fill('status:');
    await traces.suggestions.filter({ hasText: 'unset' }).waitFor();
    expect(await traces.suggestions.filter({ hasText: '/item/' }).count()).toBe(0);
    // A text that is too long is not cut to another search.
    await traces.search('name:('.padEnd(5_000, ' item') + ')');
    await soon(() => page.getByRole('alert').innerText()).toContain('longer than 4,096');
    expect((await traces.searchBox.inputValue()).length).toBe(5_001);
    expect(traces.query()).toBe('attributes.http.route:"/item/3"');
  });

  it('opens what is known by any id, and says that nothing matches', async () => {
    // Nobody sent that session: the page says so, and so does the browser's console.
    const { page } = await stage.open('/traces');
    const shell = new Shell(page);
    await new TracesPage(page).loaded();
    await shell.openPalette();
    await page.keyboard.type('§');
    await soon(() => shell.palette.getByRole('status').innerText()).toContain('Nothing matches');
    await page.keyboard.type('team/one');
    await shell.palette.getByRole('option', { name: /^Session/ }).click();
    await soon(() => new URL(page.url()).pathname).toMatch(/^\/sessions\/~[\w-]+$/);
  });

  it('leaves the keyboard to an open panel', async () => {
    const { page, traces } = await open('/traces');
    const focused = () => page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? ""');
    const words = () => page.evaluate<string>('document.activeElement.textContent');
    // What comes late has the focus as soon as it is there.
    const form = { name: 'Name of the new view', file: chunkOf('features/explore/saved-views-panel.tsx') };
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await intercept(page, form.file, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Views' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Saved views' }).getByRole('status').waitFor();
    // Neither live, nor a row, nor the time range: the page below hears nothing.
    await page.keyboard.type('ljd');
    release();
    await soon(focused).toBe(form.name);
    await page.keyboard.type('lj');
    expect(await page.getByLabel(form.name).inputValue()).toBe('lj');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Export' }).press('Enter');
    await soon(() => page.evaluate('document.activeElement.name')).toBe('format');
    await page.keyboard.press('Escape');

    await page.keyboard.press('d');
    const ranges = page.getByRole('dialog', { name: 'Time range' });
    const offered = (name: string) => ranges.getByRole('list', { name }).getByRole('button').allInnerTexts();
    const relative = await offered('Relative ranges');
    const chosen = relative.indexOf(await words());
    expect(chosen).toBeGreaterThanOrEqual(0);
    await page.keyboard.type('lj');
    await page.keyboard.press('ArrowDown');
    expect(await words()).toBe(relative[chosen + 1]);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await words()).toBe(relative[chosen - 1]);
    const calendar = await offered('Ranges of the calendar');
    await page.keyboard.press('ArrowRight');
    expect(await words()).toBe(calendar[Math.min(chosen - 1, calendar.length - 1)]);
    await page.keyboard.press('ArrowLeft');
    // The rest of a row walked is told after a while.
    await page.waitForTimeout(500);
    expect([...new URL(page.url()).searchParams.keys()]).not.toContain('row');
    expect(page.url()).not.toContain('live');
    expect(await ranges.isVisible()).toBe(true);
    // Closed, the keys are the page's again.
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await soon(() => new URL(page.url()).searchParams.has('row')).toBe(true);
    expect(await traces.rows.count()).toBeGreaterThan(0);
  });

  it('keeps views under names for everybody: save, open, replace, rename, delete', async () => {
    const { page, traces, complaints } = await open('/traces?q=service:cart&sort=-start&cols=name,duration');
    const menu = page.getByRole('dialog', { name: 'Saved views' });
    const openMenu = async () => {
      await page.getByRole('button', { name: 'Views' }).click();
      await menu.waitFor();
    };
    // What a program saved may be any text: one bad percent sign is not the end of everybody's views.
    const odd = await fetch(`${stage.platform.http}/api/telemetry/views`, {
      method: 'POST',
      body: JSON.stringify({ page: 'traces', name: 'Odd', search: '?q=%' }),
    });
    expect(odd.status).toBeLessThan(300);
    await fetch(`${stage.platform.http}/api/telemetry/views`, {
      method: 'POST',
      body: JSON.stringify({ page: 'traces', name: 'Late', search: '' }),
    });
    await openMenu();
    // What takes long is asked for once, and leaves open what was opened meanwhile.
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let asked = 0;
    await intercept(page, '**/api/telemetry/views/*', async (route) => {
      asked += 1;
      await held;
      await route.continue();
    });
    await menu.getByRole('button', { name: 'Delete Odd' }).click();
    const remove = menu.getByRole('button', { name: 'Delete', exact: true });
    await remove.click();
    await remove.click({ force: true });
    await menu.getByRole('button', { name: 'Rename Late' }).click();
    release();
    await menu.getByText('Odd').waitFor({ state: 'detached' });
    await menu.locator('form button:not([aria-busy])', { hasText: 'Rename' }).waitFor();
    expect(asked).toBe(1);
    await menu.getByLabel('New name of Late').press('Enter');
    await menu.getByRole('button', { name: 'Delete Late' }).click();
    await remove.click();
    await menu.getByText('Late').waitFor({ state: 'detached' });
    await menu.getByLabel('Name of the new view').fill('Cart only');
    await page.keyboard.press('Enter');
    await menu.getByRole('button', { name: 'Cart only', exact: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });

    const other = await open('/traces');
    const otherMenu = other.page.getByRole('dialog', { name: 'Saved views' });
    await other.page.getByRole('button', { name: 'Views' }).click();
    await otherMenu.getByRole('button', { name: 'Cart only', exact: true }).click();
    await soon(() => other.traces.query()).toBe('service:cart');
    await other.page.getByRole('columnheader', { name: 'Service' }).waitFor({ state: 'detached' });
    // From the palette too.
    await other.page.goto(`${stage.platform.http}/traces`);
    await other.traces.loaded();
    await other.shell.command('cart only', /cart only/i);
    await soon(() => other.traces.query()).toBe('service:cart');
    // Whoever may only read opens them, and is offered nothing that the server refuses.
    await other.page.route('**/api/auth/status', async (route) => {
      const answer = (await (await route.fetch()).json()) as { data: object };
      const organisation = { id: 'default', name: 'Ours', role: 'viewer' };
      const person = {
        id: 'vi',
        email: 'vi@example.com',
        name: 'Vi',
        totp: false,
        organisation,
        projects: [],
      };
      await route.fulfill({ json: { ...answer, data: { ...answer.data, person } } });
    });
    await other.page.reload();
    await other.traces.loaded();
    await other.page.getByRole('button', { name: 'Views' }).click();
    await otherMenu.getByRole('button', { name: 'Cart only', exact: true }).waitFor();
    const offered = otherMenu.getByRole('button', { name: /^(Save|Replace|Rename|Delete)/ });
    expect(await offered.count()).toBe(0);
    expect(await accessibilityFindings(other.page)).toEqual([]);

    await traces.search('service:search');
    await openMenu();
    await menu.getByRole('button', { name: 'Replace Cart only' }).click();
    // What everybody has is replaced by whoever says so twice.
    expect(await menu.locator('[aria-current=true]').count()).toBe(0);
    await menu.getByRole('button', { name: 'Replace', exact: true }).click();
    await soon(() => menu.locator('[aria-current=true]').count()).toBe(1);
    await menu.getByRole('button', { name: 'Rename Cart only' }).click();
    await menu.getByLabel('New name of Cart only').fill('Search only');
    await page.keyboard.press('Enter');
    await menu.getByRole('button', { name: 'Search only', exact: true }).waitFor();
    // One that somebody else deleted meanwhile goes from the list, and what failed is told of the last only.
    const views = `${stage.platform.http}/api/telemetry/views`;
    const gone = await fetch(views, {
      method: 'POST',
      body: JSON.stringify({ page: 'traces', name: 'Gone', search: '' }),
    });
    const { data: created } = (await gone.json()) as { data: { id: string } };
    await menu.getByLabel('Name of the new view').fill('Search only');
    await page.keyboard.press('Enter');
    await menu.getByRole('alert').filter({ hasText: 'Search only' }).waitFor();
    await menu.getByRole('button', { name: 'Delete Gone' }).waitFor();
    await fetch(`${views}/${created.id}`, { method: 'DELETE' });
    await menu.getByRole('button', { name: 'Delete Gone' }).click();
    await menu.getByRole('button', { name: 'Delete', exact: true }).click();
    await soon(() => menu.getByText(/Gone/).count()).toBe(0);
    await soon(() => menu.getByRole('alert').innerText()).not.toContain('Search only');
    // A browser says on its console that something was refused; the page says it better.
    expect(complaints.splice(0).filter((line) => !/status of (409|404)/.test(line))).toEqual([]);
    await menu.getByRole('button', { name: 'Delete Search only' }).click();
    await menu.getByRole('button', { name: 'Delete', exact: true }).click();
    await menu.getByText('No view of this page').waitFor();
  });

  it('downloads what matches, within a bound, and says how much that was', async () => {
    const { page } = await open('/traces?view=spans&q=service:cart');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const menu = page.getByRole('dialog', { name: 'Export' });
    await menu.getByRole('radio', { name: 'JSON Lines' }).check();
    const download = page.waitForEvent('download');
    await menu.getByRole('button', { name: 'Download' }).click();
    const file = await (await download).path();
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.length).toBe(40);
    expect(lines.map((line) => (JSON.parse(line) as { service: string }).service)).toEqual(
      lines.map(() => 'cart'),
    );
    await menu.getByText('Saved 40 spans').waitFor();
  });

  it('downloads the columns of the page while one goes on elsewhere, and says when a file ended early', async () => {
    const { page } = await open('/traces?view=spans&q=service:cart&cols=start,name,attributes.http.route');
    const menu = page.getByRole('dialog', { name: 'Export' });
    const button = page.getByRole('button', { name: /^Export/ });
    const exported = '**/api/telemetry/export';
    let release = (): void => undefined;
    const held = new Promise<void>((done) => (release = done));
    await intercept(page, exported, async (route) => {
      await held;
      await route.continue();
    });
    await button.click();
    const download = page.waitForEvent('download');
    await menu.getByRole('button', { name: 'Download' }).click();
    await menu.getByRole('button', { name: 'Stop' }).waitFor();
    // Told once, not with every figure.
    expect(await menu.getByRole('status').allTextContents()).toEqual(['The export is running']);
    expect(await accessibilityFindings(page)).toEqual([]);
    // Beside it, where nothing is.
    await page.mouse.click(80, 600);
    await menu.waitFor({ state: 'hidden' });
    await soon(() => button.getAttribute('aria-label')).toBe('Export, running');
    await page.getByRole('link', { name: 'Exceptions' }).click();
    await soon(() => new URL(page.url()).pathname).toBe('/exceptions');
    await soon(() => button.getAttribute('aria-label')).toBe('Export, running');
    release();
    const [head, ...rows] = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(head).toBe('\uFEFFstartTime,name,attributes.http.route');
    expect(rows).toHaveLength(40);
    for (const row of rows) expect(row).toMatch(/,GET \/item\/(\d),\/item\/\1$/);
    await soon(() => button.getAttribute('aria-label')).toBe('Export');

    await page.unroute(exported);
    await intercept(page, exported, (route) =>
      route.fulfill({
        headers: { 'x-platform-export-rows': '5', 'x-platform-export-cut': 'false' },
        contentType: 'text/csv',
        body: 'type\r\nfirst\r\nsecond\r\n',
      }),
    );
    await button.click();
    await menu.getByRole('button', { name: 'Download' }).click();
    await menu.getByText('the file ended after 2 of 5 exceptions').waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    await soon(() => button.getAttribute('aria-label')).toBe('Export');
  });

  it('opens the list as a query to copy', async () => {
    const { page } = await open('/traces?q=service:cart');
    await page.getByRole('button', { name: 'Open Traces as query' }).click();
    const dialog = page.getByRole('dialog', { name: 'Traces as query' });
    await dialog.getByText('POST /api/telemetry/traces/search').waitFor();
    const request = dialog.getByTestId('request');
    const json = await request.innerText();
    expect(JSON.parse(json)).toMatchObject({ q: 'service:cart' });
    await dialog.getByRole('tab', { name: 'JSON' }).press('ArrowRight');
    await dialog.getByText('curl -sS').waitFor();
    // What stands there works as it is: the command, and the JSON sent to the address above it.
    const { stdout } = await promisify(execFile)('sh', ['-c', await request.innerText()]);
    expect((JSON.parse(stdout) as { data: { rootService: string }[] }).data[0]?.rootService).toBe('cart');
    const sent = await fetch(`${stage.platform.http}/api/telemetry/traces/search`, {
      method: 'POST',
      body: json,
    });
    expect(((await sent.json()) as { data: unknown[] }).data.length).toBeGreaterThan(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // A list that is asked for by GET says its parameters as JSON.
    await page.goto(`${stage.platform.http}/agents`);
    await page.getByRole('button', { name: 'Open Agents as query' }).click();
    const agents = page.getByRole('dialog', { name: 'Agents as query' });
    expect(JSON.parse(await agents.getByTestId('request').innerText())).toHaveProperty('from');
    await agents.getByRole('button', { name: 'Close' }).click();
    await agents.waitFor({ state: 'detached' });
    // That nothing matches is heard there, too.
    await page.getByRole('searchbox', { name: 'Search agents' }).fill('nobody');
    await page.getByRole('status').filter({ hasText: 'Nothing matches' }).waitFor();
  });

  it('shows new spans while live, holds them while somebody reads further down', async () => {
    const { page, traces } = await open('/traces?view=spans&from=-1h&live=1');
    await page.getByRole('button', { name: 'Live', pressed: true }).waitFor();
    await stage.seed({ ...agentTrace(Date.now() - 1_000), service: 'newcomer' });
    await soon(async () => (await traces.cells()).some((row) => row.includes('newcomer'))).toBe(true);
    // Sent while it runs and once more with its end: one row, that ends.
    const spanId = newSpanId();
    const trace = { traceId: newTraceId(), service: 'twice', startedAt: Date.now() - 1_000 };
    const rows = () => traces.cells().then((cells) => cells.filter((row) => row.includes('twice')));
    await stage.seed({ ...trace, spans: [{ spanId, name: 'job', unfinished: true }] });
    await soon(rows).toEqual([expect.stringContaining('running')]);
    await stage.seed({ ...trace, spans: [{ spanId, name: 'job', durationMs: 300 }] });
    await soon(rows).toEqual([expect.stringContaining('300 ms')]);
    await page.getByTestId('scroller').evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 1_000;
    });
    await page.waitForTimeout(300);
    await stage.seed({ ...agentTrace(Date.now() - 1_000), service: 'later' });
    await page.getByRole('button', { name: '8 new spans' }).click();
    await page.getByRole('button', { name: '8 new spans' }).waitFor({ state: 'detached' });
  });

  it('has its facets behind a button when the window is narrow', async () => {
    const { page, traces } = await open('/traces');
    await page.setViewportSize({ width: 820, height: 1_000 });
    await page.getByRole('button', { name: 'Facets' }).click();
    const menu = page.getByRole('dialog', { name: 'Facets' });
    await menu.getByRole('region', { name: 'Service' }).getByRole('button', { name: 'cart' }).first().click();
    await soon(() => traces.query()).toBe('service:cart');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(820);
  });

  it('works its menus by keyboard', async () => {
    const { page, traces } = await open('/traces');
    await page.getByTestId('environment').focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('menu', { name: 'Environment' });
    await menu.waitFor();
    await page.keyboard.press('s');
    await page.keyboard.press('Enter');
    await soon(() => new URL(page.url()).searchParams.get('env')).toBe('staging');
    expect(await page.evaluate('document.activeElement.dataset.testid')).toBe('environment');
    await traces.loaded();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
  });

  it('compares an hour with the hour before, and offers failures where there are some', async () => {
    const now = Math.floor(Date.now() / 60_000) * 60_000;
    const rollout = (release: string, from: number, fails: boolean) =>
      Array.from({ length: 30 }, (_, index) => ({
        traceId: newTraceId(),
        service: 'rollout',
        startedAt: from + index * 60_000,
        spans: [
          {
            spanId: newSpanId(),
            name: 'GET /seats',
            durationMs: 20,
            attributes: { release },
            ...(fails && index % 3 === 0 ? { failed: 'no seats' } : {}),
          },
        ],
      }));
    const [hour, half] = [3_600_000, 1_800_000];
    await stage.seed(...rollout('v1', now - 2 * hour, true), ...rollout('v2', now - half - 60_000, false));
    const times = (from: number, to: number) =>
      `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    const { page } = await open(`/traces?q=service:rollout&${times(now - 2 * hour, now - hour)}&diff=*`);
    const panel = page.getByRole('complementary', { name: 'What differs' });
    await panel.getByRole('button', { name: 'Failed' }).waitFor();
    await page.goto(`${page.url().split('?')[0]}?q=service:rollout&${times(now - hour, now)}&diff=*`);
    await panel.getByText('nothing failed in this time').waitFor();
    expect(await panel.getByRole('button', { name: 'Failed' }).count()).toBe(0);
    await panel.getByRole('button', { name: 'the time before' }).click();
    await soon(() => new URL(page.url()).searchParams.get('against')).toBe('before');
    const release = panel.getByRole('region', { name: 'attributes.release' });
    await soon(async () => (await release.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /v1 0% · 100%.*v2 100% · 0%/,
    );
    const sides = panel.getByTitle('30 spans', { exact: true });
    expect((await sides.allInnerTexts()).map((text) => text.trim())).toEqual(['now: 30', 'before: 30']);
    expect(await accessibilityFindings(page)).toEqual([]);
    // A selection is compared with itself, an hour before.
    await page.reload();
    await panel.getByLabel('Selection').fill('name:"GET /seats"');
    await panel.getByLabel('Selection').press('Enter');
    await release.waitFor();
    await panel.getByRole('button', { name: 'All spans' }).click();
    await soon(() => new URL(page.url()).searchParams.get('diff')).toBe('*');
    await panel.getByRole('button', { name: 'the others' }).click();
    await panel.getByText('Choose some of the spans').waitFor();
  });
});
