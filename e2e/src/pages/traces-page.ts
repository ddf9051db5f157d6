import type { Locator, Page } from 'playwright-core';

export class TracesPage {
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

  get suggestions(): Locator {
    return this.page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  }

  get chips(): Locator {
    return this.page.getByRole('list', { name: 'Filters' }).getByRole('listitem');
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

  /** Text of the cells of every row on screen. */
  cells(): Promise<string[]> {
    return this.rows.allInnerTexts();
  }

  query(): string {
    return new URL(this.page.url()).searchParams.get('q') ?? '';
  }
}
