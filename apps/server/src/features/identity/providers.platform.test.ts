import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from './testing/browser.ts';
import { type Installation, openInstallation, OWNER } from './testing/installation.ts';
import { CLIENT, type Issuer, openIssuer } from './testing/issuer.ts';

/** Where people reach the platform in this test; the issuer sends them there. */
const BASE = 'http://localhost:1';
const ADDRESS = 'people@example.com';

describe.each([
  ['the ID token', true],
  ['the userinfo answer', false],
])('an issuer that tells the address in %s', (_, addressInToken) => {
  let issuer: Issuer;
  let place: Installation;
  let owner: Browser;
  beforeAll(async () => {
    issuer = await openIssuer(() => `${BASE}/sign-in/oidc`, addressInToken);
    place = await openInstallation({
      PLATFORM_PUBLIC_URL: BASE,
      PLATFORM_OIDC_ISSUER: issuer.url,
      PLATFORM_OIDC_CLIENT_ID: CLIENT.id,
      PLATFORM_OIDC_CLIENT_SECRET: CLIENT.secret,
      PLATFORM_OIDC_NAME: 'the house',
    });
    owner = await place.own();
  });
  afterAll(async () => {
    await place.close();
    await issuer.close();
  });

  const start = (browser: Browser, more: object = {}) =>
    browser.call('POST', '/api/auth/provider/oidc/start', { returnTo: '/traces?x=1', ...more });
  const finish = (browser: Browser, search: string) =>
    browser.call('POST', '/api/auth/provider/oidc/finish', { search });
  const journey = async (browser: Browser, more: object = {}) => {
    const begun = await start(browser, more);
    return finish(browser, await issuer.visit(String(begun.data.url)));
  };
  const invite = async (email: string) => {
    const { data } = await owner.call('POST', '/api/organisation/invitations', { email });
    return new URL(String(data.link)).searchParams.get('token');
  };

  it('is offered, and lets in nobody whom nobody invited', async () => {
    const { data } = await place.browser().call('GET', '/api/auth/status');
    expect(data.providers).toEqual([{ id: 'oidc', name: 'the house' }]);
    issuer.account = { sub: 's-1', email: ADDRESS, email_verified: true };
    const browser = place.browser();
    const refused = await journey(browser);
    expect([refused.status, refused.code]).toEqual([403, 'forbidden']);
    expect(browser.cookies.has('candela_session')).toBe(false);
  });

  it('lets in who was invited at an address it verified, and knows them again', async () => {
    const invitation = await invite(ADDRESS);
    issuer.account = { sub: 's-1', email: ADDRESS, email_verified: false };
    expect((await journey(place.browser(), { invitation })).code).toBe('forbidden');
    issuer.account = { sub: 's-1', email: 'another@example.com', email_verified: true };
    expect((await journey(place.browser(), { invitation })).code).toBe('forbidden');
    issuer.account = { sub: 's-1', email: ADDRESS.toUpperCase(), email_verified: true, name: 'Pia <b>' };
    const browser = place.browser();
    const { data } = await journey(browser, { invitation });
    expect(data).toMatchObject({
      next: 'done',
      returnTo: '/traces?x=1',
      person: { email: ADDRESS, name: 'Pia b', organisation: { role: 'member' } },
    });
    expect((await browser.call('GET', '/api/account')).data).toMatchObject({
      hasPassword: false,
      providers: ['oidc'],
    });
    // Known by the subject, whatever became of the address.
    issuer.account = { sub: 's-1', email: 'new-address@example.com', email_verified: false };
    expect((await journey(place.browser())).data.person.email).toBe(ADDRESS);
  });

  it('is linked to an account by an address that it verified, and by no other', async () => {
    issuer.account = { sub: 's-2', email: OWNER.email, email_verified: false };
    expect((await journey(place.browser())).code).toBe('forbidden');
    issuer.account = { sub: 's-2', email: OWNER.email };
    expect((await journey(place.browser())).code).toBe('forbidden');
    issuer.account = { sub: 's-2', email: OWNER.email, email_verified: true };
    expect((await journey(place.browser())).data.person.organisation.role).toBe('owner');
  });

  it('is come back from once, by the browser that was sent, with the state it was sent with', async () => {
    issuer.account = { sub: 's-1', email: ADDRESS, email_verified: true };
    const browser = place.browser();
    const search = await issuer.visit(String((await start(browser)).data.url));
    const stranger = await finish(place.browser(), search);
    expect([stranger.status, stranger.code]).toEqual([502, 'provider_failed']);
    expect((await finish(browser, search)).data.next).toBe('done');
    expect((await finish(browser, search)).code).toBe('provider_failed');
    const other = place.browser();
    const begun = await issuer.visit(String((await start(other)).data.url));
    const forged = new URLSearchParams(begun);
    forged.set('state', 'forged');
    expect((await finish(other, `?${forged}`)).code).toBe('provider_failed');
    // Tried once is over, also when it failed.
    expect((await finish(other, begun)).code).toBe('provider_failed');
  });

  it('sends nobody to another site', async () => {
    for (const returnTo of ['//evil.test', 'https://evil.test', '/\\evil.test', 'javascript:1', '']) {
      expect([returnTo, (await start(place.browser(), { returnTo })).status]).toEqual([returnTo, 400]);
    }
    const unknown = await place.browser().call('POST', '/api/auth/provider/google/start', {});
    expect(unknown.status).toBe(404);
  });
});
