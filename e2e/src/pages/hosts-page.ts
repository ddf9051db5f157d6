import type { Locator, Page } from 'playwright-core';

/** The fleet, a host and a GPU. */
export class HostsPage {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  get hosts(): Locator {
    return this.page.getByTestId('host-row');
  }

  host(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  get tiles(): Locator {
    return this.page.getByTestId('gpu-tile');
  }

  get partitions(): Locator {
    return this.page.getByTestId('gpu-partition');
  }

  get filter(): Locator {
    return this.page.getByRole('searchbox', { name: 'Filter hosts and GPUs' });
  }

  /** Name of what the keyboard stands on. */
  get active(): Locator {
    return this.page.locator('[data-active]');
  }

  chart(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true });
  }

  async openTab(name: string): Promise<void> {
    await this.page.getByRole('tab', { name }).click();
  }
}
