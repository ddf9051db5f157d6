import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { chunkOf } from './chunks.ts';
import { LogsPage } from './pages/logs-page.ts';
import { TracePage } from './pages/trace-page.ts';
import { TracesPage } from './pages/traces-page.ts';
import { sendRecords } from './otlp.ts';
import { agentTrace, requestTraces } from './seeds.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, facets in the browser: ${missing}`);

const TIERS = ['gold', 'silver', 'bronze'];

describe.skipIf(missing !== undefined)('facets of one’s own', () => {
  let stage: Stage;
  const seeded = requestTraces(60, Date.now()).map((trace, index) => ({
    ...trace,
    resource: { 'host.name': `host-${index % 2}` },
    spans: trace.spans.map((span) => ({
      ...span,
      attributes: {
        ...span.attributes,
        'customer.tier': TIERS[index % 3] as string,
        'order, 100% odd "key"': `odd ${index % 2}`,
        'item.count': index % 4,
      },
    })),
  }));
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agentTrace(Date.now() - 60_000), ...seeded);
    const now = Date.now();
    await sendRecords(
      stage.platform.otlpHttp,
      { service: 'shop' },
      Array.from({ length: 20 }, (_, index) => ({
        at: now - index * 1_000,
        severity: 9,
        body: `line ${index}`,
        attributes: { 'order.kind': index % 2 === 0 ? 'candle' : 'wick' },
      })),
    );
    await stage.settled();
  });
  afterAll(() => stage?.close());
  const heard: string[][] = [];
  // A browser says on its console that something was refused; the page says it better.
  afterEach(() =>
    expect(
      heard
        .splice(0)
        .flat()
        .filter((complaint) => !/status of 4(00|22)/.test(complaint)),
    ).toEqual([]),
  );

  const open = async (path: string) => {
    const opened = await stage.open(path);
    heard.push(opened.complaints);
    const traces = new TracesPage(opened.page);
    return { ...opened, traces };
  };
  const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Facets' });
  const picker = (page: Page) => page.getByRole('dialog', { name: 'Add a facet' });
  const values = (group: Locator) => group.getByRole('listitem').allInnerTexts();
  const focused = (page: Page) =>
    page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
    );
  const kept = (page: Page, name: string) =>
    page.evaluate<string | null>(`localStorage.getItem('candela.${name}')`);

  it('are found among the attributes, filter, stay, and are taken out', async () => {
    const { page, traces } = await open('/traces');
    await traces.loaded();
    await panelOf(page).getByRole('button', { name: 'Add facet' }).click();
    // Named fields that the page does not count, and what its rows have.
    await picker(page).getByRole('button', { name: 'attributes.item.count' }).waitFor();
    await picker(page).getByRole('button', { name: 'finish_reason', exact: true }).waitFor();
    expect(await picker(page).getByRole('button', { name: 'service', exact: true }).count()).toBe(0);
    expect(await picker(page).getByText('gen_ai.input.messages').count()).toBe(0);
    await picker(page).getByRole('searchbox', { name: 'Find a field' }).fill('tier');
    await picker(page).getByRole('button', { name: 'attributes.customer.tier' }).click();
    const tier = traces.facet('customer.tier');
    await soon(() => values(tier)).toEqual(['bronze\n20', 'gold\n20', 'silver\n20']);
    await tier.getByRole('button', { name: 'gold' }).first().click();
    await soon(() => traces.query()).toBe('attributes.customer.tier:gold');
    // What was chosen hides the values of other facets, not of its own.
    await soon(() => traces.facet('Service').getByRole('listitem').allInnerTexts()).toEqual(['checkout\n20']);
    // The panel has moved below the mouse, which hides the number of the value that it stands on.
    await page.mouse.move(0, 0);
    await soon(() => values(tier)).toEqual(['bronze\n20', 'gold\n20', 'silver\n20']);
    await tier.getByRole('button', { name: 'silver' }).first().click();
    await soon(() => traces.query()).toBe('attributes.customer.tier:(gold or silver)');
    await tier.getByRole('button', { name: 'bronze' }).first().focus();
    await tier.getByRole('button', { name: 'Exclude bronze' }).press('Enter');
    await soon(() => traces.query()).toContain('-attributes.customer.tier:bronze');
    await soon(() => accessibilityFindings(page)).toEqual([]);
    await page.reload();
    await tier.getByRole('button', { name: 'gold', pressed: true }).waitFor();
    // Another page of the same rows has them too, one of other rows does not.
    await page.goto(`${stage.platform.http}/users`);
    await panelOf(page).getByRole('region', { name: 'customer.tier' }).waitFor();
    await page.goto(`${stage.platform.http}/logs`);
    await panelOf(page).getByRole('region', { name: 'Service' }).waitFor();
    expect(await panelOf(page).getByRole('region', { name: 'customer.tier' }).count()).toBe(0);
    await page.goto(`${stage.platform.http}/traces`);
    await tier.getByRole('heading').hover();
    await tier.getByRole('button', { name: 'Remove the facet customer.tier' }).click();
    await tier.waitFor({ state: 'detached' });
    expect(await kept(page, 'facets.added.spans')).toBe('');
  });

  it('work by keyboard alone, whatever the key is called', async () => {
    const { page, traces } = await open('/traces?view=spans');
    await traces.loaded();
    await panelOf(page).getByRole('button', { name: 'Add facet' }).focus();
    await page.keyboard.press('Enter');
    await picker(page).waitFor();
    await soon(() => focused(page)).toBe('Find a field');
    await page.keyboard.type('odd');
    await picker(page).getByRole('button', { name: 'order, 100% odd' }).waitFor();
    await soon(() => picker(page).getByRole('listitem').count()).toBe(1);
    await page.keyboard.press('Enter');
    await picker(page).waitFor({ state: 'hidden' });
    const odd = traces.facet('order, 100% odd "key"');
    await soon(() => values(odd)).toEqual(['odd 0\n30', 'odd 1\n30']);
    await soon(() => focused(page)).toBe('Add facet');
    // Another one, walked to.
    await page.keyboard.press('Enter');
    await soon(() => focused(page)).toBe('Find a field');
    await page.keyboard.type('host.name');
    await picker(page).getByRole('button', { name: 'resource.host.name' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await soon(() => focused(page)).toBe('resource.host.name');
    await page.keyboard.press('ArrowUp');
    await soon(() => focused(page)).toBe('Find a field');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const host = traces.facet('resource.host.name');
    await soon(() => values(host)).toEqual(['host-0\n30', 'host-1\n30']);
    // A value, by keyboard too.
    await odd.getByRole('button', { name: 'odd 1' }).first().focus();
    await page.keyboard.press('Enter');
    await soon(() => traces.query()).toBe('attributes."order, 100% odd \\"key\\"":"odd 1"');
    await soon(() => values(host)).toEqual(['host-1\n30']);
    await soon(() => values(odd)).toEqual(['odd 0\n30', 'odd 1\n30']);
    // Folded it is remembered, and not asked for.
    await odd.getByRole('heading').getByRole('button').focus();
    await page.keyboard.press('Space');
    await odd.getByRole('list').waitFor({ state: 'detached' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await page.reload();
    await soon(() => values(host)).toEqual(['host-1\n30']);
    expect(await odd.getByRole('list').count()).toBe(0);
    expect(asked.filter((body) => body.includes('"fields":["attributes.order'))).toEqual([]);
    await odd.getByRole('button', { name: 'Remove the facet' }).focus();
    await page.keyboard.press('Enter');
    await odd.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Add facet');
    expect(await kept(page, 'facets.folded')).not.toContain('odd');
  });

  it('are picked in a panel that gives the focus to what comes, and takes it from nobody', async () => {
    const { page, traces } = await open('/traces');
    await traces.loaded();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, chunkOf('features/explore/facet-picker.tsx'), async (route) => {
      await held;
      await route.continue();
    });
    await panelOf(page).getByRole('button', { name: 'Add facet' }).click();
    await picker(page).getByRole('status', { name: 'Loading' }).waitFor();
    expect(await focused(page)).toBe('Add a facet');
    release();
    await soon(() => focused(page)).toBe('Find a field');
    // Beside its controls, where something comes later.
    await picker(page).click({ position: { x: 2, y: 2 } });
    expect(await focused(page)).toBe('Add a facet');
    await picker(page).evaluate(async (panel) => {
      panel.append(panel.ownerDocument.createElement('i'));
      await Promise.resolve();
    });
    expect(await focused(page)).toBe('Add a facet');
  });

  it('of which one cannot be had leave the others', async () => {
    const { page, traces } = await open('/traces?facets=prompt,attributes.item.count,attributes.nobody');
    await traces.loaded();
    await soon(() => values(traces.facet('item.count'))).toHaveLength(4);
    await traces.facet('Prompt').getByRole('alert').getByText('is searched by words').waitFor();
    await traces.facet('nobody').getByText('Nothing here has it.').waitFor();
    await traces.facet('Service').getByRole('listitem').first().waitFor();
    await soon(() => accessibilityFindings(page)).toEqual([]);
    for (const name of ['Prompt', 'nobody', 'item.count'])
      await page.getByRole('button', { name: `Remove the facet ${name}` }).click();
    await soon(() => new URL(page.url()).searchParams.get('facets')).toBe('-');
    await soon(() =>
      panelOf(page)
        .getByRole('button', { name: /Remove the facet/ })
        .count(),
    ).toBe(0);
  });

  it('are ten at most', async () => {
    const ten = Array.from({ length: 10 }, (_, index) => `attributes.k${index}`).join(',');
    const { page, traces } = await open(`/traces?facets=${ten},attributes.eleventh`);
    await traces.loaded();
    await traces.facet('k9').waitFor();
    expect(await traces.facet('eleventh').count()).toBe(0);
    await panelOf(page).getByRole('button', { name: 'Add facet' }).click();
    await picker(page).getByText('At most 10 custom facets').waitFor();
    expect(await picker(page).getByRole('searchbox').isDisabled()).toBe(true);
  });

  it('come with a saved view, and leave the person’s own alone', async () => {
    const { page, traces } = await open('/traces?q=service:cart');
    await traces.loaded();
    await page.evaluate("localStorage.setItem('candela.facets.added.spans', 'attributes.customer.tier')");
    await page.reload();
    await traces.facet('customer.tier').waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    const menu = page.getByRole('dialog', { name: 'Saved views' });
    await menu.getByLabel('Name of the new view').fill('Carts by tier');
    await page.keyboard.press('Enter');
    const saved = menu.getByRole('button', { name: 'Carts by tier', exact: true });
    await saved.waitFor();
    expect(await saved.getAttribute('aria-current')).toBe('true');

    const other = await open('/traces');
    await other.traces.loaded();
    await other.page.evaluate("localStorage.setItem('candela.facets.added.spans', 'attributes.item.count')");
    await other.page.reload();
    await other.traces.facet('item.count').waitFor();
    await other.page.getByRole('button', { name: 'Views' }).click();
    await other.page.getByRole('button', { name: 'Carts by tier', exact: true }).click();
    await other.traces.facet('customer.tier').waitFor();
    expect(await other.traces.facet('item.count').count()).toBe(0);
    await other.page.getByRole('button', { name: 'Remove the facet customer.tier' }).click();
    await other.traces.facet('customer.tier').waitFor({ state: 'detached' });
    expect(await kept(other.page, 'facets.added.spans')).toBe('attributes.item.count');
    // It differs from the view now, which can be replaced by it.
    await other.page.getByRole('button', { name: 'Views' }).click();
    await other.page.getByRole('button', { name: 'Replace Carts by tier' }).waitFor();
  });

  it('are made of an attribute of a span', async () => {
    const [trace] = seeded;
    const { page, traces } = await open(`/traces/${trace?.traceId}?span=${trace?.spans[0]?.spanId}`);
    const view = new TracePage(page);
    await view.loaded();
    await view.openTab('Attributes');
    await view.panel.getByText('customer.tier').hover();
    await view.panel.getByRole('button', { name: 'Add customer.tier as facet' }).click();
    await view.panel.getByRole('button', { name: 'Remove the facet customer.tier' }).waitFor();
    await view.panel.getByText('host.name').hover();
    await view.panel.getByRole('button', { name: 'Add host.name as facet' }).press('Enter');
    expect(await kept(page, 'facets.added.spans')).toBe('attributes.customer.tier,resource.host.name');
    await soon(() => accessibilityFindings(page)).toEqual([]);
    await page.goto(`${stage.platform.http}/traces`);
    await soon(() => values(traces.facet('customer.tier'))).toHaveLength(3);
    await soon(() => values(traces.facet('resource.host.name'))).toHaveLength(2);
  });

  it('are made of an attribute of a log record', async () => {
    const { page } = await open('/logs?q=service:shop');
    const logs = new LogsPage(page);
    await logs.loaded();
    await logs.rows.first().click();
    await logs.panel.getByRole('tab', { name: 'Attributes' }).click();
    await logs.panel.getByText('order.kind').hover();
    await logs.panel.getByRole('button', { name: 'Add order.kind as facet' }).click();
    const kind = logs.facet('order.kind');
    await soon(() => values(kind)).toEqual(['candle\n10', 'wick\n10']);
    await kind.getByRole('button', { name: 'wick' }).first().click();
    await soon(() => logs.parameter('q')).toBe('service:shop attributes.order.kind:wick');
    // Under the pointer a count makes room.
    await page.mouse.move(700, 5);
    await soon(() => values(kind)).toEqual(['candle\n10', 'wick\n10']);
  });

  it('of exceptions are of their named fields', async () => {
    const { page } = await open('/exceptions');
    await panelOf(page).getByRole('button', { name: 'Add facet' }).click();
    await picker(page).getByRole('button', { name: 'user', exact: true }).waitFor();
    expect(await picker(page).getByText('attributes.').count()).toBe(0);
    await picker(page).getByRole('searchbox').fill('session');
    await page.keyboard.press('Enter');
    await panelOf(page).getByRole('region', { name: 'Session' }).waitFor();
  });

  it('are behind a button on a phone', async () => {
    const { page, traces } = await open('/traces');
    await page.setViewportSize({ width: 390, height: 844 });
    await traces.loaded();
    await page.getByRole('button', { name: 'Facets' }).click();
    const sheet = page.getByRole('dialog', { name: 'Facets' });
    await sheet.getByRole('button', { name: 'Add facet' }).click();
    await picker(page).getByRole('searchbox').fill('tier');
    await soon(() => accessibilityFindings(page)).toEqual([]);
    await picker(page).getByRole('button', { name: 'attributes.customer.tier' }).click();
    const tier = sheet.getByRole('region', { name: 'customer.tier' });
    await tier.getByRole('button', { name: 'silver' }).first().click();
    await soon(() => traces.query()).toBe('attributes.customer.tier:silver');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await soon(() => traces.rows.count()).toBe(20);
    await soon(() => accessibilityFindings(page)).toEqual([]);
    await tier.getByRole('button', { name: 'Remove the facet customer.tier' }).click();
    await tier.waitFor({ state: 'detached' });
    expect(await sheet.isVisible()).toBe(true);
  });
});
