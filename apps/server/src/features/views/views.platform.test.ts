import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { createMetrics } from '../../metrics.ts';
import { type Platform, startPlatform } from '../../platform.ts';
import { newStoreIn } from '@candela/telemetry-store/testing';

const KEY = 'pk_views001_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
let dir: string;
let platform: Platform;

const start = () =>
  startPlatform(
    readConfig({
      PLATFORM_DATA_DIR: dir,
      PLATFORM_PORT: '0',
      PLATFORM_OTLP_HTTP_PORT: '0',
      PLATFORM_OTLP_GRPC_PORT: '0',
      PLATFORM_BOOTSTRAP_API_KEY: KEY,
      PLATFORM_MIN_FREE_DISK_PERCENT: '0',
    }),
    { logger: silentLogger, metrics: createMetrics() },
  );

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-views-'));
  newStoreIn(join(dir, 'telemetry'));
  platform = await start();
});
afterAll(async () => {
  await platform.stop();
  await rm(dir, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly body: { readonly data?: Record<string, unknown>; readonly err?: string };
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(platform.http + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: answer.status,
    code: answer.headers.get('x-platform-error-code'),
    body: (await answer.json()) as Answer['body'],
  };
}

const VIEWS = '/api/telemetry/views';
const VIEW = { page: 'traces', name: 'Slow calls', search: '?q=duration%3E2s&from=-24h' };

describe('saved views', () => {
  it('are made, listed, read, changed and deleted', async () => {
    const made = await call('POST', VIEWS, VIEW);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({ ...VIEW, description: null });
    const id = String(made.body.data?.['id']);
    expect((await call('GET', `${VIEWS}/${id}`)).body).toEqual(made.body);
    const changed = await call('PATCH', `${VIEWS}/${id}`, {
      name: 'Slower',
      description: 'over two seconds',
    });
    expect(changed.body.data).toMatchObject({
      id,
      name: 'Slower',
      description: 'over two seconds',
      search: VIEW.search,
    });
    const list = await call('GET', `${VIEWS}?page=traces`);
    expect(list.body).toEqual({ data: [changed.body.data], nextCursor: null });
    expect((await call('GET', `${VIEWS}?page=logs`)).body).toEqual({ data: [], nextCursor: null });
    expect((await call('DELETE', `${VIEWS}/${id}`)).body).toEqual({ data: { id } });
    expect((await call('GET', `${VIEWS}/${id}`)).status).toBe(404);
    expect((await call('DELETE', `${VIEWS}/${id}`)).status).toBe(404);
  });

  it('survive a restart in a file that only its owner reads', async () => {
    const made = await call('POST', VIEWS, { ...VIEW, name: 'Kept' });
    await platform.stop();
    platform = await start();
    const id = String(made.body.data?.['id']);
    expect((await call('GET', `${VIEWS}/${id}`)).body).toEqual(made.body);
    expect((await stat(join(dir, 'metadata.sqlite'))).mode & 0o777).toBe(0o600);
    await call('DELETE', `${VIEWS}/${id}`);
  });

  it('have one name a page', async () => {
    const first = await call('POST', VIEWS, VIEW);
    const second = await call('POST', VIEWS, { ...VIEW, name: 'SLOW CALLS' });
    expect([second.status, second.code]).toEqual([409, 'conflict']);
    expect(second.body).toEqual({ err: expect.stringContaining('SLOW CALLS') as string });
    await call('DELETE', `${VIEWS}/${String(first.body.data?.['id'])}`);
  });

  it('are made once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'abc-1' };
    const view = { ...VIEW, name: 'Once' };
    const first = await call('POST', VIEWS, view, headers);
    const again = await call('POST', VIEWS, view, headers);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    const other = await call('POST', VIEWS, { ...view, name: 'Other' }, headers);
    expect([other.status, other.code]).toEqual([422, 'refused']);
    const byKey = await call(
      'POST',
      VIEWS,
      { ...view, name: 'Other' },
      { ...headers, authorization: `Bearer ${KEY}` },
    );
    expect(byKey.status).toBe(201);
    expect((await call('POST', VIEWS, view, { 'idempotency-key': 'two words' })).status).toBe(400);
    for (const answer of [first, byKey]) await call('DELETE', `${VIEWS}/${String(answer.body.data?.['id'])}`);
  });

  it.each<[string, object, RegExp]>([
    ['no name', { page: 'traces', search: '' }, /"name"/],
    ['a blank name', { ...VIEW, name: '  ' }, /"name"/],
    ['a long name', { ...VIEW, name: 'x'.repeat(101) }, /"name"/],
    ['a name of two lines', { ...VIEW, name: 'a\nb' }, /One line/],
    ['a strange page', { ...VIEW, page: '../etc' }, /path of one of ours/],
    ['a search that is none', { ...VIEW, search: 'javascript:alert(1)' }, /search part/],
    ['a search beyond its bound', { ...VIEW, search: `?q=${'x'.repeat(8_200)}` }, /8192/],
    ['another field', { ...VIEW, projectId: 'other' }, /projectId/],
  ])('refuse %s', async (_what, body, sentence) => {
    const answer = await call('POST', VIEWS, body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(['err']);
    expect(answer.body.err).toMatch(sentence);
  });

  it('are changed by our own page only, or with a key', async () => {
    const evil = { origin: 'https://evil.test' };
    const made = await call('POST', VIEWS, VIEW, { origin: platform.http });
    expect(made.status).toBe(201);
    const path = `${VIEWS}/${String(made.body.data?.['id'])}`;
    for (const [method, at, body] of [
      ['POST', VIEWS, { ...VIEW, name: 'x' }],
      ['PATCH', path, { name: 'x' }],
      ['DELETE', path, undefined],
    ] as const) {
      expect((await call(method, at, body, evil)).status, method).toBe(403);
    }
    const withKey = { ...evil, authorization: `Bearer ${KEY}` };
    expect((await call('DELETE', path, undefined, withKey)).status).toBe(200);
  });

  it('page by cursor, which belongs to its list', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'B', 'c']) {
      ids.push(String((await call('POST', VIEWS, { ...VIEW, page: 'logs', name })).body.data?.['id']));
    }
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = (await call('GET', `${VIEWS}?page=logs&limit=2${cursor}`)).body as unknown as {
        data: { name: string }[];
        nextCursor: string | null;
      };
      seen.push(...page.data.map(({ name }) => name));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
      if (cursor !== '') expect((await call('GET', `${VIEWS}?page=traces${cursor}`)).status).toBe(400);
    } while (cursor !== '');
    expect(seen).toEqual(['a', 'B', 'c']);
    expect((await call('GET', `${VIEWS}?cursor=%00`)).status).toBe(400);
    for (const id of ids) await call('DELETE', `${VIEWS}/${id}`);
  });
});

describe('bad search text', () => {
  const search = (body: unknown) => call('POST', '/api/telemetry/spans/search', body);

  it('is told with its place, the nearest names, its limit', async () => {
    const wrong = await search({ q: 'service:a servce:b' });
    expect(wrong.status).toBe(400);
    expect(wrong.body.err).toMatch(/character 11: There is no field "servce"\. Did you mean .*service/);
    const regex = await search({ q: 'name:/a(b/' });
    expect(regex.body.err).toMatch(/character 8: This "\(" is never closed/);
    const unit = await search({ q: 'duration>2x' });
    expect(unit.body.err).toMatch(/"duration" is compared with a duration/);
    const large = await search({ q: 'x'.repeat(100_000) });
    expect([large.status, large.body.err]).toEqual([400, expect.stringContaining('4096')]);
    const huge = await search({ q: 'x'.repeat(1_100_000) });
    expect([huge.status, huge.code]).toEqual([413, 'too_large']);
    const exploding = await search({ q: 'name:/((a{100}){100}){100}/' });
    expect([exploding.status, exploding.code]).toEqual([400, 'bad_query']);
  });
});
