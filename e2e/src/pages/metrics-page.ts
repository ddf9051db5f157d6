import type { Locator, Page } from 'playwright-core';

/** The catalogue of metrics and the explorer. */
export class MetricsPage {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  get rows(): Locator {
    return this.page.locator('[role=row][aria-rowindex]');
  }

  get search(): Locator {
    return this.page.getByRole('searchbox', { name: 'Search metrics' });
  }

  facet(label: string, value: string): Locator {
    return this.page.getByRole('region', { name: label }).getByRole('button', { name: value });
  }

  query(letter: string): Locator {
    return this.page.getByRole('group', { name: `Query ${letter}` });
  }

  get chart(): Locator {
    return this.page.getByTestId('time-chart');
  }

  /** Texts of the cells of each line of the table below the chart. */
  async lines(): Promise<string[]> {
    const texts = await this.page.getByRole('table', { name: 'Series' }).locator('tbody tr').allInnerTexts();
    return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
  }

  async chooseAggregation(letter: string, name: string): Promise<void> {
    await this.page.getByRole('button', { name: `Aggregation of ${letter}` }).click();
    await this.page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) }).click();
  }

  async groupBy(letter: string, field: string): Promise<void> {
    await this.page.getByRole('button', { name: `Group ${letter} by` }).click();
    await this.page.getByRole('textbox', { name: `Find labels of ${letter}` }).fill(field);
    await this.page.getByRole('dialog').getByRole('button', { name: field }).click();
    await this.page.keyboard.press('Escape');
  }
}
