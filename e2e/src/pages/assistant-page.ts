import type { Locator, Page } from 'playwright-core';

/** The assistant and the page of statements, as a person finds their way in them. */
export class AssistantPage {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }
  get answer(): Locator {
    return this.page.getByRole('article', { name: 'Answer' }).last();
  }
  async ask(text: string): Promise<void> {
    const box = this.page.getByRole('textbox', { name: 'Question' });
    await box.fill(text);
    await box.press('Enter');
  }
  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }
}
