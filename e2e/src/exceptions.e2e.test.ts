import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendRecords, type SeedTrace } from './otlp.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, exceptions in the browser: ${missing}`);

const STACK = `TimeoutError: Timed out
    at place (/app/src/orders.ts:81:13)
    at async Layer.handle (/app/node_modules/express/lib/router/layer.js:95:5)
    at async main (/app/src/main.ts:3:1)`;
const HOSTILE = '<img src=x onerror="window.__hacked=1">';

function failing(index: number, now: number): SeedTrace {
  const isHostile = index % 10 === 9;
  const type = isHostile ? HOSTILE : index % 3 === 0 ? 'KeyError' : 'TimeoutError';
  const message = isHostile
    ? HOSTILE
    : index % 3 === 0
      ? `'order_id'`
      : `Timed out after ${1_000 + index} ms`;
  return {
    traceId: newTraceId(),
    service: index % 2 === 0 ? 'shop' : 'checkout',
    startedAt: now - index * 60_000 - 10_000,
    spans: [
      {
        spanId: newSpanId(),
        name: 'POST /orders',
        durationMs: 50,
        failed: 'failed',
        attributes: {
          'user.id': `user-${index % 4}`,
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'gpt-4o',
        },
        events: [
          {
            name: 'exception',
            attributes: {
              'exception.type': type,
              'exception.message': message,
              'exception.stacktrace': STACK,
            },
          },
        ],
      },
    ],
  };
}

describe.skipIf(missing !== undefined)('exceptions', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(
      heard
        .splice(0)
        .flat()
        .filter((complaint) => !complaint.includes('404')),
    ).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const { page, complaints } = await stage.open(path, options);
    heard.push(complaints);
    return { page, rows: page.locator('[role=grid] [role=row][aria-rowindex]') };
  };

  it('begin with what to paste, and turn live when it was run', async () => {
    const { page, rows } = await open('/exceptions');
    await page.getByRole('heading', { name: 'No exception so far' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const run = spawnSync('bash', ['-c', await page.getByRole('tabpanel').innerText()], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    await rows.first().waitFor();
    expect(await rows.first().innerText()).toContain('GreetingError');
    const now = Date.now();
    await stage.seed(...Array.from({ length: 30 }, (_, index) => failing(index, now)));
  });

  it('are grouped by type and message, sorted and filtered', async () => {
    const { page, rows } = await open('/exceptions');
    await soon(() => rows.count()).toBe(4);
    await page.getByRole('button', { name: 'Count' }).click();
    await soon(async () => (await rows.first().innerText()).includes('TimeoutError')).toBe(true);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-count');
    expect(await rows.first().innerText()).toMatch(/New/);
    const facets = page.getByRole('complementary', { name: 'Facets' });
    await facets
      .getByRole('region', { name: 'Error type' })
      .getByRole('button', { name: 'KeyError' })
      .first()
      .click();
    await soon(() => rows.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('q')).toBe('error_type:KeyError');
    // Values of fields that are no facet are completed too.
    const box = page.getByRole('combobox', { name: 'Search' });
    await box.fill('user:');
    await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
    await box.fill('duration>2s');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').innerText()).toContain('does not exist on exceptions');
    expect(await page.evaluate('window.__hacked')).toBeUndefined();
  });

  it('open by keyboard, show whom they hit, and lead to the span', async () => {
    const { page, rows } = await open('/exceptions?q=error_type:TimeoutError');
    await rows.first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'TimeoutError', level: 1 }).waitFor();
    const users = page.getByRole('region', { name: 'Users' });
    await users.getByRole('button', { name: 'user-1' }).click();
    await soon(() => new URL(page.url()).searchParams.get('q')).toBe('error_type:TimeoutError user:user-1');
    await page.getByText('at place (/app/src/orders.ts:81:13)').waitFor();
    expect(await page.getByText('node_modules/express').count()).toBe(0);
    await page.getByRole('button', { name: '1 library frame' }).click();
    await page.getByText('node_modules/express').waitFor();
    await page.getByRole('link', { name: 'POST /orders' }).first().click();
    await page.getByRole('tree', { name: 'Spans' }).waitFor();
    expect(new URL(page.url()).searchParams.get('span')).toMatch(/^[0-9a-f]{16}$/);
    await page.goBack();
    await page.getByRole('heading', { name: 'TimeoutError', level: 1 }).waitFor();
    await page.keyboard.press('Escape');
    await rows.first().waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('error_type:TimeoutError');
  });

  it.each(['mouse', 'keyboard'])('open by %s though the code of their page takes long', async (hand) => {
    const { page, rows } = await open('/exceptions');
    await rows.first().waitFor();
    await page.route('**/assets/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    const row = rows.filter({ hasText: 'TimeoutError' }).first();
    if (hand === 'mouse') await row.click();
    else {
      // The row walked on is told to the address a moment later.
      const at = Number(await row.getAttribute('aria-rowindex'));
      for (let step = 2; step <= at; step += 1) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    }
    await page.getByRole('heading', { name: 'TimeoutError', level: 1 }).waitFor();
    await page.goBack();
    await soon(() => row.getAttribute('aria-selected')).toBe('true');
  });

  it('lead to the log record where no span is', async () => {
    const at = Date.now() - 5_000;
    await sendRecords(stage.platform.otlpHttp, { service: 'night job' }, [
      { at: at - 60_000, severity: 17, body: 'failed', attributes: { 'exception.type': 'JobError' } },
      { at, severity: 17, body: 'failed again', attributes: { 'exception.type': 'JobError' } },
    ]);
    await soon(async () => {
      const answer = await fetch(`${stage.platform.http}/api/telemetry/exceptions/search`, {
        method: 'POST',
        body: JSON.stringify({ q: 'error_type:JobError' }),
      });
      return ((await answer.json()) as { data: { count: number }[] }).data[0]?.count;
    }).toBe(2);
    const { page, rows } = await open('/exceptions?q=error_type:JobError');
    await rows.first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Log record' }).first().click();
    await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
    await soon(() => rows.count()).toBe(1);
    expect(await rows.first().innerText()).toContain('failed again');
  });

  it('say when a group is not here', async () => {
    const { page } = await open('/exceptions/00000000000000ff');
    await page.getByRole('heading', { name: 'This exception is not here' }).waitFor();
    await page.getByRole('button', { name: 'All exceptions' }).click();
    await page.getByRole('grid', { name: 'Exceptions' }).waitFor();
  });

  it('say so of a link that is incomplete, and ignore an order that there is not', async () => {
    const { page } = await open('/exceptions/00ff');
    await page.getByRole('heading', { name: 'This exception is not here' }).waitFor();
    heard.splice(0);
    const listed = await open('/exceptions?sort=nonsense');
    await listed.rows.first().waitFor();
  });

  it('say when only a part of a message and of a stack trace is shown', async () => {
    const now = Date.now();
    const long = failing(0, now);
    const attributes = {
      'exception.type': 'LongError',
      'exception.message': 'word '.repeat(1_000),
      'exception.stacktrace': `${'    at place (/app/a.ts:1:2)\n'.repeat(2_000)}caused by the last line`,
    };
    const spans = long.spans.map((span) => ({ ...span, events: [{ name: 'exception', attributes }] }));
    await stage.seed({ ...long, service: 'long', spans });
    const { page, rows } = await open('/exceptions?q=service:long');
    await rows.first().click();
    await page.getByText('Only the beginning; the latest span has the whole message.').waitFor();
    await page.getByText('too long to be shown here, the whole is where it was recorded').waitFor();
    const stack = page.getByRole('region', { name: 'Stack trace' });
    await stack.getByText(/\[[0-9]+ characters left out\]/).waitFor();
    await stack.getByText('caused by the last line').waitFor();
  });

  it('have a name that can be read on a telephone, and lead to whom they hit', async () => {
    const { page, rows } = await open('/exceptions');
    await rows.filter({ hasText: 'TimeoutError' }).first().click();
    const title = page.getByRole('heading', { name: 'TimeoutError', level: 1 });
    await title.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await title.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    await page
      .getByRole('link', { name: /^user-\d$/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /User.*user-\d/s }).waitFor();
    await page.goto(new URL('/exceptions', page.url()).href);
    await rows.filter({ hasText: 'TimeoutError' }).first().waitFor();
    expect(await page.getByTestId('scroller').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  for (const colorScheme of ['dark', 'light'] as const)
    it(`pass the accessibility rules (${colorScheme})`, async () => {
      const { page, rows } = await open('/exceptions', { colorScheme });
      await rows.first().waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await rows.filter({ hasText: 'TimeoutError' }).first().click();
      await page.getByRole('heading', { name: 'TimeoutError', level: 1 }).waitFor();
      await page.getByRole('region', { name: 'Stack trace' }).waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
    });

  it('are resolved, come back as regressions, are ignored and assigned', async () => {
    const old = { ...failing(1, Date.now() - 120_000), service: 'triaged' };
    await stage.seed(old);
    const path = '/exceptions?q=' + encodeURIComponent('service:triaged');
    const { page, rows } = await open(path);
    await soon(() => rows.count()).toBe(1);
    await rows.first().getByRole('link').first().click();
    const triage = page.getByRole('group', { name: 'Triage' });
    await triage.getByRole('textbox', { name: 'Assigned to' }).fill('ada@example.com');
    await triage.getByRole('button', { name: 'Assign', exact: true }).click();
    await triage.getByText('by anonymous').waitFor();
    await triage.getByRole('button', { name: 'Resolve' }).click();
    await triage.getByText('resolved').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const open_ = await open(`${path}&status=open`);
    await open_.page.getByText('Nothing matches').first().waitFor();
    const resolved = await open(`${path}&status=resolved`);
    await soon(() => resolved.rows.first().innerText()).toMatch(/resolved[^]*@ada@example.com/i);
    expect(await accessibilityFindings(resolved.page)).toEqual([]);
    // It happens again.
    await stage.seed({ ...failing(1, Date.now() + 70_000), service: 'triaged' });
    const back = await open(`${path}&status=regressed`);
    await soon(() => back.rows.first().innerText()).toMatch(/regressed/i);
    const again = await open(`${path}&status=open`);
    await soon(() => again.rows.count()).toBe(1);
    await back.rows.first().getByRole('link').first().click();
    await back.page.getByRole('button', { name: 'Ignore' }).click();
    await back.page.getByRole('button', { name: 'Reopen' }).waitFor();
    const ignored = await open(`${path}&status=ignored`);
    await soon(() => ignored.rows.count()).toBe(1);
  });
});
