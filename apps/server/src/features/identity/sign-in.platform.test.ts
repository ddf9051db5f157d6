import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from './testing/browser.ts';
import { type Installation, openInstallation, OWNER, PASSWORD } from './testing/installation.ts';

let place: Installation;
let owner: Browser;
beforeAll(async () => {
  place = await openInstallation();
});
afterAll(async () => {
  await place.close();
});

const search = (browser: Browser, headers?: Record<string, string | undefined>) =>
  browser.call('POST', '/api/telemetry/traces/search', {}, headers);
const signIn = (browser: Browser, email = OWNER.email, password = PASSWORD) =>
  browser.call('POST', '/api/auth/sign-in', { email, password });
const codeOf = (secret: string, atMs: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });

describe('an installation nobody owns', () => {
  it('is read from its own machine, and changed by nobody', async () => {
    const browser = place.browser();
    expect((await browser.call('GET', '/api/auth/status')).data).toEqual({
      owned: false,
      providers: [],
      person: null,
      anonymous: { projects: [{ id: 'default', name: 'Default', environments: ['production'] }] },
    });
    expect((await search(browser)).status).toBe(200);
    for (const [method, path, body] of [
      ['GET', '/api/organisation', undefined],
      ['POST', '/api/projects', { name: 'x' }],
      ['POST', '/api/api-key', { name: 'abc' }],
      ['GET', '/api/account', undefined],
    ] as const) {
      const { status, code } = await browser.call(method, path, body);
      expect([path, status, code]).toEqual([path, 401, 'not_signed_in']);
    }
    const proxied = await browser.call('GET', '/api/auth/status', undefined, {
      'x-forwarded-for': '1.2.3.4',
    });
    expect(proxied.data.anonymous).toBeNull();
  });

  it('is set up with the link, once', async () => {
    expect(place.platform.setupUrl).toMatch(/\/setup\?token=[0-9A-Za-z]{43}$/);
    const wrong = await place.browser().call('POST', '/api/auth/setup', { ...OWNER, token: 'x'.repeat(43) });
    expect([wrong.status, wrong.code]).toEqual([404, 'not_found']);
    const weak = await place
      .browser()
      .call('POST', '/api/auth/setup', { ...OWNER, password: 'short', token: 'x'.repeat(43) });
    expect(weak.status).toBe(400);
    owner = await place.own();
    const { data } = await owner.call('GET', '/api/auth/status');
    expect(data).toMatchObject({
      owned: true,
      anonymous: null,
      person: { email: OWNER.email, organisation: { id: 'default', role: 'owner' } },
    });
    const token = new URL(place.platform.setupUrl ?? '').searchParams.get('token');
    const again = await place.browser().call('POST', '/api/auth/setup', { ...OWNER, token });
    expect(again.status).toBe(404);
  });

  it('once owned is read by nobody without a session or a key, and still takes telemetry from this machine', async () => {
    const browser = place.browser();
    expect((await search(browser)).code).toBe('not_signed_in');
    const sent = await fetch(`${place.platform.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
    });
    expect(sent.status).toBe(200);
    expect((await search(owner)).status).toBe(200);
  });
});

describe('signing in', () => {
  it('takes address and password, whatever the case of the address, and says nothing of which was wrong', async () => {
    const browser = place.browser();
    const wrong = await signIn(browser, OWNER.email, 'not this one');
    const unknown = await signIn(browser, 'nobody@example.com', PASSWORD);
    expect([wrong.status, wrong.code, wrong.text]).toEqual([unknown.status, unknown.code, unknown.text]);
    expect([wrong.status, wrong.code]).toEqual([422, 'wrong_password']);
    expect(browser.cookies.size).toBe(0);
    const right = await signIn(browser, ' OWNER@Example.com ');
    expect(right.data).toMatchObject({ next: 'done', person: { email: OWNER.email } });
    expect((await search(browser)).status).toBe(200);
  });

  it('keeps the session in a cookie that no script and no other site gets', async () => {
    const answer = await signIn(place.browser());
    const [cookie = ''] = answer.headers.getSetCookie().filter((line) => line.startsWith('candela_session='));
    expect(cookie).toMatch(
      /^candela_session=[0-9A-Za-z]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('keeps neither password nor token in the clear', async () => {
    const browser = place.browser();
    await signIn(browser);
    const token = browser.cookies.get('candela_session') ?? 'none';
    const bytes = ['metadata.sqlite', 'metadata.sqlite-wal']
      .map((name) => readFileSync(join(place.dir, name)).toString('latin1'))
      .join('');
    expect(bytes).toContain(OWNER.email);
    expect(bytes).not.toContain(token);
    expect(bytes).not.toContain(PASSWORD);
  });

  it('refuses what another site asks with the cookie', async () => {
    for (const headers of [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: undefined },
      { origin: place.platform.http.replace(/\d+$/, '1') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const rename = await owner.call('PATCH', '/api/organisation', { name: 'Stolen' }, headers);
      expect([JSON.stringify(headers), rename.status]).toEqual([JSON.stringify(headers), 403]);
      if (headers.origin !== undefined) {
        const { status } = await place
          .browser()
          .call('POST', '/api/auth/sign-in', { email: OWNER.email, password: PASSWORD }, headers);
        expect(status).toBe(403);
      }
    }
    expect((await owner.call('GET', '/api/organisation')).data.name).toBe('Default');
    const read = await owner.call('GET', '/api/organisation', undefined, { 'sec-fetch-site': 'same-site' });
    expect(read.status).toBe(403);
  });

  it('ends with signing out, here and everywhere', async () => {
    const [one, two] = [place.browser(), place.browser()];
    await signIn(one);
    await signIn(two);
    const stolen = one.cookies.get('candela_session') ?? '';
    expect((await one.call('POST', '/api/auth/sign-out')).status).toBe(200);
    expect(one.cookies.has('candela_session')).toBe(false);
    const replay = await search(place.browser(), { cookie: `candela_session=${stolen}` });
    expect([replay.status, replay.code]).toEqual([401, 'not_signed_in']);
    const { data } = await two.call('GET', '/api/account/sessions');
    expect(data.filter((session: { current: boolean }) => session.current)).toHaveLength(1);
    const three = place.browser();
    await signIn(three);
    await two.call('POST', '/api/account/sign-out-everywhere', { keepThis: true });
    expect((await search(three)).status).toBe(401);
    expect((await search(two)).status).toBe(200);
    await two.call('POST', '/api/account/sign-out-everywhere', {});
    expect((await search(two)).status).toBe(401);
    owner = place.browser();
    await signIn(owner);
  });

  it('ends one session by its id, and knows no session of somebody else', async () => {
    const other = place.browser();
    await signIn(other);
    const { data } = await other.call('GET', '/api/account/sessions');
    const own = data.find((session: { current: boolean }) => session.current);
    const member = await place.join(owner, 'viewer');
    const foreign = await member.browser.call('DELETE', `/api/account/sessions/${own.id}`);
    const unknown = await member.browser.call('DELETE', '/api/account/sessions/none');
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect((await owner.call('DELETE', `/api/account/sessions/${own.id}`)).status).toBe(200);
    expect((await search(other)).status).toBe(401);
  });

  it('ends when nothing was done for long, and at its end whatever was done', async () => {
    const browser = place.browser();
    await signIn(browser);
    const hour = 3_600_000;
    try {
      place.clock.shift = 167 * hour;
      expect((await search(browser)).status).toBe(200);
      place.clock.shift = (167 + 169) * hour;
      expect((await search(browser)).status).toBe(401);
    } finally {
      place.clock.shift = 0;
    }
    owner = place.browser();
    await signIn(owner);
  });

  it('asks for the password again to change it, and signs the others out', async () => {
    const { browser, email } = await place.join(owner, 'member');
    const elsewhere = place.browser();
    await signIn(elsewhere, email);
    const change = (currentPassword: string) =>
      browser.call('POST', '/api/account/password', { currentPassword, newPassword: 'another good one' });
    expect((await change('wrong')).code).toBe('wrong_password');
    expect((await change(PASSWORD)).data).toEqual({ signedOut: 1 });
    expect((await search(elsewhere)).status).toBe(401);
    expect((await search(browser)).status).toBe(200);
    expect((await signIn(elsewhere, email)).code).toBe('wrong_password');
    expect((await signIn(elsewhere, email, 'another good one')).status).toBe(200);
  });
});

describe('a second factor', () => {
  it('is asked for, each code is taken once, and recovery codes work once', async () => {
    const { browser, email } = await place.join(owner, 'member');
    expect((await browser.call('POST', '/api/account/totp', { password: 'wrong' })).code).toBe(
      'wrong_password',
    );
    const begun = await browser.call('POST', '/api/account/totp', { password: PASSWORD });
    const { secret, uri } = begun.data as { secret: string; uri: string };
    expect(uri).toMatch(/^otpauth:\/\/totp\/Candela:member-\d+%40example\.com\?/);
    const bytes = readFileSync(join(place.dir, 'metadata.sqlite-wal')).toString('latin1');
    expect(bytes).not.toContain(secret);
    // Not in force before a code of it was sent.
    expect((await signIn(place.browser(), email)).data.next).toBe('done');
    expect((await browser.call('POST', '/api/account/totp/confirm', { code: '000000' })).code).toBe(
      'wrong_code',
    );
    const confirming = codeOf(secret, place.clock.now());
    const confirmed = await browser.call('POST', '/api/account/totp/confirm', { code: confirming });
    const recovery = confirmed.data.recoveryCodes as string[];
    expect(recovery).toHaveLength(10);

    try {
      const entering = place.browser();
      const first = await signIn(entering, email);
      expect(first.data).toEqual({ next: 'totp', person: null });
      expect(entering.cookies.has('candela_session')).toBe(false);
      // The half-way cookie opens nothing.
      const half = entering.cookies.get('candela_sign_in') ?? '';
      expect((await search(place.browser(), { cookie: `candela_session=${half}` })).status).toBe(401);
      const step = (b: Browser, code: string) => b.call('POST', '/api/auth/sign-in/totp', { code });
      // The code that put it in force was taken.
      expect((await step(entering, confirming)).code).toBe('wrong_code');
      place.clock.shift = 60_000;
      const code = codeOf(secret, place.clock.now());
      expect((await step(entering, code)).data.person.email).toBe(email);
      expect((await search(entering)).status).toBe(200);
      const again = place.browser();
      await signIn(again, email);
      expect((await step(again, code)).code).toBe('wrong_code');
      const [lost = ''] = recovery;
      expect((await step(again, lost.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
      expect((await step(again, lost)).code).toBe('not_signed_in');
      const third = place.browser();
      await signIn(third, email);
      expect((await step(third, lost)).code).toBe('wrong_code');
      expect((await again.call('GET', '/api/account')).data).toMatchObject({
        totp: true,
        recoveryCodesLeft: 9,
      });
      place.clock.shift = 120_000;
      const off = await again.call('POST', '/api/account/totp/remove', {
        password: PASSWORD,
        code: codeOf(secret, place.clock.now()),
      });
      expect(off.data).toMatchObject({ totp: false, recoveryCodesLeft: 0 });
      expect((await signIn(place.browser(), email)).data.next).toBe('done');
    } finally {
      place.clock.shift = 0;
    }
  });

  it('is not asked of who passed no password', async () => {
    const { code, status } = await place.browser().call('POST', '/api/auth/sign-in/totp', { code: '123456' });
    expect([status, code]).toEqual([401, 'not_signed_in']);
  });
});
