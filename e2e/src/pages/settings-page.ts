import type { Locator, Page } from 'playwright-core';

/** Settings: the pages beside each other, their tables and dialogs. */
export class SettingsPage {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  get nav(): Locator {
    return this.page.getByRole('navigation', { name: 'Settings' });
  }

  async open(name: string): Promise<void> {
    await this.nav.getByRole('link', { name, exact: true }).click();
    await this.page.getByRole('heading', { name, level: 1 }).waitFor();
  }

  /** The open dialog of that title. */
  dialog(title: string): Locator {
    return this.page.getByRole('dialog', { name: title });
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Cells of the rows of a table, by its label; without its head. */
  async rows(label: string): Promise<string[][]> {
    const rows = this.page.getByRole('region', { name: label, exact: true }).locator('tbody tr');
    return rows.evaluateAll((found) =>
      found.map((row) =>
        [...(row as unknown as { cells: { innerText: string }[] }).cells].map((cell) =>
          cell.innerText.trim(),
        ),
      ),
    );
  }

  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(fields))
      await this.page.getByLabel(label, { exact: true }).fill(value);
  }
}
