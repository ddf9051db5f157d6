import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RouteDeclaration, type RouteId, ROUTES } from '@candela/contract';
import { ERROR_TABLE, type ErrorCode, silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { createMetrics } from './metrics.ts';
import { type Platform, startPlatform } from './platform.ts';
import { newStoreIn } from '@candela/telemetry-store/testing';

/** Made from the table of routes: a new route is asked all of this without a word. */

const KEY = 'pk_tricks01_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
let dir: string;
let platform: Platform;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-tricks-'));
  newStoreIn(join(dir, 'telemetry'));
  const config = readConfig({
    PLATFORM_DATA_DIR: dir,
    PLATFORM_PORT: '0',
    PLATFORM_OTLP_HTTP_PORT: '0',
    PLATFORM_OTLP_GRPC_PORT: '0',
    PLATFORM_LOCAL_COLLECTOR: 'false',
    PLATFORM_BOOTSTRAP_API_KEY: KEY,
    PLATFORM_RATE_LIMIT: '1000000',
    PLATFORM_WRONG_KEY_LIMIT: '1000000',
    PLATFORM_MIN_FREE_DISK_PERCENT: '0',
  });
  platform = await startPlatform(config, { logger: silentLogger, metrics: createMetrics() });
});
afterAll(async () => {
  await platform.stop();
  await rm(dir, { recursive: true, force: true });
});

/** What a failure of an envelope would be elsewhere: there it is always 200, and its code tells. */
const statusOf = (status: number, code: string): number =>
  status === 200 && Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].status : status;

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly body: string;
}

/** Sends path and headers exactly as written. Of an answer that streams its beginning. */
function ask(method: string, path: string, headers: readonly string[], body?: string): Promise<Answer> {
  const { hostname, port, host } = new URL(platform.http);
  return new Promise((resolve, reject) => {
    const given = ['host', host, ...headers];
    if (body !== undefined) given.push('content-length', String(Buffer.byteLength(body)));
    const request = httpRequest(
      { hostname, port, path, method, headers: given, agent: false },
      (response) => {
        let text = '';
        const done = () => {
          request.destroy();
          const told = response.headers['x-platform-error-code'];
          const code = typeof told === 'string' ? told : '';
          resolve({ status: statusOf(response.statusCode ?? 0, code), code, body: text });
        };
        const streams = /event-stream|csv|ndjson/.test(response.headers['content-type'] ?? '');
        if (streams) done();
        else {
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', done);
          response.on('error', reject);
        }
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const auth = ['authorization', `Bearer ${KEY}`];
const bodyOf = ({ method }: RouteDeclaration): string | undefined => (method === 'GET' ? undefined : '{}');
const pathOf = ({ path }: RouteDeclaration): string => path.replaceAll(/\{\w+\}/g, 'none');
const ofProject = (Object.keys(ROUTES) as RouteId[]).filter((id) => {
  const { permission }: RouteDeclaration = ROUTES[id];
  return permission !== 'public' && permission.key !== 'session';
});

describe.each(Object.keys(ROUTES) as RouteId[])('%s', (id) => {
  const route: RouteDeclaration = ROUTES[id];
  const path = pathOf(route);

  it('is reached by its own path only, whoever asks', async () => {
    const upper = `${path.slice(0, 5)}${path.slice(5).toUpperCase()}`;
    for (const trick of [
      // Shipped SDKs write this where the address of the platform ends in a slash.
      ...(route.pace === 'sdk' ? [] : [`/${path}`]),
      `${path}/`,
      `${path}//`,
      path.replace('/api/', '/api//'),
      path.replace('/api/', '/api/./'),
      path.replace('/api/', '/api/x/../'),
      path.replace('/api/', '/api/%2e/'),
      path.replace('/api/', '/api/x/%2e%2e/'),
      path.replace('/api/', '/api%2f'),
      path.replace('/api/', '/api\\'),
      path.replace('/api/', '/api%5c'),
      `${path}%00`,
      `${path};x=1`,
      `${path}%2f`,
      `${path}%0d%0ax-injected:1`,
      `/x/..${path}`,
      ...(upper === path ? [] : [upper]),
    ]) {
      for (const headers of [auth, ['x-forwarded-for', '203.0.113.1']]) {
        const answer = await ask(route.method, trick, headers, bodyOf(route));
        // A name in the path may be anything; then it is one that nobody has. Never is it somebody else's endpoint.
        expect([trick, [400, 401, 403, 404, 405].includes(answer.status)]).toEqual([trick, true]);
        expect(answer.body).not.toMatch(/ {4}at |node_modules|SELECT /);
      }
    }
  });

  it('answers no other method', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'OPTIONS', 'LOCK']) {
      const { status } = await ask(method, path, auth);
      expect([method, [404, 405].includes(status)]).toEqual([method, true]);
    }
  });

  it('takes no method from a header, and no credential from the address', async () => {
    if (route.permission === 'public') return;
    const stranger = ['x-forwarded-for', '203.0.113.1'];
    for (const [extra, search] of [
      [['x-http-method-override', 'GET'], ''],
      [['x-original-url', '/api/health'], ''],
      [['x-rewrite-url', '/api/health'], ''],
      [[], `?access_token=${KEY}`],
      [[], `?api_key=${KEY}&key=${KEY}&token=${KEY}`],
      [['x-api-key', KEY], ''],
      [['cookie', `candela_session=${KEY}; authorization=${KEY}`], ''],
    ] as const) {
      const { status } = await ask(route.method, path + search, [...stranger, ...extra], bodyOf(route));
      expect([extra, search, status]).toEqual([extra, search, 401]);
    }
  });
});

describe.each(ofProject)('%s and the context headers', (id) => {
  const route: RouteDeclaration = ROUTES[id];
  const path = pathOf(route);
  const send = (...headers: string[]) => ask(route.method, path, [...auth, ...headers], bodyOf(route));

  it.each(['x-platform-organisation-id', 'x-platform-project-id'])('refuses tricks with %s', async (name) => {
    for (const [what, headers, expected] of [
      ['foreign', [name, 'somebodys'], [403]],
      ['another case', [name, 'DEFAULT'], [403]],
      ['twice', [name, 'default', name, 'default'], [400, 403]],
      ['own, then foreign', [name, 'default', name, 'somebodys'], [400, 403]],
      ['in two spellings', [name, 'default', name.toUpperCase(), 'somebodys'], [400, 403]],
      ['comma-joined', [name, 'default,somebodys'], [400, 403]],
      ['empty', [name, ''], [400]],
      ['blank', [name, ' '], [400]],
      ['long', [name, 'x'.repeat(5_000)], [400, 403]],
      ['prototype', [name, '__proto__'], [403]],
      ['SQL', [name, "default' or '1'='1"], [400, 403]],
    ] as const) {
      const { status } = await send(...headers);
      expect([what, expected.includes(status as never), status]).toEqual([what, true, status]);
    }
  });

  it('refuses malformed and repeated environments', async () => {
    const name = 'x-platform-environment';
    for (const value of [
      'Production',
      'a b',
      '../x',
      'x'.repeat(64),
      'production,staging',
      '',
      '%70roduction',
    ]) {
      expect([value, (await send(name, value)).status]).toEqual([value, 400]);
    }
    expect((await send(name, 'production', name, 'staging')).status).toBe(400);
  });

  it('lets nobody choose a database', async () => {
    const plain = await send();
    const named = 'x-platform-database-config-id';
    for (const name of ['x-database-config-id', 'X-Database-Config-Id', named]) {
      const { status, code } = await send(name, 'somebodys');
      const refused = name === named && route.storage === 'platform';
      const expected = refused ? [403, 'forbidden'] : [plain.status, plain.code];
      expect([name, status, code]).toEqual([name, ...expected]);
    }
    if (route.storage !== 'platform') return;
    for (const [value, expected] of [
      ['embedded', plain.status],
      ['', 400],
      ['embedded,embedded', 400],
      ['EMBEDDED', 403],
      ['__proto__', 403],
      ["' or '1'='1", 403],
    ] as const) {
      expect([value, (await send(named, value)).status]).toEqual([value, expected]);
    }
  });
});
