import type { Locator, Page } from 'playwright-core';

export class LogsPage {
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

  /** The record beside the list. */
  get panel(): Locator {
    return this.page.getByTestId('log-panel');
  }

  get contextLines(): Locator {
    return this.panel.getByRole('list', { name: 'Lines around the record' }).getByRole('listitem');
  }

  facet(name: string): Locator {
    return this.page.getByRole('complementary', { name: 'Facets' }).getByRole('region', { name });
  }

  /** Rows are there, and they are those of the question that stands above them. */
  async loaded(): Promise<void> {
    await this.page.locator('[aria-busy=false] [role=grid] [role=row][aria-rowindex]').first().waitFor();
  }

  async search(text: string): Promise<void> {
    await this.searchBox.fill(text);
    await this.searchBox.press('Enter');
  }

  /** Text of every row on screen. */
  lines(): Promise<string[]> {
    return this.rows.allInnerTexts();
  }

  parameter(name: string): string | null {
    return new URL(this.page.url()).searchParams.get(name);
  }
}
