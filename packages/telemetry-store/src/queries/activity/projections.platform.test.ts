import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextOf, LIMITS, openQueryBench, type QueryBench, recordStatements } from '../core/testing.ts';
import { createActivityQueries } from './index.ts';

const HOUR_MS = 3_600_000;
/** Buckets of five minutes in the window. */
const BUCKETS = 216;
const USERS = 500;
/** Of one bucket each, a row of the rollup; in another project those that last as long as the window. */
const [SESSIONS, LONG_SESSIONS] = [30_000, 300];
const fromMs = Math.floor(Date.now() / HOUR_MS - 20) * HOUR_MS;
const window = {
  from: BigInt(fromMs) * 1_000_000n,
  to: BigInt(fromMs + BUCKETS * 300_000) * 1_000_000n,
};

/** Rows of sessions by number, `bucket` after the first each. */
const inserted = (project: string, session: string, bucket: string, rows: string) =>
  bench.store.command(`INSERT INTO session_figures (ProjectId, Environment, ReceivedDay, RetentionDays, Bucket, SessionHash, UserHash,
      SessionId, UserId, FirstNs, EndNs, OpeningNs, Spans, Errors, Counting, Input, Priced, Cost, Traces, Models)
    SELECT '${project}', 'production', today(), 30, toDateTime(${fromMs / 1_000} + 300 * (${bucket})) AS Bucket,
      cityHash64(SessionId), cityHash64(UserId), concat('session ', toString(${session})) AS SessionId,
      concat('user ', toString(${session} % ${USERS})) AS UserId, toInt64(toUInt32(Bucket)) * 1000000000 AS FirstNs,
      FirstNs + 1000000000, FirstNs, 1 + number % 3, number % 2, 1, 10, 1, ${session}, [number], ['gpt']
    FROM numbers(${rows})`);

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench();
  // In two parts, so that what is merged is sorted anew.
  for (const half of [0, 1]) {
    for (const project of ['default', 'other']) {
      await inserted(project, 'number', `number % ${BUCKETS}`, `${(half * SESSIONS) / 2}, ${SESSIONS / 2}`);
    }
    const rows = (LONG_SESSIONS * BUCKETS) / 2;
    const bucket = `intDiv(number, ${LONG_SESSIONS})`;
    await inserted('long', `number % ${LONG_SESSIONS}`, bucket, `${half * rows}, ${rows}`);
  }
});
afterAll(() => bench.close());

const asked = { window, filter: undefined, limit: 50, cursor: undefined };

/** A page of a list by cost, and how the engine reads the figures in it. */
async function page(
  list: 'users' | 'sessions',
  projectId: string,
): Promise<{ rows: readonly object[]; plan: string }> {
  const { store, statements, values } = recordStatements(bench.store);
  const queries = createActivityQueries(store, LIMITS);
  const { data } = await queries[list](contextOf(projectId), { ...asked, sort: '-cost' });
  const plan = await bench.store.select<{ explain: string }>(
    `EXPLAIN ${statements.at(-1)}`,
    values.at(-1) ?? {},
  );
  return { rows: data, plan: plan.map(({ explain }) => explain).join('\n') };
}

const each = SESSIONS / USERS;
const LISTS = [
  {
    what: 'users of very many sessions',
    list: 'users',
    projectId: 'default',
    projection: 'by_user',
    // One to three a row; those of the other project, of users and sessions of the same names, are not among them.
    first: { userId: `user ${USERS - 1}`, sessions: each, traces: each, spans: 2 * each, models: ['gpt'] },
  },
  {
    what: 'sessions that last all day',
    list: 'sessions',
    projectId: 'long',
    projection: 'by_session',
    first: { sessionId: `session ${LONG_SESSIONS - 1}`, traces: BUCKETS, models: ['gpt'] },
  },
] as const;

describe('figures', () => {
  const before = new Map<string, readonly object[]>();
  it.each(LISTS)('of $what are read in their own order', async ({ list, projectId, projection, first }) => {
    const { rows, plan } = await page(list, projectId);
    expect(rows).toHaveLength(50);
    expect(rows[0]).toMatchObject(first);
    expect(plan).toContain(projection);
    before.set(list, rows);
  });
  it('are the same when their rows were merged', async () => {
    await bench.store.command('OPTIMIZE TABLE session_figures FINAL');
    for (const { list, projectId, projection } of LISTS) {
      const { rows, plan } = await page(list, projectId);
      expect(rows).toEqual(before.get(list));
      expect(plan).toContain(projection);
    }
  });
});
