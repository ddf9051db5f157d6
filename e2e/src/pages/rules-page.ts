import type { Locator } from 'playwright-core';
import { SettingsPage } from './settings-page.ts';

/** The list of rules, and one rule with its conditions, what they match and a dry run. */
export class RulesPage extends SettingsPage {
  /** The list's own link to the rule of that name. */
  row(name: string): Locator {
    return this.page.getByRole('grid').getByRole('link', { name, exact: true });
  }

  /** A part of a condition, counted from one. */
  part(what: 'Field' | 'Value', condition: number, group: number): Locator {
    return this.page.getByLabel(`${what} of condition ${condition} of group ${group}`, { exact: true });
  }

  async choose(what: 'Type' | 'Operator', condition: number, group: number, label: string): Promise<void> {
    await this.page
      .getByLabel(`${what} of condition ${condition} of group ${group}`, { exact: true })
      .selectOption({ label });
  }

  suggestion(text: string): Locator {
    return this.page.getByRole('option').filter({ hasText: text }).first();
  }

  /** `3 of 20 spans match`, as the preview says it. */
  get matches(): Locator {
    return this.page.getByRole('tabpanel').getByRole('status').filter({ hasText: 'match' });
  }

  /** What the dry run says. */
  get why(): Locator {
    return this.page.getByRole('status', { name: 'Why' });
  }

  async confirm(title: string, action: string): Promise<void> {
    const dialog = this.dialog(title);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }
}
