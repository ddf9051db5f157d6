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
  get question(): Locator {
    return this.page.getByRole('combobox', { name: 'Question' });
  }
  async ask(text: string): Promise<void> {
    await this.question.fill(text);
    await this.question.press('Enter');
  }
  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }
}
