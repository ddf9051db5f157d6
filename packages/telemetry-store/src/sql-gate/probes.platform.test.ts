import { existsSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asCandelaError } from '@candela/kernel';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  span,
} from '../queries/core/testing.ts';
import { createSqlQueries, type SqlQueries } from './execute.ts';
import { isAllowedFunction } from './functions.ts';
import { gateSql } from './gate.ts';
import { SqlRefusal } from './refusal.ts';
import { checkTree } from './tree.ts';
import type { TableReads } from '../client/types.ts';
import { tablesOf } from '../queries/core/stores.ts';

const window = { from: 0n, to: 2n ** 62n };
const OUT = '/tmp/out_gate.txt';
const context = contextOf('mine', 'production');
let bench: QueryBench;
let sql: SqlQueries;
let tables: TableReads;

/** Reason and statement of each probe; the file says what reasons mean. */
const probes = readFileSync(new URL('probes.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line): readonly [string, string] => {
    const [reason = '', statement = ''] = line.split('\t');
    const text = statement.startsWith('<generated')
      ? `SELECT ${'1+'.repeat(5_000)}1`
      : (JSON.parse(`"${statement.replaceAll('"', String.raw`\"`)}"`) as string);
    return [reason, text.replaceAll('DB', 'candela')];
  });

const REFUSED = new Set(probes.map(([reason]) => reason));
for (const answered of ['engine', 'bounded', 'no_oracle']) REFUSED.delete(answered);

const ask = (query: string, limit = 1_000) => sql.execute(context, { query, window, limit });

beforeAll(async () => {
  rmSync(OUT, { force: true });
  bench = await openQueryBench({ attributeColumns: 0 });
  tables = tablesOf(bench.store);
  sql = createSqlQueries(bench.store, LIMITS);
  await bench.store.command('CREATE TABLE vault (k String, v String) ENGINE = MergeTree ORDER BY k');
  await bench.store.command("INSERT INTO vault SELECT 'OPENAI', 'canary-of-the-vault'");
  const spans = Array.from({ length: 400 }, (_, n) => span(n + 1, n + 1, n));
  await bench.put(spans, { project: 'mine' });
  await bench.put(
    spans.map((one, n) => ({
      ...one,
      endTimeUnixNano: BigInt(BASE_MS + n) * 1_000_000n + BigInt(2 * n + 1),
    })),
    { project: 'theirs' },
  );
  await bench.store.command('OPTIMIZE TABLE otel_traces FINAL');
});
afterAll(() => bench.close());

describe('statements that break a rule', () => {
  it.each(probes.filter(([reason]) => REFUSED.has(reason)))('%s: %s', async (_, statement) => {
    const thrown: unknown = await ask(statement).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SqlRefusal);
    expect((thrown as SqlRefusal).rule).not.toBe('engine');
    expect((thrown as SqlRefusal).message).not.toContain('canary');
  });
});

describe('statements that the engine refuses', () => {
  it.each(probes.filter(([reason]) => reason === 'engine'))('%s: %s', async (_, statement) => {
    const thrown: unknown = await ask(statement).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SqlRefusal);
    expect((thrown as SqlRefusal).rule).toBe('engine');
  });
});

describe('statements that are bounded', () => {
  it.each(probes.filter(([reason]) => reason === 'bounded'))('%s: %s', async (_, statement) => {
    const answer = await ask(statement).catch((error: unknown) => asCandelaError(error).code);
    if (typeof answer === 'string') expect(answer).toBe('query_too_expensive');
    else expect(answer.rows.length).toBeLessThanOrEqual(1_000);
  });
});

it('answers the same whatever others have', async () => {
  for (const [, statement] of probes.filter(([reason]) => reason === 'no_oracle')) {
    const outcome = await ask(statement).then(
      ({ rows }) => rows,
      (error: unknown) => error,
    );
    expect(outcome).not.toBeInstanceOf(Error);
  }
});

it('leaves nothing behind and the store whole', async () => {
  expect(existsSync(OUT)).toBe(false);
  expect((await ask('SELECT count() FROM otel_traces')).rows).toEqual([['400']]);
  const [row] = await bench.store.select<{ n: number }>('SELECT count() AS n FROM otel_traces');
  expect(row?.n).toBe(800);
  expect(await bench.store.select('SELECT v FROM vault')).toHaveLength(1);
});

it('takes no function that is not listed, whatever functions the engine has', async () => {
  const functions = await bench.store.select<{ name: string }>('SELECT name FROM system.functions');
  expect(functions.length).toBeGreaterThan(1_500);
  const unlisted = functions.filter(({ name }) => !isAllowedFunction(name));
  expect(unlisted.length).toBeGreaterThan(900);
  for (const [index, { name }] of unlisted.entries()) {
    const tree = [
      'SelectWithUnionQuery',
      ' ExpressionList',
      '  SelectQuery',
      '   ExpressionList',
      `    Function ${name}`,
    ];
    expect(() => checkTree(tree), name).toThrow(SqlRefusal);
    if (index % 25 > 0) continue;
    const thrown: unknown = await gateSql(tables, `SELECT \`${name}\`(1)`).catch((error: unknown) => error);
    expect(thrown, name).toBeInstanceOf(SqlRefusal);
  }
  const dangerous =
    /^(file|url|dict|join|get|host|current|sleep|throw|hascolumn|ai|catboost|query(?!StringAnd)|initialize|runningaccum|filesystem|server|showcert|addressto|finalize|logtrace)/i;
  const listed = functions.filter(({ name }) => isAllowedFunction(name)).map(({ name }) => name);
  expect(listed.filter((name) => dangerous.test(name))).toEqual([]);
});

it('takes its own text back unchanged', async () => {
  for (const statement of [
    'select  a.SpanName , count(*) from otel_traces as a where a.Duration>5 group by 1 order by 2 desc limit 3;',
    'with x as (select 1 as n) select n from x union all select 2',
    "SELECT SpanAttributes['a''b'] AS k, Duration/1e6 FROM otel_traces WHERE SpanName ILIKE '%x%'",
    'SELECT * EXCEPT (SpanAttributes) FROM otel_traces ORDER BY Timestamp DESC',
  ]) {
    const { canonical } = await gateSql(tables, statement);
    expect((await gateSql(tables, canonical)).canonical).toBe(canonical);
  }
});

it('gives as many rows as were asked for, says so, and keeps their order and large numbers', async () => {
  const answer = await ask(
    'SELECT Duration, 18446744073709551615 AS n FROM otel_traces ORDER BY Timestamp DESC',
    5,
  );
  expect(answer).toMatchObject({
    truncated: true,
    columns: [{ name: 'Duration' }, { name: 'n', type: 'UInt64' }],
  });
  expect(answer.rows).toHaveLength(5);
  expect(answer.rows[0]?.[1]).toBe('18446744073709551615');
  expect(answer.stats.rowsRead).toBeGreaterThan(0);
  const twice = await ask(
    'SELECT a.SpanName, b.SpanName FROM otel_traces a JOIN otel_traces b ON a.SpanId = b.SpanId LIMIT 2',
  );
  expect(twice.rows[0]).toHaveLength(2);
});

it('sees the environment and the time asked for only', async () => {
  const other = contextOf('mine', 'staging');
  expect(
    (await sql.execute(other, { query: 'SELECT count() FROM otel_traces', window, limit: 10 })).rows,
  ).toEqual([['0']]);
  const first = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 100) * 1_000_000n };
  const { rows } = await sql.execute(context, {
    query: 'SELECT count() FROM otel_traces',
    window: first,
    limit: 10,
  });
  expect(rows).toEqual([['100']]);
});

it('names the column that was meant', async () => {
  await expect(ask('SELECT SpanNam FROM otel_traces')).rejects.toThrow('Did you mean "SpanName"?');
});
