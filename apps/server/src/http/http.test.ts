import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineRoute, reads, type RouteDeclaration, ROUTES } from '@candela/contract';
import { CandelaError, fail } from '@candela/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseJsonObject } from './body.ts';
import { errorAnswer } from './errors.ts';
import { canonicalPath } from './paths.ts';
import { RateLimiter } from './rate-limit.ts';
import { createRouter } from './router.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { createStaticSite } from './static-site.ts';

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'ok';
  } catch (error) {
    if (error instanceof CandelaError) return error.code;
    throw error;
  }
}

describe('paths', () => {
  it.each([
    ['/api/health?x=%2F', '/api/health'],
    ['/traces/a%20b', '/traces/a b'],
    ['/', '/'],
  ])('%s is %s', (target, path) => {
    expect(canonicalPath(target)).toBe(path);
  });

  it.each([
    '/..',
    '/a/../b',
    '/a/%2e%2e/b',
    '/%2E%2E/etc/passwd',
    '/a/..%2fb',
    '/a%2fb',
    '/a%5cb',
    '/a\\b',
    '/a%00',
    '/a%252fb',
    '//evil.test/',
    '/a//b',
    '/%',
    '/%E0%A4%A',
    '/a%0d%0ab',
    'http://evil.test/',
    '',
    '*',
  ])('%j is refused', (target) => {
    expect(codeOf(() => canonicalPath(target))).toBe('bad_request');
  });
});

describe('the router', () => {
  const router = createRouter(ROUTES);
  const permission = reads('telemetry');
  const route = (path: RouteDeclaration['path']) =>
    defineRoute({ id: 'x', method: 'GET', path, tag: 't', summary: 's', permission, response: z.object({}) });

  it('finds routes and their parameters', () => {
    expect(router.match('GET', '/api/telemetry/traces/abc/spans/def')).toMatchObject({
      id: 'getSpan',
      params: { traceId: 'abc', spanId: 'def' },
    });
    expect(router.match('HEAD', '/api/health').id).toBe('getPlatformHealth');
    expect(router.match('POST', '/api/telemetry/traces/search').id).toBe('searchTraces');
  });

  it.each([
    ['GET', '/api/telemetry/traces/'],
    ['GET', '/api/telemetry/traces/a/'],
    ['GET', '/API/v1/health'],
    ['GET', '/api/health.'],
    ['GET', '/api/health;x=1'],
    ['GET', '/api/v1/nope'],
    ['GET', '/api'],
  ])('%s %s is not found', (method, path) => {
    expect(codeOf(() => router.match(method, path))).toBe('not_found');
  });

  it('says which methods there are', () => {
    try {
      router.match('DELETE', '/api/health');
      expect.unreachable();
    } catch (error) {
      const answer = errorAnswer(error, '/api/v1/health');
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']).toBe('GET');
      expect(JSON.parse(answer.body)).toEqual({
        error: { code: 'method_not_allowed', message: expect.any(String), hint: expect.any(String) },
      });
    }
  });

  it('refuses to start with a route without permission, or two that look the same', () => {
    for (const broken of [
      undefined,
      '',
      'telemetry',
      {},
      { ...permission, key: undefined },
      { ...permission, key: 'all' },
      { ...permission, role: undefined },
      { ...permission, role: 'root' },
      { ...permission, on: undefined },
      { ...permission, role: 'signed-in' },
    ]) {
      const open = { ...route('/api/x'), permission: broken } as unknown as RouteDeclaration;
      expect(() => createRouter({ x: open }), JSON.stringify(broken)).toThrow(/The route x /);
    }
    const y = { ...route('/api/{b}'), id: 'y' };
    expect(() => createRouter({ x: route('/api/{a}'), y })).toThrow(/look like/);
  });
});

describe('errors', () => {
  it('tell nothing of an unexpected failure', () => {
    const answer = errorAnswer(new Error('SELECT secret FROM /var/lib/x'), '/api/telemetry/x');
    expect(answer.status).toBe(500);
    expect(answer.headers['x-platform-error-code']).toBe('internal');
    expect(answer.body).not.toMatch(/SELECT|secret|var/);
    expect(Object.keys(JSON.parse(answer.body) as object)).toEqual(['err']);
  });

  it('say when to come back', () => {
    const answer = errorAnswer(fail('store_unavailable', { seconds: 7 }), '/api/x');
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '7']);
  });
});

describe('bodies', () => {
  const bytes = (text: string) => Buffer.from(text);
  it.each(['', '[]', '"x"', 'null', '{', '{"a":1}x'])('%.20s is refused', (text) => {
    expect(codeOf(() => parseJsonObject(bytes(text)))).toBe('body_not_json');
  });
  it('takes objects, brackets in strings do not count', () => {
    const value = { a: '['.repeat(500), b: '\\"[{' };
    expect(parseJsonObject(bytes(JSON.stringify(value)))).toEqual(value);
  });
  it('refuses invalid UTF-8', () => {
    expect(codeOf(() => parseJsonObject(Buffer.from([0x7b, 0xff, 0x7d])))).toBe('body_not_json');
  });
  it.each([
    `${'['.repeat(100)}`,
    `{"a":${'['.repeat(70)}${']'.repeat(70)}}`,
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  ])('says that %.20s is nested too deeply', (text) => {
    expect(() => parseJsonObject(bytes(text))).toThrow('The request body is nested deeper than 64 levels.');
  });
});

describe('the rate limit', () => {
  it('counts per key, refills, and survives a clock that goes back', () => {
    let now = 1_000_000;
    const limiter = new RateLimiter(60, { now: () => now });
    const take = (key = 'a') => codeOf(() => limiter.take(key));
    for (let count = 0; count < 60; count++) expect(take()).toBe('ok');
    expect(take()).toBe('rate_limited');
    expect(take('b')).toBe('ok');
    now += 1_000;
    expect(take()).toBe('ok');
    expect(take()).toBe('rate_limited');
    now -= 500_000;
    expect(take()).toBe('rate_limited');
    now += 60_000;
    expect(take()).toBe('ok');
  });

  it('keeps a bounded number of keys', () => {
    const limiter = new RateLimiter(1, { now: () => 0 }, 3);
    for (const key of ['a', 'b', 'c', 'd']) limiter.take(key);
    expect(codeOf(() => limiter.take('d'))).toBe('rate_limited');
    expect(codeOf(() => limiter.take('a'))).toBe('ok');
  });
});

describe('the static site', () => {
  const root = mkdtempSync(join(tmpdir(), 'candela-site-'));
  const dist = join(root, 'dist');
  mkdirSync(join(dist, 'assets'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(dist, 'index.html'), '<!doctype html><title>app</title>');
  writeFileSync(join(dist, 'assets', 'app-abc.js'), `console.log("${'x'.repeat(2_000)}")`);
  writeFileSync(join(dist, '.env'), 'secret');
  symlinkSync(join(root, 'secret.txt'), join(dist, 'link.txt'));
  afterAll(() => rmSync(root, { recursive: true }));
  const site = createStaticSite(dist);
  const get = async (path: string, acceptEncoding = '', ifNoneMatch = '') => {
    const answer = await site.answer(path, { acceptEncoding, ifNoneMatch });
    return { ...answer, text: Buffer.from(answer.body ?? []).toString() };
  };

  it('gives the app for every page path, never cached', async () => {
    for (const path of [
      '/',
      '/traces',
      '/traces/abc',
      '/users/ann@example.com',
      '/hosts/a.internal/gpus/0',
    ]) {
      const answer = await get(path);
      expect(answer.text).toContain('<title>app');
      expect(answer.headers['cache-control']).toBe('no-cache');
    }
  });

  it('gives hashed files for good, compressed when asked', async () => {
    const plain = await get('/assets/app-abc.js');
    expect(plain.headers['cache-control']).toContain('immutable');
    expect(plain.headers['content-type']).toContain('javascript');
    const gzip = await get('/assets/app-abc.js', 'gzip, deflate');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gzip.body?.length).toBeLessThan(plain.body?.length ?? 0);
    expect((await get('/assets/app-abc.js', 'br;q=0, gzip;q=0')).headers['content-encoding']).toBeUndefined();
    expect((await get('/assets/app-abc.js', '', plain.headers['etag'])).status).toBe(304);
  });

  it.each([
    '/assets/nope.js',
    '/assets/',
    '/secret.txt',
    '/../secret.txt',
    '/link.txt',
    '/.env',
    '/a/.env',
    '/index.html.map',
  ])('does not give %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('secret');
  });

  it('shows a new build without a restart', async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(join(dist, 'assets', 'app-def.js'), '1');
    writeFileSync(join(dist, 'index.html'), '<!doctype html><title>newer</title>');
    expect((await get('/')).text).toContain('newer');
    expect((await get('/assets/app-def.js')).status).toBe(200);
  });

  it('does not have a file that an upgrade took away before its index page came', async () => {
    const old = join(dist, 'assets', 'app-old.js');
    writeFileSync(old, '1');
    const upgraded = createStaticSite(dist);
    const ask = () => upgraded.answer('/assets/app-old.js', { acceptEncoding: 'br', ifNoneMatch: '' });
    await upgraded.answer('/', { acceptEncoding: '', ifNoneMatch: '' });
    rmSync(old);
    expect(await ask()).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
    writeFileSync(old, '2');
    expect((await ask()).status).toBe(200);
  });

  it('says so when there is no build', async () => {
    const none = createStaticSite(join(root, 'nothing'));
    const answer = await none.answer('/', { acceptEncoding: '', ifNoneMatch: '' });
    expect(Buffer.from(answer.body ?? []).toString()).toContain('npm start');
  });
});

it('the content policy allows nothing inline', () => {
  const policy = SECURITY_HEADERS.get('content-security-policy') ?? '';
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(policy).toContain("script-src 'self'");
});

it('tells of a path the methods of that path, not those of another one that it would fit', () => {
  const router = createRouter(ROUTES);
  const allowed = (path: string) => {
    try {
      router.match('PATCH', path);
    } catch (thrown) {
      return (thrown as { details?: { allowed?: string } }).details?.allowed;
    }
    return undefined;
  };
  expect(allowed('/api/boards/import')).toBe('POST');
  expect(allowed('/api/boards/anything')).toBe('GET, PUT, DELETE');
});
