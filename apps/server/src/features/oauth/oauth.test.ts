import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DEFAULT_ORGANISATION_ID,
  DEFAULT_PROJECT_ID,
  type Scope,
  silentLogger,
  systemClock,
} from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEnvelope } from '@candela/vault';
import { createClientDocuments, isDocument } from './documents.ts';
import { hashOf } from './hash.ts';
import { createOauth, type Oauth } from './service.ts';

const REDIRECT = 'https://app.example.com/cb';
const SECRET = 'a-secret-of-the-application';

/** A browser as far as the endpoints need one: it keeps cookies by path and does not follow. */
class Browser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

  header(path: string): string {
    return [...this.#cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  async get(url: string): Promise<Response> {
    const { pathname } = new URL(url);
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.header(pathname) } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((each) => each.trim().startsWith('path='))?.split('=')[1] ?? '/';
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path });
    }
    return response;
  }
}

let dir: string;
let metadata: MetadataStore;
let oauth: Oauth;
let server: Server;
let base: string;
let userId: string;
/** Documents that stand somewhere on the net, and what was asked for. */
const published = new Map<string, string>();
const asked: string[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'candela-oauth-'));
  metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger });
  server = createServer((request, response) => {
    oauth.serve(request, response).catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  oauth = createOauth({
    metadata,
    envelope: await openEnvelope({ keys: undefined, dataDir: dir, metadata, logger: silentLogger }),
    logger: silentLogger,
    clock: systemClock,
    issuer: base,
    documents: createClientDocuments(systemClock, async (input) => {
      asked.push(String(input));
      const found = published.get(String(input));
      return new Response(found ?? '{}', { status: found === undefined ? 404 : 200 });
    }),
    projectsOf: async () => [DEFAULT_PROJECT_ID],
  });
  const user = await metadata.people.create({ email: 'jo@example.com', name: 'Jo', passwordHash: null });
  userId = user.id;
  await metadata.people.join(DEFAULT_ORGANISATION_ID, userId, 'member');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await metadata.close();
  rmSync(dir, { recursive: true, force: true });
});

function register(over: Partial<Parameters<MetadataStore['oauthClients']['create']>[0]> = {}) {
  return metadata.oauthClients.create({
    id: 'app',
    organisationId: DEFAULT_ORGANISATION_ID,
    projectId: DEFAULT_PROJECT_ID,
    name: 'App',
    kind: 'confidential',
    secretHash: hashOf(SECRET),
    redirectUris: [REDIRECT],
    grants: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes: ['telemetry', 'prompts'],
    createdBy: null,
    ...over,
  });
}

const person = () => ({ userId, projects: [{ id: DEFAULT_PROJECT_ID, name: 'Default' }] });

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

function authorizeUrl(over: Record<string, string | undefined> = {}): string {
  const url = new URL('/oauth/authorize', base);
  const parameters = {
    client_id: 'app',
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'telemetry',
    state: 'xyz',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...over,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

/** As far as the page that asks; the id of the request. */
async function begin(browser: Browser, over: Record<string, string | undefined> = {}): Promise<string> {
  const response = await browser.get(authorizeUrl(over));
  expect(response.status).toBe(303);
  const location = new URL(response.headers.get('location') ?? '', base);
  expect(location.pathname).toBe('/consent');
  return location.searchParams.get('uid') ?? '';
}

/** The whole way to the code. */
async function codeFor(
  browser: Browser,
  over: Record<string, string | undefined> = {},
  scopes?: readonly Scope[],
): Promise<URL> {
  const uid = await begin(browser, over);
  const asking = { uid, cookie: browser.header('/api/oauth'), person: person() };
  const { redirect } = await oauth.allow(asking, { projectId: DEFAULT_PROJECT_ID, scopes });
  expect(new URL(redirect).origin).toBe(base);
  const response = await browser.get(redirect);
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '');
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly error?: string;
}

async function token(
  body: Record<string, string>,
  credential: string | null = `app:${SECRET}`,
): Promise<{ readonly status: number; readonly body: Tokens }> {
  const response = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers:
      credential === null ? {} : { authorization: `Basic ${Buffer.from(credential).toString('base64')}` },
    body: new URLSearchParams(body),
  });
  return { status: response.status, body: (await response.json()) as Tokens };
}

const exchange = (code: string, over: Record<string, string> = {}) =>
  token({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    ...over,
  });

describe('the authorization code', () => {
  it('gives a person a way to let an application in, and the application a token of theirs', async () => {
    await register();
    const browser = new Browser();
    const uid = await begin(browser);
    const asked = await oauth.asked(uid, browser.header('/'));
    expect(asked).toMatchObject({ scopes: ['telemetry'], redirectUri: REDIRECT, staysAllowed: true });
    const back = await codeFor(browser);
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(back.searchParams.get('state')).toBe('xyz');
    expect(back.searchParams.get('iss')).toBe(base);
    const { status, body } = await exchange(back.searchParams.get('code') ?? '');
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'telemetry', expires_in: 3_600 });
    expect(await oauth.find(body.access_token)).toEqual({
      id: 'oauth:app',
      organisationId: DEFAULT_ORGANISATION_ID,
      projectId: DEFAULT_PROJECT_ID,
      scopes: new Set(['telemetry']),
      environments: null,
      expiresAt: expect.any(Number) as unknown,
      role: 'member',
    });
    expect(await oauth.find('another')).toBeUndefined();
  });

  it('keeps neither code nor token nor secret', async () => {
    await register();
    const code = (await codeFor(new Browser())).searchParams.get('code') ?? '';
    const { body } = await exchange(code);
    await metadata.close();
    const files = ['metadata.sqlite', 'metadata.sqlite-wal'].map((name) => {
      try {
        return readFileSync(join(dir, name)).toString('latin1');
      } catch {
        return '';
      }
    });
    for (const secret of [code, body.access_token, body.refresh_token ?? '', SECRET]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(files.join('')).not.toContain(secret);
    }
    metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger });
  });

  it('asks again each time: who the person is says the platform', async () => {
    await register();
    const browser = new Browser();
    await codeFor(browser);
    await begin(browser);
  });

  it('is good once; whoever uses it again ends what came of it', async () => {
    await register();
    const code = (await codeFor(new Browser())).searchParams.get('code') ?? '';
    const first = await exchange(code);
    expect(await oauth.find(first.body.access_token)).toBeDefined();
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await oauth.find(first.body.access_token)).toBeUndefined();
    const refreshed = await token({
      grant_type: 'refresh_token',
      refresh_token: first.body.refresh_token ?? '',
    });
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('gives at most one token to many who come with it at once', async () => {
    await register();
    const code = (await codeFor(new Browser())).searchParams.get('code') ?? '';
    const all = await Promise.all(Array.from({ length: 8 }, () => exchange(code)));
    expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    // And the one is void, because a copy was about.
    for (const { body } of all) expect(await oauth.find(body.access_token ?? '')).toBeUndefined();
  });

  it('is bound to verifier, address and application', async () => {
    await register();
    await register({ id: 'other', name: 'Other' });
    const fresh = async () => (await codeFor(new Browser())).searchParams.get('code') ?? '';
    for (const over of [
      { code_verifier: randomBytes(32).toString('base64url') },
      { redirect_uri: 'https://app.example.com/other' },
    ]) {
      expect(await exchange(await fresh(), over)).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant' },
      });
    }
    const stolen = { grant_type: 'authorization_code', code: await fresh(), code_verifier: verifier };
    expect(await token({ ...stolen, redirect_uri: REDIRECT }, `other:${SECRET}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('refuses what is not asked rightly', async () => {
    await register();
    const asks = async (over: Record<string, string | undefined>) => {
      const response = await new Browser().get(authorizeUrl(over));
      const location = response.headers.get('location');
      return location === null
        ? { status: response.status, text: await response.text() }
        : { error: new URL(location).searchParams.get('error'), origin: new URL(location).origin };
    };
    const APP = 'https://app.example.com';
    expect(await asks({ code_challenge: undefined, code_challenge_method: undefined })).toEqual({
      error: 'invalid_request',
      origin: APP,
    });
    expect(await asks({ code_challenge_method: 'plain' })).toEqual({ error: 'invalid_request', origin: APP });
    expect(await asks({ scope: 'vault' })).toEqual({ error: 'invalid_scope', origin: APP });
    expect(await asks({ scope: 'openid telemetry' })).toMatchObject({ origin: APP });
    expect(await asks({ response_type: 'token' })).toMatchObject({ origin: APP });
    expect(await asks({ prompt: 'none' })).toEqual({ error: 'login_required', origin: APP });
    // Never sent anywhere that is not registered.
    for (const over of [
      { redirect_uri: 'https://evil.example.com/cb' },
      { redirect_uri: `${REDIRECT}/more` },
      { client_id: 'nobody' },
      { client_id: '<script>alert(1)</script>' },
    ]) {
      const answer = await asks(over);
      expect(answer).toMatchObject({ status: 400 });
      expect(JSON.stringify(answer)).not.toContain('<script');
    }
  });

  it('lets nobody decide for another browser', async () => {
    await register();
    const attacker = new Browser();
    const uid = await begin(attacker);
    const victim = new Browser();
    await begin(victim);
    const asking = { uid, cookie: victim.header('/'), person: person() };
    await expect(
      oauth.allow(asking, { projectId: DEFAULT_PROJECT_ID, scopes: undefined }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(oauth.asked(uid, undefined)).rejects.toMatchObject({ code: 'not_found' });
    await expect(oauth.deny(uid, `candela_oauth_interaction=${uid}`)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('gives what was chosen and no more; a refusal is told to the application', async () => {
    await register();
    const back = await codeFor(new Browser(), { scope: 'telemetry prompts' }, ['prompts', 'vault']);
    const { body } = await exchange(back.searchParams.get('code') ?? '');
    expect(body.scope).toBe('prompts');
    expect((await oauth.find(body.access_token))?.scopes).toEqual(new Set(['prompts']));

    const browser = new Browser();
    const uid = await begin(browser);
    const { redirect } = await oauth.deny(uid, browser.header('/'));
    const refused = new URL((await browser.get(redirect)).headers.get('location') ?? '');
    expect(refused.origin + refused.pathname).toBe(REDIRECT);
    expect(refused.searchParams.get('error')).toBe('access_denied');
  });

  it('without scopes asks for all that the application may have', async () => {
    await register();
    const back = await codeFor(new Browser(), { scope: undefined });
    const { body } = await exchange(back.searchParams.get('code') ?? '');
    expect((await oauth.find(body.access_token))?.scopes).toEqual(new Set(['telemetry', 'prompts']));
  });

  it('asks for no project that the person does not reach, and nobody of another organisation', async () => {
    await register();
    const browser = new Browser();
    const uid = await begin(browser);
    const asking = { uid, cookie: browser.header('/'), person: person() };
    await expect(oauth.allow(asking, { projectId: 'foreign', scopes: undefined })).rejects.toMatchObject({
      code: 'forbidden',
    });
    const stranger = await metadata.people.create({ email: 's@example.com', name: 'S', passwordHash: null });
    await expect(
      oauth.allow(
        { ...asking, person: { ...person(), userId: stranger.id } },
        { projectId: DEFAULT_PROJECT_ID, scopes: undefined },
      ),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });
});

it.each([
  { registered: ['http://localhost/cb'], sent: 'http://localhost:53211/cb' },
  { registered: ['http://127.0.0.1/cb'], sent: 'http://127.0.0.1:53211/cb' },
  { registered: ['com.example.app:/cb'], sent: 'com.example.app:/cb' },
  {
    registered: ['https://app.example.com/cb', 'http://localhost:8080/cb'],
    sent: 'http://localhost:8080/cb',
  },
  { registered: ['https://app.example.com/cb', 'com.example.app:/cb'], sent: 'com.example.app:/cb' },
])('goes back to $sent where $registered is registered', async ({ registered, sent }) => {
  await register({
    redirectUris: registered,
    kind: 'public',
    secretHash: null,
    grants: ['authorization_code'],
  });
  const back = await codeFor(new Browser(), { redirect_uri: sent });
  expect(back.href.startsWith(sent)).toBe(true);
  const answer = await token(
    {
      grant_type: 'authorization_code',
      client_id: 'app',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: sent,
      code_verifier: verifier,
    },
    null,
  );
  expect(answer.status).toBe(200);
  expect(answer.body.refresh_token).toBeUndefined();
});

describe('tokens', () => {
  async function granted(): Promise<Tokens> {
    const code = (await codeFor(new Browser())).searchParams.get('code') ?? '';
    return (await exchange(code)).body;
  }
  const refresh = (refreshToken: string | undefined) =>
    token({ grant_type: 'refresh_token', refresh_token: refreshToken ?? '' });

  it('are refreshed; a refresh token is good once, its second use ends the permission', async () => {
    await register();
    const first = await granted();
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect(await oauth.find(second.body.access_token)).toBeDefined();
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400 });
    expect(await oauth.find(second.body.access_token)).toBeUndefined();
    expect(await refresh(second.body.refresh_token)).toMatchObject({ status: 400 });
  });

  it('end with the person, the application, the permission, and follow what the application may have', async () => {
    await register();
    const one = await granted();
    await metadata.oauthClients.update(DEFAULT_ORGANISATION_ID, 'app', { scopes: ['prompts'] });
    expect((await oauth.find(one.access_token))?.scopes).toEqual(new Set());
    await metadata.oauthClients.update(DEFAULT_ORGANISATION_ID, 'app', { scopes: ['telemetry'] });
    expect((await oauth.find(one.access_token))?.scopes).toEqual(new Set(['telemetry']));
    const [permission] = await oauth.allowed(userId);
    expect(permission).toMatchObject({
      clientId: 'app',
      projectId: DEFAULT_PROJECT_ID,
      scopes: ['telemetry'],
    });
    const entry = await metadata.oauthEntries.findByUid('Allowed', permission?.id ?? '');
    await metadata.oauthEntries.removeGranted(entry?.grantId ?? '');
    expect(await oauth.find(one.access_token)).toBeUndefined();
    expect(await refresh(one.refresh_token)).toMatchObject({ status: 400 });

    const two = await granted();
    await metadata.people.remove(userId);
    expect(await oauth.find(two.access_token)).toBeUndefined();
  });

  it('are taken back by the application itself', async () => {
    await register();
    const { access_token } = await granted();
    const response = await fetch(`${base}/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`app:${SECRET}`).toString('base64')}` },
      body: new URLSearchParams({ token: access_token }),
    });
    expect(response.status).toBe(200);
    expect(await oauth.find(access_token)).toBeUndefined();
  });

  it('are given to an application for itself', async () => {
    await register();
    const { status, body } = await token({ grant_type: 'client_credentials', scope: 'prompts' });
    expect(status).toBe(200);
    expect(await oauth.find(body.access_token)).toEqual({
      id: 'oauth:app',
      organisationId: DEFAULT_ORGANISATION_ID,
      projectId: DEFAULT_PROJECT_ID,
      scopes: new Set(['prompts']),
      environments: null,
      expiresAt: expect.any(Number) as unknown,
    });
    const all = await token({ grant_type: 'client_credentials' });
    expect(all.body.scope).toBe('telemetry prompts');
    expect((await oauth.find(all.body.access_token))?.scopes).toEqual(new Set(['telemetry', 'prompts']));
    expect(await token({ grant_type: 'client_credentials', scope: 'vault' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    await metadata.oauthClients.delete(DEFAULT_ORGANISATION_ID, 'app');
    expect(await oauth.find(body.access_token)).toBeUndefined();
  });

  it('are given to nobody without the right secret', async () => {
    await register();
    await register({
      id: 'public',
      name: 'Public',
      kind: 'public',
      secretHash: null,
      grants: ['authorization_code'],
    });
    const body = { grant_type: 'client_credentials' };
    for (const credential of ['app:wrong', `app:${hashOf(SECRET)}`, 'app:', 'nobody:x', null]) {
      const { status } = await token(body, credential);
      expect([400, 401], String(credential)).toContain(status);
    }
    expect((await token({ ...body, client_id: 'public' }, null)).status).toBe(400);
  });
});

it('tells where its endpoints are', async () => {
  const response = await fetch(`${base}/.well-known/oauth-authorization-server`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    revocation_endpoint: `${base}/oauth/revoke`,
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: expect.arrayContaining([
      'authorization_code',
      'refresh_token',
      'client_credentials',
    ]) as unknown,
  });
});

describe('an application that is named by a document', () => {
  const id = 'https://agent.example/oauth/client.json';
  const publish = (address: string, over: object = {}) =>
    published.set(
      address,
      JSON.stringify({
        client_id: address,
        client_name: 'Agent',
        redirect_uris: ['http://localhost/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        ...over,
      }),
    );
  const redirect_uri = 'http://localhost:7777/callback';
  const over = { client_id: id, redirect_uri, resource: undefined };

  it('is let in by a person, without being registered', async () => {
    publish(id);
    asked.length = 0;
    const browser = new Browser();
    const uid = await begin(browser, { ...over, resource: `${base}/mcp` });
    expect(await oauth.asked(uid, browser.header('/'))).toMatchObject({
      client: { id, name: 'Agent (agent.example)' },
      redirectUri: redirect_uri,
    });
    const back = await codeFor(browser, over);
    expect(back.href).toMatch(/^http:\/\/localhost:7777\/callback\?/);
    const code = back.searchParams.get('code') ?? '';
    const given = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier };
    const { status, body } = await token({ ...given, client_id: id }, null);
    expect([status, body.scope]).toEqual([200, 'telemetry']);
    expect(await oauth.find(body.access_token)).toMatchObject({
      id: `oauth:${id}`,
      organisationId: DEFAULT_ORGANISATION_ID,
      projectId: DEFAULT_PROJECT_ID,
      scopes: new Set(['telemetry']),
      role: 'member',
    });
    expect(await oauth.allowed(userId)).toMatchObject([
      { clientId: id, clientName: 'Agent (agent.example)' },
    ]);
    const next = await token(
      { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '', client_id: id },
      null,
    );
    expect(next.status).toBe(200);
    // Read once, however often it comes.
    expect(asked).toEqual([id]);
    // Who is there no more has no token.
    await metadata.people.remove(userId);
    expect(await oauth.find(next.body.access_token)).toBeUndefined();
  });

  it.each([
    ['of another name', { client_id: 'https://other.example/client.json' }],
    ['with a secret', { client_secret: 'x' }],
    ['that signs in otherwise', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['that goes back to a plain address', { redirect_uris: ['http://evil.example/cb'] }],
    ['that goes back to a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['with a name of two lines', { client_name: 'Agent\nCandela' }],
  ])('is refused %s', async (_what, change) => {
    const address = `https://agent.example/${crypto.randomUUID()}.json`;
    publish(address, change);
    const response = await new Browser().get(authorizeUrl({ ...over, client_id: address }));
    expect(response.status).toBe(400);
  });

  it('is asked for by an address that is written in one way, and for this platform alone', async () => {
    const wrong = [
      'http://a.example/c',
      'https://a.example/',
      'https://a.example/x/../c',
      'https://A.example/c',
    ];
    for (const each of [...wrong, 'https://u:p@a.example/c', 'https://a.example/c#x', 'app']) {
      expect([each, isDocument(each)]).toEqual([each, false]);
    }
    publish(id);
    const elsewhere = authorizeUrl({ ...over, resource: 'https://other.example/mcp' });
    expect((await new Browser().get(elsewhere)).status).toBe(400);
    const discovery = await fetch(`${base}/.well-known/oauth-authorization-server`);
    expect(await discovery.json()).toMatchObject({ client_id_metadata_document_supported: true });
  });
});
