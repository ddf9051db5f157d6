import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { SettingsPage } from './pages/settings-page.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, applications in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('applications', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage(OWNED);
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, { ...options, as: OWNER });
    heard.push(opened.complaints);
    return { page: opened.page, settings: new SettingsPage(opened.page) };
  };

  it('an OAuth client is registered, and its secret shown once', async () => {
    const { page, settings } = await open('/settings/oauth');
    await settings.button('New application').click();
    await settings.fill({
      Name: 'Notebook',
      'Addresses people are sent back to': 'https://app.example.com/callback',
    });
    expect(await accessibilityFindings(page)).toEqual([]);
    await settings.button('Register').click();
    const dialog = settings.dialog('The client Notebook');
    const secret = await dialog.getByLabel('Client secret', { exact: true }).innerText();
    await settings.button('Done').click();
    await soon(async () => (await settings.rows('Clients')).map((row) => row[0])).toEqual(['Notebook']);
    expect(await page.content()).not.toContain(secret);
  });

  it('an application asks a person, who allows it in part and takes it back', async () => {
    const { page, complaints } = await stage.open('/account', { as: OWNER });
    const settings = new SettingsPage(page);
    const application = createServer((_, answer) => answer.end('back in the application'));
    onTestFinished(() => void application.close());
    await once(application.listen(0, '127.0.0.1'), 'listening');
    const { port } = application.address() as AddressInfo;
    const redirect = `http://localhost:${port}/callback`;
    const client = await ask<{ id: string }>(page, stage, 'POST', '/api/oauth/clients', {
      data: {
        name: 'Command line',
        kind: 'public',
        redirectUris: [redirect],
        grants: ['authorization_code'],
        scopes: ['telemetry', 'prompts'],
      },
    });
    const verifier = randomBytes(32).toString('base64url');
    const question = new URLSearchParams({
      client_id: client.id,
      response_type: 'code',
      redirect_uri: redirect,
      scope: 'telemetry prompts',
      state: 'as-it-was',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    await page.goto(`${stage.platform.http}/oauth/authorize?${question}`);
    await page.getByRole('heading', { name: 'Allow Command line?' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'prompts' }).uncheck();
    await settings.button('Allow').click();
    await page.getByText('back in the application').waitFor();
    const back = new URL(page.url()).searchParams;
    expect(back.get('state')).toBe('as-it-was');
    const answer = await fetch(`${stage.platform.http}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: client.id,
        code: back.get('code') ?? '',
        redirect_uri: redirect,
        code_verifier: verifier,
      }),
    });
    const token = (await answer.json()) as { access_token: string; scope: string };
    expect(token.scope).toBe('telemetry');
    const search = () =>
      fetch(`${stage.platform.http}/api/telemetry/traces/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token.access_token}` },
        body: '{}',
      }).then((reply) => reply.status);
    expect(await search()).toBe(200);

    await page.goto(`${stage.platform.http}/account`);
    await soon(async () => (await settings.rows('Applications')).map((row) => row[0])).toEqual([
      'Command line',
    ]);
    await settings.button('Take back what Command line may do').click();
    await settings
      .dialog('Stop allowing Command line?')
      .getByRole('button', { name: 'Take back', exact: true })
      .click();
    await page.getByText('You allowed none.').waitFor();
    await soon(search).toBe(401);
    // Going back to the application is the one call that leaves.
    expect(complaints.filter((complaint) => !complaint.includes(new URL(redirect).origin))).toEqual([]);
  });
});
