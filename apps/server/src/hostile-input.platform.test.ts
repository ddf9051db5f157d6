import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RouteDeclaration, ROUTES } from '@candela/contract';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SPANS = 6;
const TRACE = 'a'.repeat(32);
let dataDir: string;
let platform: PlatformProcess;

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const nanos = (secondsAgo: number) => `${BigInt(Date.now() - secondsAgo * 1_000) * 1_000_000n}`;

async function send(path: string, body: object): Promise<void> {
  const response = await fetch(`${platform.http}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'candela-hostile-'));
  platform = await startPlatform({ dataDir, newStore: true, env: { PLATFORM_RATE_LIMIT: '100000' } });
  const numbers = Array.from({ length: SPANS }, (_, index) => index);
  const resource = { attributes: [text('service.name', 'shop'), text('host.name', 'h')] };
  const spans = numbers.map((index) => ({
    traceId: index < 3 ? TRACE : `${index}`.repeat(32),
    spanId: `${index + 1}`.repeat(16),
    name: `chat ${index}`,
    startTimeUnixNano: nanos(60 + index),
    endTimeUnixNano: nanos(50),
    attributes: [text('session.id', `s${index}`), text('user.id', `u${index}`), text('__proto__', 'x')],
    events: [
      {
        name: 'exception',
        timeUnixNano: nanos(55),
        attributes: [text('exception.type', `T${'abcdef'[index]}`), text('__proto__', 'x')],
      },
    ],
    status: { code: 2 },
  }));
  await send('/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  const logRecords = numbers.map((index) => ({
    timeUnixNano: nanos(60),
    body: { stringValue: `line ${index}` },
  }));
  await send('/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
  const metrics = numbers.map((index) => ({
    name: `m${index}`,
    gauge: { dataPoints: [{ timeUnixNano: nanos(60), asDouble: 1, attributes: [text('__proto__', 'x')] }] },
  }));
  await send('/v1/metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] });
  for (const [path, wanted] of [
    ['/traces/search', 'chat 5'],
    ['/logs/search', 'line 5'],
    ['/metrics', '"m5"'],
  ] as const) {
    const stored = async () => (await ask(path, path === '/metrics' ? undefined : {})).text.includes(wanted);
    while (!(await stored())) await sleep(100);
  }
});
afterAll(async () => {
  await platform.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** POST with a body (an object, or the very text), GET without one. */
async function ask(path: string, body?: object | string): Promise<Answer> {
  const response = await fetch(`${platform.http}/api/telemetry${path}`, {
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined
      ? {}
      : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const errorOf = ({ text: answer }: Answer): string => (JSON.parse(answer) as { err: string }).err;
const isRefusal = (answer: Answer, ...sentence: RegExp[]) => {
  expect(answer.status, answer.text).toBe(400);
  for (const part of sentence) expect(errorOf(answer)).toMatch(part);
};

const withQuery = (path: string, query: Readonly<Record<string, string>>) =>
  `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`;

/** Every list with pages, in every order that has a cursor of its own shape. */
const LISTS: readonly { readonly path: string; readonly body?: object }[] = [
  ...['-start', 'start', '-duration', 'cost'].map((sort) => ({ path: '/traces/search', body: { sort } })),
  ...['-start', '-duration', 'tokens', 'cost'].map((sort) => ({ path: '/spans/search', body: { sort } })),
  { path: '/logs/search', body: {} },
  ...['-lastSeen', '-count'].map((sort) => ({ path: '/exceptions/search', body: { sort } })),
  ...['-last', 'cost', '-duration'].map((sort) => ({ path: `/sessions?sort=${sort}` })),
  ...['-last', '-tokens'].map((sort) => ({ path: `/users?sort=${sort}` })),
  { path: '/metrics' },
  { path: `/traces/${TRACE}` },
];

function page(list: (typeof LISTS)[number], cursor?: string): Promise<Answer> {
  const more = cursor === undefined ? {} : { cursor };
  return list.body === undefined
    ? ask(withQuery(list.path, { limit: '1', ...more }))
    : ask(list.path, { ...list.body, limit: 1, ...more });
}

const cursorOf = ({ text: answer }: Answer) =>
  (JSON.parse(answer) as { nextCursor: string | null }).nextCursor;

describe('a cursor', () => {
  it('goes on with its own list only', async () => {
    const cursors: string[] = [];
    for (const list of LISTS) cursors.push(cursorOf(await page(list)) ?? '');
    expect(cursors).not.toContain('');
    for (const [index, list] of LISTS.entries()) {
      expect((await page(list, cursors[index])).status).toBe(200);
      for (const [other, cursor] of cursors.entries()) {
        if (other !== index) isRefusal(await page(list, cursor), /cursor/);
      }
    }
  });

  it('that was tampered with is refused or harmless, never a failure of ours', {
    timeout: 60_000,
  }, async () => {
    const VALUES = ['-1', '99999999999999999999', '9223372036854775808', 'x', '', '\u0000', '\ud800', '1e5'];
    for (const list of LISTS) {
      const cursor = cursorOf(await page(list)) ?? '';
      const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
      for (const place of parts.keys()) {
        for (const value of VALUES) {
          const forged = JSON.stringify(parts.with(place, value));
          const answer = await page(list, Buffer.from(forged).toString('base64url'));
          expect([200, 400], `${list.path} ${forged} ${answer.text}`).toContain(answer.status);
        }
      }
    }
  });
});

/** Routes that look at a window, and what else they need. */
const WINDOWED: readonly { readonly path: string; readonly body?: object }[] = [
  { path: '/traces/search', body: { sort: '-duration' } },
  { path: '/spans/search', body: { sort: '-cost' } },
  { path: '/logs/search', body: {} },
  { path: '/exceptions/search', body: {} },
  { path: '/metrics/query', body: { metric: 'm1' } },
  {
    path: '/aggregate',
    body: { groupBy: ['service'], measures: ['count'], bucketSeconds: 'auto', comparePrevious: true },
  },
  { path: '/aggregate', body: { signal: 'logs', measures: ['count'], bucketSeconds: 'auto' } },
  { path: '/facets', body: {} },
  { path: '/facets', body: { signal: 'exceptions' } },
  { path: '/facets', body: { fields: ['attributes.nobody has it', 'resource.host.name', 'trace_id'] } },
  { path: '/compare', body: { signal: 'spans', selection: 'status:error' } },
  { path: '/export', body: { signal: 'spans', format: 'csv' } },
  { path: '/spans/durations', body: { bucketSeconds: 31_536_000 } },
  ...['/sessions', '/users', '/agents', '/hosts', '/metrics', '/fields', '/fields/values?field=service'].map(
    (path) => ({ path }),
  ),
  { path: '/metrics/labels?metric=m1' },
  { path: '/users/u1' },
  { path: '/sessions/s1' },
  { path: '/sessions/s1/turns' },
];

describe('a range of ten years, and of all time', () => {
  it.each(WINDOWED.map((route) => [`${route.path} ${JSON.stringify(route.body ?? '')}`, route] as const))(
    '%s is answered, or refused with the limit',
    async (_, { path, body }) => {
      for (const [from, to] of [
        ['-3650d', 'now'],
        ['1970-01-01T00:00:00Z', '2242-01-01T00:00:00Z'],
      ] as const) {
        const answer = await (body === undefined
          ? ask(withQuery(path, { from, to }))
          : ask(path, { ...body, from, to }));
        if (answer.status !== 200) isRefusal(answer, /At most \d+ are possible/);
      }
    },
  );

  it('in buckets of a second is refused with the limit', async () => {
    const years = { from: '-3650d' };
    isRefusal(
      await ask('/aggregate', { ...years, measures: ['count'], bucketSeconds: 1 }),
      /1000 are possible/,
    );
    isRefusal(await ask('/spans/durations', { ...years, bucketSeconds: 1 }), /At most \d+ are possible/);
    isRefusal(await ask('/metrics/query', { ...years, metric: 'm1', stepSeconds: 1 }), /1000 buckets/);
  });

  it('that is none is refused', async () => {
    for (const from of ['now', '-99999999999999d', '\u0000', 'yesterday'])
      isRefusal(await ask('/spans/search', { from, to: '-1h' }), /from/);
  });
});

describe('a field whose values are counted', () => {
  it('may have any key', async () => {
    const keys = ['\u0000', '\ud800', '__proto__', "'] OR 1=1 --", '{p0:String}', '\\', 'a'.repeat(289)];
    for (const signal of ['spans', 'logs'])
      for (const source of ['attributes', 'resource', 'scope'])
        for (const key of keys) {
          const answer = await ask('/facets', { signal, fields: [`${source}.${key}`] });
          expect([200, 400], `${key} ${answer.text}`).toContain(answer.status);
        }
  });

  it('that does not exist is refused with the nearest names', async () => {
    isRefusal(await ask('/facets', { fields: ['servce'] }), /servce/, /service/);
  });

  it('is refused where it is too long, or one of too many', async () => {
    isRefusal(await ask('/facets', { fields: [`attributes.${'a'.repeat(290)}`] }), /fields/);
    const many = (count: number) => Array.from({ length: count }, (_, n) => `attributes.k${n}`);
    isRefusal(await ask('/facets', { fields: many(11) }), /At most 10 attributes/);
    isRefusal(await ask('/facets', { fields: many(25) }), /fields/);
  });
});

describe('a search', () => {
  const routes: readonly ((q: string) => Promise<Answer>)[] = [
    ...['/traces/search', '/spans/search', '/logs/search', '/exceptions/search', '/facets'].map(
      (path) => (q: string) => ask(path, { q }),
    ),
    (q) => ask('/metrics/query', { metric: 'm1', q }),
    (q) => ask('/export', { signal: 'spans', format: 'csv', q }),
    (q) => ask('/compare', { signal: 'spans', selection: q }),
    ...['/sessions', '/users', '/tail', '/fields'].map((path) => (q: string) => ask(withQuery(path, { q }))),
  ];

  it('for a field that does not exist is refused with the nearest names', async () => {
    for (const route of routes) isRefusal(await route('servce:x'), /servce/, /service/);
  });

  it('of 100 kB is refused', async () => {
    for (const route of routes) {
      const answer = await route('a'.repeat(100_000));
      expect([400, 431], answer.text).toContain(answer.status);
    }
  });

  it('that is nothing but brackets, stars or odd characters does not get through to a failure', async () => {
    const SEARCHES = ['(', 'not ', '-', '"', 'a:(', '/', '*', 'a or ', 'name:/(', '\\', '{'].map((part) =>
      part.repeat(Math.floor(4_000 / part.length)),
    );
    const odd = [
      '\u0000',
      '\ud800',
      'name:"\udfff"',
      'attributes.__proto__:x',
      'attributes.constructor:*',
      'name:/(a*)*b/',
    ];
    for (const q of [...SEARCHES, ...odd]) {
      for (const path of ['/spans/search', '/logs/search']) {
        const answer = await ask(path, { q });
        expect([200, 400], `${q.slice(0, 40)} ${answer.text}`).toContain(answer.status);
      }
    }
  });

  it('nested deeper than anybody writes is refused, in a body and in an address', async () => {
    const deep = (levels: number) =>
      `${'{"not":'.repeat(levels)}{"field":"name","op":"=","value":"x"}${'}'.repeat(levels)}`;
    isRefusal(await ask('/spans/search', `{"filter":${deep(5_000)}}`));
    isRefusal(await ask('/spans/search', `{"filter":${deep(50)}}`), /deep/);
    const address = deep(1_500).replaceAll('"', '%22');
    isRefusal(await ask(`/sessions?filter=${address}`), /filter/);
    isRefusal(await ask(`/users?filter=${address}`), /filter/);
  });

  it('with too many values, rows or fields is refused', async () => {
    const value = Array.from({ length: 10_000 }, (_, index) => `v${index}`);
    isRefusal(await ask('/spans/search', { filter: { field: 'name', op: 'in', value } }));
    isRefusal(await ask('/spans/search', { limit: 1e9 }), /limit/);
    isRefusal(await ask('/aggregate', { measures: ['count'], groupBy: ['name', 'name', 'name', 'name'] }));
    const answer = await ask('/facets', `{"x":"${'a'.repeat(1_100_000)}"}`);
    expect(answer.status).toBe(413);
  });
});

it('a name of the language is a name like any other', async () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect((await ask(withQuery('/fields/values', { field: `attributes.${name}` }))).status).toBe(200);
    const rows = await ask('/spans/search', { filter: { field: `attributes.${name}`, op: 'exists' } });
    expect((JSON.parse(rows.text) as { data: unknown[] }).data).toHaveLength(
      name === '__proto__' ? SPANS : 0,
    );
    const columns = [`attributes.${name}`];
    const file = await ask('/export', { signal: 'spans', format: 'json', columns });
    expect(Object.keys(JSON.parse(file.text.split('\n', 1)[0] ?? '') as object)).toEqual(columns);
    isRefusal(await ask('/export', { signal: 'spans', format: 'json', columns: [name] }), /column/);
    isRefusal(await ask('/facets', `{"${name}":{"limit":3}}`));
    isRefusal(await ask(withQuery('/traces/search', {}), { sort: name }));
  }
  const whole = await ask('/export', { signal: 'spans', format: 'json' });
  const [first = ''] = whole.text.split('\n', 1);
  expect(first).toContain('"__proto__":"x"');
});

it('ids with slashes, blanks, dots and other scripts reach their handler through one segment or none', async () => {
  const IDS = [
    'a%2fb',
    'a%5cb',
    'a%00b',
    '..',
    '%2e%2e',
    '%ff',
    '~%25',
    '~',
    '%F0%9F%98%80',
    "'%20OR%201=1",
    '{p0:String}',
  ];
  const routes: readonly RouteDeclaration[] = Object.values(ROUTES);
  const paths = routes.filter(({ method, params }) => method === 'GET' && params !== undefined);
  for (const { path } of paths) {
    for (const id of IDS) {
      const address = path.replaceAll(/\{\w+\}/g, id).replace('/api/telemetry', '');
      const answer = await ask(address);
      expect([400, 404], `${address} ${answer.text}`).toContain(answer.status);
      expect(answer.text).not.toMatch(/otel_|SELECT|node_modules|\.ts\b/);
    }
  }
});
