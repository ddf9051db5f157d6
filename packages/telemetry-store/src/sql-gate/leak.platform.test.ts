import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestContext } from '@candela/kernel';
import { contextOf, LIMITS, openQueryBench, type QueryBench, span } from '../queries/core/testing.ts';
import { tablesOf } from '../queries/core/stores.ts';
import { createSqlQueries, type SqlQueries } from './execute.ts';
import { rowFilters, SQL_TABLES } from './prelude.ts';

const window = { from: 0n, to: 2n ** 62n };
let bench: QueryBench;
let sql: SqlQueries;

/** Each fails on a row whose StatusMessage is no number, or whose Duration is odd: all of those are somebody else's. */
const SHAPES: readonly string[] = [
  'SELECT count() FROM otel_traces WHERE toInt32(StatusMessage) = 1',
  'SELECT count() FROM otel_traces WHERE intDiv(1, 1 - (Duration % 2)) >= 0',
  'SELECT count() FROM otel_traces WHERE modulo(5, 1 - (Duration % 2)) >= 0',
  "SELECT count() FROM otel_traces WHERE toDate(StatusMessage || '970-01-01') > '1960-01-01'",
  "SELECT count() FROM otel_traces WHERE parseDateTimeBestEffort(if(Duration % 2 = 1, StatusMessage, '2020-01-01')) > 0",
  'SELECT sum(toInt32(StatusMessage)) FROM otel_traces',
  'SELECT toInt32(StatusMessage) AS n, count() FROM otel_traces GROUP BY n',
  'SELECT count() FROM otel_traces GROUP BY StatusCode HAVING sum(toInt32(StatusMessage)) > 0',
  'SELECT count() FROM otel_traces a JOIN otel_traces b ON a.SpanId = b.SpanId AND toInt32(a.StatusMessage) = 1',
  'SELECT count() FROM otel_traces a JOIN otel_traces b USING (SpanId) WHERE toInt32(b.StatusMessage) = 1',
  'SELECT count() FROM otel_traces WHERE SpanId IN (SELECT SpanId FROM otel_traces WHERE toInt32(StatusMessage) = 1)',
  'WITH x AS (SELECT * FROM (SELECT * FROM otel_traces)) SELECT count() FROM x WHERE toInt32(StatusMessage) = 1',
  'SELECT count() FROM (SELECT sum(toInt32(StatusMessage)) OVER (PARTITION BY TraceId) AS s FROM otel_traces) WHERE s > 0',
  'SELECT count() FROM (SELECT DISTINCT toInt32(StatusMessage) FROM otel_traces)',
  'SELECT SpanId FROM otel_traces ORDER BY toInt32(StatusMessage), SpanId LIMIT 1',
  'SELECT toInt32(StatusMessage) FROM otel_traces LIMIT 1 BY StatusMessage',
  'SELECT SpanName FROM otel_traces WHERE toInt32(StatusMessage) = 1 ORDER BY Timestamp DESC LIMIT 3',
  'SELECT (SELECT max(toInt32(StatusMessage)) FROM otel_traces)',
  'SELECT count() FROM otel_traces ARRAY JOIN [toInt32(StatusMessage)] AS n WHERE n = 1',
  'SELECT count() FROM otel_traces WHERE toInt32(StatusMessage) = 1 UNION ALL SELECT count() FROM otel_traces WHERE toInt32(StatusMessage) = 2',
];

beforeAll(async () => {
  bench = await openQueryBench({ attributeColumns: 0 });
  sql = createSqlQueries(bench.store, LIMITS);
  const mine = Array.from({ length: 3_000 }, (_, n) =>
    span(n + 1, n + 1, n, { status: { code: 2, message: '1' } }),
  );
  const theirs = Array.from({ length: 3_000 }, (_, n) => {
    const own = span(n + 1, n + 10_001, n, { status: { code: 2, message: `x${n}` } });
    return { ...own, endTimeUnixNano: (own.endTimeUnixNano as bigint) + 1n };
  });
  const chunks = [0, 1_000, 2_000];
  for (const at of chunks) {
    await bench.put(mine.slice(at, at + 1_000), { project: 'mine', environment: 'production' });
    await bench.put(theirs.slice(at, at + 1_000), { project: 'theirs', environment: 'production' });
    await bench.put(theirs.slice(at, at + 1_000), { project: 'mine', environment: 'staging' });
  }
  // One part, and so granules that hold rows of both.
  await bench.store.command('OPTIMIZE TABLE otel_traces FINAL');
});
afterAll(() => bench.close());

const ask = (context: RequestContext, query: string) => sql.execute(context, { query, window, limit: 1_000 });

describe('rows of others in the same granule', () => {
  const mine = contextOf('mine', 'production');
  it.each(SHAPES)('decide nothing: %s', async (query) => {
    const { rows } = await ask(mine, query);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('x1');
  });

  it('would decide where the tenant stands in WHERE: the test can fail', async () => {
    const reads = tablesOf(bench.store);
    const outcomes = await Promise.allSettled(
      SHAPES.map((query) =>
        reads.read(
          `WITH otel_traces AS (SELECT * FROM candela.otel_traces WHERE ProjectId = 'mine' AND Environment = 'production') SELECT * FROM (${query}) LIMIT 1001`,
          {},
          { timeoutMs: 10_000 },
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  });

  it('are not there by the row filter either', async () => {
    const database = 'candela';
    const input = {
      projectId: 'mine',
      environment: 'production',
      window,
      database,
      tables: SQL_TABLES,
      floor: () => undefined,
    };
    const { rows } = await tablesOf(bench.store).read(
      'SELECT count() FROM otel_traces',
      {},
      {
        settings: { additional_table_filters: rowFilters(input) },
      },
    );
    expect(rows).toEqual([['3000']]);
  });
});

describe('a viewer', () => {
  const viewer: RequestContext = {
    ...contextOf('agents', 'production'),
    principal: { kind: 'user', id: 'v', sessionId: 's', role: 'viewer' },
  };
  const admin: RequestContext = {
    ...viewer,
    principal: { kind: 'user', id: 'a', sessionId: 's', role: 'admin' },
  };
  const query =
    'SELECT UserId, SpanAttributes, ResourceAttributes, ContentAttributes, Events.Attributes FROM otel_traces';

  it('does not learn who worked with a coding agent', async () => {
    await bench.put(
      [
        span(1, 1, 0, {
          name: 'coding_agent.session',
          attributes: { 'user.id': 'ada', 'user.email': 'ada@example.com', 'gen_ai.request.model': 'm' },
          events: [{ name: 'x', timeUnixNano: 1n, attributes: { 'git.author.email': 'ada@example.com' } }],
        }),
        span(1, 2, 0, { name: 'chat', attributes: { 'user.id': 'customer' } }),
      ],
      { project: 'agents', resource: { 'host.name': 'adas-laptop' } },
    );
    const seen = JSON.stringify((await ask(viewer, query)).rows);
    expect(seen).not.toMatch(/ada@|"ada"/);
    expect(seen).toContain('customer');
    expect(JSON.stringify((await ask(admin, query)).rows)).toContain('ada@example.com');
  });

  it('learns of who has five sessions in the window', async () => {
    for (let n = 0; n < 5; n += 1)
      await bench.put(
        [
          span(50 + n, 50 + n, 0, {
            name: 'coding_agent.session',
            attributes: { 'user.id': 'eve', 'session.id': `eve ${n}` },
          }),
        ],
        { project: 'agents' },
      );
    const counted = "SELECT count() FROM otel_traces WHERE UserId = 'eve'";
    expect((await ask(viewer, counted)).rows).toEqual([['5']]);
  });

  it('can count nobody either', async () => {
    const counted =
      "SELECT count() FROM otel_traces WHERE UserId = 'ada' OR SpanAttributes['user.email'] = 'ada@example.com'";
    expect((await ask(viewer, counted)).rows).toEqual([['0']]);
    expect((await ask(admin, counted)).rows).toEqual([['1']]);
  });
});
