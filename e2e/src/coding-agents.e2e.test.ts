import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { type SeedSpan, sendTrace } from './otlp.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, coding agents in the browser: ${missing}`);

const HOSTILE = '<img src=x onerror=alert(1)> **pool**';
const DIFF = '@@ -1 +1 @@\n-old line\n+new line';
const said = (role: string, content: string) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

const REPOSITORY = 'https://github.com/acme/app';

describe.skipIf(missing !== undefined)('coding agents and scanners', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    // With a list of repositories sessions are work or personal.
    stage = await openStage({ ...OWNED, PLATFORM_CODING_REPOSITORIES: 'github.com/acme-inc' });
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string) => {
    const { page, complaints } = await stage.open(path, { as: OWNER });
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
        'vcs.repository.url.full': REPOSITORY,
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
    const page = await open('/coding-agents');
    const backlog = async () =>
      (await ask<{ pipeline: { backlogRequests: number } }>(page, stage, 'GET', '/api/telemetry/ingest'))
        .pipeline.backlogRequests;
    await soon(backlog).toBe(0);
    await page.reload();
    await page.getByRole('region', { name: 'Repositories' }).first().getByText('acme/app').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Users' }).click();
    await page.getByRole('table').getByRole('button', { name: 'ada@example.com' }).click();
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

  it('what a session is called is disputed, decided, and in the audit log', async () => {
    const page = await open('/coding-agents?view=sessions');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByText('personal', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Dispute …' }).click();
    await page.getByLabel('Reason').fill('The repository has moved.');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Dispute', exact: true }).click();
    await page.getByRole('link', { name: 'dispute open' }).click();
    const row = page.getByRole('row', { name: /The repository has moved/ });
    await row.getByText('open', { exact: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await row.getByRole('button', { name: 'Decide …' }).click();
    await page.getByLabel('Answer').fill('Seen.');
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await row.getByText('accepted', { exact: true }).waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    await row.getByRole('link').click();
    await page.getByText('work', { exact: true }).waitFor();
    await page.goto(`${stage.platform.http}/settings/audit?objectKind=coding-dispute`);
    for (const action of ['coding-dispute.create', 'coding-dispute.resolve'])
      await page.getByText(action).first().waitFor();
  });

  it('findings are filtered, read with their line, ignored with a reason, and counted with sessions', async () => {
    const page = await open('/scanners');
    await page.getByRole('heading', { name: 'Scan the first repository' }).waitFor();
    await page.getByRole('button', { name: 'New scanner' }).click();
    await page.getByLabel('Name').fill('app');
    await page.getByLabel('Repository', { exact: true }).fill(`${REPOSITORY}.git`);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Scan app' }).waitFor();
    await page.getByRole('button', { name: 'Edit app' }).click();
    const form = page.getByRole('dialog');
    expect(await form.getByLabel('Repository', { exact: true }).inputValue()).toBe(`${REPOSITORY}.git`);
    await form.getByLabel('packages').uncheck();
    await form.getByLabel('Strict').check();
    await form.getByLabel('Scan', { exact: true }).selectOption('24');
    await form.getByLabel('Denied licences').fill('SSPL-1.0');
    expect(await form.getByLabel('Require a signature').count()).toBe(0);
    await form.getByLabel('Rules repository').fill('https://github.com/acme/rules');
    await form.getByLabel('Require a signature').check();
    await form.getByLabel('Access token').fill('a-token');
    expect(await accessibilityFindings(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await soon(() => form.count()).toBe(0);
    type Scanner = { id: string; detectors: string };
    const [scanner] = await ask<Scanner[]>(page, stage, 'GET', '/api/scanners');
    expect(scanner).toMatchObject({
      scheduleHours: 24,
      hasToken: true,
      version: 2,
      licencePolicy: { allow: [], deny: ['SSPL-1.0'] },
      flags: { strict: true, rulesRepo: 'https://github.com/acme/rules', requireSigned: true },
    });
    expect(scanner?.detectors.split(',')).not.toContain('packages');
    expect(scanner?.detectors.split(',')).toContain('secrets');
    await page.getByRole('button', { name: 'Edit app' }).click();
    await form.getByLabel('Repository', { exact: true }).fill('https://gitlab.com/acme/app');
    await form.getByText('The token was for another repository.').waitFor();
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await form.getByRole('button', { name: 'Cancel' }).click();
    // No repository can be cloned here: the same findings come by another door, the report of a tool.
    const finding = (ruleId: string, level: string, line: number, text: string) => ({
      ruleId,
      level,
      message: { text },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'src/agent.py' },
            region: { startLine: line, snippet: { text: `line ${line} <b>of code</b>` } },
          },
        },
      ],
    });
    await ask(page, stage, 'POST', `/api/scanners/${scanner?.id}/import`, {
      data: {
        version: '2.1.0',
        runs: [
          {
            tool: { driver: { name: 'other tool', rules: [] } },
            results: [
              finding('shell-true', 'error', 7, 'A shell takes what a model says.'),
              finding('no-timeout', 'warning', 9, 'A request has no timeout.'),
            ],
          },
        ],
      },
    });
    await page.reload();
    const findings = page.getByRole('region', { name: 'Findings' }).first();
    await findings.getByText('A shell takes what a model says.').waitFor();
    await findings.getByRole('region', { name: 'Trend' }).waitFor();
    await page.getByRole('button', { name: 'app', exact: true }).click();
    const jobs = page.getByRole('region', { name: 'Jobs of app' });
    await jobs.getByRole('button', { name: /Job of/ }).click();
    await page.getByRole('dialog').getByText('Taken over from a report.').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'SARIF' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('scan.sarif');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await findings.getByLabel('Severity').selectOption('medium');
    await soon(() => findings.getByText('A shell takes what a model says.').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('severity')).toBe('medium');
    await findings.getByRole('button', { name: /A request has no timeout/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('line 9 <b>of code</b>').waitFor();
    await dialog.getByText('What to do:').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Ignore …' }).click();
    await page.getByLabel('Reason').fill('The proxy has one.');
    await page.getByRole('button', { name: 'Ignore', exact: true }).click();
    await findings.locator('tbody').getByText('ignored', { exact: true }).waitFor();
    await findings.getByRole('button', { name: /A request has no timeout/ }).click();
    await page.getByRole('dialog').getByText('The proxy has one.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

    await page.goto(`${stage.platform.http}/coding-agents?view=sessions`);
    await page.getByRole('table').getByRole('link', { name: '1', exact: true }).waitFor();
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('link', { name: '1 open in this repository' }).click();
    await page.getByRole('region', { name: 'Findings' }).first().getByText('A shell takes').waitFor();
    expect(new URL(page.url()).searchParams.get('repository')).toBe(REPOSITORY);
  });
});
