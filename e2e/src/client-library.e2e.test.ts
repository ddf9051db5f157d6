/** The client library in a real browser: a page of an allowed origin fetches, a page of another one gets nothing. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  CONTEXT,
  SECRET_VALUE,
  startSteeredPlatform,
  type SteeredPlatform,
} from '../clients/src/shared/steered-platform.ts';
import { launchBrowser } from './chromium.ts';

const DIST = join(import.meta.dirname, '../../packages/client/dist');
const PAGE = `<!doctype html><title>An application</title>
<script type="module">import * as candela from '/index.js'; globalThis.candela = candela;</script>`;

/** A site that serves an empty page and the library as it is published. */
async function site(): Promise<{ server: Server; origin: string }> {
  const server = createServer((request, response) => {
    const name = basename(request.url ?? '/');
    const [type, body] = name.endsWith('.js')
      ? ['text/javascript', readFileSync(join(DIST, name), 'utf8')]
      : ['text/html', PAGE];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Runs in the page: what each call gives, or how it fails. */
async function callAll({ url, apiKey }: { url: string; apiKey: string }) {
  const { createClient } = (globalThis as unknown as { candela: Library }).candela;
  const client = createClient({ url, apiKey, promptCache: { ttlMs: 0 }, retries: 0 });
  const tell = async (call: Promise<unknown>): Promise<unknown> =>
    call.catch((error: unknown) => (error as { code?: string }).code ?? String(error));
  const text = async () =>
    client.getPrompt({ name: 'support-answer' }).then(({ version, stale }) => [version, stale]);
  return {
    prompt: await tell(text()),
    again: await tell(text()),
    secrets: await tell(client.getSecrets({ tags: ['llm'] })),
    rule: await tell(
      client
        .evaluateRule({ entityType: 'context', fields: { user_tier: 'gold' }, includeEntityData: true })
        .then(({ contexts }) => [...contexts.values()].map((context) => context?.content)),
    ),
    environment: await tell(client.getSecrets({ shouldSetEnv: true })),
    wrongKey: await tell(createClient({ url, apiKey: 'pk_00000000_wrong' }).getSecrets()),
  };
}

type Library = typeof import('../../packages/client/src/index.ts');

let allowed: Awaited<ReturnType<typeof site>>;
let other: Awaited<ReturnType<typeof site>>;
let steered: SteeredPlatform;
let browser: Browser;
beforeAll(async () => {
  allowed = await site();
  other = await site();
  steered = await startSteeredPlatform({ PLATFORM_ALLOWED_CORS_ORIGINS: allowed.origin });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await steered?.stop();
  for (const { server } of [allowed, other]) server?.close();
});

async function open(origin: string): Promise<{ page: Page; statuses: number[] }> {
  const page = await browser.newPage();
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/get-compiled')) statuses.push(response.status());
  });
  await page.goto(origin);
  return { page, statuses };
}

const call = async (page: Page) => page.evaluate(callAll, { url: steered.url, apiKey: steered.apiKey });

it('a page of an allowed origin gets prompts, secrets and rules', async () => {
  const { page, statuses } = await open(allowed.origin);
  expect(await call(page)).toEqual({
    prompt: ['1.0.0', false],
    again: ['1.0.0', false],
    secrets: { OPENAI_API_KEY: SECRET_VALUE },
    rule: [CONTEXT.content],
    environment: 'configuration',
    wrongKey: 'unknown_credential',
  });
  // The second one was asked for with the ETag of the first, which the page may read.
  expect(statuses).toEqual([200, 304]);
  await page.close();
});

it('a page of another origin gets nothing, whatever its key', async () => {
  const { page } = await open(other.origin);
  const unread = await call(page);
  expect(unread).toEqual({
    prompt: 'unreachable',
    again: 'unreachable',
    secrets: 'unreachable',
    rule: 'unreachable',
    environment: 'configuration',
    wrongKey: 'unreachable',
  });
  await page.close();
});
