import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, type SeedSpan, sendRecords } from './otlp.ts';
import { HomePage } from './pages/home-page.ts';
import { TracesPage } from './pages/traces-page.ts';
import { agentTrace, hostileTrace, requestTraces } from './seeds.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, home page in the browser: ${missing}`);

const HOUR = 3_600_000;

describe.skipIf(missing !== undefined)('home page', () => {
  let stage: Stage;
  // Ten requests in the last hour against five in the hour before; every fifth failed in both.
  beforeAll(async () => {
    stage = await openStage();
    const now = Date.now();
    await stage.seed(...requestTraces(10, now), agentTrace(now - 120_000));
    await stage.seed(...requestTraces(5, now - HOUR - 60_000));
    // The installation is older than the hours compared.
    await stage.seed(...requestTraces(1, now - 3.5 * HOUR));
  });
  afterAll(() => stage?.close());
  const heard: string[][] = [];
  afterEach(() => expect(heard.splice(0).flat()).toEqual([]));

  const open = async (path = '/?from=-1h', options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, options);
    heard.push(opened.complaints);
    return { page: opened.page, home: new HomePage(opened.page) };
  };

  it('says what changed since the hour before, exactly', async () => {
    const { home } = await open();
    await home.loaded();
    await soon(() => home.tile('Traces').innerText()).toMatch(/11\s*\+?120%/);
    expect(await home.tile('Failed traces').innerText()).toMatch(/2\s*\+?100%/);
    expect(await home.tile('Model calls').innerText()).toMatch(/2\s*new/);
    expect(await home.tile('Tokens').innerText()).toContain('797');
    expect(await home.tile('Cost').innerText()).toMatch(/\$0\.000\d/);
    await home
      .card('What changed')
      .getByText(/^Compared with/)
      .waitFor();
  });

  it('compares unless told not to, and says so in the URL', async () => {
    const { page, home } = await open();
    await home.loaded();
    await soon(() => home.tile('Traces').innerText()).toMatch(/120%/);
    await page.keyboard.press('d');
    const toggle = page.getByRole('checkbox', { name: 'Compare with the period before' });
    expect(await toggle.isChecked()).toBe(true);
    await toggle.click();
    await soon(() => home.tile('Traces').innerText()).not.toMatch(/%|new/);
    expect(new URL(page.url()).searchParams.get('compare')).toBe('off');
    // Every card asks for itself, and comes when it comes.
    await soon(() => home.card('Slowest operations').innerText()).not.toMatch(/%|new/);
    await soon(() =>
      home
        .card('What changed')
        .getByText(/^Compared with/)
        .count(),
    ).toBe(0);
    await toggle.click();
    await soon(() => home.tile('Traces').innerText()).toMatch(/120%/);
    expect(new URL(page.url()).searchParams.get('compare')).toBeNull();
  });

  it('does not call everything new when nothing came before', async () => {
    const { home } = await open('/?from=-12h');
    await home.loaded();
    await home
      .card('What changed')
      .getByText(/^Nothing to compare with/)
      .waitFor();
    expect(await home.tile('Traces').innerText()).not.toContain('new');
    expect(await home.card('Slowest operations').innerText()).not.toContain('new');
  });

  it('compares with no period of which it knows only a part', async () => {
    const { page, home } = await open('/?from=-2h');
    await home.loaded();
    await home
      .card('What changed')
      .getByText(/^Nothing to compare with: spans only since \d\d \w+ \d\d:\d\d:\d\d$/)
      .waitFor();
    for (const text of [home.tile('Traces'), home.card('Slowest operations'), home.card('Errors by service')])
      expect(await text.innerText()).not.toMatch(/[×%]|new/);
    await page.goto(page.url().replace('/?', '/traces?compare=1&'));
    await page.getByText(/^Nothing to compare with: spans only since/).waitFor();
    expect(await page.getByText('to the period before').count()).toBe(0);
  });

  it('shows errors of logs once there are logs, and leads to them', async () => {
    const { page, home } = await open();
    await home.loaded();
    expect(await home.tile('Errors in logs').count()).toBe(0);
    const now = Date.now();
    const records = (count: number, at: number, severity: number) =>
      Array.from({ length: count }, (_, index) => ({
        at: at - index * 1_000,
        severity,
        body: `line ${index}`,
      }));
    await sendRecords(stage.platform.otlpHttp, { service: 'shop' }, [
      ...records(6, now - 60_000, 17),
      ...records(3, now - 60_000, 13),
      ...records(2, now - HOUR - 60_000, 17),
      ...records(1, now - 3 * HOUR, 9),
    ]);
    await soon(async () => {
      await page.reload();
      await home.loaded();
      return home.card('What changed').innerText();
    }).toMatch(/Errors in logs\s*6\s*\+?200%/);
    await home.tile('Errors in logs').click();
    await page.waitForURL(/\/logs\?/);
    expect(new URL(page.url()).searchParams.get('q')).toBe('severity>=error');
  });

  it('compares a window of its own with the same length before it', async () => {
    const to = Date.now() - HOUR;
    const { home } = await open(
      `/?from=${new Date(to - HOUR).toISOString()}&to=${new Date(to).toISOString()}`,
    );
    await home.loaded();
    expect(await home.tile('Traces').innerText()).toContain('5');
    const text = await home
      .card('What changed')
      .getByText(/^Nothing to compare with/)
      .innerText();
    expect(text).toMatch(/no spans from .* to /);
  });

  it('compares a range of the calendar with the same part of the one before', async () => {
    const { home } = await open('/?from=today');
    const compared = home.card('What changed').getByText(/^(Compared with|Nothing to compare with)/);
    const day = (ms: number) => new Date(ms).toISOString().slice(8, 10);
    const text = await compared.innerText();
    const [, first, last] = /(\d\d) \w+ 00:00:00 to (\d\d) \w+ \d\d:\d\d:\d\d/.exec(text) ?? [];
    expect([first, last]).toEqual([day(Date.now() - 24 * HOUR), day(Date.now() - 24 * HOUR)]);
  });

  it('keeps what it shows while another time range is asked for', async () => {
    const { page, home } = await open();
    await home.card('Newest exceptions').getByText('ECONNRESET').waitFor();
    await intercept(page, '**/api/telemetry/exceptions/search', () => new Promise<void>(() => undefined));
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Last 4 hours' }).click();
    await soon(() => new URL(page.url()).searchParams.get('from')).toBe('-4h');
    expect(await home.card('Newest exceptions').getByText('ECONNRESET').count()).toBe(1);
  });

  it('leads from every figure to its rows', async () => {
    const { page, home } = await open();
    await home.loaded();
    await home.tile('Failed traces').click();
    const traces = new TracesPage(page);
    await traces.loaded();
    expect(traces.query()).toBe('root:true status:error');
    expect(await traces.rows.count()).toBe(2);
    await page.goBack();
    await home.loaded();
    await home.card('Errors by service').getByRole('button').nth(1).click();
    await traces.loaded();
    expect(traces.query()).toMatch(/^status:error service:/);
    await page.goBack();
    await home.loaded();
    await home.card('Slowest operations').getByRole('link').first().click();
    await traces.loaded();
    expect(traces.query()).toMatch(/^name:.* service:/);
    await page.goBack();
    await home.loaded();
    await home
      .card('Most active agents')
      .getByRole('button', { name: /shop-assistant/ })
      .click();
    await traces.loaded();
    expect(traces.query()).toContain('agent:shop-assistant');
  });

  it('shows exceptions, models and the query behind a chart', async () => {
    const { page, home } = await open();
    await home.loaded();
    await home.card('Newest exceptions').getByText('ECONNRESET').waitFor();
    await home
      .card('Cost by model')
      .getByText(/^\$0\.00/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Open Cost by model as query' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"groupBy"').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('shows ingest health and leads to its page', async () => {
    const { page, home } = await open();
    await home.loaded();
    await home.card('Ingest health').getByText('nothing refused').click();
    await page.getByRole('heading', { name: 'Ingest health' }).waitFor();
    // At this width every column of its tables is there without a scroll bar.
    await page.getByRole('columnheader', { name: 'Bytes' }).waitFor();
    const hidden = await page
      .getByRole('region', { name: /, table$/ })
      .evaluateAll((all: { scrollWidth: number; clientWidth: number }[]) =>
        all.map((one) => one.scrollWidth - one.clientWidth),
      );
    expect(Math.max(...hidden)).toBe(0);
    const received = home.card('Received');
    expect(await received.getByRole('row').nth(1).innerText()).toMatch(/Traces\s+(now|\d[\dms ]* ago)/i);
    // A wrong sender shows up by itself.
    const answer = await fetch(`${stage.platform.otlpHttp}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'broken-exporter/9.9' },
      body: '{"resourceLogs": [',
    });
    expect(answer.status).toBe(400);
    await home.card('Rejected and truncated').getByText('The body is no OTLP').waitFor();
    await home.card('Clients').getByText('broken-exporter').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('keeps names that are hostile in their places', async () => {
    const hostile = hostileTrace(Date.now() - 30_000);
    const [span] = hostile.spans;
    const attributes = { 'exception.type': 'שגיאה', 'exception.message': 'שלום עולם' };
    await stage.seed({
      ...hostile,
      spans: span === undefined ? [] : [{ ...span, events: [{ name: 'exception', attributes }] }],
    });
    const { page, home } = await open();
    await home.loaded();
    const left = async (text: string) =>
      (await home.card('Newest exceptions').getByText(text, { exact: true }).boundingBox())?.x ?? 0;
    // Right to left: each by itself, the type before the message.
    await soon(() => left('שגיאה')).toBeGreaterThan(0);
    expect(await left('שגיאה')).toBeLessThan(await left('שלום עולם'));
    const card = await home.card('Slowest operations').boundingBox();
    const names = await home.card('Slowest operations').getByRole('link').all();
    const boxes = await Promise.all(names.map((name) => name.boundingBox()));
    const right = Math.max(...boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0)));
    expect(right).toBeLessThan((card?.x ?? 0) + (card?.width ?? 0));
    expect(await page.evaluate('window.__hacked')).toBeUndefined();
  });

  for (const colorScheme of ['dark', 'light'] as const)
    it(`passes the accessibility rules (${colorScheme})`, async () => {
      const { page, home } = await open('/?from=-1h', { colorScheme });
      await home.loaded();
      await home.card('Newest exceptions').getByText('ECONNRESET').waitFor();
      await page.waitForTimeout(500);
      expect(await accessibilityFindings(page)).toEqual([]);
    });

  it('gives a model one colour in both charts, and names exceptions and the largest models on a phone too', async () => {
    const startedAt = Date.now() - 30 * HOUR;
    // More models than colours, in another order by cost than by tokens.
    const prices = [
      'gpt-4',
      'gpt-4o',
      'gpt-4o-mini',
      'gpt-4.1',
      'gpt-4.1-mini',
      'gpt-4.1-nano',
      'gpt-5',
      'gpt-5-mini',
    ];
    const free = ['own-a', 'own-b', 'own-c', 'own-d'];
    const call = (model: string, at: number): SeedSpan => ({
      spanId: newSpanId(),
      name: `chat ${model}`,
      startMs: at,
      ...(at === 0 ? { failed: 'the carrier did not answer in time' } : {}),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': model,
        'gen_ai.response.model': model,
        'gen_ai.usage.input_tokens': 100 * (at + 1) * (free.includes(model) ? 10 : 1),
        'gen_ai.usage.output_tokens': 10,
        ...(at === 0 ? { 'error.type': 'CarrierTimeoutError' } : {}),
      },
    });
    await stage.seed({
      traceId: newTraceId(),
      service: 'palette',
      startedAt,
      spans: [...prices, ...free].map(call),
    });
    const ends = [startedAt - HOUR, startedAt + HOUR].map((ms) => new Date(ms).toISOString());
    const { page, home } = await open(`/?from=${ends[0]}&to=${ends[1]}&compare=off`);
    await home.loaded();
    const coloursOf = async (card: string) =>
      new Map(
        await home
          .card(card)
          .getByRole('list', { name: /^Legend/ })
          .getByRole('button')
          .evaluateAll((buttons) =>
            buttons.map((one): [string, string] => [
              (one.textContent ?? '').trim(),
              /--series-\d/.exec(one.querySelector('[data-mark]')?.getAttribute('style') ?? '')?.[0] ?? '',
            ]),
          ),
      );
    await soon(async () => (await coloursOf('Cost by model')).size).toBe(8);
    await soon(async () => (await coloursOf('Tokens by model')).size).toBe(8);
    const [cost, tokens] = [await coloursOf('Cost by model'), await coloursOf('Tokens by model')];
    expect(new Set(cost.values()).size).toBe(8);
    expect(new Set(tokens.values()).size).toBe(8);
    const both = [...cost.keys()].filter((name) => tokens.has(name));
    expect(both.length).toBeGreaterThan(2);
    for (const name of both) expect([name, tokens.get(name)]).toEqual([name, cost.get(name)]);
    expect([...tokens.keys()][0]).toBe('own-d');
    await page.setViewportSize({ width: 390, height: 844 });
    const type = home.card('Newest exceptions').getByText('CarrierTimeoutError').first();
    // It has a line of its own, above its figures.
    const since = home
      .card('Newest exceptions')
      .getByTitle(/^First seen/)
      .first();
    const [name, figures] = [await type.boundingBox(), await since.boundingBox()];
    expect((name?.y ?? 999) + (name?.height ?? 999)).toBeLessThanOrEqual(figures?.y ?? 0);
  });
});

describe.skipIf(missing !== undefined)('home page of a week with an incident', () => {
  let stage: Stage;
  const failure = (at: number, type?: string, message = ''): SeedSpan => ({
    spanId: newSpanId(),
    name: 'POST /seats',
    startMs: at,
    durationMs: 5,
    failed: 'refused',
    ...(type === undefined
      ? {}
      : {
          events: [
            { name: 'exception', attributes: { 'exception.type': type, 'exception.message': message } },
          ],
        }),
  });
  beforeAll(async () => {
    stage = await openStage();
    const week = 7 * 24 * HOUR;
    // Eight failures in every hour, and thirty in one minute.
    const usual = Array.from({ length: 8 * 7 * 24 - 8 }, (_, n) => failure(((n + 4) * HOUR) / 8));
    const incident = Array.from({ length: 30 }, (_, n) => failure(70 * HOUR + n * 1_000));
    const people = [
      'ann',
      'bob',
      'cleo',
      'dora',
      'emil',
      'fay',
      'gus',
      'ida',
      'jon',
      'kim',
      'leo',
      'mia',
      'ned',
    ];
    const flood = people.flatMap((who, n) =>
      [1, 2].map((of) => failure(week - HOUR + n * 1_000 + of, 'NoSeat', `user ${who} has no seat here`)),
    );
    const division = failure(week - 2 * HOUR, 'ZeroDivision', 'division by zero');
    await stage.seed({
      traceId: newTraceId(),
      service: 'shop',
      startedAt: Date.now() - week,
      spans: [...usual, ...incident, ...flood, division],
    });
  }, 120_000);
  afterAll(() => stage?.close());

  it('shows the minute, and its flood as one line that counts', async () => {
    const { page, complaints } = await stage.open('/?from=-7d');
    const home = new HomePage(page);
    await home.loaded();
    const bars = home.tile('Failed traces').getByRole('img');
    await soon(() => bars.getAttribute('aria-label')).toContain('each bar the worst 15m');
    const heights = await bars
      .locator('rect')
      .evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
    const [highest = 0, , third = 0] = heights.toSorted((a, b) => b - a);
    // The incident and the flood of now; no other is near them.
    expect(highest).toBeGreaterThan(10);
    expect(third).toBeLessThan(highest / 4);

    const lines = home.card('Newest exceptions').getByRole('listitem');
    await soon(() => lines.count()).toBe(2);
    expect(await lines.first().innerText()).toMatch(/NoSeat[^]*\+12 alike[^]*\b26\b/);
    await lines.first().getByRole('link').click();
    await soon(() => new URL(page.url()).searchParams.get('q')).toBe('error_type:NoSeat');
    await page.getByText('All 13 rows shown').waitFor();
    expect(complaints).toEqual([]);
  });
});
