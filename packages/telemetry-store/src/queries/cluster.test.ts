import { parseFilterOrFail } from '@candela/contract';
import { expect, it } from 'vitest';
import { createTelemetryQueries } from './index.ts';
import { BASE_MS, contextOf, id, LIMITS } from './core/testing.ts';

it('a subquery is run once for the whole cluster: distributed tables refuse any other', async () => {
  const statements: string[] = [];
  const select = <T>(sql: string): Promise<T[]> => {
    statements.push(sql);
    return Promise.resolve([]);
  };
  const queries = createTelemetryQueries({ select }, LIMITS);
  const context = contextOf();
  const window = { from: 0n, to: BigInt(BASE_MS) * 1_000_000n };
  const filter = parseFilterOrFail('service:shop', 'spans');
  await queries.searchTraces(context, { window, filter, sort: '-cost', limit: 10, cursor: undefined });
  // A later page of a trace reads its figures from the store.
  const cursor = Buffer.from(JSON.stringify(['trace', '0', '0', '1', id(1, 16)])).toString('base64url');
  await expect(queries.trace(context, { traceId: id(1, 32), limit: 1, cursor })).rejects.toThrow();
  const nested = statements.filter((sql) => /\bIN\s*\(\s*SELECT/.test(sql));
  expect(nested).toHaveLength(2);
  for (const sql of nested) expect(sql).not.toMatch(/(?<!GLOBAL |GLOBAL NOT )\bIN\s*\(\s*SELECT/);
});
