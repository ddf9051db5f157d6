import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendTrace } from './otlp.ts';
import { RulesPage } from './pages/rules-page.ts';
import { Shell } from './pages/shell.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, rules in the browser: ${missing}`);

const RULES = '/api/rule-engine/rules';
const condition = (field: string, operator: string, value: string, dataType = 'string') => ({
  field,
  operator,
  value,
  dataType,
});

describe.skipIf(missing !== undefined)('rules', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage(OWNED);
    // One trace of 20 model calls: half of them of gold customers, every second by gpt-4o, 0 to 190 ms long.
    const { page } = await stage.open('/', { as: OWNER });
    const { apiKey } = await ask<{ apiKey: string }>(page, stage, 'POST', '/api/api-key', {
      data: { name: 'sender', scopes: ['ingest'] },
    });
    await sendTrace(
      stage.platform.otlpHttp,
      {
        traceId: newTraceId(),
        service: 'shop',
        startedAt: Date.now() - 60_000,
        spans: Array.from({ length: 20 }, (_, n) => ({
          spanId: newSpanId(),
          name: 'chat',
          kind: 3,
          startMs: n,
          durationMs: n * 10,
          attributes: {
            'gen_ai.operation.name': 'chat',
            'gen_ai.provider.name': 'openai',
            'gen_ai.request.model': n % 2 === 0 ? 'gpt-4o-mini' : 'gpt-4o',
            'user.tier': n < 10 ? 'gold' : 'free',
          },
        })),
      },
      apiKey,
    );
    await page.context().close();
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, { as: OWNER, ...options });
    heard.push(opened.complaints);
    return { page: opened.page, rules: new RulesPage(opened.page), shell: new Shell(opened.page) };
  };

  it('a rule is built with completion and a live preview, hands something out, and says why', async () => {
    const { page, rules, shell } = await open('/rules');
    await page.getByRole('heading', { name: 'Write the first rule' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const chats = { groups: [{ conditions: [condition('name', 'equals', 'chat')] }] };
    await soon(() =>
      ask<{ matched: number }>(page, stage, 'POST', '/api/rule-engine/preview', { data: { rule: chats } }),
    ).toMatchObject({ matched: 20 });
    const context = await ask<{ id: string }>(page, stage, 'POST', '/api/context', {
      data: { name: 'Refund policy', content: 'Be kind.' },
    });
    await rules.button('New rule').click();
    await rules.fill({ Name: 'Gold customers' });
    await rules.button('Create').click();
    await page.getByText('Add a condition, and what it matches shows here.').waitFor();

    await rules.button('Add a condition').click();
    await page.getByText('Complete the conditions, and what they match shows here.').waitFor();
    // Field and value are offered from what the spans have, and taken by keyboard.
    await rules.part('Field', 1, 1).fill('user.t');
    await rules.suggestion('user.tier').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await soon(() => rules.part('Field', 1, 1).inputValue()).toBe('user.tier');
    await rules.part('Value', 1, 1).focus();
    await rules.suggestion('gold').click();
    await soon(() => rules.matches.innerText()).toContain('10 of 20 spans match');
    await rules.button('Add a condition to group 1').click();
    await rules.part('Field', 2, 1).fill('duration_');
    await rules.suggestion('duration_ms').click();
    await rules.choose('Operator', 2, 1, 'is at least');
    await rules.part('Value', 2, 1).fill('50');
    await soon(() => rules.matches.innerText()).toContain('5 of 20 spans match');
    await page.getByText('matches alone 15 · filtered out 5').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);

    await rules.button('Add a group').click();
    await rules.part('Field', 1, 2).fill('model');
    await rules.choose('Operator', 1, 2, 'matches');
    await rules.part('Value', 1, 2).fill('^gpt-4o($');
    await page.getByText('Not a regular expression of RE2: missing closing )').waitFor();
    expect(await rules.button('Save').isDisabled()).toBe(true);
    await rules.part('Value', 1, 2).fill('^gpt-4o$');
    await soon(() => rules.matches.innerText()).toContain('3 of 20 spans match');
    await page.getByRole('button', { name: 'Any group' }).click();
    await soon(() => rules.matches.innerText()).toContain('12 of 20 spans match');
    await page.getByRole('button', { name: 'All groups' }).click();

    await page.getByLabel('Name of the context to hand out', { exact: true }).fill('Refund');
    await rules.suggestion('Refund policy').click();
    await rules.fill({ Priority: '5' });
    await page.keyboard.press('Control+s');
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    // What is saved is what an application is answered by.
    const answer = await page.request.post(`${stage.platform.http}/api/rule-engine/evaluate`, {
      headers: { origin: stage.platform.http },
      data: { entity_type: 'context', fields: { 'user.tier': 'gold', duration_ms: 50, model: 'gpt-4o' } },
    });
    expect(await answer.json()).toMatchObject({ entities: [{ entity_id: context.id }] });

    await soon(() => page.getByRole('button', { name: 'Why the span chat matches' }).count()).toBe(3);
    await page.getByRole('button', { name: 'Why the span chat matches' }).first().click();
    await soon(() => rules.why.innerText()).toContain('"90" is at least "50".');
    await page.reload();
    await soon(() => rules.why.innerText()).toContain('It matches: 2 of 2 groups hold');
    expect(await accessibilityFindings(page)).toEqual([]);
    await rules.button('Try fields instead').click();
    await rules.fill({ Fields: '{"model":"gpt-4o","duration_ms":"many","tags":[]}' });
    await soon(() => rules.why.innerText()).toContain('There is no field "user.tier"');
    expect(await rules.why.innerText()).toContain('"many" is no number');
    await page.getByText('neither text, number nor boolean: tags').waitFor();
    await rules.fill({ Fields: '{"model"' });
    await page.getByText('This is no JSON').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);

    await page.getByRole('link', { name: 'Back to the rules' }).click();
    await rules.row('Gold customers').waitFor();
    const cells = page.getByRole('grid').locator('[role=row][aria-rowindex]');
    await soon(() => cells.first().innerText()).toContain('(user.tier = gold and duration_ms ≥ 50)');
    await soon(() => cells.first().innerText()).toMatch(/Refund policy\s+3\s/);

    // It is found by its name, and from what it hands out.
    await shell.command('rule gold', /gold customers/i);
    await page.getByRole('heading', { name: 'Rule Gold customers' }).waitFor();
    await page.getByRole('link', { name: 'Refund policy' }).click();
    await page.getByRole('heading', { name: 'Context Refund policy' }).waitFor();
    await page.getByRole('link', { name: 'Gold customers' }).click();
    await soon(() => rules.matches.innerText()).toContain('3 of 20 spans match');
  });

  it.each(['dark', 'light'] as const)(
    'list and rule pass the accessibility rules (%s)',
    async (colorScheme) => {
      const { page, rules } = await open('/rules', { colorScheme });
      await rules.row('Gold customers').click();
      await soon(() => rules.matches.innerText()).toContain('3 of 20 spans match');
      expect(await accessibilityFindings(page)).toEqual([]);
      await rules.part('Field', 1, 1).fill('');
      await rules.suggestion('service').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      // Escape closes the suggestions and stays; what is unsaved is asked about.
      await page.keyboard.press('Escape');
      await page.getByRole('option').first().waitFor({ state: 'hidden' });
      await page.getByRole('link', { name: 'Back to the rules' }).click();
      await rules.confirm('Leave Gold customers unsaved?', 'Leave');
      await rules.row('Gold customers').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
    },
  );

  it('two people who change one rule lose nothing; deleting asks once', async () => {
    const { page, rules } = await open('/rules');
    const made = await ask<{ id: string; revision: number }>(page, stage, 'POST', RULES, {
      data: { name: 'shared', groups: [{ conditions: [condition('model', 'equals', 'gpt-4o')] }] },
    });
    await page.goto(`${stage.platform.http}/rules/${made.id}`);
    await soon(() => rules.matches.innerText()).toContain('10 of 20 spans match');
    await rules.part('Value', 1, 1).fill('gpt-4o-mini');
    await ask(page, stage, 'PUT', `${RULES}/${made.id}`, {
      data: {
        name: 'shared',
        revision: made.revision,
        groups: [{ conditions: [condition('model', 'equals', 'claude')] }],
      },
    });
    await rules.button('Save').click();
    const clash = page.getByRole('alert').filter({ hasText: 'after you began' });
    await clash.waitFor();
    // The browser itself reports the refused request.
    heard[0]?.splice(0);
    expect(await rules.part('Value', 1, 1).inputValue()).toBe('gpt-4o-mini');
    await rules.button('Show the difference').click();
    await soon(() => clash.locator('mark').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('claude')]),
    );
    expect(await accessibilityFindings(page)).toEqual([]);
    await rules.button('Save mine over it').click();
    await clash.waitFor({ state: 'detached' });
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });

    await rules.button('Delete the rule').click();
    await rules.confirm('Delete shared?', 'Cancel');
    await rules.button('Delete the rule').click();
    await rules.dialog('Delete shared?').getByRole('button', { name: 'Delete', exact: true }).click();
    await rules.row('Gold customers').waitFor();
    expect(await rules.row('shared').count()).toBe(0);
  });
});
