import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';

const REDIRECT = 'https://app.example.com/cb';
const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

let place: Installation;
let owner: Browser;
let client: { readonly id: string; readonly clientSecret: string };

const registration = {
  name: 'Board',
  kind: 'confidential',
  redirectUris: [REDIRECT],
  grants: ['authorization_code', 'refresh_token', 'client_credentials'],
  scopes: ['telemetry'],
};

beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
  const made = await owner.call('POST', '/api/oauth/clients', registration);
  expect(made.status, made.text).toBe(201);
  client = made.data as typeof client;
});
afterAll(async () => {
  await place.close();
});

async function token(body: Record<string, string>): Promise<{ access_token: string; refresh_token: string }> {
  const basic = Buffer.from(`${client.id}:${client.clientSecret}`).toString('base64');
  const response = await fetch(`${place.platform.http}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { access_token: string; refresh_token: string };
}

/** As far as the page that asks. */
async function begin(browser: Browser): Promise<string> {
  const query = new URLSearchParams({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const asked = await browser.call('GET', `/oauth/authorize?${query}`);
  expect(asked.status, asked.text).toBe(303);
  const page = new URL(asked.headers.get('location') ?? '', place.platform.http);
  expect(page.pathname).toBe('/consent');
  return page.searchParams.get('uid') ?? '';
}

/** Somebody signed in lets the application in. */
async function letIn(browser: Browser): Promise<{ access_token: string; refresh_token: string }> {
  const uid = await begin(browser);
  const decided = await browser.call('POST', `/api/oauth/consent/${uid}`, {
    decision: 'allow',
    projectId: 'default',
  });
  expect(decided.status, decided.text).toBe(200);
  const { pathname } = new URL(String(decided.data.redirect));
  const back = await browser.call('GET', pathname);
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
  return token({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  });
}

const asBearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` });
const view = { page: 'traces', name: 'Mine', search: '' };

describe('an application', () => {
  it('is let in by a person and reads what they may', async () => {
    const { browser } = await place.join(owner, 'member', { projects: ['default'] });
    const uid = await begin(browser);
    const asked = await browser.call('GET', `/api/oauth/consent/${uid}`);
    expect(asked.data).toEqual({
      client: { id: client.id, name: 'Board', goesTo: 'app.example.com' },
      scopes: ['telemetry'],
      staysAllowed: true,
      projects: [{ id: 'default', name: 'Default' }],
    });
    const { access_token } = await letIn(browser);
    const nobody = place.browser();
    const read = (path: string) => nobody.call('GET', path, undefined, asBearer(access_token));
    expect((await read('/api/telemetry/views')).status).toBe(200);
    // It has no scope for this, and no key is let in there.
    expect((await read('/api/db-config')).status).toBe(403);
    expect((await read('/api/oauth/clients')).status).toBe(403);
    expect((await read('/api/account')).status).toBe(403);
    expect((await nobody.call('POST', '/api/telemetry/views', view, asBearer(access_token))).status).toBe(
      201,
    );

    const applications = await browser.call('GET', '/api/account/applications');
    expect(applications.data).toMatchObject([
      { client: { name: 'Board' }, project: { id: 'default' }, scopes: ['telemetry'] },
    ]);
    const { id } = (applications.data as { id: string }[])[0] ?? { id: '' };
    const stranger = (await place.join(owner, 'member')).browser;
    expect((await stranger.call('DELETE', `/api/account/applications/${id}`)).status).toBe(404);
    expect((await browser.call('DELETE', `/api/account/applications/${id}`)).status).toBe(200);
    expect((await read('/api/telemetry/views')).status).toBe(401);
  });

  it('does no more than the person may at that moment', async () => {
    const { browser, id } = await place.join(owner, 'viewer', { projects: ['default'] });
    const { access_token } = await letIn(browser);
    const nobody = place.browser();
    const make = (name: string) =>
      nobody.call('POST', '/api/telemetry/views', { ...view, name }, asBearer(access_token));
    const read = () => nobody.call('GET', '/api/telemetry/views', undefined, asBearer(access_token));
    expect((await read()).status).toBe(200);
    expect((await make('A viewer makes')).status).toBe(403);
    await owner.call('PATCH', `/api/organisation/members/${id}`, { role: 'member' });
    expect((await make('A member makes')).status).toBe(201);
    await owner.call('DELETE', `/api/organisation/members/${id}`);
    expect((await read()).status).toBe(401);
  });

  it('is let in by nobody who is not signed in, and in no other browser', async () => {
    const uid = await begin(place.browser());
    expect((await place.browser().call('GET', `/api/oauth/consent/${uid}`)).status).toBe(401);
    const { browser } = await place.join(owner, 'member', { projects: ['default'] });
    const allow = { decision: 'allow', projectId: 'default' };
    expect((await browser.call('POST', `/api/oauth/consent/${uid}`, allow)).status).toBe(404);
    const other = await begin(browser);
    const fromElsewhere = { origin: 'https://evil.example.com', 'sec-fetch-site': 'cross-site' };
    expect((await browser.call('POST', `/api/oauth/consent/${other}`, allow, fromElsewhere)).status).toBe(
      403,
    );
  });

  it('acts for itself, with the secret that holds', async () => {
    const { access_token } = await token({ grant_type: 'client_credentials' });
    const read = () => place.browser().call('GET', '/api/telemetry/views', undefined, asBearer(access_token));
    expect((await read()).status).toBe(200);
    const rotated = await owner.call('POST', `/api/oauth/clients/${client.id}/rotate`);
    const old = client;
    client = rotated.data as typeof client;
    expect(client.clientSecret).not.toBe(old.clientSecret);
    await token({ grant_type: 'client_credentials' });
    const refused = await fetch(`${place.platform.http}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${old.id}:${old.clientSecret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    expect(refused.status).toBe(401);
  });

  it('is answered in a page of its own origin, and in no other page', async () => {
    const ask = async (method: string, origin: string, body?: Record<string, string>) => {
      const response = await fetch(`${place.platform.http}/oauth/token`, {
        method,
        headers: { origin, 'access-control-request-method': 'POST' },
        ...(body === undefined ? {} : { body: new URLSearchParams(body) }),
      });
      return response.headers.get('access-control-allow-origin');
    };
    const own = new URL(REDIRECT).origin;
    const unknown = { grant_type: 'client_credentials', client_id: 'nobody' };
    expect(await ask('OPTIONS', own)).toBe(own);
    expect(await ask('POST', own, unknown)).toBe(own);
    for (const origin of ['https://evil.example.com', 'null', 'https://app.example.com:8443']) {
      expect(await ask('OPTIONS', origin), origin).toBeNull();
      expect(await ask('POST', origin, unknown), origin).toBeNull();
    }
  });

  it('is registered soundly or not at all, and every change is noted', async () => {
    const refused = async (change: object) => {
      const { status } = await owner.call('POST', '/api/oauth/clients', {
        ...registration,
        name: 'Another',
        ...change,
      });
      return status;
    };
    expect(await refused({ kind: 'public' })).toBe(422);
    expect(await refused({ redirectUris: [] })).toBe(422);
    expect(await refused({ grants: ['refresh_token'] })).toBe(422);
    expect(await refused({ grants: ['client_credentials'] })).toBe(422);
    expect(await refused({ projectId: 'nowhere' })).toBe(404);
    expect(await refused({ name: 'board' })).toBe(409);
    for (const uri of [
      'http://app.example.com/cb',
      'https://app.example.com/cb#x',
      'https://*.example.com/cb',
      'https://user:pass@app.example.com/',
      'javascript:alert(1)',
      'data:text/html,x',
      '/cb',
    ]) {
      expect([uri, await refused({ redirectUris: [uri] })]).toEqual([uri, 400]);
    }
    const changed = await owner.call('PATCH', `/api/oauth/clients/${client.id}`, { name: 'Board 2' });
    expect(changed.data).toMatchObject({ name: 'Board 2', redirectUris: [REDIRECT] });
    expect((await owner.call('DELETE', `/api/oauth/clients/${client.id}`)).status).toBe(200);
    const log = await owner.call('GET', '/api/audit?limit=100');
    const actions = (log.data as { action: string }[]).map(({ action }) => action);
    for (const action of ['create', 'rotate', 'update', 'delete']) {
      expect(actions).toContain(`oauth-client.${action}`);
    }
    expect(actions).toContain('oauth-consent.allow');
    expect(actions).toContain('oauth-consent.revoke');
    expect(log.text).not.toContain(client.clientSecret);
  });
});
