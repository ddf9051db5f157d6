import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../client/errors.ts';
import type { TelemetryStore } from '../client/types.ts';
import { LOG_ATTRIBUTE_PAIRS, LOG_TEXT, SPAN_ATTRIBUTE_PAIRS, SPAN_TEXT } from '../schema/expressions.ts';
import { TABLES } from '../schema/tables.ts';
import { EMBEDDED, eventually, serverTarget } from './harness.ts';
import { idTextBlock } from './native-block.ts';

const server = serverTarget(process.env['CLICKHOUSE_TEST_URL']);
describe.skipIf(server !== undefined)('ClickHouse server', () => {
  it.skip('SKIPPED: set CLICKHOUSE_TEST_URL=http://user:password@host:8123 to run the suite on a server', () => {});
});

describe.each([EMBEDDED, ...(server === undefined ? [] : [server])])('telemetry store on $name', (target) => {
  let store: TelemetryStore;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ store, close } = await target.open());
    await store.command(
      `CREATE TABLE items (Id UInt64, Text String) ENGINE = MergeTree ORDER BY Id SETTINGS non_replicated_deduplication_window = 1000`,
    );
  });
  afterAll(() => close());

  const countItems = async (where = '1'): Promise<number> =>
    (await store.select<{ n: number }>(`SELECT count() AS n FROM items WHERE ${where}`))[0]?.n ?? -1;

  it('reports ready and a version', () => {
    expect(store.health()).toMatchObject({ state: 'ready', restarts: 0 });
    expect(store.health().version).toMatch(/^\d+\.\d+/);
  });

  it.each(TABLES.map((table) => table.name))('%s has exactly the declared columns', async (name) => {
    const described = await store.select<{ name: string; type: string; default_type: string }>(
      `DESCRIBE TABLE ${name}`,
    );
    // Columns that the engine works out itself, or fills, are not the writer's.
    const rows = described.filter((row) => row.default_type === '');
    expect(rows.map((row) => `${row.name} ${row.type}`)).toEqual(
      TABLES.find((table) => table.name === name)?.columns.map((column) => `${column.name} ${column.type}`),
    );
  });

  it('round-trips every column type', async () => {
    const types = [...new Set(TABLES.flatMap((table) => table.columns.map((column) => column.type)))];
    const columns = types.map((type, index) => `c${index} ${type}`);
    await store.command(
      `CREATE TABLE every_type (${columns.join(', ')}) ENGINE = MergeTree ORDER BY tuple()`,
    );
    const values = new Map<string, unknown>([
      ['DateTime64(9)', '2026-11-20 10:11:12.123456789'],
      ['DateTime64(3)', '2026-11-20 10:11:12.123'],
      ['String', `quote ' back \\ slash\ttab\nline \u{1F600} \u0000 nul`],
      ['LowCardinality(String)', 'low'],
      ['UInt8', 255],
      ['UInt16', 65_535],
      ['UInt32', 4_294_967_295],
      ['UInt64', 9_007_199_254_740_991],
      ['Int32', -2_147_483_648],
      ['Float64', 0.1],
      ['Nullable(Float64)', null],
      ['Bool', true],
      ['Map(LowCardinality(String), String)', { __proto__x: 'a', constructor: 'b', '': 'empty' }],
      ['Array(DateTime64(9))', ['1970-01-01 00:00:00.000000001']],
      ['Array(String)', ['', 'x']],
      ['Array(LowCardinality(String))', ['y', 'y']],
      ['Array(UInt64)', [0, 1]],
      ['Array(Float64)', [1.5, -2]],
      ['Array(Map(LowCardinality(String), String))', [{ k: 'v' }, {}]],
    ]);
    const row = Object.fromEntries(types.map((type, index) => [`c${index}`, values.get(type)]));
    expect(Object.values(row)).not.toContain(undefined);
    await store.command(`INSERT INTO every_type FORMAT JSONEachRow\n${JSON.stringify(row)}`);
    expect(await store.select('SELECT * FROM every_type')).toEqual([row]);
  });

  it.each([
    `' OR 1 = 1 --`,
    `\\' OR 1 = 1 --`,
    `'; DROP TABLE items; --`,
    '{other:String}',
    'tab\tnew\nline\rnul\0bell\u0007',
    '\\N',
    '`backtick` "double" $$heredoc$$',
    '\u{1F600} \u202E \uFFFD',
    'x'.repeat(100_000),
  ])('binds a hostile value as a value (%#)', async (value) => {
    const rows = await store.select<{ v: string; a: string[] }>(
      'SELECT {value:String} AS v, {list:Array(String)} AS a',
      { value, list: [value, ''] },
    );
    expect(rows).toEqual([{ v: value, a: [value, ''] }]);
  });

  it('keeps parameters and settings of one query from the next', async () => {
    await store.select('SELECT {secret:String} AS s', { secret: 'mine' });
    await expect(store.select('SELECT {secret:String} AS s')).rejects.toMatchObject({ engineCode: 456 });
  });

  it.each([
    ['SELEC 1', 62, 'internal'],
    ['SELECT nope', 47, 'internal'],
    ['SELECT * FROM nope', 60, 'internal'],
    ['SELECT 1; SELECT 2', 62, 'internal'],
    [`SELECT throwIf(1, 'on purpose')`, 395, 'internal'],
  ])('%s fails with code %i', async (sql, engineCode, code) => {
    const error = await store.select(sql).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ engineCode, code });
  });

  it('compiles nothing of a statement that is asked again and again', async () => {
    const compiled = async () => {
      const [row] = await store.select<{ n: number }>(
        "SELECT toFloat64(sum(value)) AS n FROM system.events WHERE event = 'CompileFunction'",
      );
      return row?.n;
    };
    const before = await compiled();
    for (let turn = 0; turn < 6; turn++) {
      await store.select(
        `SELECT number % 3 AS k, sum(number * 3 + intDiv(number, 5) - number % 7), avg(number * 2 + 1)
         FROM numbers(100000) WHERE number * 5 + 3 > 10 GROUP BY k ORDER BY k * 2 + 1`,
      );
    }
    expect(await compiled()).toBe(before);
  });

  it('bounds time, rows read, rows given, memory', async () => {
    const endless = 'SELECT count() AS n FROM numbers(1000000000000) WHERE number % 7 = 8';
    await expect(store.select(endless, {}, { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'query_too_expensive',
      engineCode: 159,
    });
    await expect(
      store.select('SELECT sum(number) AS n FROM numbers(10000000)', {}, { maxRowsToRead: 1_000 }),
    ).rejects.toMatchObject({ code: 'query_too_expensive', engineCode: 158 });
    await expect(
      store.select('SELECT number FROM numbers(1000)', {}, { maxResultRows: 10 }),
    ).rejects.toMatchObject({ code: 'query_too_expensive', engineCode: 396 });
    await expect(
      store.select(
        'SELECT length(groupArray(toString(number))) AS n FROM numbers(5000000)',
        {},
        { maxMemoryBytes: 20_000_000 },
      ),
    ).rejects.toMatchObject({ code: 'query_too_expensive', engineCode: 241 });
  });

  it('rejects with the abort reason when the caller aborts', async () => {
    const controller = new AbortController();
    const slow = store.select(
      'SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 8',
      {},
      {
        signal: controller.signal,
        timeoutMs: 2_000,
      },
    );
    setTimeout(() => controller.abort(new Error('changed my mind')), 100);
    await expect(slow).rejects.toThrow('changed my mind');
  });

  it('answers a reader whose connection another one left before it was given to him', async () => {
    await store.select('SELECT 1');
    const idleSince = Date.now();
    const controller = new AbortController();
    const gone = store.select('SELECT 1', {}, { signal: controller.signal });
    controller.abort(new Error('left at once'));
    await expect(gone).rejects.toThrow('left at once');
    // Over the moment at which the connection would have been idle for too long, had nobody taken it.
    await sleep(idleSince + 2_350 - Date.now());
    expect(await store.select('SELECT sleep(0.5) AS slept')).toEqual([{ slept: 0 }]);
  });

  it('stores a repeated insert once, as one part, and another token again', async () => {
    const parts = [
      idTextBlock([{ id: 1, text: 'a' }]),
      idTextBlock([
        { id: 2, text: 'b' },
        { id: 3, text: 'c' },
      ]),
    ];
    await store.insertNative('items', parts, 'token-1');
    await store.insertNative('items', parts, 'token-1');
    expect(await countItems()).toBe(3);
    await store.insertNative('items', parts, 'token-2');
    expect(await countItems()).toBe(6);
    const [row] = await store.select<{ largest: number }>(
      `SELECT max(rows) AS largest FROM system.parts WHERE table = 'items' AND database = currentDatabase()`,
    );
    expect(row?.largest).toBeGreaterThanOrEqual(3);
  });

  it('refuses a broken block as a permanent error and stores nothing of it', async () => {
    const block = idTextBlock([{ id: 900, text: 'never' }]);
    const error = await store
      .insertNative('items', [block, block.subarray(0, 10)], 'token-broken')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: 'internal' });
    expect(await countItems('Id = 900')).toBe(0);
  });

  it('streams a result that is larger than the bound of a whole one', async () => {
    let rows = 0;
    let sum = 0;
    for await (const row of store.stream<{ number: number }>('SELECT number FROM numbers(1200000)')) {
      rows += 1;
      sum += row.number;
    }
    expect([rows, sum]).toEqual([1_200_000, (1_200_000 * 1_199_999) / 2]);
  });

  it('reports an error in the middle of a stream', async () => {
    const read = async (): Promise<number> => {
      let rows = 0;
      const sql =
        'SELECT throwIf(number = 900000) AS x FROM numbers(1000000) SETTINGS max_block_size = 10000';
      for await (const _row of store.stream(sql)) rows += 1;
      return rows;
    };
    await expect(read()).rejects.toMatchObject({ engineCode: 395 });
  });

  it('reads while it inserts', async () => {
    const inserts = Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        store.insertNative('items', [idTextBlock([{ id: 10_000 + n, text: 'x' }])], `parallel-${n}`),
      ),
    );
    const reads = Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        store.select<{ v: number }>('SELECT {n:UInt32} AS v, count() FROM items', { n }),
      ),
    );
    expect((await reads).map((rows) => rows[0]?.v)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    await inserts;
    expect(await countItems('Id >= 10000')).toBe(20);
  });

  it('uses the indexes for the published expressions', async () => {
    await store.command(`INSERT INTO otel_traces (ProjectId, TraceId, SessionId, SpanName, SpanAttributes, ReceivedAt, Timestamp, RetentionDays)
SELECT 'p', leftPad(hex(number), 32, '0'), toString(number), 'n', map('k', toString(number)), now64(3), now64(9), 30 FROM numbers(20000)`);
    await store.command(`INSERT INTO otel_logs (ProjectId, TraceId, SessionId, Body, LogAttributes, ReceivedAt, Timestamp, RetentionDays)
SELECT 'p', leftPad(hex(number), 32, '0'), toString(number), concat('word', toString(number)), map('k', toString(number)), now64(3), now64(9), 30 FROM numbers(20000)`);
    const cases: [string, string, string][] = [
      ['otel_traces', 'idx_trace_id', `TraceId = 'absent'`],
      ['otel_traces', 'idx_session_id', `SessionId = 'absent'`],
      ['otel_traces', 'idx_attributes', `has(${SPAN_ATTRIBUTE_PAIRS}, 'k=absent')`],
      ['otel_traces', 'idx_content', `hasToken(${SPAN_TEXT}, 'absent')`],
      ['otel_traces', 'idx_duration', 'Duration > 5'],
      ['otel_traces', 'idx_total_tokens', 'TotalTokens > 5'],
      ['otel_traces', 'idx_cost_step', 'CostStep > 5'],
      ['otel_logs', 'idx_trace_id', `TraceId = 'absent'`],
      ['otel_logs', 'idx_session_id', `SessionId = 'absent'`],
      ['otel_logs', 'idx_attributes', `has(${LOG_ATTRIBUTE_PAIRS}, 'k=absent')`],
      ['otel_logs', 'idx_body', `hasToken(${LOG_TEXT}, 'absent')`],
    ];
    for (const [table, index, condition] of cases) {
      const plan = await store.select<{ explain: string }>(
        `EXPLAIN indexes = 1 SELECT SpanId FROM ${table} WHERE ${condition}`,
      );
      const text = plan.map((row) => row.explain.trim()).join('\n');
      expect(text, `${table} ${index}`).toMatch(new RegExp(`Name: ${index}[\\s\\S]*Granules: 0/`));
    }
  });

  it('drops whole parts when their retention is over', async () => {
    await store.command(`INSERT INTO otel_logs (ProjectId, Body, ReceivedAt, Timestamp, RetentionDays)
SELECT 'old', 'x', now64(3) - toIntervalDay(40), now64(9), 30 FROM numbers(1000)`);
    await store.command(`INSERT INTO otel_logs (ProjectId, Body, ReceivedAt, Timestamp, RetentionDays)
SELECT 'kept', 'x', now64(3) - toIntervalDay(40), now64(9), 90 FROM numbers(1000)`);
    for (const days of [0, 30_000, 65_535]) {
      await store.command(
        `INSERT INTO otel_logs (ProjectId, Body, ReceivedAt, Timestamp, RetentionDays)
SELECT concat('long', toString({days:UInt16})), 'x', now64(3) - toIntervalDay(40), now64(9), {days:UInt16} FROM numbers(10)`,
        { days },
      );
    }
    await store.command('OPTIMIZE TABLE otel_logs FINAL');
    const projects = async (): Promise<string[]> =>
      (await store.select<{ p: string }>(`SELECT DISTINCT ProjectId AS p FROM otel_logs ORDER BY p`)).map(
        (row) => row.p,
      );
    await eventually('expired part dropped', async () => !(await projects()).includes('old'));
    expect(await projects()).toEqual(expect.arrayContaining(['kept', 'long0', 'long30000', 'long65535']));
  });

  it('refuses names that are not table names', async () => {
    await expect(store.insertNative('items; DROP TABLE items', [idTextBlock([])], 't')).rejects.toThrow(
      RangeError,
    );
  });
});
