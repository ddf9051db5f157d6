import type { Locator, Page } from 'playwright-core';

/** The pages that stand alone: setting up, signing in, accepting an invitation. */
export class SignInPage {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  heading(name: string): Locator {
    return this.page.getByRole('heading', { name });
  }

  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(fields))
      await this.page.getByLabel(label, { exact: true }).fill(value);
  }

  press(name: string): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  /** Signs in and waits until the page behind it is there. */
  async signIn(email: string, password: string): Promise<void> {
    await this.heading('Sign in').waitFor();
    await this.fill({ 'E-mail': email, Password: password });
    await this.press('Sign in');
  }

  async useKey(key: string): Promise<void> {
    await this.press('use an API key');
    await this.fill({ 'API key': key });
    await this.press('Use this key');
  }
}
