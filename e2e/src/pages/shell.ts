import type { Locator, Page } from 'playwright-core';

/** What is around every page. */
export class Shell {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  get palette(): Locator {
    return this.page.getByRole('dialog', { name: 'Command palette' });
  }

  get keySheet(): Locator {
    return this.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  }

  get timeRange(): Locator {
    return this.page.getByTestId('time-range');
  }

  /** The theme that is on screen. */
  theme(): Promise<string> {
    return this.page.evaluate<string>('document.documentElement.dataset.theme');
  }

  async openPalette(): Promise<void> {
    await this.page.keyboard.press('Control+k');
    // Something of that name stands there while it is on its way.
    await this.palette.getByRole('combobox').waitFor();
  }

  /** Types into the palette and takes the first that it offers, once `named` is offered. */
  async command(text: string, named: string | RegExp = /./): Promise<void> {
    await this.openPalette();
    await this.page.keyboard.type(text);
    // What somebody saved is asked for when it opens.
    await this.palette.getByRole('option').filter({ hasText: named }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.palette.waitFor({ state: 'detached' });
  }

  async chooseTheme(name: 'System' | 'Light' | 'Dark'): Promise<void> {
    await this.page.getByRole('button', { name: 'Theme' }).click();
    await this.page.getByRole('menuitemradio', { name }).click();
  }
}
