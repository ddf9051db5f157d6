import type { Locator, Page } from 'playwright-core';

export class TracePage {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  get tree(): Locator {
    return this.page.getByRole('tree', { name: 'Spans' });
  }

  get items(): Locator {
    return this.tree.getByRole('treeitem');
  }

  get selected(): Locator {
    return this.tree.locator('[role=treeitem][aria-selected=true]');
  }

  get panel(): Locator {
    return this.page.getByTestId('span-panel');
  }

  get transcript(): Locator {
    return this.page.getByTestId('transcript');
  }

  async loaded(): Promise<void> {
    await this.items.first().waitFor();
  }

  /** Names as indented text, the way the tree reads. */
  async outline(): Promise<string[]> {
    const rows = await this.items.all();
    return Promise.all(
      rows.map(async (row) => {
        const level = Number(await row.getAttribute('aria-level'));
        const name = await row.locator('bdi').first().getAttribute('title');
        return `${'  '.repeat(level - 1)}${name}`;
      }),
    );
  }

  async openTab(name: string): Promise<void> {
    await this.panel.getByRole('tab', { name }).click();
  }

  spanInUrl(): string {
    return new URL(this.page.url()).searchParams.get('span') ?? '';
  }
}
