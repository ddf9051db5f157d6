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
  silent: false,
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
    expect(rows.data.map(({ user }) => user)).toEqual(Array<string>(6).fill('ann'));
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

  it('add up in a summary, by group and over time', async () => {
    const summary = await queries.summary(admin, all);
    expect(summary.totals).toMatchObject({
      sessions: 13,
      users: 3,
      toolCalls: 13,
      commits: 13,
      acceptance: 0.5,
      cacheHitRatio: 0.6,
      unpricedCalls: 0,
    });
    const of = (by: string) =>
      summary.groups.filter((group) => group.by === by).map(({ name, sessions }) => [name, sessions]);
    expect(of('agent')).toEqual([['claude-code', 13]]);
    expect(of('repository')).toEqual([['https://github.com/acme/app', 13]]);
    expect(of('captureMode')).toEqual([['full', 13]]);
    expect(summary.series.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(13);
    expect(summary.totals.costBySource.main).toBeCloseTo(summary.totals.costUsd ?? NaN);
    // A viewer sees the same sums, and no name: below the floor are two.
    const seen = await queries.summary(viewer, all);
    const counts = ({ totals, groups }: typeof seen) =>
      [totals, ...groups].map(({ sessions, users, tokens, commits }) => ({
        sessions,
        users,
        tokens,
        commits,
      }));
    expect(counts(seen)).toEqual(counts(summary));
    // In the first hour are nine of one above the floor and of one below it, in the second four of two below it.
    const bySlot = (period: typeof seen) => period.series.map(({ sessions }) => sessions);
    expect([bySlot(summary), bySlot(seen)]).toEqual([
      [9, 4],
      [6, 4],
    ]);
    const early = { ...all, window: { from: at(0), to: at(HOUR) } };
    expect((await queries.summary(admin, early)).totals).toMatchObject({ sessions: 9, users: 2 });
    expect((await queries.summary(viewer, early)).totals).toMatchObject({ sessions: 6, users: 1 });
    expect((await queries.summary(admin, { ...all, agent: 'nobody' })).totals).toMatchObject({
      sessions: 0,
      costUsd: null,
    });
  });

  it('are told event by event, page by page, and not known below the floor', async () => {
    const ask = (context: RequestContext, sessionId: string, limit = 200, cursor?: string) =>
      queries.session(context, { sessionId, agent: undefined, window, limit, cursor }, now);
    const { data, events } = await ask(admin, 'session 2');
    expect(data).toMatchObject({ sessionId: 'session 2', user: 'ann' });
    expect(events.map(({ kind }) => kind)).toEqual(['end', 'model', 'tool', 'edit', 'edit', 'commit']);
    expect(events.slice(1).every(({ parentId }) => parentId === events[0]?.id)).toBe(true);
    expect(events[1]?.tokens).toEqual({
      input: 400,
      cacheRead: 600,
      cacheWrite: 0,
      output: 50,
      reasoning: 0,
    });
    expect(events[3]).toMatchObject({ decision: 'auto_accepted', lines: { added: 7, removed: 2 } });
    const first = await ask(admin, 'session 2', 4);
    const second = await ask(admin, 'session 2', 4, first.nextCursor ?? '');
    expect([...first.events, ...second.events]).toEqual(events);
    await expect(ask(viewer, 'session 8')).rejects.toMatchObject({ code: 'not_found' });
    expect((await ask(viewer, 'session 2')).events).toHaveLength(6);
    await expect(ask(admin, 'none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('users that were not heard of for a week are silent', async () => {
    const late = { ...all, window: { from: at(0), to: at(9 * 24 * HOUR) }, sort: '-last' as const };
    const names = async (more: object) =>
      (await queries.users(admin, { ...late, ...more })).data.map(({ user }) => user).toSorted();
    expect(await names({ silent: true })).toEqual(['ann', 'bob', 'cid']);
    expect(await names({ silent: true, window: { from: at(0), to: at(5 * 24 * HOUR) } })).toEqual([]);
  });

  it('count by the calls that an agent itself tells of, where its hooks tell of them too', async () => {
    const twin = contextOf('twin');
    const own = (place: number, name: string, attributes: object = {}) =>
      span(91, 9_100 + place, place * 1000, {
        name,
        attributes: { 'session.id': 'session 90', 'user.id': 'ann', 'span.type': 'x', ...attributes },
      });
    await bench.put(
      [
        own(1, 'claude_code.interaction'),
        own(2, 'claude_code.llm_request', {
          model: 'claude-sonnet-4-5',
          input_tokens: 11,
          output_tokens: 5,
          cache_read_tokens: 100,
          query_source: 'main',
        }),
        own(3, 'claude_code.tool', { tool_name: 'Bash' }),
      ],
      { service: 'claude-code', project: 'twin' },
    );
    const only = await queries.sessions(twin, { ...all, sort: 'start' }, now);
    expect(only.data).toEqual([
      expect.objectContaining({
        agent: 'claude-code',
        sessionId: 'session 90',
        turns: 1,
        toolCalls: 1,
        tokens: { input: 11, cacheRead: 100, cacheWrite: 0, output: 5, reasoning: 0 },
      }),
    ]);
    // The hooks of the same session, whose transcript tells of one call only.
    const hooks = session(90, 'ann').map((one) => ({ ...one, startTimeUnixNano: at(5_000) }));
    await bench.put(hooks, { ...placeOf('ann'), project: 'twin' });
    const both = await queries.sessions(twin, { ...all, sort: 'start' }, now);
    expect(both.data).toHaveLength(1);
    expect(both.data[0]).toMatchObject({
      toolCalls: 1,
      commits: 1,
      tokens: { input: 11, cacheRead: 100, output: 5 },
    });
  });

  it('are those of Copilot CLI and Gemini CLI, too, by their own spans and with hooks', async () => {
    const tenant = contextOf('clis');
    const own = (place: number, name: string, attributes: object = {}) =>
      span(98, 9_800 + place, place * 1000, {
        name,
        attributes: {
          'gen_ai.conversation.id': 'session 95',
          'gen_ai.operation.name': 'chat',
          ...attributes,
        },
      });
    const call = { 'gen_ai.usage.input_tokens': 11, 'gen_ai.usage.output_tokens': 5 };
    const copilot = [
      own(1, 'invoke_agent', { 'gen_ai.operation.name': 'invoke_agent' }),
      own(2, 'chat gpt-5.2', { ...call, 'github.copilot.initiator': 'agent' }),
      own(3, 'execute_tool bash', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'bash' }),
      own(4, 'invoke_agent general', {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'general',
      }),
      own(5, 'chat gpt-5.2', { ...call, 'github.copilot.initiator': 'sub-agent' }),
    ];
    await bench.put(copilot, {
      service: 'github-copilot',
      project: 'clis',
      scope: { name: 'github.copilot' },
    });
    // An application with spans of the same names.
    await bench.put(
      copilot.map((one) => ({ ...one, attributes: { ...one.attributes, 'gen_ai.conversation.id': 'app' } })),
      { service: 'app', project: 'clis' },
    );
    const native = {
      agent: 'copilot-cli',
      sessionId: 'session 95',
      turns: 1,
      toolCalls: 1,
      subagents: 1,
      tokens: { input: 22, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0 },
    };
    const list = async () => (await queries.sessions(tenant, { ...all, sort: 'start' }, now)).data;
    expect(await list()).toEqual([expect.objectContaining(native)]);
    const page = { sessionId: 'session 95', agent: undefined, window, limit: 20, cursor: undefined };
    const { events } = await queries.session(tenant, page, now);
    expect(events.map(({ kind, source }) => source ?? kind)).toEqual([
      'turn',
      'main',
      'tool',
      'subagent',
      'subagent',
    ]);
    const hooks = session(95, 'ann').map((one) => ({ ...one, startTimeUnixNano: at(5_000) }));
    await bench.put(hooks, { ...placeOf('ann'), service: 'copilot-cli', project: 'clis' });
    expect(await list()).toEqual([
      expect.objectContaining({ ...native, user: 'ann', commits: 1, toolCalls: 1 }),
    ]);
    await bench.put(
      [
        own(6, 'tool_call', {
          'gen_ai.conversation.id': 'session 96',
          'gen_ai.operation.name': 'tool_call',
          'gen_ai.tool.name': 'write_file',
        }),
      ],
      { service: 'gemini-cli', project: 'clis', scope: { name: 'gemini-cli' } },
    );
    expect(await list()).toContainEqual(
      expect.objectContaining({ agent: 'gemini-cli', sessionId: 'session 96', toolCalls: 1 }),
    );
  });

  it('are known by the counters of an agent that has no hooks, and by those of no other', async () => {
    const own = contextOf('counters');
    const delta = (name: string, value: number, attributes: Record<string, string>, seconds = 60) => ({
      name: `claude_code.${name}`,
      sum: {
        aggregationTemporality: 1,
        isMonotonic: true,
        dataPoints: [
          {
            startTimeUnixNano: at(0),
            timeUnixNano: at(seconds * 1000),
            asDouble: value,
            attributes: {
              'session.id': 'session 94',
              'user.email': 'ann',
              model: 'claude-opus-4-5',
              ...attributes,
            },
          },
        ],
      },
    });
    const counters = [
      delta('session.count', 1, { start_type: 'startup' }),
      delta('lines_of_code.count', 3, { type: 'added' }),
      delta('lines_of_code.count', 4, { type: 'added' }, 120),
      delta('lines_of_code.count', 1, { type: 'removed' }),
      delta('commit.count', 2, {}),
      delta('code_edit_tool.decision', 2, { decision: 'accept', source: 'config' }),
      delta('code_edit_tool.decision', 1, { decision: 'accept', source: 'user_temporary' }),
      delta('code_edit_tool.decision', 1, { decision: 'reject', source: 'user_reject' }),
      delta('token.usage', 40, { type: 'input' }),
      delta('token.usage', 900, { type: 'cacheRead' }),
      delta('token.usage', 5, { type: 'output', query_source: 'subagent' }),
      delta('cost.usage', 0.5, { query_source: 'main' }),
      delta('cost.usage', 0.25, { query_source: 'subagent' }),
    ];
    const place = { service: 'claude-code', project: 'counters' };
    await bench.putMetrics(counters, place);
    // Sent again, as after an answer that was lost.
    await bench.putMetrics(counters.slice(0, 3), place);
    const only = await queries.sessions(own, { ...all, sort: '-start' }, now);
    expect(only.data).toEqual([
      expect.objectContaining({
        agent: 'claude-code',
        sessionId: 'session 94',
        user: 'ann',
        model: 'claude-opus-4-5',
        lines: { added: 7, removed: 1 },
        edits: { accept: 1, autoAccepted: 2, modify: 0, reject: 1 },
        commits: 2,
        tokens: { input: 40, cacheRead: 900, cacheWrite: 0, output: 5, reasoning: 0 },
        costUsd: 0.75,
        costBySource: { main: 0.5, subagent: 0.25, side: 0 },
        traceId: '',
      }),
    ]);
    for (const sort of ['start', '-duration', '-cost', '-tools'] as const)
      expect((await queries.sessions(own, { ...all, sort }, now)).data).toEqual(only.data);
    expect((await queries.summary(own, all)).totals).toMatchObject({ sessions: 1, users: 1, commits: 2 });
    const one = { sessionId: 'session 94', agent: undefined, window, limit: 10, cursor: undefined };
    expect(await queries.session(own, one, now)).toMatchObject({ data: only.data[0], events: [] });
    expect(
      (await queries.sessions({ ...own, projectId: 'counters 2' }, { ...all, sort: '-start' }, now)).data,
    ).toEqual([]);
    // Hooks know edits and commits better; tokens of a transcript are those of each call.
    await bench.put(session(94, 'ann'), { ...placeOf('ann'), project: 'counters' });
    const both = await queries.sessions(own, { ...all, sort: '-start' }, now);
    expect(both.data).toEqual([
      expect.objectContaining({
        lines: { added: 7, removed: 2 },
        edits: { accept: 0, autoAccepted: 1, modify: 0, reject: 1 },
        commits: 1,
        tokens: { input: 400, cacheRead: 600, cacheWrite: 0, output: 50, reasoning: 0 },
      }),
    ]);
  });

  it('come in the order of their start from a long time of which most lies far back', async () => {
    const old = contextOf('old');
    const begun = Array.from({ length: 12 }, (_, n) =>
      span(n + 600, n + 600, n * 40 * HOUR, {
        name: 'coding_agent.turn',
        attributes: { 'coding_agent.session.id': `session ${n}`, 'gen_ai.request.user': 'ann' },
      }),
    );
    // One that began first and went on at the end.
    const late = span(599, 599, 12 * 40 * HOUR, { ...begun[0], name: 'coding_agent.turn' });
    await bench.put([...begun, { ...late, attributes: begun[0]?.attributes ?? {} }], {
      service: 'codex',
      project: 'old',
    });
    const long = { ...all, window: { from: at(0), to: at(13 * 40 * HOUR) }, limit: 5 };
    const orderOf = async (sort: '-start' | 'start' | '-duration', cursor?: string): Promise<string[]> => {
      const page = await queries.sessions(old, { ...long, sort, cursor }, now);
      const names = page.data.map(({ sessionId }) => sessionId);
      return page.nextCursor === null ? names : [...names, ...(await orderOf(sort, page.nextCursor))];
    };
    const inOrder = begun.map((_, n) => `session ${n}`);
    expect(await orderOf('start')).toEqual(inOrder);
    expect(await orderOf('-start')).toEqual(inOrder.toReversed());
    expect((await orderOf('-duration'))[0]).toBe('session 0');
  });

  it('are those of the project only', async () => {
    const other = { ...admin, projectId: 'another' };
    expect((await queries.sessions(other, { ...all, sort: 'start' }, now)).data).toEqual([]);
  });
});
