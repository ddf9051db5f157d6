import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { pathsOf } from './settings.ts';

const root = mkdtempSync(join(tmpdir(), 'candela-settings-'));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(root, { recursive: true, force: true });
});
let count = 0;

/** A person's home with what is configured there, and a platform that answers when asked for the policy. */
async function place(
  configured: object | string = {},
  answer: { status: number; body?: object } = { status: 404 },
) {
  const env = { HOME: join(root, `home ${count++}`) };
  const paths = pathsOf({ env });
  for (const folder of [dirname(paths.config), paths.state]) mkdirSync(folder, { recursive: true });
  const now = { ...answer };
  const server = createServer((_request, response) => {
    response.writeHead(now.status).end(JSON.stringify(now.body ?? {}));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    paths.config,
    typeof configured === 'string' ? configured : JSON.stringify({ endpoint, ...configured }),
  );
  return {
    env,
    paths,
    now,
    /** As a process that was just started has them. */
    async settings(more: Record<string, string> = {}) {
      vi.resetModules();
      const { drainSettingsOf } = await import('./settings.ts');
      return (await drainSettingsOf({ ...env, ...more }, paths)).settings;
    },
  };
}

describe('what the organisation allows', () => {
  const minimal = { status: 200, body: { capture: 'minimal', repositories: ['github.com/acme'] } };

  it('only takes away from what the person wants', async () => {
    const { settings } = await place({ repositories: ['github.com/acme/x', 'github.com/bob'] }, minimal);
    expect(await settings()).toMatchObject({
      capture: 'minimal',
      repositories: [['github.com/acme/x', 'github.com/bob'], ['github.com/acme']],
    });
  });

  it('holds while the platform is away or fails, also for a process that starts then', async () => {
    const { settings, now } = await place({}, minimal);
    await settings();
    now.status = 503;
    expect(await settings()).toMatchObject({ capture: 'minimal', repositories: [['github.com/acme']] });
  });

  it.each([401, 403, 500, 503])('is waited for where it was never heard: %d', async (status) => {
    const { settings } = await place({}, { status });
    await expect(settings()).rejects.toThrow(/events wait/);
  });

  it('is nothing where another receiver of OTLP listens', async () => {
    const { settings } = await place({}, { status: 404 });
    expect(await settings()).toMatchObject({ capture: 'full', repositories: [] });
  });
});

it.each(['{"endpoint":', '[]', '{"capture":"metadata-only"}', '{"endpoint":5}', '{"repositories":"a"}'])(
  'a malformed file is named, and nothing sent: %s',
  async (text) => {
    const { settings, paths } = await place(text);
    await expect(settings()).rejects.toThrow(paths.config);
  },
);

it('a mistyped mode of the environment is no "full"', async () => {
  const { settings } = await place();
  await expect(settings({ PLATFORM_CODING_CONTENT_CAPTURE: 'metadata-only' })).rejects.toThrow(/is one of/);
});
