import { spawnSync } from 'node:child_process';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { SessionsPage } from './pages/sessions-page.ts';
import { HOSTILE_SESSION, LONG_SESSION, seedSession, seedUnnamed, TALL_TURN } from './seeds-sessions.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, sessions, users and agents in the browser: ${missing}`);

const LONG = 400;

describe.skipIf(missing !== undefined)('sessions, users and agents', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, options);
    heard.push(opened.complaints);
    return { page: opened.page, sessions: new SessionsPage(opened.page) };
  };
  const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

  it('begin with what to paste, and turn live when it was run', async () => {
    const { page, sessions } = await open('/sessions');
    await page.getByRole('heading', { name: 'Name the first session' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const snippet = await page.getByRole('tabpanel').innerText();
    const run = spawnSync('bash', ['-c', snippet], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    await sessions.loaded();
    await soon(() => sessions.rows.first().innerText()).toContain('Say hello');
    for (const [path, text] of [
      ['/users', 'first-user'],
      ['/agents', 'helper'],
    ] as const) {
      const other = await open(path);
      await soon(() => other.sessions.rows.first().innerText()).toContain(text);
    }
  });

  it('take the sessions of the other tests', async () => {
    const now = Date.now();
    await seedSession(stage, 'visit', 8, now - 60_000);
    await seedSession(stage, HOSTILE_SESSION, 2, now - 120_000);
    await seedSession(stage, LONG_SESSION, LONG, now - 180_000);
    // The list reads a rollup, which follows its rows a moment later; the long session comes in several lots.
    await soon(async () => {
      const url = `${stage.platform.http}/api/telemetry/sessions?q=service:guide-api&from=-24h`;
      const { data } = (await (await fetch(url)).json()) as { data: { traces: number }[] };
      return data.map(({ traces }) => traces).sort((one, other) => one - other);
    }).toEqual([2, 8, LONG]);
  });

  it('are listed with their first words, in every order, and open by keyboard', async () => {
    const { page, sessions } = await open('/sessions?q=service:guide-api');
    await soon(() => sessions.rows.count()).toBe(3);
    await soon(() => sessions.rows.allInnerTexts()).toEqual([
      expect.stringContaining('Question 0'),
      expect.stringContaining('Question 0'),
      expect.stringContaining('Question 0'),
    ]);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('columnheader', { name: 'Turns' }).getByRole('button').click();
    await soon(() => parameter(page, 'sort')).toBe('-traces');
    await soon(() => sessions.rows.first().innerText()).toContain(String(LONG));
    await sessions.search('session:visit');
    await soon(() => sessions.rows.count()).toBe(1);
    await page.getByText('the figures are those of the whole session').click();
    await page.keyboard.press('j');
    await soon(() => page.locator('[role=row][aria-selected=true]').count()).toBe(1);
    await page.keyboard.press('Enter');
    await sessions.turn(1).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sessions/visit');
    await page.keyboard.press('Escape');
    await soon(() => sessions.rows.count()).toBe(1);
    expect(parameter(page, 'q')).toBe('session:visit');
    expect(parameter(page, 'sort')).toBe('-traces');
  });

  it('are found by what was said, which is shown in the list and within the session', async () => {
    const { page, sessions } = await open(
      '/sessions?q=' + encodeURIComponent('session:visit user_said:"question 3"'),
    );
    const said = sessions.rows.first().getByTestId('said');
    await soon(() => said.innerText()).toMatch(/user Question 3/i);
    expect(await said.locator('mark').innerText()).toBe('Question');
    expect(await accessibilityFindings(page)).toEqual([]);
    await sessions.rows.first().getByRole('link').click();
    await sessions.turn(4).waitFor();
    const field = page.getByRole('searchbox', { name: 'Search the session' });
    expect(await field.inputValue()).toBe('Question');
    await field.fill('user_said:answer');
    await page.getByText('No message says it').waitFor();
    await field.fill('assistant_said:answer');
    const status = page.getByRole('status').filter({ hasText: 'messages' });
    await soon(() => status.innerText()).toBe('8 messages');
    await field.press('Enter');
    await field.press('Enter');
    await page.getByText('2 of 8').waitFor();
    await page.getByTestId('said').filter({ hasText: 'Answer 1.' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await field.fill('user_said:(');
    await page.getByText(/Search text, character/).waitFor();
    expect(heard.flatMap((one) => one.splice(0))).toEqual([expect.stringContaining('400')]);
    const spans = await open('/traces?view=spans&q=' + encodeURIComponent('session:visit tool_result:10'));
    await soon(() => spans.page.getByTestId('said').first().innerText()).toMatch(/^tool/);
  });

  it('read as one conversation, history told once, pauses named', async () => {
    const { page, sessions } = await open('/sessions/visit', { colorScheme: 'light' });
    await sessions.turn(2).getByText('Answer 1.').waitFor();
    expect(await sessions.conversation.getByText('Question 0', { exact: true }).count()).toBe(1);
    expect(await sessions.turn(2).getByText('Question 1', { exact: true }).count()).toBe(1);
    expect(await accessibilityFindings(page)).toEqual([]);
    const tool = sessions.turn(2).locator('details', { hasText: 'open_hours' });
    await tool.locator('summary').click();
    await tool.getByText('10:00').waitFor();
    await soon(() => sessions.conversation.getByTestId('gap').allInnerTexts()).toContainEqual(
      expect.stringMatching(/46m|45m/),
    );
    // Away from the tool: a control that has the focus keeps the keys that work it.
    await page.locator('h1').click();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await soon(() => parameter(page, 'turn')).toMatch(/^[0-9a-f]{32}$/);
    const turn = parameter(page, 'turn');
    await page.keyboard.press('Enter');
    await page.getByRole('tree', { name: 'Spans' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/traces/${turn}`);
  });

  it('of several users say who spoke in which turn, and lead to them', async () => {
    const { page, sessions } = await open('/sessions/visit');
    const head = page.getByRole('list', { name: 'Users of the session' });
    await soon(() => head.getByRole('link').allInnerTexts()).toEqual(['reader-0', 'reader-1']);
    // Agents of the turn are told beside its user.
    const spoke = (turn: number) =>
      sessions
        .turn(turn)
        .locator('header')
        .getByRole('link', { name: /^reader-/ })
        .allInnerTexts();
    await soon(() => spoke(1)).toEqual(['reader-0']);
    await soon(() => spoke(2)).toEqual(['reader-1']);
    await sessions.turn(2).getByRole('link', { name: 'reader-1' }).click();
    await page.getByRole('heading', { name: 'reader-1' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/users/reader-1');
  });

  it('with an id that no path could carry are opened, reloaded and shown as text', async () => {
    const { page, sessions } = await open('/sessions?cols=conversation,session&q=service:guide-api');
    await sessions.rows.filter({ hasText: 'team/7' }).getByRole('link').click();
    await sessions.turn(2).getByText('Answer 1.').waitFor();
    await page.reload();
    await sessions.turn(1).getByText('Answer 0.').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(HOSTILE_SESSION);
    await page.getByRole('link', { name: 'Spans of this session' }).click();
    await soon(() => page.locator('[role=grid] [role=row][aria-rowindex]').count()).toBe(5);
  });

  it('can be read on a telephone: every figure whole, nothing over something else', async () => {
    const { page, sessions } = await open('/sessions/visit');
    await page.setViewportSize({ width: 390, height: 844 });
    await sessions.turn(1).getByText('Answer 0.').waitFor();
    const cut = await page
      .getByRole('complementary', { name: 'About the session' })
      .locator('dd')
      .evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
    expect(cut).toEqual([]);
    for (const path of ['/sessions', '/users', '/agents']) {
      await page.goto(new URL(path, page.url()).href);
      await sessions.rows.first().waitFor();
      expect(await page.getByTestId('scroller').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
      expect(await accessibilityFindings(page)).toEqual([]);
    }
  });

  it('of many turns draw only what is in sight', async () => {
    const { page, sessions } = await open(`/sessions/${LONG_SESSION}`);
    await sessions.turn(1).getByText('Answer 0.').waitFor();
    expect(await sessions.turns.count()).toBeLessThan(30);
    await sessions.bars.focus();
    await page.keyboard.press('End');
    await sessions
      .turn(LONG)
      .getByText(`Answer ${LONG - 1}.`)
      .waitFor();
    const inSight = async (number: number) => {
      const [view, turn] = [
        await sessions.conversation.boundingBox(),
        await sessions.turn(number).boundingBox(),
      ];
      return (
        view !== null && turn !== null && turn.y >= view.y && turn.y + turn.height <= view.y + view.height
      );
    };
    await soon(() => inSight(LONG)).toBe(true);
    expect(await sessions.turns.count()).toBeLessThan(30);
    await page.locator('h1').click();
    await page.keyboard.press('e');
    await soon(() => sessions.turn(50).getByText('429 too many requests').count()).toBe(1);
    // One in the middle, about which nothing is known before it is looked at.
    const bars = await sessions.bars.boundingBox();
    await page.mouse.click((bars?.x ?? 0) + (bars?.width ?? 0) / 2, (bars?.y ?? 0) + 10);
    const middle = page.getByTestId('turn').filter({ has: page.locator('[aria-pressed=true]') });
    await middle.getByText(/^Answer \d+\.$/).waitFor();
    const number = Number((await middle.getAttribute('aria-label'))?.replace('Turn ', ''));
    await soon(() => inSight(number)).toBe(true);
  });

  it('of many turns lead to both ends, and to each failure within its turn', async () => {
    const { page, sessions } = await open(`/sessions/${LONG_SESSION}`);
    await sessions.turn(1).getByText('Answer 0.').waitFor();
    const inSight = async (place: Locator) => {
      const [view, own] = [await sessions.conversation.boundingBox(), await place.boundingBox()];
      return view !== null && own !== null && own.y >= view.y && own.y + own.height <= view.y + view.height;
    };
    const failure = (number: number) => sessions.turn(number).getByText('429 too many requests');
    await page.keyboard.press('E');
    await soon(() => inSight(failure(LONG))).toBe(true);
    await page.getByRole('button', { name: 'Previous turn with a failure' }).click();
    await soon(() => inSight(failure(TALL_TURN + 1))).toBe(true);
    expect(parameter(page, 'at')).toBe('failure');
    await page.reload();
    await soon(() => inSight(failure(TALL_TURN + 1))).toBe(true);
    await page.keyboard.press('End');
    await soon(() => inSight(failure(LONG))).toBe(true);
    await page.keyboard.press('Home');
    await soon(() => inSight(sessions.turn(1))).toBe(true);
  });

  it('lead to their users, who have figures, charts and sessions', async () => {
    const { page, sessions } = await open('/sessions/visit');
    const speakers = page.getByRole('list', { name: 'Users of the session' });
    await speakers.getByRole('link', { name: 'reader-1' }).click();
    await page.getByRole('heading', { name: /User.*reader-1/s }).waitFor();
    await page.getByRole('region', { name: 'Cost by model' }).getByTestId('time-chart').waitFor();
    await soon(() => sessions.rows.count()).toBe(3);
    expect(await accessibilityFindings(page)).toEqual([]);
    // What is known of the user stays while another time range is asked for.
    await intercept(page, '**/api/telemetry/users/**', () => new Promise<void>(() => undefined));
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await soon(() => parameter(page, 'from')).toBe('-7d');
    await page.getByText('Model calls').first().waitFor();
    // On a telephone the sessions lie below the charts, and can be reached.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByTestId('user').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await soon(async () => (await sessions.rows.first().boundingBox())?.y).toBeLessThan(844);
    const users = await open('/users?sort=-sessions');
    await soon(() => users.sessions.rows.first().innerText()).toContain('reader-');
    expect(await accessibilityFindings(users.page)).toEqual([]);
    await users.sessions.rows.first().getByRole('link').first().click();
    await users.page.getByRole('heading', { name: /User.*reader-/s }).waitFor();
    await users.page.keyboard.press('Escape');
    await soon(() => new URL(users.page.url()).pathname).toBe('/users');
    await users.sessions.rows.first().waitFor();
    expect(parameter(users.page, 'sort')).toBe('-sessions');
  });

  it('name agents, whose versions are compared and whose numbers lead to their spans', async () => {
    const { page, sessions } = await open('/agents');
    await sessions.rows.filter({ hasText: 'guide' }).waitFor();
    // The order that it has is said, and of what the durations are.
    await page.locator('[role=columnheader][aria-sort=descending]', { hasText: 'Calls' }).waitFor();
    await page.getByRole('columnheader', { name: 'Run p95' }).waitFor();
    await sessions.rows
      .getByTitle(/95% took at most this, of its \d+ runs/)
      .first()
      .waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search agents' }).fill('gui');
    await soon(() => sessions.rows.count()).toBe(1);
    await page.getByRole('link', { name: 'guide' }).click();
    await page.getByRole('heading', { name: /Agent.*guide/s }).waitFor();
    await page.keyboard.press('Escape');
    await soon(() => sessions.rows.count()).toBe(1);
    expect(parameter(page, 'search')).toBe('gui');
    await page.getByRole('link', { name: 'guide' }).click();
    await page.getByRole('region', { name: 'Models', exact: true }).waitFor();
    await page.getByText('not called').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: /Versions/ }).click();
    const versions = page.getByRole('region', { name: 'Versions', exact: true });
    await soon(() => versions.locator('tbody tr').count()).toBe(2);
    await page.getByText('System prompt changed').waitFor();
    expect(await versions.locator('tbody tr').first().innerText()).toContain('2.1.0');
    await page.getByRole('heading', { name: /^From [0-9a-f]{8} to 2\.1\.0 \([0-9a-f]{8}\)$/ }).waitFor();
    await page.getByText('Keep it short.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const link = versions.locator('tbody tr').last().getByRole('link');
    const count = Number(await link.innerText());
    await link.click();
    await soon(() => page.locator('[role=grid] [role=row][aria-rowindex]').count()).toBe(count);
  });

  it('draw who calls whom, walked by keyboard', async () => {
    const { page } = await open('/agents/guide?view=graph', { colorScheme: 'light' });
    const node = page.getByRole('button', { name: /^Agent guide/ });
    await node.focus();
    await page.keyboard.press('ArrowRight');
    await soon(() => page.evaluate<string>('document.activeElement.dataset.node')).toMatch(/^(model|tool) /);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Called by' }).waitFor();
    await page.getByRole('button', { name: /guide to open_hours/ }).click();
    await page.getByText('guide calls open_hours').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // On a telephone there is no room on the lines: the node lists them.
    await page.setViewportSize({ width: 390, height: 844 });
    await node.click();
    await page.getByRole('button', { name: 'Figures of the calls: open_hours' }).click();
    await page.getByText('guide calls open_hours').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('say what they cannot count: calls without the session id, and without the name of their agent', async () => {
    await seedUnnamed(stage);
    const { page, sessions } = await open('/sessions/roots');
    await sessions.turn(1).getByText('Answered.').waitFor();
    await sessions.turn(1).getByText('do not carry the session id').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'solo', exact: true }).first().click();
    const models = page.getByRole('region', { name: 'Models', exact: true });
    await soon(() => models.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^gpt-4o-mini\s+1\s/),
    ]);
    await models.getByText('These do not name the agent').waitFor();
    const tools = page.getByRole('region', { name: 'Tools', exact: true });
    await soon(() => tools.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^look\s+1\s/),
    ]);
    expect(await accessibilityFindings(page)).toEqual([]);
    // A count leads to the span, by its id.
    await tools.getByRole('link', { name: '1', exact: true }).click();
    await soon(() => page.locator('[role=grid] [role=row][aria-rowindex]').count()).toBe(1);
  });

  it('are shown from a time on, with the way back to their beginning', async () => {
    const url = `${stage.platform.http}/api/telemetry/sessions/visit`;
    const { data } = (await (await fetch(url)).json()) as { data: { turns: { startTime: string }[] } };
    const since = data.turns[5]?.startTime ?? '';
    const { page, sessions } = await open(`/sessions/visit?since=${since}`);
    await sessions.turn(1).getByText('Answer 5.').waitFor();
    expect(await sessions.turns.count()).toBe(3);
    await page.keyboard.press('End');
    await soon(() => parameter(page, 'at')).toBe('end');
    expect(parameter(page, 'since')).toBe(since);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.getByRole('link', { name: 'From its beginning' }).click();
    await sessions.turn(1).getByText('Answer 0.').waitFor();
  });

  it('that are not there say so', async () => {
    for (const [path, text] of [
      ['/sessions/nobody', 'This session is not here'],
      ['/users/nobody', 'Nothing of this user in the time range'],
      ['/agents/nobody', 'Nothing of this agent in the time range'],
      ['/sessions?q=service:nobody', 'Nothing matches'],
    ] as const) {
      const { page } = await open(path);
      await page.getByRole('heading', { name: text }).waitFor();
      // The browser itself reports the refused request.
      const own = heard.at(-1)?.filter((line) => !line.includes('404'));
      heard[heard.length - 1] = own ?? [];
    }
  });
});
