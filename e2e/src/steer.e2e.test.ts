import { CUT_MODEL, type FakeAi, startFakeAi } from '@candela/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { Shell } from './pages/shell.ts';
import { SteerPages } from './pages/steer-pages.ts';
import { newSpanId, newTraceId, sendTrace } from './otlp.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, prompts, contexts and vault in the browser: ${missing}`);

const SECRET = 'first line "quoted" \\ <b>\nsecond line ✓';

describe.skipIf(missing !== undefined)('prompts, contexts and vault', () => {
  let stage: Stage;
  let vendor: FakeAi;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage(OWNED);
    vendor = await startFakeAi();
  });
  afterAll(async () => {
    await stage?.close();
    await vendor?.close();
  });
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (
    path: string,
    options?: { colorScheme?: 'light' | 'dark'; as?: { email: string; password: string } },
  ) => {
    const opened = await stage.open(path, { as: OWNER, ...options });
    heard.push(opened.complaints);
    return { page: opened.page, pages: new SteerPages(opened.page), shell: new Shell(opened.page) };
  };
  /** What an application gets. */
  const compiled = async (key: string, body: object) => {
    const answer = await fetch(`${stage.platform.http}/api/prompt/get-compiled`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { err: string | null; res: { version: string; compiledPrompt: string } };
  };
  const keyOf = async (page: SteerPages['page'], name: string) =>
    (
      await ask<{ apiKey: string }>(page, stage, 'POST', '/api/api-key', {
        data: { name, scopes: ['prompts', 'vault', 'rule_engine'] },
      })
    ).apiKey;

  /** Somebody invited by the owner. */
  const join = async (page: SteerPages['page'], role: 'viewer' | 'member') => {
    const guest = { email: `${role}@example.com`, password: 'somebody looks on 1' };
    const { link } = await ask<{ link: string }>(page, stage, 'POST', '/api/organisation/invitations', {
      data: { email: guest.email, role },
    });
    const token = /token=([\w-]+)/.exec(link)?.[1];
    const joined = await fetch(`${stage.platform.http}/api/auth/invitation/accept`, {
      method: 'POST',
      headers: { origin: stage.platform.http },
      body: JSON.stringify({ token, name: 'Vi', password: guest.password }),
    });
    expect(joined.status).toBeLessThan(300);
    return guest;
  };

  it('a prompt is written, filled, published, labelled, compared and rolled back', async () => {
    const { page, pages, shell } = await open('/prompts');
    await page.getByRole('heading', { name: 'Write the first prompt' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await pages.button('New prompt').click();
    await pages.fill({ Name: 'Support Reply' });
    await page.getByText('the first a letter or digit').waitFor();
    await pages.fill({ Name: 'support.reply' });
    await pages.editor('Text of the prompt').fill('Answer {{ customer }} in {{language}}.');
    await pages.button('Create draft').click();
    await page.getByRole('heading', { name: 'Prompt support.reply' }).waitFor();

    // Variables are found in the text, their values stand in what comes out, as they are.
    const compiledText = page.getByLabel('Compiled text', { exact: true });
    await soon(() => compiledText.innerText()).toBe('Answer {{ customer }} in {{language}}.');
    await pages.fill({ customer: '$& {{language}}', language: 'English' });
    await soon(() => compiledText.innerText()).toBe('Answer $& {{language}} in English.');
    await pages.fill({ language: '' });
    await page.getByText('Without a value, they stay as written: language').waitFor();

    await pages.button('Publish…').click();
    await pages.dialog('Publish support.reply').getByText('1.0.0').first().waitFor();
    await pages.confirm('Publish support.reply', 'Publish 1.0.0');
    await page.getByText('Version 1.0.0, as published').waitFor();
    expect(await pages.button('Publish…').isDisabled()).toBe(true);
    await pages.editor('Text of the prompt').fill('Answer {{ customer }} in {{tongue}}.\nBe brief.');
    await page.getByText('Changed, not saved').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText(/^Draft, saved/).waitFor();
    await pages.button('Publish…').click();
    await pages.confirm('Publish support.reply', 'Publish 1.1.0');
    await page.getByText('Version 1.1.0, as published').waitFor();

    await pages.tab('Versions').click();
    await pages.button('New label').click();
    await pages.fill({ Label: 'production' });
    await pages.confirm('New label of support.reply', 'Assign');
    await soon(async () => (await pages.rows('Labels')).map((row) => row.slice(0, 2))).toEqual([
      ['production', '1.1.0'],
    ]);
    const diff = pages.region('Text of 1.0.0 and 1.1.0');
    await soon(() => diff.locator('mark').allInnerTexts()).toEqual(
      expect.arrayContaining(['language', 'tongue']),
    );
    expect(await accessibilityFindings(page)).toEqual([]);
    const key = await keyOf(page, 'prompt reader');
    const variables = { customer: 'Jo', language: 'English', tongue: 'Welsh' };
    const production = { name: 'support.reply', version: 'production', compile: true, variables };
    expect(await compiled(key, production)).toMatchObject({
      err: null,
      res: { version: '1.1.0', compiledPrompt: 'Answer Jo in Welsh.\nBe brief.' },
    });
    await pages.button('Move production').click();
    await page.getByLabel('Version', { exact: true }).selectOption('1.0.0');
    await page.getByText('production goes from 1.1.0 to 1.0.0').waitFor();
    await pages.confirm('Move production', 'Move it');
    await soon(async () => (await compiled(key, production)).res.version).toBe('1.0.0');

    // What was fetched is counted, by day and version.
    await pages.tab('Usage').click();
    await soon(async () => {
      await shell.page.getByRole('button', { name: 'Refresh' }).click();
      return page.getByTestId('time-chart').getAttribute('aria-label', { timeout: 2_000 });
    }).toContain('1.0.0');
    await page.getByText('None in this time range.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);

    await shell.command('prompt support.reply', /support\.reply/i);
    await page.getByRole('heading', { name: 'Prompt support.reply' }).waitFor();
    await page.getByRole('link', { name: 'Back to the prompts' }).click();
    await pages.row('support.reply').waitFor();
    expect(await pages.region('Prompts').count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('a model call becomes a chat prompt with its settings and tools; admins alone move what is protected', async () => {
    const first = await open('/prompts');
    const key = await keyOf(first.page, 'chat reader');
    const { apiKey } = await ask<{ apiKey: string }>(first.page, stage, 'POST', '/api/api-key', {
      data: { name: 'sender', scopes: ['ingest'] },
    });
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
    await sendTrace(
      stage.platform.otlpHttp,
      {
        traceId,
        service: 'shop',
        startedAt: Date.now() - 60_000,
        spans: [
          {
            spanId,
            name: 'chat gpt-4o',
            kind: 3,
            durationMs: 800,
            attributes: {
              'gen_ai.operation.name': 'chat',
              'gen_ai.provider.name': 'openai',
              'gen_ai.request.model': 'gpt-4o',
              'gen_ai.request.temperature': 0.2,
              'gen_ai.request.frequency_penalty': 9,
              'gen_ai.system_instructions': JSON.stringify([
                { type: 'text', content: 'You sell {{goods}}.' },
              ]),
              'gen_ai.input.messages': JSON.stringify([said('user', 'Is it in stock?')]),
              'gen_ai.output.messages': JSON.stringify([said('assistant', 'Yes.')]),
              'gen_ai.tool.definitions': JSON.stringify([
                {
                  type: 'function',
                  name: 'stock',
                  description: 'Looks it up',
                  parameters: { type: 'object', properties: { sku: { type: 'string' } } },
                },
              ]),
            },
          },
        ],
      },
      apiKey,
    );
    const stored = `${stage.platform.http}/api/telemetry/traces/${traceId}`;
    await soon(async () => (await first.page.request.get(stored)).status()).toBe(200);
    const { page, pages } = await open(`/traces/${traceId}?span=${spanId}`);
    await page.getByRole('link', { name: 'Prompt', exact: true }).click();
    const dialog = pages.dialog('New prompt from a model call');
    await dialog.getByText('gpt-4o, 1 tools').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await pages.fill({ Name: 'stock.answer' });
    await dialog.getByRole('button', { name: 'Create draft' }).click();
    await page.getByRole('heading', { name: 'Prompt stock.answer' }).waitFor();
    await soon(() => page.getByLabel('Temperature').inputValue()).toBe('0.2');
    // What no prompt takes was left where it was.
    expect(await page.getByLabel('Frequency penalty').inputValue()).toBe('');
    expect(await page.getByLabel('Tools (JSON)').inputValue()).toContain('"stock"');
    await pages.fill({ 'Response format (JSON)': '{"type": "json_object"}', 'Stop sequences': 'END' });
    await pages.button('Publish…').click();
    await pages.confirm('Publish stock.answer', 'Publish 1.0.0');
    await page.getByText('Version 1.0.0, as published').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // An application gets one text, as ever, and beside it what it is made of.
    const body = { name: 'stock.answer', compile: true, variables: { goods: 'lamps' } };
    expect(await compiled(key, body)).toMatchObject({
      err: null,
      res: {
        compiledPrompt: expect.stringContaining('You sell lamps.') as string,
        messages: [
          { role: 'system', content: 'You sell lamps.' },
          { role: 'user', content: 'Is it in stock?' },
        ],
        modelSettings: { model: 'gpt-4o', temperature: 0.2, stop: ['END'] },
        tools: [{ name: 'stock', description: 'Looks it up' }],
        responseFormat: { type: 'json_object' },
      },
    });

    await pages.tab('Versions').click();
    await pages.button('New label').click();
    await pages.fill({ Label: 'production' });
    await pages.confirm('New label of stock.answer', 'Assign');
    await pages.button('Protect').click();
    await page.getByText('protected', { exact: true }).waitFor();
    const member = await join(page, 'member');
    const theirs = await open(new URL(page.url()).pathname + '?view=versions', { as: member });
    await theirs.page.getByText('protected', { exact: true }).waitFor();
    expect(await theirs.page.getByRole('button', { name: /production/ }).count()).toBe(0);
    // Whoever does not look at the page is refused, too.
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const refused = await theirs.page.request.post(`${stage.platform.http}/api/prompt/${id}/labels`, {
      headers: { origin: stage.platform.http },
      data: { label: 'production', version: '1.0.0' },
    });
    expect([refused.status(), await refused.text()]).toEqual([403, expect.stringContaining('protected')]);
    await pages.button('Unprotect').click();
    await page.getByText('protected', { exact: true }).waitFor({ state: 'detached' });
  });

  it('a draft is tried with a model, and a model that fails says so', async () => {
    const { page, pages } = await open('/prompts');
    await pages.row('support.reply').click();
    await page.getByRole('link', { name: 'Configure one in Settings' }).waitFor();
    for (const [name, model] of [
      ['House model', 'house'],
      ['Broken model', CUT_MODEL],
    ])
      await ask(page, stage, 'POST', '/api/models', {
        data: { name, model, provider: 'openai-compatible', baseUrl: `${vendor.url}/v1` },
      });
    await page.reload();
    await pages.editor('Text of the prompt').fill('Greet {{who}}.');
    await pages.fill({ who: 'Ada **and** Bob' });
    await page.getByLabel('Model', { exact: true }).selectOption({ label: 'House model (house)' });
    await pages.button('Ask').click();
    await soon(() => pages.region('Answer').innerText()).toBe('You said: Greet Ada and Bob.');
    await pages.region('Try it').getByText('Tokens').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('Model', { exact: true }).selectOption({ label: 'Broken model (cut)' });
    await pages.button('Ask').click();
    await pages.region('Try it').getByRole('alert').waitFor();
    // Nothing of it was saved.
    await page.getByText('Changed, not saved').waitFor();
  });

  it('two people who write one prompt lose nothing, and leaving asks', async () => {
    const { page, pages } = await open('/prompts');
    const made = await ask<{ id: string }>(page, stage, 'POST', '/api/prompt', {
      data: { name: 'shared', prompt: 'line one\nline two', tags: ['team'] },
    });
    const path = `/prompts/${made.id}`;
    await page.goto(`${stage.platform.http}${path}`);
    await pages.editor('Text of the prompt').waitFor();
    const other = await open(path);
    await other.pages.editor('Text of the prompt').fill('line one\ntheirs');
    await other.pages.button('Save draft').click();
    await other.page.getByText(/^Draft, saved/).waitFor();

    await pages.editor('Text of the prompt').fill('line one\nmine');
    await pages.button('Save draft').click();
    const clash = page.getByRole('alert').filter({ hasText: 'after you began' });
    await clash.waitFor();
    // The browser itself reports the refused request.
    heard[0]?.splice(0);
    expect(await pages.editor('Text of the prompt').innerText()).toContain('mine');
    await pages.button('Show the difference').click();
    await soon(() => pages.region('Theirs and yours').locator('mark').allInnerTexts()).toEqual([
      'theirs',
      'mine',
    ]);
    expect(await accessibilityFindings(page)).toEqual([]);
    // Elsewhere is not yet: it asks once, and staying keeps the text.
    await page.getByRole('link', { name: 'Traces' }).click();
    await pages.confirm('Leave shared unsaved?', 'Cancel');
    expect(page.url()).toContain(path);
    await pages.button('Save mine over it').click();
    await clash.waitFor({ state: 'detached' });
    await page.getByText(/^Draft, saved/).waitFor();
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.waitForURL('**/traces**');

    // The other page, where nothing is unsaved, follows by itself.
    await other.page.reload();
    await soon(() => other.pages.editor('Text of the prompt').innerText()).toContain('mine');
    await other.pages.button('Delete the prompt').click();
    await other.pages.dialog('Delete shared?').getByText('Its draft is gone for good').waitFor();
    await other.pages.dialog('Delete shared?').getByRole('button', { name: 'Delete', exact: true }).click();
    await other.pages.row('support.reply').waitFor();
    expect(await other.pages.row('shared').count()).toBe(0);
  });

  it('a secret is kept, shown only when asked, and restored; nobody else sees its value', async () => {
    const { page, pages } = await open('/vault');
    await page.getByRole('heading', { name: 'Keep the first secret' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await pages.button('New secret').click();
    await pages.fill({ Name: 'db-password', Value: SECRET });
    await page.getByText('DB_PASSWORD', { exact: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await pages.fill({ Tags: 'checkout' });
    await page.keyboard.press('Enter');
    await pages.button('Keep it').click();
    await pages.button('Reveal DB_PASSWORD').waitFor();
    /** Wherever a page may keep something. */
    const kept = async () =>
      [
        await page.content(),
        page.url(),
        await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'),
      ].join('\n');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    expect(await kept()).not.toContain('second line');

    await pages.button('Reveal DB_PASSWORD').click();
    await pages.confirm('Show the value of DB_PASSWORD?', 'Show it');
    const value = page.getByLabel('Value of DB_PASSWORD', { exact: true });
    await soon(() => value.innerText()).toBe(SECRET);
    expect(await accessibilityFindings(page)).toEqual([]);
    await pages.button('Hide').click();
    await value.waitFor({ state: 'detached' });
    expect(await kept()).not.toContain('second line');
    expect(asked.join('\n')).not.toContain('second');
    const rows = await ask<{ action: string }[]>(page, stage, 'GET', '/api/audit?objectKind=secret');
    expect(rows.map((row) => row.action)).toContain('secret.reveal');

    // Left alone it is hidden by itself, and so it is when the page is left.
    await page.clock.install();
    for (const leave of [
      () => page.clock.runFor(31_000),
      () => page.evaluate("window.dispatchEvent(new Event('pagehide'))"),
    ]) {
      await pages.button('Reveal DB_PASSWORD').click();
      await pages.confirm('Show the value of DB_PASSWORD?', 'Show it');
      await value.waitFor();
      await leave();
      await value.waitFor({ state: 'detached' });
      expect(await kept()).not.toContain('second line');
    }

    await pages.button('Replace').click();
    await pages.fill({ 'New value': 'another' });
    await pages.confirm('Replace the value of DB_PASSWORD', 'Keep as version 2');
    await soon(async () => (await pages.rows('Versions of the value')).map((row) => row[0])).toEqual([
      expect.stringContaining('2 in force'),
      '1',
    ]);
    // A former value is looked at in the same way.
    await pages.button('Reveal version 1').click();
    await pages.confirm('Show the value of version 1 of DB_PASSWORD?', 'Show it');
    await soon(() => page.getByLabel('Value of version 1 of DB_PASSWORD').innerText()).toBe(SECRET);
    await pages.button('Hide').click();
    await pages.button('Restore version 1').click();
    await pages.confirm('Restore version 1 of DB_PASSWORD?', 'Restore');
    await soon(async () => (await pages.rows('Versions of the value')).length).toBe(3);
    const key = await keyOf(page, 'secret reader');
    const fetched = await fetch(`${stage.platform.http}/api/vault/get-secrets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ tags: ['checkout'] }),
    });
    expect(await fetched.json()).toEqual({ err: null, res: { DB_PASSWORD: SECRET } });
    await soon(() => pages.rows('Secrets')).toEqual([
      expect.arrayContaining(['DB_PASSWORD', 'checkout', 'every key with the scope', '3', OWNER.email]),
    ]);

    // A viewer sees that there is one.
    const viewer = await open('/vault', { as: await join(page, 'viewer') });
    await viewer.page.getByRole('button', { name: 'DB_PASSWORD', exact: true }).click();
    await viewer.page.getByText('Admins and owners may look at it.').waitFor();
    expect(await viewer.page.getByRole('button', { name: /Reveal|Replace|Restore|Delete|New/ }).count()).toBe(
      0,
    );

    await pages.button('Delete the secret').click();
    await pages.confirm('Delete DB_PASSWORD?', 'Delete');
    await page.getByRole('heading', { name: 'Keep the first secret' }).waitFor();
  });

  it('a context is written, read back, compared, restored and deleted', async () => {
    const { page, pages } = await open('/contexts');
    await page.getByRole('heading', { name: 'Write the first context' }).waitFor();
    await pages.button('New context').click();
    await pages.fill({ Name: 'Refund policy' });
    await pages.editor('Content of the context').fill('# Refunds\nWithin 14 days.');
    await pages.button('Create').click();
    await page.getByRole('heading', { name: 'Context Refund policy' }).waitFor();
    await pages.region('As it reads').getByText('Refunds', { exact: true }).waitFor();
    await pages.editor('Content of the context').fill('# Refunds\nWithin 30 days.');
    await pages.fill({ Description: 'For the support agents', Tags: 'support' });
    await pages.button('Add').click();
    await pages.fill({ 'Name 1': 'region', 'Value of region': 'EU' });
    await pages.button('Save').click();
    await page.getByText(/^Saved/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);

    await pages.tab('Versions').click();
    await soon(() => pages.region('Content of version 1 and 2').locator('mark').allInnerTexts()).toEqual([
      '14',
      '30',
    ]);
    expect(await accessibilityFindings(page)).toEqual([]);
    await pages.button('Restore version 1').click();
    await pages.confirm('Restore version 1 of Refund policy?', 'Restore');
    await soon(async () => (await pages.rows('Versions')).map((row) => row[0])).toEqual([
      expect.stringContaining('3 in force'),
      '2',
      '1',
    ]);
    await pages.tab('Editor').click();
    await soon(() => pages.editor('Content of the context').innerText()).toContain('14 days');
    await page.getByLabel('Status', { exact: true }).selectOption('INACTIVE');
    await pages.button('Save').click();
    await page.getByText(/^Saved/).waitFor();
    await page.getByRole('link', { name: 'Back to the contexts' }).click();
    await pages.row('Refund policy').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await pages.button('active').click();
    await page.getByRole('heading', { name: 'No context fits' }).waitFor();
    await pages.button('Show all').click();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await pages.button('Delete the context').click();
    await pages.dialog('Delete Refund policy?').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Write the first context' }).waitFor();
  });

  it('every page passes the accessibility rules in the light, too', async () => {
    const { page, pages } = await open('/prompts', { colorScheme: 'light' });
    await pages.row('support.reply').click();
    for (const tab of ['Editor', 'Versions', 'Usage']) {
      await pages.tab(tab).click();
      await page
        .getByRole('status', { name: /^Loading/ })
        .first()
        .waitFor({ state: 'detached' });
      expect({ tab, findings: await accessibilityFindings(page) }).toEqual({ tab, findings: [] });
    }
    for (const [path, title] of [
      ['/vault', 'Keep the first secret'],
      ['/contexts', 'Write the first context'],
    ] as const) {
      await page.goto(`${stage.platform.http}${path}`);
      await page.getByRole('heading', { name: title }).waitFor();
      expect({ path, findings: await accessibilityFindings(page) }).toEqual({ path, findings: [] });
    }
  });
});
