import { parseFilterOrFail } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  span,
} from '../queries/core/testing.ts';
import { tablesOf } from '../queries/core/stores.ts';
import { createSqlQueries, type SqlQueries } from './execute.ts';
import { isAllowedFunction } from './functions.ts';
import { gateSql } from './gate.ts';
import { GOLDEN } from './golden-questions/index.ts';
import { SqlRefusal } from './refusal.ts';
import { checkTree } from './tree.ts';
import type { TableReads } from '../client/types.ts';

const window = { from: BigInt(BASE_MS - 1) * 1_000_000n, to: BigInt(BASE_MS + 7_200_000) * 1_000_000n };
const context = contextOf('golden', 'production');
let bench: QueryBench;
let sql: SqlQueries;

beforeAll(async () => {
  bench = await openQueryBench({ attributeColumns: 0 });
  sql = createSqlQueries(bench.store, LIMITS);
  const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
  for (const service of ['shop', 'search', 'support']) {
    const offset = service.length * 100_000;
    const spans = Array.from({ length: 400 }, (_, n) => {
      const made = span(offset + Math.floor(n / 4), offset + n + 1, n * 9_000, {
        name: pick(['chat', 'plan', 'lookup'], n),
        status: { code: n % 7 === 0 ? 2 : 1 },
        attributes:
          n % 4 === 0
            ? { 'http.route': pick(['/a', '/b'], n) }
            : {
                'gen_ai.operation.name': pick(['chat', 'embeddings', 'execute_tool'], n),
                'gen_ai.provider.name': pick(['openai', 'anthropic'], n),
                'gen_ai.request.model': pick(['gpt-4o', 'claude-sonnet-4-5', 'gpt-4o-mini'], n),
                'gen_ai.usage.input_tokens': (n * 37) % 900,
                'gen_ai.usage.output_tokens': (n * 13) % 200,
                'gen_ai.usage.cache_read.input_tokens': n % 3,
                'gen_ai.conversation.id': `s${n % 11}`,
                'user.id': `u${n % 5}`,
                'gen_ai.agent.name': pick(['planner', 'writer'], n),
                'gen_ai.tool.name': pick(['search', 'mail'], n),
              },
      });
      const end = (made.startTimeUnixNano as bigint) + BigInt(((n * 7_919) % 3_000) + 1) * 1_000_000n;
      return { ...made, endTimeUnixNano: end };
    });
    await bench.put(spans, { project: 'golden', environment: 'production', service });
    // Somebody else's, of which nothing may be counted.
    await bench.put(spans, { project: 'other', environment: 'production', service });
  }
});
afterAll(() => bench.close());

/** Groups and figures as comparable texts: the aggregate knows no empty group, and keeps floats of its own. */
function comparable(rows: readonly (readonly unknown[])[]): [string, number][] {
  return rows
    .map((row): [string, number] => [
      row
        .slice(0, -1)
        .map((cell) => cell ?? '')
        .join('|'),
      Number(row.at(-1) ?? 0),
    ])
    .filter(([, figure]) => Number.isFinite(figure) && figure !== 0)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

describe('golden questions', () => {
  it('are at least 150, each asked once', () => {
    expect(GOLDEN.length).toBeGreaterThanOrEqual(150);
    expect(new Set(GOLDEN.map(({ question }) => question)).size).toBe(GOLDEN.length);
  });

  it.each(GOLDEN.map((golden) => [golden.question, golden] as const))(
    '%s',
    async (_, { sql: query, aggregate }) => {
      const { rows, columns } = await sql.execute(context, { query, window, limit: 1_000 });
      expect(columns.length).toBeGreaterThan(0);
      if (aggregate === undefined) return;
      const { groupBy, measure } = aggregate;
      const answer = await bench.queries.aggregate(context, {
        window,
        filter: parseFilterOrFail('name:*'),
        groupBy: [...groupBy],
        measures: [measure],
        bucketSeconds: undefined,
        limit: 100,
      });
      const theirs = comparable(answer.rows.map(({ group, values }) => [...group, values[0]]));
      const ours = comparable(rows);
      expect(ours.map(([group]) => group)).toEqual(theirs.map(([group]) => group));
      for (const [index, [group, figure]] of ours.entries()) {
        const other = theirs[index]?.[1] ?? Number.NaN;
        expect(
          Math.abs(figure - other) / Math.max(1e-9, Math.abs(other)),
          `${group}: ${figure}, ${other}`,
        ).toBeLessThan(1e-6);
      }
    },
  );

  it('gated twice are what they were gated once', async () => {
    const store = tablesOf(bench.store);
    for (const { sql: query } of GOLDEN.slice(-60)) {
      const { canonical } = await gateSql(store, query, undefined);
      expect((await gateSql(store, canonical, undefined)).canonical).toBe(canonical);
    }
  });
});

/** The tree of selected expressions as the engine prints it; empty where it cannot read them. */
const treeOf = (store: TableReads, expressions: string): Promise<string[]> =>
  store.read(`EXPLAIN AST SELECT ${expressions} FROM otel_traces`, {}).then(
    ({ rows }) => rows.map(([line]) => String(line)),
    () => [],
  );

describe('every function that the engine has', () => {
  it('is refused unless it is on the list, as are all that make tables', async () => {
    const store = tablesOf(bench.store);
    const namesIn = async (table: string): Promise<string[]> =>
      (await store.read(`SELECT DISTINCT name FROM system.${table} ORDER BY name`, {})).rows.map(([name]) =>
        String(name),
      );
    const functions = await namesIn('functions');
    const tables = await namesIn('table_functions');
    const unlisted = functions.filter((name) => !isAllowedFunction(name));
    // The lists of the engine are there, and ours is the shorter part of them.
    expect([functions.length > 1_500, tables.length > 50, unlisted.length > functions.length / 2]).toEqual([
      true,
      true,
      true,
    ]);
    const accepted: string[] = [];
    const gate = async (statement: string): Promise<void> => {
      const outcome: unknown = await gateSql(store, statement).catch((thrown: unknown) => thrown);
      if (!(outcome instanceof SqlRefusal)) accepted.push(statement);
    };
    const single = tables.map((name) => `SELECT 1 FROM ${name}('a')`);
    // Many at once: each as the engine writes it into its tree, in a tree that is fine without it.
    const called = (name: string) => `${name}(SpanName)`;
    const plain = await treeOf(store, called('lower'));
    const at = plain.findIndex((line) => line.includes('Function lower'));
    expect(at).toBeGreaterThan(0);
    expect(() => checkTree(plain)).not.toThrow();
    for (let from = 0; from < unlisted.length; from += 16) {
      const names = unlisted.slice(from, from + 16);
      const tree = await treeOf(store, names.map(called).join(', '));
      const lines = tree.filter((line) => line.trimStart().startsWith('Function '));
      if (lines.length !== names.length)
        single.push(...names.map((name) => `SELECT ${called(name)} FROM otel_traces`));
      else {
        for (const line of lines) {
          try {
            checkTree(plain.with(at, line));
            accepted.push(line);
          } catch (thrown) {
            if (!(thrown instanceof SqlRefusal)) throw thrown;
          }
        }
      }
    }
    for (let from = 0; from < single.length; from += 8)
      await Promise.all(single.slice(from, from + 8).map(gate));
    expect(accepted).toEqual([]);
  });
});
