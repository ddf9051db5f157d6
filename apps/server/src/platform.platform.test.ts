import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { silentLogger } from '@candela/kernel';
import { encodeTraceRequest } from '@candela/otlp';
import { type RouteDeclaration, ROUTES } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Config, readConfig } from './config.ts';
import { createMetrics } from './metrics.ts';
import { type Platform, startPlatform } from './platform.ts';

const KEY = 'pk_test0001_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

let dir: string;
let platform: Platform;

async function start(changes: Partial<Config> = {}): Promise<Platform> {
  const config = readConfig({
    PLATFORM_DATA_DIR: dir,
    PLATFORM_PORT: '0',
    PLATFORM_OTLP_HTTP_PORT: '0',
    PLATFORM_OTLP_GRPC_PORT: '0',
    PLATFORM_BOOTSTRAP_API_KEY: KEY,
    PLATFORM_WRONG_KEY_LIMIT: '10000',
    PLATFORM_MIN_FREE_DISK_PERCENT: '0',
  });
  return startPlatform({ ...config, ...changes }, { logger: silentLogger, metrics: createMetrics() });
}

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(platform.http + path, init);
  const body = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body,
    json: () => JSON.parse(body) as unknown,
  };
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

async function send(headers: Record<string, string> = {}) {
  const now = BigInt(Date.now()) * 1_000_000n;
  const body = encodeTraceRequest({
    resourceSpans: [
      {
        resource: { attributes: { 'service.name': 'shop' } },
        scopeSpans: [
          {
            scope: { name: 'test' },
            spans: [
              {
                traceId: TRACE,
                spanId: SPAN,
                name: 'GET /cart',
                kind: 2,
                startTimeUnixNano: now - 5_000_000n,
                endTimeUnixNano: now,
              },
            ],
          },
        ],
      },
    ],
  });
  return fetch(`${platform.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', ...headers },
    body: Buffer.from(body),
  });
}

async function eventually<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (let turn = 0; turn < 200; turn++) {
    const value = await work();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it never happened');
}

/** A request as typed, which `fetch` would tidy up. */
async function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(platform.http);
  const socket = connect(Number(port), hostname);
  socket.end(text);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'close');
  return answer;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-platform-'));
  platform = await start();
});
afterAll(async () => {
  await platform.stop();
  await rm(dir, { recursive: true, force: true });
});

describe('the whole way', () => {
  it('a span sent over OTLP is found, read and drawn over HTTP', async () => {
    expect((await send()).status).toBe(200);
    const row = await eventually(async () => {
      const { data } = (await post('/api/telemetry/traces/search', { q: 'service:shop' })).json() as {
        data: Record<string, unknown>[];
      };
      return data[0];
    });
    expect(row).toMatchObject({
      traceId: TRACE,
      rootName: 'GET /cart',
      spanCount: 1,
      environment: 'production',
    });
    for (const path of [
      `/api/telemetry/traces/${TRACE}`,
      `/api/telemetry/traces/${TRACE}/spans/${SPAN}`,
      `/api/telemetry/spans/${SPAN}/hierarchy`,
    ]) {
      const answer = await call(path);
      expect(answer.status, path).toBe(200);
      expect(answer.body).toContain('GET /cart');
    }
    const facets = await post('/api/telemetry/facets', {});
    expect(facets.body).toContain('shop');
    const histogram = await post('/api/telemetry/aggregate', { from: '-1h', bucketSeconds: 'auto' });
    expect(histogram.status).toBe(200);
    // What is answered is what is declared.
    for (const [id, answer] of [
      ['facets', facets],
      ['aggregate', histogram],
      ['getTrace', await call(`/api/telemetry/traces/${TRACE}`)],
      ['getSpan', await call(`/api/telemetry/traces/${TRACE}/spans/${SPAN}`)],
      ['getHierarchy', await call(`/api/telemetry/spans/${SPAN}/hierarchy`)],
      ['searchTraces', await post('/api/telemetry/traces/search', {})],
      ['searchSpans', await post('/api/telemetry/spans/search', {})],
      ['getPlatformHealth', await call('/api/health')],
      ['getReady', await call('/api/ready')],
    ] as const) {
      const declared: RouteDeclaration = ROUTES[id];
      const parsed = declared.response.safeParse(answer.json());
      expect(parsed.error?.issues ?? [], id).toEqual([]);
    }
  });

  it('an environment exists from its first record on', async () => {
    const search = () => post('/api/telemetry/traces/search', {}, { 'x-platform-environment': 'canary' });
    expect(await eventually(async () => ((await search()).status === 404 ? true : undefined))).toBe(true);
    expect((await send({ 'x-platform-environment': 'canary' })).status).toBe(200);
    expect((await search()).status).toBe(200);
  });
});

describe('answers', () => {
  it.each(['text/plain', 'application/json', ''])('take JSON as %j', async (type) => {
    const answer = await post(
      '/api/telemetry/traces/search',
      '{"from":"-1h"}',
      type === '' ? {} : { 'content-type': type },
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
  });

  it.each<[string, unknown, number, string]>([
    ['/api/telemetry/traces/search', 'nonsense', 400, 'body_not_json'],
    ['/api/telemetry/traces/search', '[]', 400, 'body_not_json'],
    ['/api/telemetry/traces/search', '', 400, 'body_not_json'],
    ['/api/telemetry/traces/search', { limit: 0 }, 400, 'bad_request'],
    ['/api/telemetry/traces/search', { limit: 501 }, 400, 'bad_request'],
    ['/api/telemetry/traces/search', { sort: 'DROP' }, 400, 'bad_request'],
    ['/api/telemetry/traces/search', { filtr: {} }, 400, 'bad_request'],
    ['/api/telemetry/traces/search', { q: 'servce:x' }, 400, 'bad_query'],
    ['/api/telemetry/traces/search', { from: 'yesterday' }, 400, 'bad_query'],
    ['/api/telemetry/traces/search', { from: 'now', to: '-1h' }, 400, 'bad_query'],
    ['/api/telemetry/traces/search', { cursor: 'x' }, 400, 'bad_query'],
    ['/api/telemetry/traces/search', { filter: { field: 'nope', op: '=', value: 1 } }, 400, 'bad_query'],
    [
      '/api/telemetry/traces/search',
      `{"filter":${'{"not":'.repeat(60)}{}${'}'.repeat(60)}}`,
      400,
      'bad_request',
    ],
    ['/api/telemetry/traces/search', `"${'x'.repeat(1_100_000)}"`, 413, 'too_large'],
    ['/api/telemetry/nope', {}, 404, 'not_found'],
    ['/api/telemetry/traces/abc', {}, 405, 'method_not_allowed'],
  ])('%s %.40j is %i %s', async (path, body, status, code) => {
    const answer = await post(path, body);
    expect([answer.status, answer.headers.get('x-platform-error-code')]).toEqual([status, code]);
    expect(Object.keys(answer.json() as object)).toEqual(['err']);
  });

  it('an unknown id and one of another project look the same', async () => {
    const answers = await Promise.all([
      call(`/api/telemetry/traces/${'0'.repeat(31)}1`),
      call(`/api/telemetry/traces/${'0'.repeat(31)}2`),
    ]);
    expect(answers.map((answer) => [answer.status, answer.body])).toEqual([
      [404, '{"err":"The trace was not found."}'],
      [404, '{"err":"The trace was not found."}'],
    ]);
    expect((await call('/api/telemetry/traces/xyz')).status).toBe(400);
  });

  it('every telemetry route asks for a credential from elsewhere', async () => {
    for (const route of Object.values<RouteDeclaration>(ROUTES)) {
      if (route.permission === 'public') continue;
      const known = route.path.replace('{traceId}', TRACE).replace('{spanId}', SPAN);
      const path = known.replaceAll(/\{\w+\}/g, 'none');
      const init = { method: route.method, ...(route.method === 'GET' ? {} : { body: '{}' }) };
      // Those that are always 200 say it in the body and the header.
      const refused = (status: number) => (route.envelope === undefined ? status : 200);
      const codeOf = ({ headers }: Awaited<ReturnType<typeof call>>) => headers.get('x-platform-error-code');
      const proxied = await call(path, { ...init, headers: { 'x-forwarded-for': '127.0.0.1' } });
      expect([route.id, proxied.status, proxied.headers.get('www-authenticate'), codeOf(proxied)]).toEqual([
        route.id,
        refused(401),
        'Bearer',
        'no_credential',
      ]);
      const wrong = await call(path, { ...init, headers: { authorization: 'Bearer nope' } });
      expect([route.id, wrong.status, codeOf(wrong)]).toEqual([route.id, refused(401), 'unknown_credential']);
      // A live view never ends by itself: its status is enough.
      const enough = new AbortController();
      const keyed = await fetch(platform.http + path, {
        ...init,
        headers: { authorization: `Bearer ${KEY}`, 'x-forwarded-for': '1.2.3.4' },
        signal: enough.signal,
      });
      enough.abort();
      // With a credential it gets as far as what was asked for: nothing needed, something missing, or not there. What
      // is for people alone no key gets at.
      const session = route.permission.key === 'session';
      expect(session ? [403] : [200, 201, 400, 404, 422], route.id).toContain(keyed.status);
      const other = await call(path, {
        ...init,
        headers: {
          authorization: `Bearer ${KEY}`,
          'x-platform-project-id': 'other',
          'x-database-config-id': 'other',
        },
      });
      expect([route.id, other.status, codeOf(other)]).toEqual([route.id, refused(403), 'forbidden']);
    }
  });

  it('repeated context headers are refused', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(platform.http);
      const request = httpRequest(
        {
          hostname,
          port,
          path: `/api/telemetry/traces/${TRACE}`,
          headers: [
            'host',
            `${hostname}:${port}`,
            'x-platform-project-id',
            'default',
            'x-platform-project-id',
            'default',
          ],
        },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject);
      request.end();
    });
    expect(status).toBe(400);
  });

  it('a name rebound to this machine gets nothing', async () => {
    const answer = await raw(
      `GET /api/telemetry/traces/${TRACE} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403/);
  });

  it.each([
    '/..%2f..%2fetc/passwd',
    '/assets/../../../../etc/passwd',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/api//telemetry/traces/search',
    '/api/telemetry/traces/%00',
    '/%5c..%5cetc',
  ])('%s reaches nothing', async (path) => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(answer).not.toMatch(/root:|"name"/);
  });

  it.each([
    ['is no HTTP', 'NONSENSE\r\n\r\n', 400],
    ['has a huge head', `GET /api HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['names no host', 'GET /api/v1/health HTTP/1.1\r\n\r\n', 400],
    [
      'has two lengths',
      'POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    ['expects what nobody knows', 'GET /api HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417],
  ])('a request that %s gets a short answer with its error', async (_, request, status) => {
    const answer = await raw(request);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
    const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    // The port takes OTLP too, whose senders read `code` and `message`.
    expect(body).toEqual({ err: expect.any(String), code: 3, message: expect.any(String) });
  });
});

describe('the other documents', () => {
  it.each([
    ['/openapi.json', 'application/json', /"openapi": "3\.1\.0"/],
    ['/openapi-spec', 'text/html', /Candela API/],
    ['/openapi-spec/reference.js', 'text/javascript', /specification/],
    ['/metrics', 'text/plain', /candela_http_request_seconds_count[\s\S]*candela_ingest_records_total/],
  ])('%s', async (path, type, content) => {
    const answer = await call(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain(type);
    expect(answer.body).toMatch(content);
  });

  it('metrics are not for strangers', async () => {
    // In a browser the same address is a page of the UI.
    const inBrowser = await call('/metrics', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(inBrowser.body).not.toContain('candela_http_request_seconds_count');
    for (const answer of [inBrowser, await call('/metrics')])
      expect(answer.headers.get('vary')).toBe('accept, accept-encoding');
    expect((await call('/metrics', { headers: { 'x-forwarded-for': '1.2.3.4' } })).status).toBe(401);
  });

  it('health tells how the parts do', async () => {
    expect((await call('/api/health')).json()).toMatchObject({
      status: 'ok',
      service: 'candela',
      state: 'ready',
      store: { state: 'ready', restarts: 0 },
      reasons: [],
    });
  });

  it('the OTLP port answers nothing else', async () => {
    const response = await fetch(`${platform.otlpHttp}/api/v1/health`);
    expect(response.status).toBe(404);
  });
});

describe('bounds', () => {
  it('a credential that asks too often waits', async () => {
    const other = await mkdtemp(join(tmpdir(), 'candela-limit-'));
    const mine = dir;
    dir = other;
    const limited = await start({ rateLimitPerMinute: 3 });
    dir = mine;
    try {
      const statuses: number[] = [];
      let retry: string | null = null;
      for (let turn = 0; turn < 5; turn++) {
        const response = await fetch(`${limited.http}/api/telemetry/traces/search`, {
          method: 'POST',
          body: '{}',
        });
        statuses.push(response.status);
        retry = response.headers.get('retry-after');
      }
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
      expect(Number(retry)).toBeGreaterThan(0);
      expect((await fetch(`${limited.http}/api/health`)).status).toBe(200);
    } finally {
      await limited.stop();
      await rm(other, { recursive: true, force: true });
    }
  });

  it('readiness turns first when it stops', async () => {
    const other = await mkdtemp(join(tmpdir(), 'candela-stop-'));
    const mine = dir;
    dir = other;
    const ending = await start();
    dir = mine;
    expect((await fetch(`${ending.http}/api/ready`)).status).toBe(200);
    const stopped = ending.stop();
    const answer = await fetch(`${ending.http}/api/ready`).then(
      (response) => response.status,
      () => 'refused',
    );
    expect([503, 'refused']).toContain(answer);
    expect(await stopped).toBe(true);
    await rm(other, { recursive: true, force: true });
  });

  it('a taken port is said with the variable that moves ours', async () => {
    const port = Number(new URL(platform.http).port);
    const other = await mkdtemp(join(tmpdir(), 'candela-taken-'));
    const mine = dir;
    dir = other;
    const attempt = start({ port });
    dir = mine;
    await expect(attempt).rejects.toThrow(/in use.*PLATFORM_PORT/);
    await rm(other, { recursive: true, force: true });
  });

  it('a data directory in use is said as such', async () => {
    await expect(start()).rejects.toThrow(/in use|another process/i);
  });
});
