import { type FakeAi, startFakeAi } from '@candela/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendTrace } from './otlp.ts';
import { AssistantPage } from './pages/assistant-page.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, assistant in the browser: ${missing}`);

const call = (name: string, input: object) => ({ toolCall: { name, arguments: JSON.stringify(input) } });
const BY_MODEL =
  "SELECT GenAiRequestModel AS model, count() AS calls FROM otel_traces WHERE GenAiRequestModel IN ('gpt-4o', 'o3') GROUP BY model ORDER BY calls DESC";
const TRACE = newTraceId();
const SPANS = Array.from({ length: 20 }, () => newSpanId());
const PICTURES = process.env['CANDELA_PICTURES'];

describe.skipIf(missing !== undefined)('the assistant', () => {
  let stage: Stage;
  let ai: FakeAi;
  const heard: string[][] = [];
  beforeAll(async () => {
    ai = await startFakeAi({ chunkDelayMs: 1 });
    stage = await openStage(OWNED);
    const { page } = await stage.open('/', { as: OWNER });
    const { apiKey } = await ask<{ apiKey: string }>(page, stage, 'POST', '/api/api-key', {
      data: { name: 'sender', scopes: ['ingest'] },
    });
    await sendTrace(
      stage.platform.otlpHttp,
      {
        traceId: TRACE,
        service: 'shop',
        startedAt: Date.now() - 60_000,
        spans: SPANS.map((spanId, n) => ({
          spanId,
          ...(n === 0 ? {} : { parentSpanId: SPANS[0] ?? '' }),
          name: n === 0 ? 'answer customer' : 'chat',
          kind: 3,
          startMs: n,
          durationMs: n * 10,
          attributes: {
            'gen_ai.operation.name': 'chat',
            'gen_ai.provider.name': 'openai',
            'gen_ai.request.model': n % 4 === 0 ? 'gpt-4o' : 'o3',
          },
        })),
      },
      apiKey,
    );
    await ask(page, stage, 'PUT', '/api/chat/config', {
      data: { provider: 'openai-compatible', model: 'gpt-4o-mini', baseUrl: `${ai.url}/v1` },
    });
    await page.context().close();
  });
  afterAll(async () => {
    await stage?.close();
    await ai?.close();
  });
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, { as: OWNER, ...options });
    heard.push(opened.complaints);
    return new AssistantPage(opened.page);
  };
  const picture = async ({ page }: AssistantPage, name: string) => {
    if (PICTURES === undefined) return;
    const size = page.viewportSize();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${PICTURES}/${name}-phone.png` });
    if (size !== null) await page.setViewportSize(size);
  };

  it.each(['light', 'dark'] as const)(
    'goes from a question to a chart to a widget, %s',
    async (colorScheme) => {
      ai.script(call('run_sql', { query: BY_MODEL }), {
        text: 'o3 took **15** of 20 calls. See [traces](/traces), not [this](https://evil.example/x) ![p](//evil.example/y.png).',
      });
      const assistant = await open('/assistant', { colorScheme });
      const { page, answer } = assistant;
      await assistant.ask('Which model is called most?');
      await soon(() => answer.innerText()).toContain('of 20 calls');
      await soon(() => answer.getByText('o3', { exact: true }).count()).toBeGreaterThan(0);
      expect(await answer.getByRole('link', { name: 'this' }).count()).toBe(0);
      expect(await answer.getByRole('link', { name: 'traces' }).getAttribute('href')).toBe('/traces');
      expect(await answer.locator('img').count()).toBe(0);
      await picture(assistant, `answer-${colorScheme}`);
      expect(await accessibilityFindings(page)).toEqual([]);
      // A reload shows the same.
      await page.reload();
      await soon(() => answer.innerText()).toContain('of 20 calls');
      // The statement is changed and run where it stands.
      await assistant.button('Edit').click();
      await page.locator('.cm-content').click();
      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.type(' LIMIT 1');
      await assistant.button('Run').click();
      await soon(() => answer.innerText()).toContain('These rows are of your statement');
      await picture(assistant, `edit-${colorScheme}`);
      await assistant.button('Back to the answer’s').click();
      const title = `Calls ${colorScheme}`;
      await page.getByRole('button', { name: /^Rename / }).click();
      await page.getByRole('textbox', { name: 'Title' }).fill(title);
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
      await assistant.button(title).waitFor();
      await assistant.button('Save as widget').click();
      await picture(assistant, `save-widget-${colorScheme}`);
      await page.getByRole('textbox', { name: 'Title' }).fill(`Calls by model ${colorScheme}`);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Open the dashboard' }).click();
      await soon(() => page.getByText('o3', { exact: true }).count()).toBeGreaterThan(0);
      await picture(assistant, `widget-${colorScheme}`);
      await page.context().close();
    },
  );

  it('asks by card before it deletes', async () => {
    const assistant = await open('/');
    const { page } = assistant;
    const made = await ask<{ id: string }>(page, stage, 'POST', '/api/context', {
      data: { name: 'to go', content: 'x' },
    });
    ai.script(call('delete', { kind: 'context', id: made.id }), { text: 'It is gone.' });
    // Beside any page.
    await assistant.button('Assistant').click();
    await assistant.ask('Delete the context "to go"');
    await assistant.button('Delete').waitFor();
    await picture(assistant, 'card');
    expect(await accessibilityFindings(page)).toEqual([]);
    await assistant.button('Delete').click();
    await soon(() => assistant.answer.innerText()).toContain('It is gone.');
    await page.context().close();
  });

  it('names what a question is about', async () => {
    const assistant = await open('/assistant');
    const { page, question } = assistant;
    await ask(page, stage, 'POST', '/api/prompt', { data: { name: 'greeting', prompt: 'Hello {{name}}' } });
    await question.pressSequentially('Improve @gree');
    await page.getByRole('option', { name: 'greeting' }).waitFor();
    await picture(assistant, 'references');
    expect(await accessibilityFindings(page)).toEqual([]);
    await question.press('Enter');
    expect(await question.inputValue()).toMatch(/^Improve @prompt:[\w-]+ $/);
    await question.pressSequentially('with @trace:answ');
    await page.getByRole('option', { name: 'answer customer' }).click();
    expect(await question.inputValue()).toMatch(new RegExp(`with @trace:${TRACE} $`));
    await question.press('Enter');
    await soon(() => assistant.answer.innerText()).toContain('You said: Improve @prompt:');
    await page.context().close();
  });

  it('reviews a trace and leads to the spans that a finding is about', async () => {
    const [, second = ''] = SPANS;
    const finding = {
      dimension: 'cost',
      severity: 'major',
      summary: 'Asks the same again and again.',
      detail: 'Nineteen calls have no text of their own.',
      spanRefs: [second],
      suggestedFix: 'Keep the first answer.',
    };
    ai.script({ text: JSON.stringify({ summary: 'One call would do.', findings: [finding] }) });
    const assistant = await open(`/traces/${TRACE}`);
    const { page } = assistant;
    await assistant.button('Analyse').click();
    const panel = page.getByRole('dialog', { name: 'AI analysis' });
    await panel.getByText('Not analysed yet').waitFor();
    await panel.getByRole('button', { name: 'Analyse' }).click();
    await panel.getByRole('article', { name: 'Run 1' }).waitFor();
    expect(await panel.innerText()).toMatch(/One call would do\.[\s\S]*Asks the same again/);
    await picture(assistant, 'analysis');
    expect(await accessibilityFindings(page)).toEqual([]);
    await panel.getByRole('button', { name: second }).click();
    await soon(() => Promise.resolve(new URL(page.url()).searchParams.get('span'))).toBe(second);
    await page.context().close();
  });

  it('improves a prompt, and what is taken is saved as a draft', async () => {
    const assistant = await open('/');
    const { page } = assistant;
    const { id } = await ask<{ id: string }>(page, stage, 'POST', '/api/prompt', {
      data: { name: 'wordy', prompt: 'Please kindly greet {{name}}.', publish: 'minor' },
    });
    ai.script({
      text: JSON.stringify({
        suggestions: [
          { original: 'Please kindly greet', replacement: 'Greet', rationale: 'Shorter.' },
          { original: '{{name}}', replacement: 'Ada', rationale: 'Loses the placeholder.' },
        ],
      }),
    });
    await page.goto(`${stage.platform.http}/prompts/${id}`);
    await assistant.button('Suggest changes').click();
    await page.getByText('Shorter.').waitFor();
    expect(await page.getByText('Loses the placeholder.').count()).toBe(0);
    await picture(assistant, 'improve');
    expect(await accessibilityFindings(page)).toEqual([]);
    await assistant.button('Take it over').click();
    await page.getByRole('button', { name: /^Save/ }).first().click();
    await soon(async () => {
      const { draft, latest } = await ask<{ draft: { prompt: string } | null; latest: { prompt: string } }>(
        page,
        stage,
        'GET',
        `/api/prompt/${id}`,
      );
      return [draft?.prompt, latest.prompt];
    }).toEqual(['Greet {{name}}.', 'Please kindly greet {{name}}.']);
    await page.context().close();
  });

  it('runs, draws and shares statements', async () => {
    const assistant = await open(`/sql?sql=${encodeURIComponent(BY_MODEL)}`);
    const { page } = assistant;
    await assistant.button('Run').click();
    await soon(() => page.getByRole('cell', { name: 'o3' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Bar' }).click();
    await soon(() => page.getByText('15', { exact: true }).count()).toBeGreaterThan(0);
    await picture(assistant, 'sql');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(new URL(page.url()).searchParams.get('sql')).toBe(BY_MODEL);
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('SELECT * FROM system.tables', { delay: 5 });
    await page.keyboard.press('Escape');
    await assistant.button('Run').click();
    await soon(() => page.getByRole('alert').count()).toBeGreaterThan(0);
    // The refusal is an answer of 422, which a browser notes in its console.
    heard.at(-1)?.splice(0);
    await page.context().close();
  });

  it('shows what it cost, and who answers', async () => {
    const usage = await open('/settings/usage?by=model&window=24H');
    await soon(() => usage.page.getByRole('cell', { name: 'gpt-4o-mini' }).count()).toBe(1);
    await picture(usage, 'usage');
    expect(await accessibilityFindings(usage.page)).toEqual([]);
    await usage.page.context().close();
    const settings = await open('/settings/assistant');
    await settings.page.getByLabel('Cap a day, USD').fill('2.5');
    await settings.button('Save').click();
    await soon(() => settings.page.getByText('Saved.').count()).toBe(1);
    await picture(settings, 'settings');
    expect(await accessibilityFindings(settings.page)).toEqual([]);
    await settings.page.context().close();
  });
});
