import { createHash } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { chunkOf } from './chunks.ts';
import { TracePage } from './pages/trace-page.ts';
import { agentTrace, largeTrace } from './seeds.ts';
import { longTalkTrace, oddTrace, shapesTrace, wideTrace } from './seeds-shapes.ts';
import { newSpanId, newTraceId, type SeedTrace, sendLogs, sendRecords, sendTrace } from './otlp.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, trace page in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('trace page', () => {
  let stage: Stage;
  const agent = agentTrace(Date.now() - 60_000);
  const large = largeTrace(30_000, Date.now() - 120_000);
  const odd = oddTrace(Date.now() - 180_000);
  const wide = wideTrace(10_000, Date.now() - 240_000);
  const shapes = shapesTrace(Date.now() - 300_000);
  const talk = longTalkTrace(150, Date.now() - 360_000);
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(agent, large, odd, wide, shapes, talk);
    await sendLogs(stage.platform.otlpHttp, agent, [
      { spanId: agent.spans[4]?.spanId ?? '', severity: 17, body: 'parcel service hung up', afterMs: 900 },
      {
        spanId: agent.spans[6]?.spanId ?? '',
        severity: 9,
        body: '{"rows":1,"table":"messages"}',
        afterMs: 2_380,
      },
    ]);
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
    // A target that was taken out leaves no link: it would open this very page.
    expect(await answer.getByText('bad').count()).toBe(1);
    expect(await answer.getByRole('link').allInnerTexts()).toEqual(['track it']);
    expect(await trace.panel.getByRole('article', { name: 'User' }).innerText()).toContain(
      'Where is order 4711?',
    );
    await page.getByText('track_parcel').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('folds a long prompt, opens it by keyboard and where it is what is sought', async () => {
    const words = (count: number, last: string) =>
      `${Array.from({ length: count }, (_, at) => `Rule ${at}: be kind and brief.`).join('\n')}\n${last}`;
    const message = (role: string, content: string) =>
      JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
    const [root, agentSpan] = [newSpanId(), newSpanId()];
    const long: SeedTrace = {
      traceId: newTraceId(),
      service: 'folds',
      startedAt: Date.now() - 20_000,
      spans: [
        {
          spanId: root,
          name: 'chat gpt-4o',
          durationMs: 900,
          attributes: {
            'gen_ai.operation.name': 'chat',
            'gen_ai.request.model': 'gpt-4o',
            'gen_ai.input.messages': message('user', words(230, 'Mind the heron.')),
            'gen_ai.output.messages': message('assistant', 'Gladly.'),
          },
        },
        {
          spanId: agentSpan,
          parentSpanId: root,
          name: 'invoke_agent silent',
          startMs: 10,
          durationMs: 100,
          attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'silent' },
        },
      ],
    };
    await stage.seed(long);
    const { page, complaints } = await stage.open(`/traces/${long.traceId}`);
    heard.push(complaints);
    const panel = page.getByTestId('span-panel');
    const user = panel.getByRole('article', { name: 'User' });
    const heightOf = async () => (await user.boundingBox())?.height ?? 0;
    const unfold = user.getByRole('button', { name: /^show all [67],\d{3} characters$/ });
    await unfold.waitFor();
    await soon(heightOf).toBeLessThan(400);
    expect(await unfold.getAttribute('aria-expanded')).toBe('false');
    await unfold.press('Enter');
    await soon(heightOf).toBeGreaterThan(1_000);
    await user.getByRole('button', { name: 'show less' }).press('Enter');
    await soon(heightOf).toBeLessThan(400);
    // What is sought stands in its end.
    await page.goto(`${page.url().split('?')[0]}?find=heron`);
    await user.getByText('Mind the heron.').waitFor();
    await soon(heightOf).toBeGreaterThan(1_000);
    await page.goto(`${page.url().split('?')[0]}?view=transcript`);
    const transcript = page.getByTestId('transcript');
    await transcript.getByRole('button', { name: /^show all [67],\d{3} characters$/ }).waitFor();
    // An agent's span that says nothing opens where it says something.
    await page.goto(`${page.url().split('?')[0]}?span=${agentSpan}`);
    await soon(() => panel.getByRole('tab', { selected: true }).innerText()).toMatch(/^Attributes/);
    await panel.getByRole('tab', { name: 'Messages' }).click();
    await panel.getByText('This span carries no messages').waitFor();
  });

  it('filters attributes, links them to a search, shows events and raw JSON', async () => {
    const { page, trace } = await open(`?span=${agent.spans[4]?.spanId}`);
    await trace.loaded();
    await trace.openTab('Events');
    await trace.panel.getByText('connection reset', { exact: true }).waitFor();
    await trace.openTab('Raw');
    await trace.panel.getByText('"traceId"').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await trace.panel.getByRole('button', { name: 'Copy as OTLP' }).click();
    await trace.panel.getByText('Copied').waitFor();
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
    expect(copied.resourceSpans[0].scopeSpans[0].spans).toMatchObject([
      { spanId: agent.spans[4]?.spanId, name: 'GET parcels', events: [{ name: 'exception' }] },
    ]);
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
    const parts = ['shop-assistant', 'Where is order', 'track_parcel', 'left the warehouse', 'On its way'];
    const text = await trace.transcript.innerText();
    for (const part of parts) expect(text).toContain(part);
    expect(parts.toSorted((a, b) => text.indexOf(a) - text.indexOf(b))).toEqual(parts);
    expect(text.split('Where is order')).toHaveLength(2);
    await trace.transcript
      .getByRole('button', { name: /shop-assistant/ })
      .first()
      .click();
    expect(await trace.transcript.getByText('Where is order').count()).toBe(0);
    await page.keyboard.press('t');
    await trace.loaded();
  });

  it('shows no step of a transcript before those that were said earlier', async () => {
    const { page, trace } = await open();
    await trace.loaded();
    let release = (): void => undefined;
    const held = new Promise<void>((done) => (release = done));
    await intercept(page, `**/spans/${agent.spans[2]?.spanId}`, async (route) => {
      await held;
      await route.continue();
    });
    const last = page.waitForResponse((answer) => answer.url().includes(`/spans/${agent.spans[5]?.spanId}`));
    await page.getByRole('tab', { name: 'transcript' }).click();
    await (await last).finished();
    await trace.transcript
      .getByRole('button', { name: /shop-assistant/ })
      .first()
      .waitFor();
    expect(await trace.transcript.getByText('On its way').count()).toBe(0);
    release();
    await trace.transcript.getByText('On its way').waitFor();
  });

  it('keeps the place between tree and transcript, late in a long conversation', async () => {
    const chat = (turn: number) => talk.spans[turn * 2 - 1]?.spanId ?? '';
    const opened = await stage.open(`/traces/${talk.traceId}?span=${chat(120)}`);
    heard.push(opened.complaints);
    const { page } = opened;
    const trace = new TracePage(page);
    await trace.loaded();
    await page.keyboard.press('t');
    const shown = (text: string) => trace.transcript.getByText(text, { exact: true });
    const inSight = (text: string) =>
      shown(text).evaluate((element) => {
        const box = element.closest('[data-testid=transcript]')?.getBoundingClientRect();
        const own = element.getBoundingClientRect();
        return box !== undefined && own.top >= box.top && own.bottom <= box.bottom;
      });
    await shown('I do step 120.').waitFor();
    await soon(() => inSight('I do step 120.')).toBe(true);
    expect(await page.evaluate('document.scrollingElement.scrollTop')).toBe(0);
    // What was said before that is neither told again nor fetched.
    await shown('I do step 121.').waitFor();
    expect(await shown('I do step 60.').count()).toBe(0);
    expect(await trace.transcript.getByRole('button', { name: /coder 300 steps/ }).count()).toBe(1);
    // Earlier steps come in above without moving what is read.
    const earlier = trace.transcript.getByRole('button', { name: /earlier steps/ });
    await trace.transcript.hover();
    await page.mouse.wheel(0, -20_000);
    await soon(() => trace.transcript.evaluate((element) => element.scrollTop)).toBe(0);
    const topOf = (text: string) => shown(text).evaluate((element) => element.getBoundingClientRect().top);
    const before = await topOf('I do step 117.');
    await earlier.click();
    await shown('I do step 100.').waitFor();
    await soon(async () => Math.abs((await topOf('I do step 117.')) - before)).toBeLessThan(30);
    // The address alone brings a reader there.
    await page.reload();
    await shown('I do step 120.').waitFor();
    await soon(() => inSight('I do step 120.')).toBe(true);
  });

  it('brings what is found in a long history into sight, and the output', async () => {
    const opened = await stage.open(`/traces/${talk.traceId}`);
    heard.push(opened.complaints);
    const { page } = opened;
    const trace = new TracePage(page);
    await trace.loaded();
    await page.keyboard.press('/');
    await page.keyboard.type('"step number 140"');
    await soon(() => page.getByRole('status').getByText(/^\d+$/).count()).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    const inSight = (place: Locator) =>
      place.evaluate((element) => {
        const box = element.closest('[role=tabpanel]')?.parentElement?.getBoundingClientRect();
        const own = element.getBoundingClientRect();
        return box !== undefined && own.top >= box.top && own.top < box.bottom;
      });
    await soon(() => inSight(trace.panel.getByText('step number 140').last())).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'To the output' }).waitFor();
    await trace.panel.getByRole('heading', { name: 'Input' }).evaluate((element) => element.scrollIntoView());
    await page.keyboard.press('o');
    await soon(() => inSight(trace.panel.getByRole('heading', { name: 'Output' }))).toBe(true);
  });

  it('links to one message, in the span and in the transcript', async () => {
    const last = talk.spans.findLast(({ name }) => name.startsWith('chat '));
    const opened = await stage.open(`/traces/${talk.traceId}?span=${last?.spanId}&message=input.101`);
    heard.push(opened.complaints);
    const { page } = opened;
    const trace = new TracePage(page);
    const inSight = async (place: Locator) => {
      const [own, height] = [await place.boundingBox(), page.viewportSize()?.height ?? 0];
      return own !== null && own.y >= 0 && own.y + own.height <= height;
    };
    const said = trace.panel.getByText('I do step 51.', { exact: true });
    await soon(() => inSight(said)).toBe(true);
    const form = trace.panel.getByText('Output asked for by a schema');
    await form.click();
    await trace.panel.getByRole('button', { name: 'Copy the schema' }).waitFor();
    // What was copied, opened elsewhere, shows the very message.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await trace.panel
      .getByRole('article')
      .filter({ has: page.getByText('I do step 53.', { exact: true }) })
      .getByRole('button', { name: 'Copy a link to the message' })
      .click();
    await soon(copied).toMatch(/message=input\.105/);
    await page.goto(`${await copied()}&view=transcript`);
    await soon(() => inSight(trace.panel.getByText('I do step 53.', { exact: true }))).toBe(true);
    await page.goto(page.url().replace('input.105', 'output.0'));
    const told = trace.transcript.getByText('I do step 150.', { exact: true });
    await soon(() => inSight(told)).toBe(true);
    await trace.transcript
      .getByRole('article')
      .filter({ has: page.getByText('I do step 150.', { exact: true }) })
      .getByRole('button', { name: 'Copy a link to the message' })
      .click();
    await soon(copied).toMatch(/view=transcript.*message=output\.0|message=output\.0.*view=transcript/);
  });

  it('copies the arguments and the result of a tool, and leads to session and user', async () => {
    const opened = await stage.open(`/traces/${talk.traceId}?span=${talk.spans[2]?.spanId}`);
    heard.push(opened.complaints);
    const { page } = opened;
    const trace = new TracePage(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const [what, text] of [
      ['arguments', '{"command":"step number 1"}'],
      ['result', 'done with 1'],
    ] as const) {
      await trace.panel.getByRole('button', { name: `Copy the ${what}` }).click();
      await soon(() => page.evaluate('navigator.clipboard.readText()')).toBe(text);
    }
    await page.keyboard.press('[');
    await trace.panel.getByRole('button', { name: 'Copy the model call as cURL' }).click();
    await soon(() => page.evaluate('navigator.clipboard.readText()')).toContain(
      '"Port the module, step by step."',
    );
    await page.getByRole('link', { name: 'long talk' }).click();
    await page.getByTestId('conversation').getByText('Port the module').waitFor();
    expect(new URL(page.url()).searchParams.get('turn')).toBe(talk.traceId);
    await page.goBack();
    await page.getByRole('link', { name: 'ada' }).click();
    await page.getByRole('heading', { name: /User/ }).waitFor();
  });

  it('finds inside the trace and reads it as a timeline', async () => {
    const { page, trace } = await open();
    await trace.loaded();
    await page.keyboard.press('/');
    await page.keyboard.type('insert');
    await page.keyboard.press('Enter');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[6]?.spanId);
    await page.getByRole('tab', { name: 'tree' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const lines = page.getByRole('listbox', { name: 'Spans by time' });
    await lines.waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('timeline');
    expect(await accessibilityFindings(page)).toEqual([]);
    // One scale for all: the mark of a failed span takes nothing from the place of its bar.
    const places = await lines
      .getByRole('option')
      .evaluateAll((rows: { lastElementChild: { getBoundingClientRect(): { left: number } } }[]) =>
        rows.map((row) => row.lastElementChild.getBoundingClientRect().left),
      );
    expect(places).toHaveLength(8);
    expect(new Set(places).size).toBe(1);
    expect(await page.getByTestId('time-ruler').innerText()).toMatch(/^0 ms\s+500 ms\s+1 s\s+1.5 s$/);
    await lines.focus();
    await page.keyboard.press('End');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[7]?.spanId);
    await page.keyboard.press('Home');
    await soon(() => trace.spanInUrl()).toBe(agent.spans[0]?.spanId);
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
    // Also where the glance at the whole trace has no room: whoever was sent a stretch of it gets at the rest.
    await page.setViewportSize({ width: 390, height: 480 });
    await page.goto(`${page.url().split('?')[0]}?focus=${before}`);
    await trace.loaded();
    await page.getByRole('button', { name: 'Show all of the time' }).press('Enter');
    await soon(focus).toBeNull();
    // The keyboard goes on in the spans.
    const chosen = trace.spanInUrl();
    await page.keyboard.press('ArrowDown');
    await soon(() => trace.spanInUrl()).not.toBe(chosen);
    expect(await trace.tree.evaluate((tree) => tree === tree.ownerDocument.activeElement)).toBe(true);
  });

  it('finds words of the messages, and shows where', async () => {
    const { page, trace } = await open();
    await trace.loaded();
    await page.keyboard.press('/');
    await page.keyboard.type('left the warehouse');
    await page.getByText(/^(\d of )?2$/).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('mark').getByText('left').waitFor();
    await soon(() => page.evaluate<number>("CSS.highlights.get('find')?.size ?? 0")).toBeGreaterThan(0);
    const first = trace.spanInUrl();
    await page.getByRole('button', { name: 'Next match' }).click();
    await soon(() => trace.spanInUrl()).not.toBe(first);
    await page.getByRole('button', { name: 'Previous match' }).click();
    await soon(() => trace.spanInUrl()).toBe(first);
    expect(new URL(page.url()).searchParams.get('find')).toBe('left the warehouse');
  });

  it('names what is in the history of later calls once', async () => {
    const { page, complaints } = await stage.open(`/traces/${talk.traceId}`);
    heard.push(complaints);
    const trace = new TracePage(page);
    await trace.loaded();
    await page.keyboard.press('/');
    await page.keyboard.type('"step number 88"');
    // The call that said it and the tool that ran it.
    await page.getByText(/^(\d of )?2$/).waitFor();
    await page.getByText('in the history of 62 more').waitFor();
  });

  it('shows logs and failures beside it, in step with the selection', async () => {
    const { page, trace } = await open('?view=logs');
    const lines = page.getByRole('list', { name: 'Log lines' }).getByRole('listitem');
    await soon(() => lines.count()).toBe(4);
    expect(await lines.nth(0).innerText()).toContain('parcel service hung up');
    expect(await lines.nth(1).innerText()).toContain('connection reset, retried');
    expect(await lines.nth(2).innerText()).toContain('CacheMiss: the prompt was not cached');
    await lines.nth(3).getByRole('button').first().click();
    await soon(() => trace.spanInUrl()).toBe(agent.spans[6]?.spanId);
    await lines.nth(3).getByText('messages').first().waitFor();
    expect(await lines.nth(3).locator('time').innerText()).toMatch(/^\d\d \w+ \d\d:\d\d:\d\d\.\d{3}$/);
    await trace.openTab('Logs');
    await trace.panel.getByText('table=messages').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('draws who calls whom; a node leads to its spans', async () => {
    const { page, trace } = await open('?view=graph');
    const graph = page.getByTestId('trace-graph');
    await graph.getByText('shop-assistant').waitFor();
    await graph.getByText('track_parcel').click();
    await soon(() => trace.spanInUrl()).toBe(agent.spans[3]?.spanId);
    expect(await accessibilityFindings(page)).toEqual([]);
    // On a telephone all of it is inside, side by side.
    await page.setViewportSize({ width: 390, height: 844 });
    const inside = async () => {
      const box = await graph.getByTestId('graph').boundingBox();
      const nodes = await graph.locator('[data-node]').all();
      const places = await Promise.all(nodes.map((one) => one.boundingBox()));
      return (
        box !== null &&
        places.length > 3 &&
        places.every((at) => at !== null && at.x >= box.x && at.x + at.width <= box.x + box.width)
      );
    };
    await soon(inside).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${stage.platform.http}/traces/${large.traceId}?view=graph`);
    await graph.getByText('gpt-4o').first().waitFor();
    await page.getByText('spans loaded').waitFor({ state: 'detached', timeout: 60_000 });
    await graph.getByText('gpt-4o').first().waitFor();
  });

  it('draws odd shapes and says what is odd', async () => {
    const { page, trace } = await open();
    await page.goto(`${stage.platform.http}/traces/${odd.traceId}`);
    await trace.loaded();
    expect(await trace.outline()).toEqual([
      'first root',
      '  child with another clock',
      '  still running',
      'orphan',
      'second root',
      'ring one',
      '  ring two',
    ]);
    const notes = await page.getByRole('list', { name: 'Notes' }).innerText();
    for (const part of [
      'not received yet',
      '2 roots',
      'ring of spans',
      'clocks of the senders',
      'no end yet',
    ])
      expect(notes).toContain(part);
    await trace.items.nth(2).getByText('no end yet').waitFor();
    // Where the panes stand below one another the notes leave the room to the spans.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await page.getByText('5 notes').click();
    await page.getByText('The trace has 2 roots.').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${stage.platform.http}/traces/${wide.traceId}`);
    await trace.loaded();
    await page.getByText('spans loaded').waitFor({ state: 'detached', timeout: 60_000 });
    expect(await trace.items.count()).toBeLessThan(80);
    await trace.tree.focus();
    await page.keyboard.press('End');
    await trace.selected.getByText('task 9999').waitFor();
    expect(await page.getByRole('list', { name: 'Notes' }).count()).toBe(0);
  });

  it('looks again while the trace runs, and shows what came', async () => {
    const spanId = 'f00dfeedf00dfee1';
    const running = { traceId: 'f00dfeed'.repeat(4), service: 'jobs', startedAt: Date.now() - 1_000 };
    await stage.seed({ ...running, spans: [{ spanId, name: 'nightly', unfinished: true }] });
    const { page, complaints } = await stage.open(`/traces/${running.traceId}?span=${spanId}`);
    heard.push(complaints);
    const trace = new TracePage(page);
    await trace.loaded();
    await page.getByText('This page looks again every 5 seconds.').waitFor();
    await sendTrace(stage.platform.otlpHttp, {
      ...running,
      spans: [
        { spanId, name: 'nightly', durationMs: 900, attributes: { outcome: 'well' } },
        { spanId: 'f00dfeedf00dfee2', parentSpanId: spanId, name: 'copy files' },
      ],
    });
    await soon(() => trace.outline()).toEqual(['nightly', '  copy files']);
    await soon(() => page.getByText('This page looks again').count()).toBe(0);
    await trace.panel.getByText('outcome').waitFor();
  });

  it('reads in the transcript what comes after it was opened, of every span that shares an id', async () => {
    const shared = newSpanId();
    const call = (name: string, startMs: number, more: { unfinished?: true; answer?: string } = {}) => ({
      spanId: shared,
      name,
      startMs,
      ...(more.unfinished ? { unfinished: true } : { durationMs: 50 }),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: `Ask ${name}` }]),
        ...(more.answer === undefined
          ? {}
          : {
              'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: more.answer }]),
            }),
      },
    });
    const running = { traceId: newTraceId(), service: 'late', startedAt: Date.now() - 1_000 };
    const own = newSpanId();
    await stage.seed({
      ...running,
      spans: [
        call('one', 0, { answer: 'The first answer' }),
        { ...call('two', 100), spanId: own },
        call('three', 200, { unfinished: true }),
      ],
    });
    const { page, complaints } = await stage.open(`/traces/${running.traceId}?view=transcript`);
    heard.push(complaints);
    const { transcript } = new TracePage(page);
    for (const text of ['Ask one', 'The first answer', 'Ask two', 'Ask three'])
      await transcript.getByText(text, { exact: true }).waitFor();
    // The answer of one comes as a log record, that of another with its end.
    await sendRecords(stage.platform.otlpHttp, { service: 'late' }, [
      {
        at: running.startedAt + 150,
        traceId: running.traceId,
        spanId: own,
        eventName: 'gen_ai.choice',
        body: '{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"It comes by log"}}',
      },
    ]);
    await transcript.getByText('It comes by log', { exact: true }).waitFor();
    await sendTrace(stage.platform.otlpHttp, {
      ...running,
      spans: [call('three', 200, { answer: 'It comes with the end' })],
    });
    await transcript.getByText('It comes with the end', { exact: true }).waitFor();
    expect(await transcript.getByText(/^(The first answer|It comes)/).allInnerTexts()).toEqual([
      'The first answer',
      'It comes by log',
      'It comes with the end',
    ]);
  });

  it('waits for a root that still runs, and keeps the lines that are read meanwhile', async () => {
    const root = newSpanId();
    const running = { traceId: newTraceId(), service: 'runner', startedAt: Date.now() - 1_000 };
    const step = { spanId: newSpanId(), parentSpanId: root, name: 'first step', durationMs: 400 };
    await stage.seed({ ...running, spans: [step] });
    const record = (afterMs: number, more: { body: string; eventName?: string }) => ({
      at: running.startedAt + afterMs,
      traceId: running.traceId,
      spanId: step.spanId,
      ...more,
    });
    await sendRecords(stage.platform.otlpHttp, { service: 'runner' }, [
      record(10, { body: '\u001B[31mred alert\u001B[0m' }),
      record(20, { body: '', eventName: 'gen_ai.choice' }),
    ]);
    await stage.settled();
    const { page, complaints } = await stage.open(`/traces/${running.traceId}?view=logs`);
    heard.push(complaints);
    await page.getByText('One span names a parent that was not received yet').waitFor();
    const lines = page.getByRole('list', { name: 'Log lines' }).getByRole('listitem');
    await soon(() => lines.count()).toBe(2);
    expect(await lines.nth(0).innerText()).not.toContain('31m');
    expect(await lines.nth(1).innerText()).toContain('gen_ai.choice');
    const first = lines.nth(0).getByRole('button', { name: 'red alert' });
    await first.click();
    await sendTrace(stage.platform.otlpHttp, {
      ...running,
      spans: [{ spanId: root, name: 'the whole run', durationMs: 900 }],
    });
    await sendRecords(stage.platform.otlpHttp, { service: 'runner' }, [record(30, { body: 'it is over' })]);
    await page.getByRole('heading', { name: 'the whole run' }).waitFor();
    await soon(() => page.getByRole('list', { name: 'Notes' }).count()).toBe(0);
    await lines.getByText('it is over').waitFor();
    expect(await first.getAttribute('aria-expanded')).toBe('true');
    expect(await accessibilityFindings(page)).toEqual([]);
    await lines.nth(0).getByRole('link', { name: 'The whole record' }).click();
    await page.getByTestId('log-panel').getByText('red alert').waitFor();
  });

  it('walks past spans that share an id, and says when one is not there', async () => {
    const [root, shared] = [newSpanId(), newSpanId()];
    const below = (name: string, startMs: number, spanId = newSpanId()) => ({
      spanId,
      parentSpanId: root,
      name,
      startMs,
      durationMs: 5,
    });
    const zipkin: SeedTrace = {
      traceId: newTraceId(),
      service: 'zipkin',
      startedAt: Date.now() - 20_000,
      spans: [
        { spanId: root, name: 'root', durationMs: 100 },
        below('call', 10, shared),
        below('between', 20),
        below('served', 30, shared),
        below('last', 40),
      ],
    };
    await stage.seed(zipkin);
    const opened = await stage.open(`/traces/${zipkin.traceId}?span=00000000000000bb`);
    heard.push(opened.complaints);
    const { page } = opened;
    const trace = new TracePage(page);
    await trace.loaded();
    await page.getByText('Span 00000000000000bb is not in this trace.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await trace.tree.focus();
    await page.keyboard.press('Home');
    for (const name of ['call', 'between', 'served', 'last']) {
      await page.keyboard.press('ArrowDown');
      await trace.selected.getByText(name).waitFor();
    }
    await page.keyboard.press('[');
    await trace.selected.getByText('served').waitFor();
    await trace.panel.getByRole('heading', { name: 'served' }).waitFor();
    await trace.items.filter({ hasText: 'call' }).click();
    await trace.selected.getByText('call').waitFor();
  });

  it('brings what is selected back into sight, and keeps it there while the trace loads', async () => {
    const opened = await stage.open(`/traces/${large.traceId}?span=${large.spans[3_000]?.spanId}`);
    heard.push(opened.complaints);
    const { page } = opened;
    const trace = new TracePage(page);
    const inSight = async () => {
      const [box, row] = [await trace.tree.boundingBox(), trace.selected];
      const own = (await row.count()) === 1 ? await row.boundingBox() : null;
      return box !== null && own !== null && own.y >= box.y && own.y + own.height <= box.y + box.height;
    };
    await trace.loaded();
    await page.getByText('spans loaded').waitFor({ state: 'detached', timeout: 60_000 });
    await soon(inSight).toBe(true);
    expect(trace.spanInUrl()).toBe(large.spans[3_000]?.spanId);
    await page.goto(`${stage.platform.http}/traces/${wide.traceId}`);
    await trace.loaded();
    await page.getByText('spans loaded').waitFor({ state: 'detached', timeout: 60_000 });
    await page.keyboard.press('/');
    await page.keyboard.type('"task 9000"');
    await page.keyboard.press('Enter');
    await trace.selected.getByText('task 9000').waitFor();
    // The text around it comes later, above the list, which becomes lower.
    await page.locator('mark').getByText('task 9000').waitFor();
    await soon(inSight).toBe(true);
    // The list may still be on its way to the match, and go on there.
    await soon(async () => {
      await trace.tree.evaluate((element) => element.scrollTo(0, 0));
      return inSight();
    }).toBe(false);
    await page.getByRole('button', { name: 'Next match' }).click();
    await soon(inSight).toBe(true);
  });

  it('keeps the messages when what shows their pictures does not come', async () => {
    // A browser complains of what it cannot load.
    const { page } = await stage.open('/api/health');
    const trace = new TracePage(page);
    await page.route(chunkOf('features/trace/media-view.tsx'), (route) => route.fulfill({ status: 404 }));
    await page.goto(`${stage.platform.http}/traces/${shapes.traceId}?span=${shapes.spans[1]?.spanId}`);
    const said = trace.panel.getByRole('article').first();
    await said.getByText('What is in these pictures?').waitFor();
    await said.getByRole('button', { name: 'Load the page again' }).first().waitFor();
    await trace.panel.getByText('A red square.').waitFor();
  });

  it('shows media that an application uploaded beside of its telemetry', async () => {
    const upload = async (content: Buffer, contentType: string) => {
      const sha256Hash = createHash('sha256').update(content).digest('base64');
      const of = { traceId: newTraceId(), field: 'input', contentType, sha256Hash };
      const announced = await fetch(`${stage.platform.http}/api/public/media`, {
        method: 'POST',
        body: JSON.stringify({ ...of, contentLength: content.byteLength }),
      });
      const { mediaId, uploadUrl } = (await announced.json()) as { mediaId: string; uploadUrl: string };
      const headers = { 'content-type': contentType };
      const body = Uint8Array.from(content);
      expect((await fetch(uploadUrl, { method: 'PUT', body, headers })).status).toBe(200);
      return `@@@langfuseMedia:type=${contentType}|id=${mediaId}|source=bytes@@@`;
    };
    const png = await upload(Buffer.from(PNG, 'base64'), 'image/png');
    const pdf = await upload(Buffer.from('%PDF-1.4'), 'application/pdf');
    const gone = png.replace(/id=.{22}/, `id=${'x'.repeat(22)}`);
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: png } },
      { type: 'file', file: { file_data: pdf } },
      { type: 'image_url', image_url: { url: gone } },
    ];
    const trace: SeedTrace = {
      traceId: newTraceId(),
      service: 'media',
      startedAt: Date.now() - 30_000,
      spans: [
        {
          spanId: newSpanId(),
          name: 'look',
          attributes: {
            'langfuse.observation.type': 'generation',
            'langfuse.observation.input': JSON.stringify([{ role: 'user', content }]),
          },
        },
        {
          spanId: newSpanId(),
          name: 'screenshot',
          attributes: { 'langfuse.observation.type': 'tool', 'langfuse.observation.output': png },
        },
      ],
    };
    await stage.seed(trace);
    const { page, trace: view } = await open();
    await page.goto(`${stage.platform.http}/traces/${trace.traceId}?span=${trace.spans[0]?.spanId}`);
    const picture = view.panel.getByRole('img', { name: 'image, image/png' });
    await picture.waitFor();
    expect(
      await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    ).toBe(1);
    await view.panel.getByRole('link', { name: 'Save' }).waitFor();
    // One that is not here says so in its place.
    await view.panel.getByText('The media item was not found.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.goto(`${stage.platform.http}/traces/${trace.traceId}?span=${trace.spans[1]?.spanId}`);
    await view.panel.getByRole('img', { name: 'image, image/png' }).waitFor();
  });

  it("renders every provider's shapes; nothing is fetched from elsewhere", async () => {
    const { page, trace } = await open();
    const show = async (index: number) => {
      await page.goto(`${stage.platform.http}/traces/${shapes.traceId}?span=${shapes.spans[index]?.spanId}`);
      await trace.panel.getByRole('article').first().waitFor();
      return trace.panel;
    };
    let panel = await show(1);
    await panel.getByRole('img', { name: 'image' }).first().waitFor();
    expect(await panel.locator('img').count()).toBe(1);
    expect(
      await panel.getByRole('link', { name: 'https://example.com/elsewhere.png' }).getAttribute('rel'),
    ).toContain('noopener');
    await panel.getByRole('link', { name: 'Save' }).waitFor();
    await panel.getByRole('link', { name: 'Squares' }).waitFor();
    await panel.getByText('I cannot open the second picture.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    panel = await show(2);
    await panel.getByText('The tool knows.').waitFor();
    expect(await panel.getByRole('article').count()).toBe(3);
    expect(await panel.getByText('Result', { exact: true }).count()).toBe(2);
    // What a tool gave back is shown as well as what a person sent.
    await panel.getByText('Rain from the west.').waitFor();
    expect(await panel.getByRole('img', { name: 'Failed' }).count()).toBe(1);
    await panel.locator('img').waitFor();
    await panel.getByText('Thinking that the provider does not show').waitFor();
    panel = await show(3);
    await panel.getByText('print(1+1)').waitFor();
    panel = await show(4);
    await panel.getByText('degrees').waitFor();
    panel = await show(5);
    await panel.getByText('web_search').first().waitFor();
    await panel.getByText('Found candles.').waitFor();
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

  it('leads from a span that failed without a word to the failure below it', async () => {
    const ids = Array.from({ length: 4 }, newSpanId);
    const span = (at: number, name: string, failed: string) => ({
      spanId: ids[at] ?? '',
      ...(at === 0 ? {} : { parentSpanId: ids[at - 1] ?? '' }),
      name,
      startMs: at,
      durationMs: 500 - at,
      failed,
    });
    const trace = {
      traceId: newTraceId(),
      service: 'handbook',
      startedAt: Date.now() - 90_000,
      spans: [
        span(0, 'POST /answer', ''),
        span(1, 'pipeline', ''),
        span(2, 'retrieve', ''),
        span(3, 'search', 'no such collection'),
      ],
    };
    await stage.seed(trace);
    const { page, complaints } = await stage.open(`/traces/${trace.traceId}`);
    heard.push(complaints);
    const panel = page.getByTestId('span-panel');
    await panel.getByRole('heading', { name: 'POST /answer' }).waitFor();
    await panel.getByRole('button', { name: 'Go to the reason: search: no such collection' }).click();
    await panel.getByRole('heading', { name: 'search' }).waitFor();
    expect(new URL(page.url()).searchParams.get('span')).toBe(ids[3]);
    await panel.getByText('no such collection', { exact: true }).waitFor();
    expect(await panel.getByRole('button', { name: /^Go to the reason/ }).count()).toBe(0);
  });

  it('shows what a call cost whole or not at all, and says that a graph goes on where it is cut', async () => {
    const ids = Array.from({ length: 9 }, newSpanId);
    const trace = {
      traceId: newTraceId(),
      service: 'long-names',
      startedAt: Date.now() - 95_000,
      spans: ids.map((spanId, at) => ({
        spanId,
        ...(at === 0 ? {} : { parentSpanId: ids[at - 1] ?? '' }),
        name: `chat of step ${'x'.repeat(at * 4)} ${at}`,
        startMs: at,
        durationMs: 500 - 2 * at,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': `gpt-4o-step-${at}`,
          'gen_ai.response.model': 'gpt-4o-mini',
          'gen_ai.usage.input_tokens': 123_400 + at,
          'gen_ai.usage.output_tokens': 4,
        },
      })),
    };
    await stage.seed(trace);
    const { page, complaints } = await stage.open(`/traces/${trace.traceId}`);
    heard.push(complaints);
    const figures = page.getByRole('treeitem').getByTitle(/ in, | USD$/);
    await soon(() => figures.count()).toBeGreaterThan(9);
    const places = await figures.evaluateAll((all) =>
      all.map((one) => {
        const own = one.getBoundingClientRect();
        const around = (one.parentElement ?? one).getBoundingClientRect();
        if (own.top >= around.bottom) return 'out of sight';
        return own.right <= around.right + 0.5 ? 'whole' : 'cut';
      }),
    );
    expect([...new Set(places)].sort()).toEqual(['out of sight', 'whole']);

    const chain = {
      ...trace,
      traceId: newTraceId(),
      spans: trace.spans.map((span, at) => ({
        ...span,
        attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': `agent ${at}` },
      })),
    };
    await stage.seed(chain);
    await page.goto(`${stage.platform.http}/traces/${chain.traceId}?view=graph`);
    const graph = page.getByTestId('graph');
    const nodes = graph.locator('[data-node]');
    await nodes.first().waitFor();
    const last = async () => {
      const boxes = await Promise.all((await nodes.all()).map((node) => node.boundingBox()));
      return Math.max(...boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0)));
    };
    const edge = async () => {
      const box = await graph.boundingBox();
      return (box?.x ?? 0) + (box?.width ?? 0);
    };
    const more = graph.getByRole('button', { name: 'More to the right' });
    await more.waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const before = await last();
    expect(before).toBeGreaterThan(await edge());
    await more.click();
    await graph.getByRole('button', { name: 'More to the left' }).waitFor();
    expect(await last()).toBeLessThan(before);
    await graph.getByRole('button', { name: 'Fit the graph' }).click();
    await soon(async () => (await last()) <= (await edge())).toBe(true);
    expect(await more.count()).toBe(0);
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
