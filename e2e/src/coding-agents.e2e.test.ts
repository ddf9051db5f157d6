import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { type SeedSpan, sendTrace } from './otlp.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, coding agents in the browser: ${missing}`);

const HOSTILE = '<img src=x onerror=alert(1)> **pool**';
const DIFF = '@@ -1 +1 @@\n-old line\n+new line';
const said = (role: string, content: string) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

describe.skipIf(missing !== undefined)('coding agents', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string) => {
    const { page, complaints } = await stage.open(path);
    heard.push(complaints);
    return page;
  };

  it('say how to record the first session', async () => {
    const page = await open('/coding-agents');
    await page.getByRole('heading', { name: 'No session of a coding agent' }).waitFor();
    expect(await page.getByText('candela coding install all').count()).toBe(1);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('are summed up, and a session reads as a conversation', async () => {
    const startedAt = Date.now() - 300_000;
    const span = (
      at: number,
      parent: number,
      name: string,
      attributes: SeedSpan['attributes'] = {},
    ): SeedSpan => ({
      spanId: String(at).padStart(16, '1'),
      ...(at === 0 ? {} : { parentSpanId: String(parent).padStart(16, '1') }),
      name: `coding_agent.${name}`,
      startMs: at * 1_000,
      durationMs: 1_000,
      attributes: {
        'coding_agent.session.id': 'a session',
        'gen_ai.request.user': 'ada@example.com',
        ...attributes,
      },
    });
    await sendTrace(stage.platform.otlpHttp, {
      traceId: 'c'.repeat(32),
      service: 'claude-code',
      resource: {
        'vcs.repository.url.full': 'https://github.com/acme/app',
        'coding_agent.content_capture_mode': 'full',
      },
      startedAt,
      spans: [
        span(0, 0, 'session', { 'coding_agent.session.outcome': 'committed' }),
        span(1, 0, 'turn', {
          'gen_ai.input.messages': said('user', HOSTILE),
          'gen_ai.output.messages': said('assistant', 'The waiter gives up now.'),
        }),
        span(2, 1, 'llm.turn', {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'gpt-4o',
          'gen_ai.usage.input_tokens': 1000,
          'gen_ai.usage.cache_read.input_tokens': 600,
          'gen_ai.usage.output_tokens': 50,
        }),
        span(3, 1, 'tool.call', { 'gen_ai.tool.name': 'Edit', 'code.file.path': 'src/pool.ts' }),
        span(4, 3, 'edit.decision', {
          'coding_agent.edit.decision': 'accept',
          'coding_agent.edit.lines.added': 1,
          'coding_agent.edit.lines.removed': 1,
          'coding_agent.edit.diff': DIFF,
          'code.file.path': 'src/pool.ts',
        }),
        span(5, 3, 'git.commit', { 'coding_agent.git.commit.sha': 'abcdef0123456789' }),
      ],
    });
    await stage.settled();
    const page = await open('/coding-agents');
    await page.getByRole('region', { name: 'Repositories' }).first().getByText('acme/app').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'ada@example.com' }).click();
    expect(new URL(page.url()).searchParams.get('user')).toBe('ada@example.com');
    await page.getByRole('table').getByRole('link').first().click();
    const turn = page.getByRole('article', { name: 'Turn' });
    await soon(() => turn.innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await turn.innerText()).toContain('The waiter gives up now.');
    await turn.getByText('new line').waitFor();
    await turn.getByText('accepted', { exact: true }).waitFor();
    await turn.getByText('abcdef012345').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await soon(() => new URL(page.url()).pathname).toBe('/coding-agents');
  });
});
