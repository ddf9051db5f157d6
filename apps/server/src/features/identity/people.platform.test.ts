import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Browser } from './testing/browser.ts';
import { type Installation, openInstallation, OWNER, PASSWORD } from './testing/installation.ts';

let place: Installation;
let owner: Browser;
beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
});
afterAll(async () => {
  await place.close();
});

const status = ({ status: code, text }: Answer): string => `${code} ${code < 400 ? '' : text}`.trim();
const tokenOf = (link: unknown) => new URL(String(link)).searchParams.get('token');
const idOf = async (browser: Browser) => String((await browser.call('GET', '/api/account')).data.id);
const invite = (browser: Browser, email: string, more: object = {}) =>
  browser.call('POST', '/api/organisation/invitations', { email, ...more });
const accept = (browser: Browser, token: string | null, more: object = { name: 'N', password: PASSWORD }) =>
  browser.call('POST', '/api/auth/invitation/accept', { token, ...more });

describe('invitations', () => {
  it('are accepted once, with the role and projects they name', async () => {
    const project = await owner.call('POST', '/api/projects', { name: 'Shop' });
    const made = await invite(owner, 'Anna@Example.com', { role: 'viewer', projects: [project.data.id] });
    expect(made.data).toMatchObject({
      mailed: false,
      invitation: { email: 'anna@example.com', role: 'viewer' },
    });
    const token = tokenOf(made.data.link);
    const anna = place.browser();
    expect((await anna.call('POST', '/api/auth/invitation', { token })).data).toMatchObject({
      organisation: 'Default',
      email: 'anna@example.com',
      account: 'new',
    });
    expect((await accept(anna, token, {})).status).toBe(422);
    const joined = await accept(anna, token);
    expect(joined.data.person).toMatchObject({
      email: 'anna@example.com',
      organisation: { role: 'viewer' },
      projects: [{ id: project.data.id, name: 'Shop', environments: ['production'] }],
    });
    for (const again of [token, 'x'.repeat(43)]) {
      expect((await accept(place.browser(), again)).code).toBe('not_found');
    }
    // One project, which is hers without naming it; the other is not.
    expect((await anna.call('GET', '/api/telemetry/views')).status).toBe(200);
    const other = await anna.call('GET', '/api/telemetry/views', undefined, {
      'x-platform-project-id': 'default',
    });
    expect(other.status).toBe(403);
    expect((await anna.call('GET', '/api/projects')).data).toHaveLength(1);
  });

  it('end when they expire, are taken back, are made again, or who invited may not any more', async () => {
    const expiring = await invite(owner, 'late@example.com', { expiresInHours: 1 });
    place.clock.shift = 3_600_001;
    expect((await accept(place.browser(), tokenOf(expiring.data.link))).code).toBe('not_found');
    place.clock.shift = 0;
    const taken = await invite(owner, 'taken@example.com');
    await owner.call('DELETE', `/api/organisation/invitations/${taken.data.invitation.id}`);
    expect((await accept(place.browser(), tokenOf(taken.data.link))).code).toBe('not_found');
    const first = await invite(owner, 'twice@example.com');
    const second = await invite(owner, 'twice@example.com');
    expect((await accept(place.browser(), tokenOf(first.data.link))).code).toBe('not_found');
    expect((await accept(place.browser(), tokenOf(second.data.link))).status).toBe(200);
    const admin = await place.join(owner, 'admin');
    const byAdmin = await invite(admin.browser, 'friend@example.com', { role: 'admin' });
    await owner.call('PATCH', `/api/organisation/members/${admin.id}`, { role: 'viewer' });
    expect((await accept(place.browser(), tokenOf(byAdmin.data.link))).code).toBe('not_found');
  });

  it('are for the address they name: an account of another one does not take them', async () => {
    const { browser, email } = await place.join(owner, 'member');
    expect((await invite(owner, email)).code).toBe('conflict');
    const made = await invite(owner, 'somebody@example.com');
    const token = tokenOf(made.data.link);
    const joined = await accept(browser, token);
    // Not the account of the browser, but the one of the invitation.
    expect(joined.data.person.email).toBe('somebody@example.com');
  });

  it('give nobody more than who invites has', async () => {
    const { browser } = await place.join(owner, 'admin');
    expect((await invite(browser, 'boss@example.com', { role: 'owner' })).code).toBe('refused');
    expect((await invite(owner, 'x@example.com', { projects: ['none'] })).code).toBe('not_found');
  });
});

describe('members', () => {
  it('are changed by who is above them, and one owner stays', async () => {
    const [admin, other] = [await place.join(owner, 'admin'), await place.join(owner, 'admin')];
    const member = await place.join(owner, 'member');
    const change = (browser: Browser, id: string, role: string) =>
      browser.call('PATCH', `/api/organisation/members/${id}`, { role });
    expect(status(await change(admin.browser, member.id, 'viewer'))).toBe('200');
    expect((await change(admin.browser, member.id, 'owner')).code).toBe('refused');
    expect((await change(admin.browser, other.id, 'viewer')).code).toBe('refused');
    expect((await change(admin.browser, admin.id, 'owner')).code).toBe('refused');
    const ownerId = await idOf(owner);
    expect((await change(admin.browser, ownerId, 'viewer')).code).toBe('refused');
    expect((await change(owner, ownerId, 'admin')).code).toBe('refused');
    expect((await owner.call('DELETE', `/api/organisation/members/${ownerId}`)).code).toBe('refused');
    expect((await change(owner, 'none', 'viewer')).code).toBe('not_found');
    // In force at the next request.
    await change(owner, admin.id, 'viewer');
    expect((await admin.browser.call('POST', '/api/projects', { name: 'Mine' })).status).toBe(403);
  });

  it('take sessions and keys with them when they go', async () => {
    const admin = await place.join(owner, 'admin');
    const key = String((await admin.browser.call('POST', '/api/api-key', { name: 'of admin' })).data.apiKey);
    const byKey = () =>
      place.browser().call('GET', '/api/telemetry/views', undefined, { authorization: `Bearer ${key}` });
    expect((await byKey()).status).toBe(200);
    const removed = await owner.call('DELETE', `/api/organisation/members/${admin.id}`);
    expect(removed.data).toEqual({ id: admin.id, keysRevoked: 1 });
    expect((await byKey()).code).toBe('unknown_credential');
    expect((await admin.browser.call('GET', '/api/account')).code).toBe('not_signed_in');
    const back = await place
      .browser()
      .call('POST', '/api/auth/sign-in', { email: admin.email, password: PASSWORD });
    expect(back.code).toBe('wrong_password');
  });

  it('are listed page by page', async () => {
    const emails: string[] = [];
    let cursor: string | null = '';
    do {
      const page: Answer = await owner.call(
        'GET',
        `/api/organisation/members?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      emails.push(...(page.data as { email: string }[]).map(({ email }) => email));
      cursor = (JSON.parse(page.text) as { nextCursor: string | null }).nextCursor;
    } while (cursor !== null);
    expect(emails).toContain(OWNER.email);
    expect(emails).toEqual([...new Set(emails)].sort());
  });
});

describe('projects', () => {
  it('are reached by admins, and by those who were added', async () => {
    const made = await owner.call('POST', '/api/projects', { name: 'Private' });
    const { id } = made.data as { id: string };
    expect((await owner.call('POST', '/api/projects', { name: 'PRIVATE' })).code).toBe('conflict');
    const member = await place.join(owner, 'member');
    const see = () =>
      member.browser.call('GET', '/api/telemetry/views', undefined, { 'x-platform-project-id': id });
    expect((await see()).status).toBe(403);
    const hidden = await member.browser.call('GET', `/api/projects/${id}/environments`);
    const absent = await member.browser.call('GET', '/api/projects/none/environments');
    expect([hidden.status, hidden.text]).toEqual([404, absent.text]);
    expect((await owner.call('PUT', `/api/projects/${id}/members/${member.id}`)).data.email).toBe(
      member.email,
    );
    expect((await see()).status).toBe(200);
    expect((await owner.call('GET', `/api/projects/${id}/members`)).data).toHaveLength(1);
    await owner.call('DELETE', `/api/projects/${id}/members/${member.id}`);
    expect((await see()).status).toBe(403);
    expect((await owner.call('PUT', `/api/projects/${id}/members/none`)).status).toBe(404);
  });

  it('take their keys with them when they go; the default one stays', async () => {
    const { id } = (await owner.call('POST', '/api/projects', { name: 'Short' })).data as { id: string };
    const key = await owner.call('POST', '/api/api-key', { name: 'short', projectId: id });
    const byKey = () =>
      place
        .browser()
        .call('GET', '/api/telemetry/views', undefined, { authorization: `Bearer ${key.data.apiKey}` });
    expect((await byKey()).status).toBe(200);
    expect((await owner.call('DELETE', `/api/projects/${id}`)).status).toBe(200);
    expect((await byKey()).code).toBe('unknown_credential');
    expect((await owner.call('DELETE', '/api/projects/default')).code).toBe('refused');
  });

  it('have environments: made in the settings, or by the first record for them', async () => {
    const list = async () =>
      ((await owner.call('GET', '/api/projects/default/environments')).data as { name: string }[]).map(
        ({ name }) => name,
      );
    const path = '/api/projects/default/environments';
    expect((await owner.call('POST', path, { name: 'Not A Name' })).status).toBe(400);
    expect((await owner.call('POST', path, { name: 'canary' })).data).toMatchObject({ origin: 'settings' });
    expect((await owner.call('POST', path, { name: 'canary' })).code).toBe('conflict');
    const send = (environment: string) =>
      fetch(`${place.platform.otlpHttp}/v1/logs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-platform-environment': environment },
        body: JSON.stringify({
          resourceLogs: [
            { scopeLogs: [{ logRecords: [{ timeUnixNano: '1', body: { stringValue: environment } }] }] },
          ],
        }),
      });
    const sent = await send('fresh');
    expect(sent.status).toBe(200);
    await expect.poll(list, { timeout: 30_000 }).toEqual(['production', 'canary', 'fresh']);
    expect((await owner.call('DELETE', `${path}/canary`)).status).toBe(200);
    expect((await owner.call('DELETE', `${path}/production`)).code).toBe('refused');
    const read = await owner.call('GET', '/api/telemetry/views', undefined, {
      'x-platform-environment': 'canary',
    });
    expect(read.status).toBe(404);
    const again = await send('canary');
    expect(again.status).toBe(200);
    await expect.poll(list, { timeout: 30_000 }).toEqual(['production', 'canary', 'fresh']);
  });
});

describe('keys', () => {
  const use = (apiKey: unknown, headers: Record<string, string> = {}) =>
    place
      .browser()
      .call('GET', '/api/telemetry/views', undefined, { authorization: `Bearer ${apiKey}`, ...headers });

  it('are shown once', async () => {
    const made = await owner.call('POST', '/api/api-key', { name: 'shown once' });
    expect(made.status).toBe(201);
    const { apiKey, prefix, scopes, id } = made.data as Record<string, string>;
    expect(apiKey).toMatch(/^pk_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/);
    expect([apiKey?.startsWith(`${prefix}_`), scopes?.length]).toEqual([true, 10]);
    await use(apiKey);
    const listed = await owner.call('GET', '/api/api-key');
    expect(listed.text).not.toContain(apiKey);
    const row = listed.data.find((key: { id: string }) => key.id === id);
    expect(row).toMatchObject({ createdBy: OWNER.email, prefix });
    await expect
      .poll(
        async () => {
          const again = await owner.call('GET', '/api/api-key');
          return again.data.find((key: { id: string }) => key.id === id).lastUsedAt as unknown;
        },
        { timeout: 30_000 },
      )
      .not.toBeNull();
  });

  it('are revoked and changed at once', async () => {
    const { apiKey, id } = (await owner.call('POST', '/api/api-key', { name: 'short lived' })).data as {
      apiKey: string;
      id: string;
    };
    expect((await use(apiKey)).status).toBe(200);
    await owner.call('PATCH', `/api/api-key/${id}`, { scopes: ['ingest'] });
    expect((await use(apiKey)).status).toBe(403);
    await owner.call('PATCH', `/api/api-key/${id}`, { scopes: ['telemetry'] });
    expect((await use(apiKey)).status).toBe(200);
    await owner.call('DELETE', `/api/api-key/${id}`);
    expect((await use(apiKey)).code).toBe('unknown_credential');
    expect((await owner.call('DELETE', `/api/api-key/${id}`)).status).toBe(404);
  });

  it('end at their time', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { apiKey } = (await owner.call('POST', '/api/api-key', { name: 'one hour', expiresAt })).data;
    expect((await use(apiKey)).status).toBe(200);
    place.clock.shift = 3_600_001;
    expect((await use(apiKey)).code).toBe('unknown_credential');
    place.clock.shift = 0;
    const past = await owner.call('POST', '/api/api-key', {
      name: 'too late',
      expiresAt: new Date(0).toISOString(),
    });
    expect(past.code).toBe('refused');
  });

  it('are rotated with an overlap in which both work', async () => {
    const old = (await owner.call('POST', '/api/api-key', { name: 'rotated', scopes: ['telemetry'] })).data;
    const next = await owner.call('POST', `/api/api-key/${old.id}/rotate`, { overlapSeconds: 60 });
    expect(next.data).toMatchObject({ name: 'rotated', scopes: ['telemetry'], expiresAt: null });
    expect([(await use(old.apiKey)).status, (await use(next.data.apiKey)).status]).toEqual([200, 200]);
    expect((await owner.call('POST', `/api/api-key/${old.id}/rotate`, {})).code).toBe('conflict');
    place.clock.shift = 61_000;
    expect([(await use(old.apiKey)).status, (await use(next.data.apiKey)).status]).toEqual([401, 200]);
    place.clock.shift = 0;
  });

  it('belong to one project and its environments', async () => {
    await owner.call('POST', '/api/projects/default/environments', { name: 'staging' });
    const { apiKey } = (
      await owner.call('POST', '/api/api-key', { name: 'staging only', environments: ['staging'] })
    ).data;
    const { id } = (await owner.call('POST', '/api/projects', { name: 'Elsewhere' })).data as { id: string };
    expect((await use(apiKey)).status).toBe(200);
    expect((await use(apiKey, { 'x-platform-environment': 'staging' })).status).toBe(200);
    expect((await use(apiKey, { 'x-platform-environment': 'production' })).status).toBe(403);
    expect((await use(apiKey, { 'x-platform-project-id': id })).status).toBe(403);
    const own = await place.browser().call(
      'POST',
      '/api/telemetry/logs/search',
      {},
      {
        authorization: `Bearer ${apiKey}`,
      },
    );
    expect(own.status).toBe(200);
    const member = await place.join(owner, 'admin');
    const foreign = await member.browser.call('POST', '/api/api-key', { name: 'nowhere', projectId: 'none' });
    expect(foreign.code).toBe('not_found');
  });
});

it('the audit log calls people and keys what they are called', async () => {
  const { apiKey } = (await owner.call('POST', '/api/api-key', { name: 'of the app' })).data as Record<
    string,
    string
  >;
  const view = { page: 'traces', name: 'by a key', search: '' };
  const made = await place
    .browser()
    .call('POST', '/api/telemetry/views', view, { authorization: `Bearer ${apiKey}` });
  expect(made.status).toBe(201);
  const { data } = await owner.call('GET', '/api/audit?limit=2');
  expect(data).toMatchObject([
    { action: 'view.create', actorKind: 'key', actorName: 'of the app' },
    { action: 'api-key.create', actorKind: 'user', actorName: OWNER.email },
  ]);
});

describe('tries to sign in', () => {
  it('of one account and from one address are bounded', async () => {
    const bounded = await openInstallation({ PLATFORM_SIGN_IN_LIMIT: '3' });
    try {
      await bounded.own();
      // A slow machine gives nobody another try.
      bounded.clock.frozenAt = Date.now();
      const tries = async (email: string) =>
        (await bounded.browser().call('POST', '/api/auth/sign-in', { email, password: 'wrong one' })).status;
      const one = [];
      for (let n = 0; n < 5; n += 1) one.push(await tries(OWNER.email));
      expect(one).toEqual([422, 422, 422, 429, 429]);
      const all = [];
      for (let n = 0; n < 15; n += 1) all.push(await tries(`p${n}@example.com`));
      expect([all[0], all.at(-1)]).toEqual([422, 429]);
    } finally {
      await bounded.close();
    }
  });

  it('of a stranger keep nobody out: neither behind the same proxy nor in a browser of before', async () => {
    const bounded = await openInstallation({
      PLATFORM_SIGN_IN_LIMIT: '3',
      PLATFORM_TRUSTED_PROXIES: '127.0.0.1,::1',
    });
    try {
      const known = await bounded.own();
      bounded.clock.frozenAt = Date.now();
      const [stranger, colleague] = ['198.51.100.1', '203.0.113.5'];
      const signIn = async (password: string, from: string, browser = bounded.browser()) => {
        const headers = { 'x-forwarded-for': from };
        return (await browser.call('POST', '/api/auth/sign-in', { email: OWNER.email, password }, headers))
          .status;
      };
      for (let n = 0; n < 3; n += 1) expect(await signIn('wrong one', stranger)).toBe(422);
      expect(await signIn(PASSWORD, stranger)).toBe(429);
      // The right password from another address, although the stranger goes on.
      expect(await signIn(PASSWORD, colleague)).toBe(200);
      // From the stranger's own address, in the browser in which the owner signed in before.
      expect(await signIn(PASSWORD, stranger, known)).toBe(200);
      // Many addresses together are bounded too, and do not bound that browser.
      const many = [];
      for (let n = 0; n < 31; n += 1) many.push(await signIn('wrong one', `192.0.2.${n}`));
      expect(many.at(-1)).toBe(429);
      expect(await signIn(PASSWORD, colleague)).toBe(429);
      expect(await signIn(PASSWORD, stranger, known)).toBe(200);
      // Which guesses no more often than others, and its cookie is of no use for another account.
      const guesses = [];
      const thief = bounded.browser();
      (thief.cookies as Map<string, string>).set('candela_device', known.cookies.get('candela_device') ?? '');
      for (let n = 0; n < 4; n += 1) guesses.push(await signIn('wrong one', colleague, thief));
      expect(guesses).toEqual([422, 422, 422, 429]);
      const { status } = await thief.call(
        'POST',
        '/api/auth/sign-in',
        { email: 'other@example.com', password: 'wrong one' },
        { 'x-forwarded-for': stranger },
      );
      expect(status).toBe(422);
      const audit = await known.call('GET', '/api/audit?limit=1');
      expect(audit.status).toBe(200);
    } finally {
      await bounded.close();
    }
  });

  it('a second cookie of the name signs nobody out', async () => {
    const cookie = `candela_session=${'x'.repeat(43)}; candela_session=${owner.cookies.get('candela_session') ?? ''}`;
    expect((await owner.call('GET', '/api/account', undefined, { cookie })).status).toBe(200);
  });
});

it('the first owner comes from the configuration when it names one', async () => {
  const named = await openInstallation({
    PLATFORM_ADMIN_EMAIL: 'Boss@Example.com',
    PLATFORM_ADMIN_PASSWORD: PASSWORD,
    PLATFORM_PUBLIC_URL: 'https://candela.example.com',
  });
  try {
    expect(named.platform.setupUrl).toBeUndefined();
    const browser = named.browser();
    const origin = 'https://candela.example.com';
    const credentials = { email: 'boss@example.com', password: PASSWORD };
    const { data, headers } = await browser.call('POST', '/api/auth/sign-in', credentials, { origin });
    expect(data.person.organisation.role).toBe('owner');
    expect(headers.getSetCookie()[0]).toMatch(/^__Host-candela_session=.*; HttpOnly; SameSite=Lax; Secure$/);
  } finally {
    await named.close();
  }
});
