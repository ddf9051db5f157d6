import type { Locator, Page } from 'playwright-core';

/** The list of sessions, and the page of one. */
export class SessionsPage {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  get searchBox(): Locator {
    return this.page.getByRole('combobox', { name: 'Search' });
  }

  get rows(): Locator {
    return this.page.locator('[role=grid] [role=row][aria-rowindex]');
  }

  get turns(): Locator {
    return this.page.getByTestId('turn');
  }

  get conversation(): Locator {
    return this.page.getByTestId('conversation');
  }

  get bars(): Locator {
    return this.page.getByRole('slider', { name: /per turn/ });
  }

  turn(number: number): Locator {
    return this.page.getByRole('region', { name: `Turn ${number}`, exact: true });
  }

  async loaded(): Promise<void> {
    await this.rows.first().waitFor();
  }

  async search(text: string): Promise<void> {
    await this.searchBox.fill(text);
    await this.searchBox.press('Enter');
  }
}
