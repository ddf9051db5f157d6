import type { Locator, Page } from 'playwright-core';
import { SettingsPage } from './settings-page.ts';

/** Prompts, contexts and the vault: lists with dialogs, and pages with an editor. */
export class SteerPages extends SettingsPage {
  constructor(page: Page) {
    super(page);
  }

  /** The list's own link to the thing of that name. */
  row(name: string): Locator {
    return this.page.getByRole('grid').getByRole('link', { name, exact: true });
  }

  editor(name: 'Text of the prompt' | 'Content of the context'): Locator {
    return this.page.getByRole('textbox', { name });
  }

  tab(name: string): Locator {
    return this.page.getByRole('tab', { name });
  }

  region(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  /** Presses the only button of that name in a dialog. */
  async confirm(title: string, action: string): Promise<void> {
    const dialog = this.dialog(title);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }
}
