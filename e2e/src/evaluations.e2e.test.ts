import { type FakeAi, startFakeAi } from '@candela/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendTrace } from './otlp.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, evaluations in the browser: ${missing}`);

const message = (role: string, content: string) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

describe.skipIf(missing !== undefined)('evaluations', () => {
  let stage: Stage;
  let vendor: FakeAi;
  const [traceId, spanId] = [newTraceId(), newSpanId()];
  const heard: string[][] = [];
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, { as: OWNER, ...options });
    heard.push(opened.complaints);
    return opened.page;
  };

  beforeAll(async () => {
    vendor = await startFakeAi({
      chunkDelayMs: 0,
      respond: (body) =>
        JSON.stringify(body).includes('You judge an answer')
          ? { text: JSON.stringify({ reason: 'It promises too much.', level: 4, classification: 'promise' }) }
          : undefined,
    });
    stage = await openStage(OWNED);
    const { page } = await stage.open('/', { as: OWNER });
    const post = <T>(path: string, data: unknown) => ask<T>(page, stage, 'POST', path, { data });
    const { apiKey } = await post<{ apiKey: string }>('/api/api-key', { name: 'app', scopes: ['ingest'] });
    const { id } = await post<{ id: string }>('/api/models', {
      name: 'judge',
      provider: 'openai-compatible',
      model: 'house-model',
      baseUrl: `${vendor.url}/v1`,
    });
    await ask(page, stage, 'PUT', '/api/evaluation/config', { data: { modelId: id, dailyCapUsd: 5 } });
    await sendTrace(
      stage.platform.otlpHttp,
      {
        traceId,
        service: 'shop',
        startedAt: Date.now() - 120_000,
        spans: [
          {
            spanId,
            name: 'chat',
            kind: 3,
            startMs: 0,
            durationMs: 900,
            attributes: {
              'gen_ai.operation.name': 'chat',
              'gen_ai.request.model': 'gpt-4o',
              'gen_ai.input.messages': message('user', 'Do I get my money back?'),
              'gen_ai.output.messages': message('assistant', 'Always, at any time.'),
            },
          },
        ],
      },
      apiKey,
    );
    const trace = `${stage.platform.http}/api/telemetry/traces/${traceId}`;
    while (!(await page.request.get(trace)).ok()) await page.waitForTimeout(200);
    await page.context().close();
  });
  afterAll(async () => {
    await stage?.close();
    await vendor.close();
  });
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });

  it('an evaluator is made, tested and run; its score is found by the search, a dataset is filled and run', async () => {
    const page = await open('/evaluations?tab=evaluators');
    await page.getByRole('button', { name: 'New evaluator' }).click();
    await page.getByLabel('Id').fill('promises');
    await page.getByLabel('Label').fill('Promises');
    await page.getByLabel('Criteria').fill('Promises that the shop does not make.');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page
      .getByRole('region', { name: 'Results of the test' })
      .getByText('It promises too much.')
      .waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /Promises/ }).waitFor();

    await page.goto(`${stage.platform.http}/traces/${traceId}?span=${spanId}&tab=scores`);
    await page.getByText('This span has no scores.').waitFor();
    await page.getByRole('button', { name: 'Evaluate …' }).click();
    await page.getByLabel('Promises').check();
    await page.getByRole('button', { name: 'Evaluate', exact: true }).click();
    await page.getByText('Judged soon.').waitFor();
    const scores = () =>
      ask<{ verdict: string }[]>(page, stage, 'GET', `/api/evaluation/scores?traceId=${traceId}`);
    await expect.poll(scores, { timeout: 60_000, interval: 500 }).toMatchObject([{ verdict: 'fail' }]);
    await page.goto(`${stage.platform.http}/traces/${traceId}?span=${spanId}&tab=scores`);
    await page.getByText('It promises too much.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.goto(
      `${stage.platform.http}/traces?view=spans&q=${encodeURIComponent('score.promises:fail score.promises>0.5')}`,
    );
    await soon(() => page.locator('[role=row][aria-rowindex]').count()).toBe(1);
    await page.getByRole('button', { name: 'Choose rows' }).click();
    await page.getByRole('checkbox', { name: 'Choose chat' }).check();
    await page.getByText('1 span chosen.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Evaluate …' }).click();
    await page.getByRole('checkbox', { name: 'Promises' }).check();
    await page.getByRole('button', { name: 'Evaluate', exact: true }).click();
    await page.getByText('0 judged soon, 1 known already.').waitFor();

    await page.goto(`${stage.platform.http}/evaluations?tab=datasets`);
    await page.getByRole('button', { name: 'New dataset' }).first().click();
    await page.getByLabel('Name').fill('golden');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'golden' }).waitFor();
    await page.goto(`${stage.platform.http}/traces/${traceId}?span=${spanId}&tab=scores`);
    await page.getByRole('button', { name: 'Add to dataset …' }).click();
    await page.getByRole('combobox', { name: 'Dataset' }).selectOption({ label: 'golden' });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Added: revision 2.').waitFor();

    await page.goto(`${stage.platform.http}/playground?trace=${traceId}&span=${spanId}`);
    await soon(() => page.getByRole('textbox', { name: 'User' }).inputValue()).toBe(
      'Do I get my money back?',
    );
    await page.getByRole('button', { name: 'Column', exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await soon(() => page.getByText(/first token/).count()).toBe(2);
    expect(await accessibilityFindings(page)).toEqual([]);
    // The run is kept: its address shows it again, and the list of runs has it.
    await soon(() => Promise.resolve(new URL(page.url()).searchParams.has('run'))).toBe(true);
    await page.reload();
    await soon(() => page.getByText(/first token/).count()).toBe(2);
    await page.getByRole('button', { name: 'Runs' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Do I get my money back/ })
      .click();
    await soon(() => page.getByRole('textbox', { name: 'User' }).first().inputValue()).toBe(
      'Do I get my money back?',
    );
    await page.getByRole('button', { name: 'Run on a dataset …' }).first().click();
    await page.getByRole('combobox', { name: 'Dataset' }).selectOption({ label: 'golden (1 items)' });
    await page.getByLabel('Promises').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'By evaluator' }).getByText('promises').waitFor();
    const experiments = () => ask<{ status: string }[]>(page, stage, 'GET', '/api/evaluation/experiments');
    await expect.poll(experiments, { timeout: 60_000, interval: 500 }).toMatchObject([{ status: 'done' }]);
    await page.context().close();
  });

  it('a queue asks several things; its form is filled, ordered and answered by keyboard', async () => {
    const page = await open('/evaluations?tab=annotation');
    await page.getByRole('button', { name: 'New queue' }).click();
    const dialog = page.getByRole('dialog', { name: 'New annotation queue' });
    const create = dialog.getByRole('button', { name: 'Create' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Refunds');
    await dialog.getByLabel('Name of field 1').fill('policy');
    await dialog.getByRole('button', { name: 'Add field' }).click();
    await dialog.getByLabel('Name of field 2').fill('policy');
    await dialog.getByText('Two fields have this name.').first().waitFor();
    expect(await create.isDisabled()).toBe(true);
    await dialog.getByLabel('Name of field 2').fill('tone');
    await dialog.getByLabel('Answer of field 2').selectOption('category');
    expect(await create.isDisabled()).toBe(true);
    await dialog.getByLabel('Choices of field 2').fill('kind,rude,');
    await dialog.getByRole('button', { name: 'Add field' }).click();
    await dialog.getByLabel('Name of field 3').fill('gone');
    await dialog.getByRole('button', { name: 'Remove field 3' }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    // What is moved keeps the focus.
    await dialog.getByRole('button', { name: 'Move field 1 down' }).press('Enter');
    expect(await dialog.getByLabel('Name of field 2').inputValue()).toBe('policy');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    expect(await dialog.getByLabel('Name of field 1').inputValue()).toBe('policy');
    await create.click();
    await page.getByRole('button', { name: 'Fill …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Always, at any time.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // 2: fail, then 1: kind.
    await page.keyboard.press('2');
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is left for you').waitFor();
    await page.getByRole('button', { name: 'Back to the queues' }).click();
    await page.getByRole('button', { name: 'Refunds' }).click();
    await page.getByText(`${OWNER.email}: policy fail, tone kind`).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('a call of a tool is answered by what its trace recorded, and the next turn goes on', async () => {
    const page = await open('/');
    const { apiKey } = await ask<{ apiKey: string }>(page, stage, 'POST', '/api/api-key', {
      data: { name: 'agent', scopes: ['ingest'] },
    });
    const agent = { traceId: newTraceId(), call: newSpanId(), tool: newSpanId() };
    const text = (value: unknown) => JSON.stringify(value);
    await sendTrace(
      stage.platform.otlpHttp,
      {
        traceId: agent.traceId,
        service: 'agent',
        startedAt: Date.now() - 60_000,
        spans: [
          {
            spanId: agent.call,
            name: 'chat',
            kind: 3,
            startMs: 0,
            durationMs: 100,
            attributes: {
              'gen_ai.operation.name': 'chat',
              'gen_ai.request.model': 'house-model',
              'gen_ai.input.messages': message('user', 'Weather?'),
              'gen_ai.output.messages': text([
                {
                  role: 'assistant',
                  parts: [{ type: 'tool_call', id: 'x', name: 'weather', arguments: { city: 'Paris' } }],
                },
              ]),
              'gen_ai.tool.definitions': text([
                { type: 'function', name: 'weather', parameters: { type: 'object' } },
              ]),
            },
          },
          {
            spanId: agent.tool,
            name: 'execute_tool weather',
            startMs: 110,
            durationMs: 10,
            attributes: {
              'gen_ai.operation.name': 'execute_tool',
              'gen_ai.tool.name': 'weather',
              'gen_ai.tool.call.id': 'x',
              'gen_ai.tool.call.arguments': text({ city: 'Paris' }),
              'gen_ai.tool.call.result': 'rain, 11 degrees',
            },
          },
        ],
      },
      apiKey,
    );
    const trace = `${stage.platform.http}/api/telemetry/traces/${agent.traceId}`;
    while (!(await page.request.get(trace)).ok()) await page.waitForTimeout(200);
    await page.goto(`${stage.platform.http}/playground?trace=${agent.traceId}&span=${agent.call}`);
    await soon(() => page.getByRole('textbox', { name: 'User' }).inputValue()).toBe('Weather?');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const result = page.getByRole('textbox', { name: 'Result of weather' });
    await soon(() => result.inputValue()).toBe('rain, 11 degrees');
    await page.getByText('As it was recorded for the same call.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use these results in the next run' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText('You said:').waitFor();
    expect(text(vendor.requests.at(-1)?.body)).toContain('rain, 11 degrees');
    await page.context().close();
  });

  it('is readable in the dark and on a telephone', async () => {
    for (const tab of ['overview', 'evaluators', 'datasets', 'experiments', 'annotation']) {
      const page = await open(`/evaluations?tab=${tab}`, { colorScheme: 'dark' });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.waitForLoadState('networkidle');
      await soon(() => page.title()).toMatch(/Evaluations/);
      expect(await accessibilityFindings(page), tab).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), tab).toBeLessThanOrEqual(
        390,
      );
      await page.context().close();
    }
  });
});
