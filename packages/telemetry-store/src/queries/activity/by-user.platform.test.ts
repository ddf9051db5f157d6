import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextOf, LIMITS, openQueryBench, type QueryBench, recordStatements } from '../core/testing.ts';
import { createActivityQueries } from './index.ts';

const HOUR_MS = 3_600_000;
const USERS = 500;
/** Of one bucket each, a row of the rollup. */
const SESSIONS = 30_000;
const fromMs = Math.floor(Date.now() / HOUR_MS - 6) * HOUR_MS;
const window = { from: BigInt(fromMs) * 1_000_000n, to: BigInt(fromMs + 4 * HOUR_MS) * 1_000_000n };

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench();
  // In two parts, so that what is merged is sorted anew.
  for (const half of [0, 1]) {
    await bench.store.command(`INSERT INTO session_figures (ProjectId, Environment, ReceivedDay, RetentionDays, Bucket, SessionHash, UserHash,
        SessionId, UserId, FirstNs, EndNs, OpeningNs, Spans, Errors, Counting, Input, Priced, Cost, Traces, Models)
      SELECT Project, 'production', today(), 30, toDateTime(${fromMs / 1_000} + 300 * (number % 48)) AS Bucket,
        cityHash64(SessionId), cityHash64(UserId), concat('session ', toString(number)) AS SessionId,
        concat('user ', toString(number % ${USERS})) AS UserId, toInt64(toUInt32(Bucket)) * 1000000000 AS FirstNs,
        FirstNs + 1000000000, FirstNs, 1 + number % 3, number % 2, 1, 10, 1, number, [number], ['gpt']
      FROM numbers(${(half * SESSIONS) / 2}, ${SESSIONS / 2}) ARRAY JOIN ['default', 'other'] AS Project`);
  }
});
afterAll(() => bench.close());

const asked = { window, filter: undefined, limit: 50, cursor: undefined };

/** A page of users, and how the engine reads their figures. */
async function page(): Promise<{ users: readonly object[]; plan: string }> {
  const { store, statements, values } = recordStatements(bench.store);
  const { data } = await createActivityQueries(store, LIMITS).users(contextOf(), { ...asked, sort: '-cost' });
  const plan = await bench.store.select<{ explain: string }>(
    `EXPLAIN ${statements.at(-1)}`,
    values.at(-1) ?? {},
  );
  return { users: data, plan: plan.map(({ explain }) => explain).join('\n') };
}

describe('users of very many sessions', () => {
  it('are told from rows that are sorted by user, before these were merged and after', async () => {
    const { users, plan } = await page();
    expect(users).toHaveLength(50);
    const each = SESSIONS / USERS;
    expect(users[0]).toMatchObject({
      userId: `user ${USERS - 1}`,
      sessions: each,
      traces: each,
      // One to three a row; those of the other project, of users and sessions of the same names, are not among them.
      spans: 2 * each,
      models: ['gpt'],
    });
    expect(plan).toContain('by_user');
    await bench.store.command('OPTIMIZE TABLE session_figures FINAL');
    const merged = await page();
    expect(merged.users).toEqual(users);
    expect(merged.plan).toContain('by_user');
  });
});
