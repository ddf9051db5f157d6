import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { type Browser, openBrowser } from '../../../apps/server/src/features/identity/testing/browser.ts';
import { OWNER } from '../../../apps/server/src/features/identity/testing/installation.ts';
import { sleep } from '../lib/temp.ts';

const READY = '"event":"ready"';

/** A platform that its owner is signed in to, whatever process it runs in at the moment. */
export class Site {
  readonly options: Parameters<typeof startPlatform>[0];
  #process: PlatformProcess;
  #cookie: string;

  private constructor(options: Site['options'], process: PlatformProcess, cookie: string) {
    this.options = options;
    this.#process = process;
    this.#cookie = cookie;
  }

  /** Starts it and makes the owner; `cookie`: of the owner of another process of the same installation. */
  static async open(
    dataDir: string,
    env: Readonly<Record<string, string>> = {},
    cookie?: string,
  ): Promise<Site> {
    const options = { dataDir, env: { PLATFORM_RATE_LIMIT: '1000000', ...env } };
    const process = await startPlatform(options);
    if (cookie !== undefined) return new Site(options, process, cookie);
    const ready = process.output().find((line) => line.includes(READY)) ?? '{}';
    const { setupUrl } = JSON.parse(ready) as { setupUrl?: string };
    const owner: Browser = openBrowser(process.http);
    const token = new URL(setupUrl ?? '').searchParams.get('token');
    const made = await owner.call('POST', '/api/auth/setup', { ...OWNER, token });
    if (made.status !== 201) throw new Error(made.text);
    return new Site(
      options,
      process,
      [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    );
  }

  get process(): PlatformProcess {
    return this.#process;
  }

  get cookie(): string {
    return this.#cookie;
  }

  /** One call as the owner. @throws Error with the answer where it is refused */
  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.fetch(method, path, body);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 500)}`);
    return (JSON.parse(text) as { data: T }).data;
  }

  fetch(method: string, path: string, body?: object): Promise<Response> {
    const { http } = this.#process;
    return fetch(`${http}${path}`, {
      method,
      headers: {
        cookie: this.#cookie,
        origin: http,
        'sec-fetch-site': 'same-origin',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** kill -9 after a while, so many times, and started again each time. */
  async killed(rounds: number, everyMs: () => number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await sleep(everyMs());
      await this.#process.kill();
      this.#process = await startPlatform(this.options);
    }
  }

  /** A key that may send telemetry. */
  async key(): Promise<string> {
    const made = await this.ask<{ apiKey: string }>('POST', '/api/api-key', {
      name: 'bench',
      scopes: ['ingest'],
    });
    return made.apiKey;
  }

  /** A model at a fake vendor. */
  async model(url: string): Promise<string> {
    const made = await this.ask<{ id: string }>('POST', '/api/models', {
      name: 'fake',
      provider: 'openai-compatible',
      model: 'house-model',
      baseUrl: `${url}/v1`,
    });
    return made.id;
  }
}

/** Looks until it is so. @throws Error when it takes longer than `withinMs` */
export async function until(what: string, withinMs: number, look: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`Not within ${withinMs / 1_000} s: ${what}`);
    await sleep(500);
  }
}
