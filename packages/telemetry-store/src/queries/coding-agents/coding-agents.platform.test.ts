import type { RequestContext } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_MS, contextOf, id, LIMITS, openQueryBench, type QueryBench, span } from '../core/testing.ts';
import { type CodingAgentQueries, createCodingAgentQueries } from './index.ts';

let bench: QueryBench;
let queries: CodingAgentQueries;
const at = (ms: number) => BigInt(BASE_MS + ms) * 1_000_000n;
const HOUR = 3_600_000;
const window = { from: at(0), to: at(10 * HOUR) };
const admin = contextOf();
const viewer: RequestContext = {
  ...admin,
  principal: { kind: 'user', id: 'v', sessionId: 's', role: 'viewer' },
};

/** The resource of a user's sessions. */
const placeOf = (user: string) => ({
  service: 'claude-code',
  resource: {
    'code.cwd': `/home/${user}/work`,
    'vcs.repository.url.full': 'https://github.com/acme/app',
    'vcs.ref.head.name': `${user}/branch`,
    'coding_agent.content_capture_mode': 'full',
  },
});

/** A session: its root, a response, a tool call, an edit that was taken and one that was not, a commit. */
function session(n: number, user: string, ended = true) {
  const common = { 'coding_agent.session.id': `session ${n}`, 'gen_ai.request.user': user };
  const one = (place: number, name: string, attributes: object = {}, more: object = {}) =>
    span(n, n * 100 + place, n * HOUR * 0.1 + place * 1000, {
      name: `coding_agent.${name}`,
      parentSpanId: place === 0 ? '' : id(n * 100, 16),
      attributes: { ...common, ...attributes },
      ...more,
    });
  return [
    ...(ended
      ? [
          one(
            0,
            'session',
            { 'coding_agent.session.outcome': 'committed' },
            { endTimeUnixNano: at(n * HOUR * 0.1 + 60_000) },
          ),
        ]
      : []),
    one(1, 'llm.turn', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.cache_read.input_tokens': 600,
      'gen_ai.usage.output_tokens': 50,
    }),
    one(2, 'tool.call', { 'gen_ai.tool.name': 'Edit' }),
    ...['auto_accepted', 'reject'].map((decision, d) =>
      one(3 + d, 'edit.decision', {
        'coding_agent.edit.decision': decision,
        'coding_agent.edit.lines.added': 7,
        'coding_agent.edit.lines.removed': 2,
      }),
    ),
    one(5, 'git.commit'),
  ];
}

beforeAll(async () => {
  bench = await openQueryBench();
  queries = createCodingAgentQueries(bench.store, LIMITS);
  // Six of one user, four and three of two others.
  const users = [
    ...Array<string>(6).fill('ann'),
    ...Array<string>(4).fill('bob'),
    ...Array<string>(3).fill('cid'),
  ];
  for (const [n, user] of users.entries()) await bench.put(session(n + 1, user, n !== 0), placeOf(user));
  // Sent again, as after a crash of the sender.
  await bench.put(session(2, 'ann'), placeOf('ann'));
});
afterAll(() => bench.close());

const all = {
  window,
  agent: undefined,
  user: undefined,
  repository: undefined,
  cursor: undefined,
  limit: 50,
};
const now = BASE_MS + 10 * HOUR;

describe('sessions of coding agents', () => {
  it('are summed up, spans that were sent twice once', async () => {
    const { data } = await queries.sessions(admin, { ...all, sort: 'start' }, now);
    expect(data).toHaveLength(13);
    for (const row of data) {
      expect(row).toMatchObject({
        agent: 'claude-code',
        toolCalls: 1,
        tokens: { input: 400, cacheRead: 600, cacheWrite: 0, output: 50 },
        lines: { added: 7, removed: 2 },
        edits: { accept: 0, autoAccepted: 1, modify: 0, reject: 1 },
        acceptance: 0.5,
        commits: 1,
        repository: 'https://github.com/acme/app',
      });
      expect(row.costUsd).toBeGreaterThan(0);
    }
    expect(data.map(({ state }) => state)).toEqual(['lost', ...Array<string>(12).fill('ended')]);
    expect(data[1]).toMatchObject({
      sessionId: 'session 2',
      durationMs: 60_000,
      outcome: 'committed',
      user: 'ann',
    });
  });

  it('come page by page in their order', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await queries.sessions(admin, { ...all, sort: '-start', limit: 5, cursor }, now);
      seen.push(...page.data.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 13 }, (_, n) => `session ${13 - n}`));
    await expect(
      queries.sessions(admin, { ...all, sort: '-cost', cursor: 'eyJ4IjoxfQ' }, now),
    ).rejects.toMatchObject({ code: 'bad_query' });
  });

  it('name no user below the floor to a viewer, in no field', async () => {
    const rows = await queries.sessions(viewer, { ...all, sort: 'start' }, now);
    const users = await queries.users(viewer, { ...all, sort: '-last' });
    expect(JSON.stringify([rows, users])).not.toMatch(/bob|cid/);
    expect(rows.data.map(({ user }) => user)).toEqual([
      ...Array<string>(6).fill('ann'),
      ...Array<null>(7).fill(null),
    ]);
    expect(JSON.stringify(await queries.sessions(admin, { ...all, sort: 'start' }, now))).toMatch(
      /bob[^]*cid/,
    );
    // A filter on one of them answers like one on a user that does not exist.
    for (const user of ['bob', 'nobody']) {
      expect(await queries.sessions(viewer, { ...all, sort: 'start', user }, now)).toEqual({
        data: [],
        nextCursor: null,
      });
      expect(await queries.users(viewer, { ...all, sort: '-last', user })).toEqual({
        data: [],
        nextCursor: null,
      });
    }
  });

  it('users below the floor are one row, of at least two', async () => {
    const { data } = await queries.users(viewer, { ...all, sort: '-sessions' });
    expect(data.map(({ user, users, sessions }) => [user, users, sessions])).toEqual([
      [null, 2, 7],
      ['ann', 1, 6],
    ]);
    // Windows are whole hours; in this one only one user is below the floor.
    const early = { ...all, window: { from: at(0), to: at(HOUR) } };
    const few = await queries.users(viewer, { ...early, sort: '-sessions' });
    expect(JSON.stringify(few)).not.toMatch(/bob|cid/);
    const open = await queries.users(admin, { ...all, sort: '-sessions' });
    expect(open.data.map(({ user, sessions }) => [user, sessions])).toEqual([
      ['ann', 6],
      ['bob', 4],
      ['cid', 3],
    ]);
  });

  it('are those of the project only', async () => {
    const other = { ...admin, projectId: 'another' };
    expect((await queries.sessions(other, { ...all, sort: 'start' }, now)).data).toEqual([]);
  });
});
