import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { SettingsPage } from './pages/settings-page.ts';
import { SignInPage } from './pages/sign-in-page.ts';
import { OWNER, setupPath, totpCode } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, signing in in the browser: ${missing}`);

const GUEST = { email: 'charles@example.com', password: 'difference engine', name: 'Charles Babbage' };

describe.skipIf(missing !== undefined)('first owner, signing in, and the account', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, options);
    heard.push(opened.complaints);
    const { page } = opened;
    return { page, sign: new SignInPage(page), settings: new SettingsPage(page) };
  };
  const path = (url: string) => url.slice(stage.platform.http.length);

  it('without an owner the pages work on this machine, and settings say what is missing', async () => {
    const { page } = await open('/settings/members');
    await page.getByRole('heading', { name: 'Nobody owns this installation yet' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Send the first trace' }).waitFor();
    await page.getByText('Nobody owns this installation yet').waitFor();
  });

  it('a setup link that is none is refused in words', async () => {
    const { page } = await stage.open('/setup');
    const sign = new SignInPage(page);
    await page.getByText('needs the setup link').waitFor();
    await page.goto(`${stage.platform.http}/setup?token=${'x'.repeat(43)}`);
    await sign.fill({ 'Your name': 'Eve', 'E-mail': 'eve@example.com', Password: 'eve wants this' });
    await sign.press('Become the owner');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('not found');
  });

  it('the printed link makes the first owner, once', async () => {
    const { page, sign } = await open(setupPath(stage));
    await sign.heading('Set up Candela').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await sign.fill({
      'Your name': OWNER.name,
      'E-mail': OWNER.email,
      Password: OWNER.password,
      'Name of the organisation': 'Analytical Engines',
    });
    await sign.press('Become the owner');
    await page.getByTestId('user-menu').click();
    await page.getByRole('dialog', { name: 'You' }).getByText('Analytical Engines').waitFor();
    await page.goto(`${stage.platform.http}${setupPath(stage)}`);
    await sign.heading('This installation has an owner').waitFor();
  });

  it('an address that needs somebody leads to signing in and back to itself', async () => {
    const { page, sign } = await open('/settings/members?from=-1h');
    await sign.heading('Sign in').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await sign.signIn(OWNER.email, OWNER.password);
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    expect(path(page.url())).toBe('/settings/members?from=-1h');
  });

  it('a wrong password is told, and says nothing of the account', async () => {
    const { page, complaints } = await stage.open('/sign-in');
    const sign = new SignInPage(page);
    await sign.signIn('nobody@example.com', 'wrong password');
    const said = await page.getByRole('alert').innerText();
    await sign.fill({ 'E-mail': OWNER.email, Password: 'wrong password' });
    await sign.press('Sign in');
    await soon(() => page.getByRole('alert').innerText()).toBe(said);
    expect(complaints.filter((complaint) => !complaint.includes('422'))).toEqual([]);
  });

  it('a key that was refused does not stand in the way of signing in', async () => {
    const { page } = await stage.open('/sign-in');
    const sign = new SignInPage(page);
    await sign.useKey('pk_wrong000_key');
    await page.getByText('not known or was revoked').first().waitFor();
    await page.getByRole('link', { name: 'Sign in with an account' }).click();
    await sign.signIn(OWNER.email, OWNER.password);
    await page.getByTestId('user-menu').waitFor();
    await page.getByRole('heading', { name: 'Send the first trace' }).waitFor();
    // A project that is not theirs is refused in words, and the header leads back.
    await page.goto(`${stage.platform.http}/?project=of-others`);
    await page.getByRole('heading', { name: 'This is not yours to see' }).waitFor();
    await page.getByTestId('project').click();
    await page.getByRole('menuitemradio', { name: 'Default' }).click();
    await page.getByRole('heading', { name: 'Send the first trace' }).waitFor();
  });

  it('an invitation link makes an account with its role, and admins pages are not theirs', async () => {
    const owner = await open('/sign-in?next=/settings/members');
    await owner.sign.signIn(OWNER.email, OWNER.password);
    await owner.settings.button('Invite').click();
    await owner.settings.fill({ 'E-mail': GUEST.email });
    await owner.page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await owner.settings.button('Create invitation').click();
    const dialog = owner.settings.dialog(`Invitation for ${GUEST.email}`);
    await dialog.waitFor();
    expect(await accessibilityFindings(owner.page)).toEqual([]);
    const link = await dialog.getByLabel('Link', { exact: true }).innerText();
    await owner.settings.button('Done').click();
    await soon(() => owner.settings.rows('Invitations')).toEqual([
      [GUEST.email, 'viewer', OWNER.email, expect.any(String), 'Take back'],
    ]);

    const guest = await open(link.slice(new URL(link).origin.length));
    await guest.sign.heading('Join Analytical Engines').waitFor();
    expect(await accessibilityFindings(guest.page)).toEqual([]);
    await guest.sign.fill({ 'Your name': GUEST.name, Password: GUEST.password });
    await guest.sign.press('Accept the invitation');
    await guest.page.getByTestId('user-menu').waitFor();
    await guest.page.goto(`${stage.platform.http}/settings/members`);
    await soon(() => guest.settings.rows('People')).toHaveLength(2);
    await guest.settings.nav.getByRole('link', { name: 'Members' }).waitFor();
    expect(await guest.settings.nav.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    expect(await guest.settings.button('Invite').count()).toBe(0);
    await guest.page.goto(`${stage.platform.http}/settings/keys`);
    await guest.page.getByRole('heading', { name: "You don't have access" }).waitFor();
    expect(await accessibilityFindings(guest.page)).toEqual([]);

    // Removed, they are nobody with the next request.
    await owner.page.reload();
    await owner.settings.button(`Remove ${GUEST.email}`).click();
    await owner.settings.dialog(`Remove ${GUEST.name}?`).getByRole('button', { name: 'Remove' }).click();
    await soon(() => owner.settings.rows('People')).toHaveLength(1);
    heard.pop();
    await guest.page.goto(`${stage.platform.http}/settings/members`);
    await guest.sign.heading('Sign in').waitFor();
  });

  it('a second factor by its QR code is asked for, and a recovery code stands in for it', async () => {
    const { page, sign, settings } = await open('/sign-in?next=/account');
    await sign.signIn(OWNER.email, OWNER.password);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await settings.button('Turn on').click();
    await settings.fill({ 'Your password': OWNER.password });
    await settings.button('Continue').click();
    await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
    const secret = await page.getByLabel('Secret', { exact: true }).innerText();
    await settings.fill({ Code: totpCode(secret, Date.now()) });
    await settings.dialog('Turn the second factor on').getByRole('button', { name: 'Turn on' }).click();
    const codes = settings.dialog('Recovery codes');
    await codes.waitFor();
    const [recovery = ''] = (await codes.getByLabel('Codes', { exact: true }).innerText()).split(/\s+/);
    await settings.button('Done').click();
    await page.getByText('recovery codes left').waitFor();

    await page.getByTestId('user-menu').click();
    await settings.button('Sign out').click();
    await sign.signIn(OWNER.email, OWNER.password);
    await sign.heading('Second step').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await sign.fill({ Code: recovery });
    await sign.press('Continue');
    await page.getByTestId('user-menu').waitFor();

    // Everywhere is here, too: the page is nobody's afterwards, and so is the cookie.
    await page.goto(`${stage.platform.http}/account`);
    await page.getByText('9 recovery codes left').waitFor();
    await settings.button('Sign out everywhere').click();
    const sure = settings.dialog('Sign out everywhere?');
    await sure.getByRole('button', { name: 'Sign out everywhere' }).click();
    await sign.heading('Sign in').waitFor();
    expect((await page.request.get(`${stage.platform.http}/api/account`)).status()).toBe(401);
  });

  it.each(['dark', 'light'] as const)('passes the accessibility rules (%s)', async (colorScheme) => {
    const { page, sign } = await open('/sign-in', { colorScheme });
    await sign.heading('Sign in').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });
});
