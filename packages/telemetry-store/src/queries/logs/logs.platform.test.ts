import { type LogRow, parseFilterOrFail } from '@candela/contract';
import type { LogRecord } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  id,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
} from '../core/testing.ts';
import { createTailQueries } from '../tail/index.ts';
import { createLogQueries, type LogQueries } from './index.ts';

const NS = 1_000_000n;
const at = (ms: number): bigint => BigInt(Math.round((BASE_MS + ms) * 1_000)) * 1_000n;
const log = (ms: number, body: LogRecord['body'], changes: Partial<LogRecord> = {}): LogRecord => ({
  timeUnixNano: at(ms),
  observedTimeUnixNano: at(ms),
  severityNumber: 9,
  severityText: 'INFO',
  ...(body === undefined ? {} : { body }),
  ...changes,
});

let bench: QueryBench;
let logs: LogQueries;
let statements: string[] = [];
const HOUR = { from: at(-3_600_000), to: at(3_600_000) };

const search = (q = '', more: Partial<Parameters<LogQueries['search']>[1]> = {}, project = 'default') =>
  logs.search(contextOf(project), {
    window: HOUR,
    filter: parseFilterOrFail(q, 'logs'),
    sort: '-time',
    limit: 50,
    cursor: undefined,
    ...more,
  });
const bodies = async (q: string) => (await search(q)).data.map((row) => row.body);

beforeAll(async () => {
  bench = await openQueryBench();
  const recorded = recordStatements(bench.store);
  logs = createLogQueries(recorded.store, LIMITS);
  statements = recorded.statements;
});
afterAll(() => bench.close());

describe('an empty database', () => {
  it('has no records, and says so of an id', async () => {
    expect(await search()).toEqual({ data: [], nextCursor: null });
    await expect(logs.log(contextOf(), 'A'.repeat(22))).rejects.toMatchObject({ code: 'not_found' });
    await expect(logs.log(contextOf(), 'nonsense')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('log records', () => {
  beforeAll(async () => {
    await bench.putLogs(
      [
        log(0, 'Payment for order 4711 refused: card_declined', {
          severityNumber: 17,
          severityText: 'ERROR',
          traceId: id(1, 32),
          spanId: id(2, 16),
          attributes: { 'order.id': '4711', nested: new Map([['a', 1]]) },
        }),
        log(10, 'cache miss', { severityNumber: 5, severityText: 'DEBUG' }),
        // Text only, as bridges from other log libraries send it.
        log(20, 'disk nearly full', { severityNumber: 0, severityText: 'Warning' }),
        log(30, 'out of memory', { severityNumber: 0, severityText: 'CRITICAL' }),
        log(40, 'nobody says how bad', { severityNumber: 0, severityText: '' }),
        log(
          50,
          new Map<string, never>([
            ['msg', 'order placed' as never],
            ['total', 12 as never],
          ]),
        ),
        log(60, new Uint8Array([0, 255, 7])),
        log(70, undefined, { eventName: 'app.started' }),
        log(80, '\u001B[31mred\u001B[0m line one\nline two'),
      ],
      { resource: { 'service.instance.id': 'shop-1', 'host.name': 'node-a' } },
    );
    await bench.putLogs([log(5, 'secret of others')], { project: 'other' });
  });

  it('are listed newest first and oldest first', async () => {
    const newest = await search();
    expect(newest.data).toHaveLength(9);
    expect(newest.data[0]?.body).toContain('line two');
    const oldest = await search('', { sort: 'time' });
    expect(oldest.data.map((row) => row.id)).toEqual(newest.data.map((row) => row.id).toReversed());
    expect(newest.data.at(-1)).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      timestamp: '2026-11-20T12:00:00.000Z',
      timeUnixNano: at(0).toString(),
      severity: 'error',
      severityText: 'ERROR',
      service: 'shop',
      environment: 'production',
      body: 'Payment for order 4711 refused: card_declined',
      bodyTruncated: false,
      traceId: id(1, 32),
      spanId: id(2, 16),
      eventName: null,
      scopeName: 'test',
    } satisfies LogRow);
  });

  it('know their severity by number, else by text', async () => {
    expect((await search()).data.map((row) => row.severity).toReversed()).toEqual([
      'error',
      'debug',
      'warn',
      'fatal',
      'unset',
      'info',
      'info',
      'info',
      'info',
    ]);
    expect(await bodies('severity>=warn')).toEqual([
      'out of memory',
      'disk nearly full',
      'Payment for order 4711 refused: card_declined',
    ]);
    expect(await bodies('level:warn')).toEqual(['disk nearly full']);
    expect(await bodies('severity:(unset or debug)')).toEqual(['nobody says how bad', 'cache miss']);
    expect(await bodies('severity<info')).toEqual(['nobody says how bad', 'cache miss']);
    expect(await bodies('-severity:info severity<error')).toHaveLength(3);
    expect(await bodies('severity_text:Warning')).toEqual(['disk nearly full']);
  });

  it('are found by words of their body, exactly, and by attributes', async () => {
    const payment = ['Payment for order 4711 refused: card_declined'];
    expect(await bodies('body:"order 4711"')).toEqual(payment);
    expect(await bodies('payment declined')).toEqual(payment);
    expect(await bodies('body:*"4711 refused"*')).toEqual(payment);
    expect(await bodies('attributes.order.id:4711')).toEqual(payment);
    expect(await bodies(`trace_id:${id(1, 32)}`)).toEqual(payment);
    expect(await bodies('event:app.*')).toEqual(['']);
    expect(await bodies('-body:*')).toEqual(['']);
  });

  it('take any body: structured, binary, empty, coloured', async () => {
    const rows = (await search('', { sort: 'time' })).data;
    expect(rows[5]?.body).toBe('{"msg":"order placed","total":12}');
    expect(rows[6]?.body).toContain('AP8H');
    expect(rows[7]).toMatchObject({ body: '', eventName: 'app.started' });
    expect(rows[8]?.body).toBe('\u001B[31mred\u001B[0m line one\nline two');
  });

  it('arrive live with the ids of the search', async () => {
    const tail = createTailQueries(bench.store, LIMITS);
    // Live views look at records near their arrival.
    const now = Date.now() - BASE_MS;
    const started = Date.now() - 1;
    await bench.putLogs([log(now, 'live one'), log(now, 'live two', { severityNumber: 21 })], {
      service: 'live',
    });
    const filter = parseFilterOrFail('severity>=error', 'logs');
    const arrivals = await tail.arrivals(contextOf(), 'logs', {
      filter,
      fromMs: started,
      toMs: Date.now(),
      limit: 10,
    });
    expect(arrivals.map(({ row }) => 'body' in row && row.body)).toEqual(['live two']);
    const window = { from: at(now) - 1_000_000_000n, to: at(now) + 1_000_000_000n };
    const { data } = await search('service:live severity:fatal', { window });
    expect(arrivals[0]?.row).toEqual(data[0]);
  });

  it('are counted by severity', async () => {
    const { rows } = await bench.queries.aggregate(contextOf(), {
      signal: 'logs',
      window: { from: at(-1_000), to: at(90) },
      filter: undefined,
      groupBy: ['severity'],
      measures: ['count', 'errors'],
      bucketSeconds: undefined,
      limit: 10,
    });
    expect(rows.map(({ group, values }) => [group[0], ...values])).toEqual([
      ['info', 4, 0],
      ['debug', 1, 0],
      ['error', 1, 1],
      ['fatal', 1, 1],
      ['unset', 1, 0],
      ['warn', 1, 0],
    ]);
  });

  it('are read whole by an id that is exact, and not by another project', async () => {
    const row = (await search('payment')).data[0] as LogRow;
    const detail = await logs.log(contextOf(), row.id);
    expect(detail).toMatchObject({
      ...row,
      severityNumber: 17,
      resource: [
        { key: 'service.name', value: 'shop' },
        { key: 'service.instance.id', value: 'shop-1' },
        { key: 'host.name', value: 'node-a' },
      ],
      scope: { name: 'test', version: '1' },
      conversation: null,
    });
    expect(detail.attributes).toEqual([
      { key: 'order.id', type: 'string', value: '4711' },
      { key: 'nested', type: 'json', value: { a: 1 } },
    ]);
    for (const context of [contextOf('other'), contextOf('default', 'staging')]) {
      await expect(logs.log(context, row.id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(logs.around(context, { id: row.id, before: 5, after: 5 })).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    expect((await search('', {}, 'other')).data.map(({ body }) => body)).toEqual(['secret of others']);
  });

  it('state the SQL they run', async () => {
    statements.length = 0;
    await search('severity>=error', { window: { from: at(-30_000), to: at(30_000) } });
    const [places, rows, ...others] = statements;
    expect(others).toEqual([]);
    expect(places).toMatch(
      /^SELECT toString\(toUnixTimestamp64Nano\(Timestamp\)\) AS TimeNs, .* FROM otel_logs WHERE ProjectId = \{p0:String\} AND \(Timestamp >= fromUnixTimestamp64Nano\(\{p1:Int64\}\) AND Timestamp < fromUnixTimestamp64Nano\(\{p2:Int64\}\)\) AND \(\(\(if\(SeverityNumber > 0, .*\) >= \{p3:UInt8\}\)\)\) ORDER BY Timestamp DESC, ObservedTimestamp DESC, ReceivedAt DESC, _part DESC, _part_offset DESC LIMIT 51 OFFSET 0$/,
    );
    expect(places).not.toContain('Body');
    expect(rows).toContain('substringUTF8(Body, 1, 2000) AS Start');
    // Only at the times of the page: what lies between its records is not read again.
    expect(rows).toContain(
      "WHERE ProjectId = {p0:String} AND (Timestamp IN {p1:Array(DateTime64(9, 'UTC'))}) AND",
    );
    expect(rows).toMatch(/LIMIT 2 OFFSET 0$/);
  });
});

describe('pages', () => {
  const COUNT = 37;
  beforeAll(async () => {
    // Many of one moment, some of them the same in every respect: only the order they came in tells them apart.
    await bench.putLogs(
      Array.from({ length: COUNT }, (_, index) => log(1_000, index % 5 === 0 ? 'same' : `line ${index}`)),
      { service: 'flood' },
    );
  });

  it.each(['-time', 'time'] as const)('hold every record once, in order (%s)', async (sort) => {
    const seen: LogRow[] = [];
    let cursor: string | undefined;
    do {
      const page = await search('service:flood', { sort, limit: 7, cursor });
      seen.push(...page.data);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const lines = Array.from({ length: COUNT }, (_, index) => (index % 5 === 0 ? 'same' : `line ${index}`));
    expect(seen.map((row) => row.body)).toEqual(sort === 'time' ? lines : lines.toReversed());
    expect(new Set(seen.map((row) => row.id)).size).toBe(COUNT);
    // Links hold ids: where a page ends has no part in them.
    const atOnce = await search('service:flood', { sort });
    expect(seen.map((row) => row.id)).toEqual(atOnce.data.map((row) => row.id));
    for (const row of seen.slice(0, 10)) {
      expect((await logs.log(contextOf(), row.id)).body).toBe(row.body);
    }
  });

  it('go on where they stopped although the store packed its parts meanwhile', async () => {
    const whole = (await search('service:flood')).data.map((row) => row.body);
    const first = await search('service:flood', { limit: 10 });
    await bench.putLogs([log(1_000, 'of somebody else')], { service: 'else' });
    await bench.store.command('OPTIMIZE TABLE otel_logs FINAL');
    const rest = await search('service:flood', { cursor: first.nextCursor ?? '' });
    expect([...first.data, ...rest.data].map((row) => row.body)).toEqual(whole);
  });

  it('refuse a cursor of another list and a damaged one', async () => {
    const { nextCursor } = await search('service:flood', { limit: 7 });
    const refused = { code: 'bad_query' };
    await expect(search('service:flood', { sort: 'time', cursor: nextCursor ?? '' })).rejects.toMatchObject(
      refused,
    );
    await expect(search('service:flood', { cursor: 'e30' })).rejects.toMatchObject(refused);
    await expect(search('', { cursor: nextCursor ?? '' })).rejects.toMatchObject(refused);
    const [list, ...rest] = JSON.parse(Buffer.from(nextCursor ?? '', 'base64url').toString()) as string[];
    const forged = Buffer.from(JSON.stringify([list, ...rest.slice(0, -1), '99999999'])).toString(
      'base64url',
    );
    await expect(search('service:flood', { cursor: forged })).rejects.toMatchObject(refused);
  });
});

describe('context', () => {
  beforeAll(async () => {
    const place = (instance: string) => ({
      service: 'worker',
      resource: { 'service.instance.id': instance },
    });
    await bench.putLogs(
      Array.from({ length: 30 }, (_, index) => log(2_000 + index * 100, `a${index}`)),
      place('a'),
    );
    await bench.putLogs(
      Array.from({ length: 30 }, (_, index) => log(2_050 + index * 100, `b${index}`)),
      place('b'),
    );
    await bench.putLogs(
      ['x1', 'x2', 'x3', 'x4', 'x5'].map((body) => log(2_000 + 29 * 100, body)),
      place('a'),
    );
  });

  it('is the lines of the same instance around a record', async () => {
    const row = (await search('service:worker body:a10')).data[0] as LogRow;
    const {
      before,
      log: own,
      after,
      instance,
    } = await logs.around(contextOf(), { id: row.id, before: 3, after: 2 });
    expect(before.map(({ body }) => body)).toEqual(['a7', 'a8', 'a9']);
    expect(own).toEqual(row);
    expect(after.map(({ body }) => body)).toEqual(['a11', 'a12']);
    expect(instance).toEqual([{ key: 'service.instance.id', value: 'a' }]);
  });

  it('keeps the order of lines of one moment', async () => {
    const row = (await search('service:worker body:x3')).data[0] as LogRow;
    const { before, after } = await logs.around(contextOf(), { id: row.id, before: 4, after: 9 });
    expect(before.map(({ body }) => body)).toEqual(['a28', 'a29', 'x1', 'x2']);
    expect(after.map(({ body }) => body)).toEqual(['x4', 'x5']);
  });

  it('ends with the first and the last line', async () => {
    const row = (await search('service:worker body:a0')).data[0] as LogRow;
    expect(await logs.around(contextOf(), { id: row.id, before: 200, after: 0 })).toMatchObject({
      before: [],
      after: [],
    });
  });
});

describe('hard records', () => {
  it('a body of a megabyte is cut in lists and whole by its id', async () => {
    const body = `${'x'.repeat(1_999)}é${'y'.repeat(1_000_000)}`;
    await bench.putLogs([log(0, body)], { service: 'large' });
    const row = (await search('service:large')).data[0] as LogRow;
    expect(row.body).toBe(`${'x'.repeat(1_999)}é`);
    expect(row.bodyTruncated).toBe(true);
    expect((await logs.log(contextOf(), row.id)).body).toBe(body);
  });

  it('a hostile body finds itself literally', async () => {
    const hostile = `'); DROP TABLE otel_logs; -- %_\\ {p0:String} <script>`;
    await bench.putLogs([log(0, hostile, { attributes: { [hostile]: hostile } })], { service: 'hostile' });
    const found = await logs.search(contextOf(), {
      window: HOUR,
      filter: {
        and: [
          { field: 'body', op: 'contains', value: hostile },
          { field: `attributes.${hostile}`, op: '=', value: hostile },
        ],
      },
      sort: '-time',
      limit: 5,
      cursor: undefined,
    });
    expect(found.data.map(({ body }) => body)).toEqual([hostile]);
    expect(await bodies('service:hostile body:*"%_"*')).toEqual([hostile]);
  });

  it('records far from their arrival are found where they say they are', async () => {
    const far = 50n * 365n * 86_400_000n * NS;
    await bench.putLogs(
      [log(0, 'from the future', { timeUnixNano: at(0) + far }), log(0, 'from 1970', { timeUnixNano: 1n })],
      { service: 'skewed' },
    );
    const all = { window: { from: 0n, to: 2n ** 63n - 1n } };
    const { data } = await search('service:skewed', all);
    expect(data.map(({ body }) => body)).toEqual(['from the future', 'from 1970']);
    for (const row of data) {
      expect((await logs.log(contextOf(), row.id)).body).toBe(row.body);
      expect((await logs.around(contextOf(), { id: row.id, before: 5, after: 5 })).before).toEqual([]);
    }
  });

  it('messages of a GenAI event are read', async () => {
    await bench.putLogs(
      [log(0, new Map([['content', 'Where is my order?']]), { eventName: 'gen_ai.user.message' })],
      { service: 'ai' },
    );
    const row = (await search('service:ai')).data[0] as LogRow;
    expect((await logs.log(contextOf(), row.id)).conversation).toMatchObject({
      input: [{ role: 'user', parts: [{ type: 'text', text: 'Where is my order?' }] }],
    });
  });
});
