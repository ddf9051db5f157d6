import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { openView, type View } from './testing.ts';

let installation: Installation;
let owner: Browser;

beforeAll(async () => {
  installation = await openInstallation();
  owner = await installation.own();
});
afterAll(() => installation.close());

const watch = (headers: Record<string, string>): Promise<View> =>
  openView(installation.platform.http, 'signal=spans', headers);

const cookieOf = ({ cookies }: Browser): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

async function newKey(more: object = {}): Promise<{ id: string; authorization: string }> {
  const { data, text } = await owner.call('POST', '/api/api-key', { name: 'live', ...more });
  if (data === undefined) throw new Error(text);
  return { id: String(data.id), authorization: `Bearer ${String(data.apiKey)}` };
}

/** How a view ended. */
async function endOf(view: View): Promise<unknown> {
  expect(await view.ended).toBe('end');
  const last = view.events.at(-1);
  expect(last?.event).toBe('failure');
  return last?.data;
}

describe('a live view ends', () => {
  it('when its key is revoked', async () => {
    const { id, authorization } = await newKey();
    const view = await watch({ authorization });
    expect(view.response.status).toBe(200);
    expect((await owner.call('DELETE', `/api/api-key/${id}`)).status).toBeLessThan(300);
    expect(await endOf(view)).toMatchObject({ code: 'unknown_credential', status: 401 });
  });

  it('when its key loses the scope, or the environment that it shows', async () => {
    const narrowed = await newKey();
    const moved = await newKey();
    const views = [
      await watch({ authorization: narrowed.authorization }),
      await watch({ authorization: moved.authorization }),
    ];
    await owner.call('PATCH', `/api/api-key/${narrowed.id}`, { scopes: ['ingest'] });
    await owner.call('PATCH', `/api/api-key/${moved.id}`, { environments: ['production'] });
    for (const view of views) expect(await endOf(view)).toMatchObject({ code: 'forbidden', status: 403 });
  });

  it('when who watches is signed out, or is no member any more; others go on', async () => {
    const [leaves, removed, stays] = [
      await installation.join(owner, 'viewer'),
      await installation.join(owner, 'viewer'),
      await installation.join(owner, 'viewer'),
    ];
    const [one, two, three] = [
      await watch({ cookie: cookieOf(leaves.browser) }),
      await watch({ cookie: cookieOf(removed.browser) }),
      await watch({ cookie: cookieOf(stays.browser) }),
    ];
    expect((await leaves.browser.call('POST', '/api/auth/sign-out')).status).toBeLessThan(300);
    expect((await owner.call('DELETE', `/api/organisation/members/${removed.id}`)).status).toBeLessThan(300);
    for (const view of [one, two]) expect(await endOf(view)).toMatchObject({ status: 401 });
    // Who stays was asked again, more than once.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await Promise.race([three.ended, Promise.resolve('open')])).toBe('open');
    expect(three.events).toEqual([]);
    three.leave();
  });
});

it('an export is cut when its key is revoked, however slowly it is taken', async () => {
  const { platform } = installation;
  const now = `${BigInt(Date.now()) * 1_000_000n}`;
  const sender = await newKey();
  // Far more than the sockets in between hold.
  for (let batch = 0; batch < 3; batch += 1) {
    const logRecords = Array.from({ length: 1_500 }, (_, n) => ({
      timeUnixNano: now,
      body: { stringValue: `${batch} ${n} `.padEnd(10_000, 'x') },
    }));
    const sent = await fetch(`${platform.otlpHttp}/v1/logs`, {
      method: 'POST',
      headers: { authorization: sender.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }),
    });
    expect(sent.status).toBe(200);
  }
  const begin = (authorization: string) =>
    fetch(`${platform.http}/api/telemetry/export`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify({ signal: 'logs', format: 'json', from: '-1h' }),
    });
  await expect
    .poll(
      async () => {
        const file = await begin(sender.authorization);
        await file.body?.cancel();
        return file.headers.get('x-platform-export-rows');
      },
      { timeout: 30_000 },
    )
    .toBe('4500');
  const { id, authorization } = await newKey();
  const file = await begin(authorization);
  expect(file.status).toBe(200);
  await owner.call('DELETE', `/api/api-key/${id}`);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await expect(file.text()).rejects.toThrow();
});
