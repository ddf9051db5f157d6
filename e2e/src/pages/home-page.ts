import type { Locator, Page } from 'playwright-core';

export class HomePage {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  card(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  /** A figure of "What changed": a button that says the figure and how it moved. */
  tile(label: string): Locator {
    return this.card('What changed').getByRole('button', { name: new RegExp(`^${label}`) });
  }

  async loaded(): Promise<void> {
    await this.card('What changed').waitFor();
    await this.card('Slowest operations').getByRole('link').first().waitFor();
  }
}
