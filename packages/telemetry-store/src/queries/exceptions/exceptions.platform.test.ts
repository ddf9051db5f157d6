import { parseFilterOrFail } from '@candela/contract';
import type { LogRecord, Span } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  id,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from '../core/testing.ts';
import { createExceptionQueries, type ExceptionQueries } from './index.ts';

const at = (ms: number): bigint => BigInt(BASE_MS + ms) * 1_000_000n;
const HOUR = { from: at(-3_600_000), to: at(3_600_000) };
const thrown = (
  ms: number,
  type: string,
  message: string,
  stack = `${type}: ${message}\n    at run (/app/a.ts:1:2)`,
) => ({
  name: 'exception',
  timeUnixNano: at(ms),
  attributes: { 'exception.type': type, 'exception.message': message, 'exception.stacktrace': stack },
});
const failed = (own: number, ms: number, changes: Partial<Span> = {}): Span =>
  span(own, own, ms, { status: { code: 2, message: 'failed' }, ...changes });

let bench: QueryBench;
let exceptions: ExceptionQueries;
let statements: string[] = [];

const search = (q = '', more: Partial<Parameters<ExceptionQueries['search']>[1]> = {}, project = 'default') =>
  exceptions.search(contextOf(project), {
    window: HOUR,
    filter: parseFilterOrFail(q, 'exceptions'),
    sort: '-lastSeen',
    limit: 50,
    cursor: undefined,
    ...more,
  });
const group = (
  fingerprint: string,
  more: Partial<Parameters<ExceptionQueries['group']>[1]> = {},
  project = 'default',
) =>
  exceptions.group(contextOf(project), {
    fingerprint,
    window: HOUR,
    filter: undefined,
    limit: 50,
    cursor: undefined,
    ...more,
  });

beforeAll(async () => {
  bench = await openQueryBench();
  const recorded = recordStatements(bench.store);
  statements = recorded.statements;
  exceptions = createExceptionQueries(recorded.store, LIMITS);
});
afterAll(() => bench.close());

it('an empty database has no exceptions', async () => {
  expect(await search()).toEqual({ data: [], nextCursor: null });
  expect(await search('', { sort: '-firstSeen' })).toEqual({ data: [], nextCursor: null });
  await expect(group('00000000000000ff')).rejects.toMatchObject({ code: 'not_found' });
});

describe('exceptions', () => {
  beforeAll(async () => {
    const model = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' };
    await bench.put(
      [
        // Two recordings on one span are one exception, its propagation to another span is another.
        failed(1, 0, {
          attributes: { ...model, 'user.id': 'ada' },
          events: [
            thrown(5, 'TimeoutError', 'Timed out after 3000 ms'),
            thrown(6, 'TimeoutError', 'Timed out after 6000 ms'),
          ],
        }),
        failed(2, 1_000, {
          traceId: id(1, 32),
          attributes: { 'user.id': 'bob' },
          events: [thrown(1_005, 'TimeoutError', 'Timed out after 9 s')],
        }),
        failed(3, 2_000, { events: [thrown(2_000, 'KeyError', `'order_id'`)] }),
        // No exception recorded, but the type of the error.
        failed(4, 3_000, {
          attributes: { 'error.type': 'CardDeclined' },
          status: { code: 2, message: 'card 4711 declined' },
        }),
        // The status of an answer is no exception, and neither is a failure without a type.
        failed(5, 4_000, { attributes: { 'error.type': '503' } }),
        failed(6, 4_000),
      ],
      { service: 'shop', resource: { 'service.version': '1.2.0' } },
    );
    const record = (ms: number, type: string, message: string, more: Partial<LogRecord> = {}): LogRecord => ({
      timeUnixNano: at(ms),
      severityNumber: 17,
      body: 'failed',
      attributes: { 'exception.type': type, 'exception.message': message },
      ...more,
    });
    await bench.putLogs(
      [
        // The same as on the span: once.
        record(7, 'TimeoutError', 'Timed out after 3001 ms', { traceId: id(1, 32), spanId: id(1, 16) }),
        record(10_000, 'OSError', 'No space left on /dev/sda1/x'),
        record(11_000, 'OSError', 'No space left on /mnt/data/y'),
        record(12_000, '', 'only words'),
      ],
      { service: 'worker' },
    );
    await bench.put([failed(9, 0, { events: [thrown(0, 'Secret', 'of others')] })], { project: 'other' });
  });

  it('are grouped by type and folded message, one a span', async () => {
    const { data } = await search();
    expect(data.map(({ type, message, count }) => [type, message, count])).toEqual([
      ['', 'only words', 1],
      ['OSError', 'No space left on /mnt/data/y', 2],
      ['CardDeclined', 'card 4711 declined', 1],
      ['KeyError', `'order_id'`, 1],
      ['TimeoutError', 'Timed out after 9 s', 2],
    ]);
    expect(data[4]).toMatchObject({
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      service: 'shop',
      traces: 1,
      users: 2,
      services: 2,
      models: ['gpt-4o'],
      firstSeen: '2026-11-20T12:00:00.005Z',
      lastSeen: '2026-11-20T12:00:01.005Z',
      isNew: true,
      sampleTraceId: id(1, 32),
      sampleSpanId: id(2, 16),
    });
    const trend = data[4]?.trend;
    expect(trend).toMatchObject({ fromMs: BASE_MS - 3_600_000, bucketSeconds: 300 });
    expect(trend?.counts).toHaveLength(24);
    expect(trend?.counts[12]).toBe(2);
    expect((await search('', {}, 'other')).data.map(({ type }) => type)).toEqual(['Secret']);
  });

  it('are sorted and filtered', async () => {
    const types = async (q: string, sort: Parameters<ExceptionQueries['search']>[1]['sort'] = '-lastSeen') =>
      (await search(q, { sort })).data.map(({ type }) => type);
    expect((await types('', '-count')).slice(0, 2).toSorted()).toEqual(['OSError', 'TimeoutError']);
    expect((await types('', '-users'))[0]).toBe('TimeoutError');
    expect((await types('', 'firstSeen'))[0]).toBe('TimeoutError');
    expect((await types('', '-firstSeen'))[0]).toBe('');
    expect(await types('service:worker')).toEqual(['', 'OSError', 'TimeoutError']);
    expect(await types('error_type:*Error -service:worker')).toEqual(['KeyError', 'TimeoutError']);
    expect(await types('model:gpt-4o user:ada')).toEqual(['TimeoutError']);
    expect(await types('declined')).toEqual(['CardDeclined']);
    expect(await types(`message:*order_id*`)).toEqual(['KeyError']);
    expect(await types(`trace_id:${id(3, 32)}`)).toEqual(['KeyError']);
    expect(await types(`message:"'); DROP TABLE exceptions; --"`)).toEqual([]);
  });

  it('are paged by a cursor that belongs to its query', async () => {
    for (const sort of ['-lastSeen', '-count', 'firstSeen', 'users'] as const) {
      const whole = (await search('', { sort })).data.map(({ fingerprint }) => fingerprint);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await search('', { sort, limit: 2, cursor });
        seen.push(...page.data.map(({ fingerprint }) => fingerprint));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen, sort).toEqual(whole);
    }
    const { nextCursor } = await search('', { limit: 2 });
    const refused = { code: 'bad_query' };
    await expect(search('service:shop', { cursor: nextCursor ?? '' })).rejects.toMatchObject(refused);
    await expect(search('', { sort: '-count', cursor: nextCursor ?? '' })).rejects.toMatchObject(refused);
  });

  it('are ordered by when they were last seen in a window, whether or not they were seen after it', async () => {
    const windows = [
      HOUR,
      { from: at(500), to: at(3_600_000) },
      { from: at(-3_600_000), to: at(500) },
      { from: at(-3_600_000), to: at(1_001) },
      { from: at(1_000), to: at(1_006) },
    ];
    const reads: boolean[] = [];
    for (const window of windows) {
      for (const sort of ['-lastSeen', 'lastSeen'] as const) {
        const by = sort === 'lastSeen' ? 1 : -1;
        const key = (row: { lastSeen: string; fingerprint: string }) => [row.lastSeen, row.fingerprint];
        const expected = (await search('', { window, sort: '-count' })).data
          .map(key)
          .toSorted((a, b) => (a.join(' ') < b.join(' ') ? -by : by));
        const seen: (readonly string[])[] = [];
        let cursor: string | undefined;
        do {
          statements.length = 0;
          const page = await search('', { window, sort, limit: 1, cursor });
          reads.push(statements.some((sql) => sql.includes('max(toUnixTimestamp64Nano(Timestamp)) AS Key')));
          seen.push(...page.data.map(key));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect([window, sort, seen]).toEqual([window, sort, expected]);
      }
    }
    // Both ways were taken: from the groups alone, and from the exceptions.
    expect(new Set(reads)).toEqual(new Set([true, false]));
  });

  it('are new when nothing like them is kept from before the window', async () => {
    const late = { window: { from: at(500), to: at(3_600_000) } };
    const byType = new Map((await search('', late)).data.map((row) => [row.type, row]));
    expect(byType.get('TimeoutError')).toMatchObject({
      count: 1,
      isNew: false,
      firstSeen: '2026-11-20T12:00:00.005Z',
    });
    expect(byType.get('KeyError')).toMatchObject({ isNew: true });
  });

  it('show one group whole, with its occurrences page by page', async () => {
    const { fingerprint } = (await search('error_type:TimeoutError')).data[0] ?? { fingerprint: '' };
    const { data, nextCursor } = await group(fingerprint, { limit: 1 });
    expect(data).toMatchObject({
      type: 'TimeoutError',
      count: 2,
      stacktrace: expect.stringContaining('at run'),
    });
    expect(data.trend.counts).toHaveLength(60);
    const breakdown = (field: string) => data.breakdowns.find((one) => one.field === field)?.values;
    expect(breakdown('user')).toEqual([
      { value: 'ada', count: 1 },
      { value: 'bob', count: 1 },
    ]);
    expect(breakdown('version')).toEqual([{ value: '1.2.0', count: 2 }]);
    expect(breakdown('model')).toEqual([{ value: 'gpt-4o', count: 1 }]);
    expect(data.occurrences).toMatchObject([
      { spanId: id(2, 16), source: 'event', userId: 'bob', version: '1.2.0' },
    ]);
    statements.length = 0;
    const next = await group(fingerprint, { limit: 1, cursor: nextCursor ?? '' });
    expect(next.data).toMatchObject({ count: 2, breakdowns: [], stacktrace: null });
    // Which occurrences these are is found without their texts; and what the first page told is not read again.
    const which = statements.filter((sql) => sql.includes('HAVING (Last, Occurrence)'));
    expect(which).toEqual([expect.not.stringContaining('Message')]);
    expect(statements.filter((sql) => sql.includes('SessionId'))).toEqual([
      expect.stringContaining('Occurrence IN {p'),
    ]);
    expect(statements.some((sql) => sql.includes('arrayJoin'))).toBe(false);
    // Recorded on the span and in a log: the span says more, the log came last.
    expect(next.data.occurrences).toMatchObject([
      {
        spanId: id(1, 16),
        source: 'event',
        userId: 'ada',
        model: 'gpt-4o',
        timestamp: '2026-11-20T12:00:00.007Z',
      },
    ]);
    expect(next.nextCursor).toBeNull();
    await expect(group(fingerprint, {}, 'other')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('have facets, each exception counted once on a span', async () => {
    const { data: facets } = await bench.queries.facets(contextOf(), {
      signal: 'exceptions',
      window: HOUR,
      filter: parseFilterOrFail('error_type:TimeoutError', 'exceptions'),
      fields: ['error_type', 'service', 'model'],
      limit: 5,
    });
    expect(facets).toEqual([
      { field: 'error_type', values: [{ value: 'TimeoutError', count: 2 }], more: false },
      {
        field: 'service',
        values: [
          { value: 'shop', count: 2 },
          { value: 'worker', count: 1 },
        ],
        more: false,
      },
      { field: 'model', values: [{ value: 'gpt-4o', count: 1 }], more: false },
    ]);
    await expect(
      bench.queries.facets(contextOf(), {
        signal: 'exceptions',
        window: HOUR,
        filter: undefined,
        fields: ['severity'],
        limit: 5,
      }),
    ).rejects.toMatchObject({ code: 'bad_query' });
  });

  it('say what a group is although the window holds none of it', async () => {
    const { fingerprint } = (await search('error_type:OSError')).data[0] ?? { fingerprint: '' };
    const { data } = await group(fingerprint, { window: { from: at(3_600_000), to: at(7_200_000) } });
    expect(data).toMatchObject({
      type: 'OSError',
      count: 0,
      occurrences: [],
      stacktrace: null,
      firstSeen: '2026-11-20T12:00:10.000Z',
      lastSeen: '2026-11-20T12:00:11.000Z',
    });
  });

  it('state the SQL they run', async () => {
    statements.length = 0;
    await search('service:shop', { sort: '-users' });
    expect(statements[0]).toMatch(
      /^SELECT toString\(Fingerprint\) AS F, toString\(Key\) AS K FROM \( SELECT Fingerprint, toInt64\(uniqExactIf\(UserId, UserId != ''\)\) AS Key FROM exceptions WHERE ProjectId = \{p0:String\} AND \(Timestamp >= .*\) AND \(\(\(ServiceName = \{p3:String\}\)\)\) GROUP BY Fingerprint \) ORDER BY Key DESC, Fingerprint DESC LIMIT 51$/,
    );
    expect(statements).toHaveLength(5);
    expect(statements.slice(1).every((sql) => sql.includes('Fingerprint IN {p'))).toBe(true);
    // Messages are long: they are read at the times of the last ones alone.
    const wide = statements.filter((sql) => sql.includes('Message'));
    expect(wide).toEqual([expect.stringContaining('Timestamp IN {p')]);
    // What was recorded twice is told apart; of anything else recordings are counted.
    const trend = (sqls: readonly string[]) => sqls.find((sql) => sql.includes(' AS B,'));
    expect(trend(statements)).toContain('GROUP BY Fingerprint, Occurrence) GROUP BY Fingerprint, B');
    statements.length = 0;
    await search('error_type:OSError');
    expect(trend(statements)).not.toContain('Occurrence');
  });

  it('are ordered by recordings where none was recorded twice, and by what is told apart where one was', async () => {
    const keys = () =>
      statements.flatMap((sql) => / AS K.* FROM \( SELECT Fingerprint, (.*?) AS Key/.exec(sql)?.[1] ?? []);
    const recordings = 'toInt64(sum(C))';
    statements.length = 0;
    const one = await search('service:worker', { sort: '-count' });
    expect(keys()).toEqual([recordings]);
    // Its trends came with the order.
    expect(statements.filter((sql) => sql.includes(' AS B,'))).toHaveLength(1);
    const byFingerprint = (groups: typeof one.data) => new Map(groups.map((one) => [one.fingerprint, one]));
    const same = await search('service:worker', { sort: '-lastSeen' });
    expect(byFingerprint(one.data)).toEqual(byFingerprint(same.data));
    expect(one.data.map(({ trend }) => trend.counts.reduce((a, b) => a + b))).toEqual([2, 1, 1]);
    statements.length = 0;
    // The error of the span is in a log record too.
    const { data } = await search('', { sort: '-count' });
    expect(keys()).toEqual([recordings, 'toInt64(uniqExactIf(Occurrence, Records = 0) + sum(Records))']);
    expect(data.map(({ count }) => count)).toEqual([2, 2, 1, 1, 1]);
    expect((await search('', { sort: '-count', limit: 1 })).data).toEqual(data.slice(0, 1));
  });

  it('take hostile texts and times far away', async () => {
    const hostile = `<script>'"\`; \u0000 \u202E ${'x'.repeat(5_000)}`;
    await bench.put(
      [
        failed(20, 0, { events: [thrown(0, hostile, hostile, hostile.repeat(10))] }),
        span(21, 21, 0, { events: [{ name: 'exception', timeUnixNano: 1n, attributes: {} }] }),
      ],
      { service: 'hostile' },
    );
    const { data } = await search('service:hostile', { window: { from: 0n, to: 2n ** 63n - 1n } });
    expect(data).toHaveLength(2);
    expect(data[0]?.type).toHaveLength(300);
    expect(data[0]?.message).toHaveLength(2_000);
    expect(data[1]).toMatchObject({ type: '', message: '', firstSeen: '1970-01-01T00:00:00.000Z' });
    for (const { fingerprint } of data) {
      expect((await group(fingerprint, { window: { from: 0n, to: 2n ** 63n - 1n } })).data.count).toBe(1);
    }
  });

  it('say of a long text that it is cut, by its characters', async () => {
    const project = 'long';
    const wide = '\u{1F56F}';
    await bench.put(
      [
        failed(30, 0, { events: [thrown(0, 'Cut', 'x'.repeat(2_001), 'y'.repeat(16_001))] }),
        // More units of UTF-16 than are kept, and fewer characters.
        failed(31, 0, { events: [thrown(0, 'Whole', wide.repeat(1_500), wide.repeat(12_000))] }),
      ],
      { project },
    );
    const cut = new Map<string, unknown>();
    for (const { fingerprint, type } of (await search('', {}, project)).data) {
      const { data } = await group(fingerprint, {}, project);
      cut.set(type, [data.messageCut, data.stacktraceCut, data.stacktrace?.length]);
    }
    expect(Object.fromEntries(cut)).toEqual({
      Cut: [true, false, 16_001],
      Whole: [false, false, 24_000],
    });
  });

  it('show the end of a long stack trace, where some languages say what happened', async () => {
    const project = 'chained';
    const wide = '\u{1F56F}';
    const stack = (kind: string) =>
      `Traceback of ${kind}\n${'  File "app.py", line 1\n'.repeat(3_000)}${wide}\nRuntimeError: ${kind}`;
    const other = thrown(0, 'Another', 'other', `other ${stack('other')}`);
    await bench.put([failed(40, 0, { events: [other, thrown(0, 'OfSpan', 'm', stack('OfSpan'))] })], {
      project,
    });
    await bench.putLogs(
      [
        { timeUnixNano: BigInt(BASE_MS) * 1_000_000n, body: 'another of the same moment' },
        {
          timeUnixNano: BigInt(BASE_MS) * 1_000_000n,
          attributes: { 'exception.type': 'OfLog', 'exception.stacktrace': stack('OfLog') },
        },
      ],
      { project },
    );
    const { data } = await search('-error_type:Another', {}, project);
    expect(data).toHaveLength(2);
    const read = async (fingerprint: string) => (await group(fingerprint, {}, project)).data;
    for (const { fingerprint, type } of data) {
      const { stacktrace, stacktraceCut } = await read(fingerprint);
      const left = /\n\[(\d+) characters left out\]\n/.exec(stacktrace ?? '');
      expect(stacktrace?.startsWith(`Traceback of ${type}\n`)).toBe(true);
      expect(stacktrace?.endsWith(`${wide}\nRuntimeError: ${type}`)).toBe(true);
      expect(Number(left?.[1])).toBe([...stack(type)].length - 32_000);
      expect(stacktraceCut).toBe(true);
    }
    // Where its record is gone there is the beginning, and the answer says so.
    for (const table of ['otel_traces', 'otel_logs']) {
      await bench.store.command(
        `ALTER TABLE ${table} DELETE WHERE ProjectId = {project:String} SETTINGS mutations_sync = 1`,
        { project },
      );
    }
    for (const { fingerprint } of data) {
      const gone = await read(fingerprint);
      expect([gone.stacktrace?.length, gone.stacktraceCut]).toEqual([16_000, true]);
    }
  });
});

describe('exceptions over time', () => {
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

  it('count each where it was recorded first, so that a trend adds up to the count', async () => {
    const project = 'trend';
    const window = { from: at(0), to: at(24 * 60_000) };
    // 24 points in the list and 60 on the page: a minute and 24 seconds each.
    const border = thrown(59_000, 'Border', 'lost');
    await bench.put(
      [
        failed(1, 58_000, { events: [border, thrown(61_000, 'Border', 'lost')] }),
        failed(2, 500_000, { events: [thrown(500_000, 'Border', 'lost')] }),
      ],
      { project },
    );
    await bench.putLogs(
      [61_500, 600_000].map((ms) => ({
        timeUnixNano: at(ms),
        severityNumber: 17,
        traceId: id(1, 32),
        spanId: id(1, 16),
        body: 'failed',
        attributes: { 'exception.type': 'Border', 'exception.message': 'lost' },
      })),
      { project },
    );
    for (const sort of ['-lastSeen', '-count'] as const) {
      const [row] = (await search('', { window, sort }, project)).data;
      expect(row?.count).toBe(2);
      expect(row?.trend.counts.flatMap((count, bucket) => (count > 0 ? [[bucket, count]] : []))).toEqual([
        [0, 1],
        [8, 1],
      ]);
      const { data } = await group(row?.fingerprint ?? '', { window }, project);
      expect([data.count, sum(data.trend.counts)]).toEqual([2, 2]);
      // Of a window that begins between two recordings the second is the first.
      const late = { from: at(60_000), to: at(24 * 60_000) };
      const [later] = (await search('', { window: late, sort }, project)).data;
      expect([later?.count, sum(later?.trend.counts ?? [])]).toEqual([2, 2]);
      expect(later?.trend.counts[0]).toBe(1);
    }
  });

  it('count log records without a span one by one, also those that nothing tells apart', async () => {
    const project = 'equal';
    const record = (more: Partial<LogRecord> = {}): LogRecord => ({
      timeUnixNano: at(1_000),
      severityNumber: 17,
      body: 'failed',
      attributes: { 'exception.type': 'Equal', 'exception.message': 'once more' },
      ...more,
    });
    const ofSpan = { traceId: id(1, 32), spanId: id(1, 16) };
    await bench.putLogs(
      [record(), record(), record(), record({ traceId: id(2, 32) }), record(ofSpan), record(ofSpan)],
      { project },
    );
    await bench.put([failed(1, 0, { events: [thrown(500, 'Equal', 'once more')] })], { project });
    const asked = { fields: ['service', 'error_type'] as const, limit: 5 };
    for (const merged of [false, true]) {
      if (merged) await bench.store.command('OPTIMIZE TABLE exceptions FINAL');
      for (const sort of ['-lastSeen', '-count'] as const) {
        const [row] = (await search('', { sort }, project)).data;
        // Three equal ones, one in a trace, and what was recorded three times on a span.
        expect([sort, merged, row?.count, sum(row?.trend.counts ?? [])]).toEqual([sort, merged, 5, 5]);
      }
      const [row] = (await search('', {}, project)).data;
      const { data } = await group(row?.fingerprint ?? '', {}, project);
      expect([data.count, sum(data.trend.counts), data.occurrences.length]).toEqual([5, 5, 3]);
      expect(data.breakdowns.find(({ field }) => field === 'service')?.values).toEqual([
        { value: 'shop', count: 5 },
      ]);
      const { data: facets } = await bench.queries.facets(contextOf(project), {
        signal: 'exceptions',
        window: HOUR,
        filter: undefined,
        fields: [...asked.fields],
        limit: asked.limit,
      });
      expect(facets.map(({ values }) => values)).toEqual([
        [{ value: 'shop', count: 5 }],
        [{ value: 'Equal', count: 5 }],
      ]);
    }
  });
});
