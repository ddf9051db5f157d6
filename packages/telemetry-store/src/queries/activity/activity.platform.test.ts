import { type ActivitySort, parseFilterOrFail, USER_SORTS } from '@candela/contract';
import type { Span } from '@candela/otlp';
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
import { type ActivityQueries, createActivityQueries } from './index.ts';

let bench: QueryBench;
let queries: ActivityQueries;
let statements: string[];
const context = contextOf();
const MINUTE = 60_000;
const at = (ms: number) => BigInt(BASE_MS + ms) * 1_000_000n;
const window = { from: at(-MINUTE), to: at(24 * 60 * MINUTE) };
const HOSTILE = `a/b ü會話 "q" \\ %2f ../${'x'.repeat(400)}`;

interface Turn {
  readonly trace: number;
  readonly atMs: number;
  readonly session: string;
  readonly user?: string;
  readonly ask: string;
  readonly answer: string;
  readonly history?: readonly (readonly [string, string])[];
  readonly changes?: Partial<Span>;
  readonly model?: string;
}

const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });

/** A request with a model call below it, that repeats the history. */
function turn(given: Turn): Span[] {
  const history = (given.history ?? []).flatMap(([ask, answer]) => [
    text('user', ask),
    text('assistant', answer),
  ]);
  const input = [text('system', 'Be kind.'), ...history, text('user', given.ask)];
  return [
    span(given.trace, given.trace * 10, given.atMs, { name: 'POST /chat' }),
    span(given.trace, given.trace * 10 + 1, given.atMs + 5, {
      name: 'chat',
      parentSpanId: id(given.trace * 10, 16),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': given.model ?? 'gpt-4o',
        'gen_ai.conversation.id': given.session,
        ...(given.user === undefined ? {} : { 'user.id': given.user }),
        'gen_ai.agent.name': 'helper',
        'gen_ai.usage.input_tokens': 1_000,
        'gen_ai.usage.output_tokens': 100,
        'gen_ai.input.messages': JSON.stringify(input),
        'gen_ai.output.messages': JSON.stringify([text('assistant', given.answer)]),
      },
      ...given.changes,
    }),
  ];
}

beforeAll(async () => {
  bench = await openQueryBench();
  const recorded = recordStatements(bench.store);
  statements = recorded.statements;
  queries = createActivityQueries(recorded.store, LIMITS);
  const first: [string, string] = ['yes', 'Fine.'];
  await bench.put([
    ...turn({ trace: 1, atMs: 0, session: 's1', user: 'ann', ask: 'yes', answer: 'Fine.' }),
    ...turn({
      trace: 2,
      atMs: 20 * MINUTE,
      session: 's1',
      user: 'ann',
      ask: 'yes',
      answer: 'Good.',
      history: [first],
    }),
  ]);
  // A trace in two inserts counts once.
  await bench.put([
    ...turn({
      trace: 3,
      atMs: 70 * MINUTE,
      session: 's1',
      user: 'bob',
      ask: 'and now?',
      answer: 'Now this.',
      history: [first, ['yes', 'Good.']],
      model: 'gpt-4o-mini',
      changes: { status: { code: 2, message: 'boom' } },
    }),
  ]);
  await bench.put([
    span(3, 39, 70 * MINUTE + 10, { attributes: { 'session.id': 's1', 'user.id': 'bob' } }),
    ...turn({ trace: 4, atMs: 10 * MINUTE, session: HOSTILE, user: HOSTILE, ask: 'hello', answer: 'hi' }),
    span(5, 50, 30 * MINUTE, { attributes: { 'user.id': 'cleo' } }),
  ]);
  await bench.put(turn({ trace: 6, atMs: 0, session: 's1', user: 'eve', ask: 'secret', answer: 'no' }), {
    project: 'other',
  });
  await bench.put(turn({ trace: 7, atMs: 5 * MINUTE, session: 's2', ask: 'x', answer: 'y' }), {
    environment: 'staging',
  });
}, 60_000);
afterAll(() => bench.close());

const list = (changes: Partial<Parameters<ActivityQueries['sessions']>[1]> = {}) =>
  queries.sessions(context, {
    window,
    filter: undefined,
    sort: '-last',
    limit: 50,
    cursor: undefined,
    ...changes,
  });
const users = (changes: Partial<Parameters<ActivityQueries['users']>[1]> = {}) =>
  queries.users(context, {
    window,
    filter: undefined,
    sort: '-last',
    limit: 50,
    cursor: undefined,
    ...changes,
  });

describe('sessions', () => {
  it('states its statements and gives the figures of the spans that name the session', async () => {
    statements.length = 0;
    const { data, nextCursor } = await list();
    // Whether there is much near the end, all in order, and the rows of the page.
    expect(statements).toHaveLength(3);
    expect(statements[1]).toMatch(
      /^SELECT toString\(H\) AS Hash, toString\(Figure\) AS K, toString\(Begin\) AS StartNs, toString\(End\) AS LastNs FROM \( SELECT SessionHash AS H, max\(EndNs\) AS Figure, min\(FirstNs\) AS Begin, max\(EndNs\) AS End FROM \(SELECT SessionHash, FirstNs, EndNs FROM session_figures WHERE ProjectId = \{p0:String\} AND \(Bucket >= toDateTime\(\{p1:UInt32\}\) AND Bucket < toDateTime\(\{p2:UInt32\}\)\) AND \(1\) UNION ALL WITH toUnixTimestamp64Nano\(Timestamp\) AS Ns SELECT SessionHash, Ns AS FirstNs, Ns \+ toInt64\(Duration\) AS EndNs FROM otel_traces WHERE ProjectId = \{p0:String\} AND .*\) WHERE SessionHash != cityHash64\(''\) GROUP BY SessionHash \) ORDER BY Figure DESC, H DESC LIMIT 51$/,
    );
    expect(nextCursor).toBeNull();
    expect(data.map((row) => row.sessionId)).toEqual(['s1', HOSTILE, 's2']);
    expect(data[0]).toMatchObject({
      key: 's1',
      users: ['ann', 'bob'],
      firstSeen: new Date(BASE_MS + 5).toISOString(),
      lastSeen: new Date(BASE_MS + 70 * MINUTE + 15).toISOString(),
      traces: 3,
      spans: 4,
      modelCalls: 3,
      errors: 1,
      inputTokens: 3_000,
      outputTokens: 300,
      models: ['gpt-4o', 'gpt-4o-mini'],
      agents: ['helper'],
      openingNs: at(5).toString(),
    });
    expect(data[0]?.costUsd).toBeGreaterThan(0);
  });

  it('is exact at the edges of a window, wherever they fall', async () => {
    const cases: [number, number, number][] = [
      [0, 5, 0],
      [0, 6, 1],
      [6, 20 * MINUTE + 5, 0],
      [5, 70 * MINUTE + 5, 2],
      [5, 70 * MINUTE + 6, 3],
      [1, 70 * MINUTE + 11, 4],
      [20 * MINUTE, 70 * MINUTE, 1],
    ];
    for (const [from, to, spans] of cases) {
      const { data } = await list({ window: { from: at(from), to: at(to) } });
      expect([from, to, data.find((row) => row.sessionId === 's1')?.spans ?? 0]).toEqual([from, to, spans]);
    }
  });

  it('sorts by everything, and pages without gaps or repeats', async () => {
    const sorts: ActivitySort[] = [
      '-last',
      'last',
      '-first',
      '-cost',
      'tokens',
      '-errors',
      '-traces',
      'duration',
    ];
    for (const sort of sorts) {
      const whole = (await list({ sort })).data.map((row) => row.sessionId);
      const paged: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ sort, limit: 1, cursor });
        paged.push(...page.data.map((row) => row.sessionId));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect([sort, paged]).toEqual([sort, whole]);
    }
    expect((await list({ sort: '-traces' })).data[0]?.sessionId).toBe('s1');
  });

  it('refuses the cursor of another question', async () => {
    const { nextCursor } = await list({ limit: 1 });
    const cursor = nextCursor ?? '';
    await expect(list({ limit: 1, cursor, sort: '-cost' })).rejects.toMatchObject({ code: 'bad_query' });
    const filter = parseFilterOrFail('status:error', 'spans');
    await expect(list({ limit: 1, cursor, filter })).rejects.toMatchObject({ code: 'bad_query' });
  });

  it('finds whole sessions by one matching span, and by user', async () => {
    const { data } = await list({ filter: parseFilterOrFail('model:gpt-4o-mini', 'spans') });
    expect(data.map((row) => [row.sessionId, row.spans])).toEqual([['s1', 4]]);
    expect((await list({ user: HOSTILE })).data.map((row) => row.sessionId)).toEqual([HOSTILE]);
    expect((await list({ user: "x' OR 1" })).data).toEqual([]);
    const staging = await queries.sessions(contextOf('default', 'staging'), {
      window,
      filter: undefined,
      sort: '-last',
      limit: 5,
      cursor: undefined,
    });
    expect(staging.data.map((row) => row.sessionId)).toEqual(['s2']);
  });

  it('answers from the rollup alone what it knows of a filter, as the spans would, in every window', {
    timeout: 300_000,
  }, async () => {
    const filters = [
      'model:gpt-4o',
      'model:gpt-4o-mini',
      'model:nothing',
      'agent:helper',
      'provider:openai',
      'provider:nothing',
      'status:error',
      'status:error or model:gpt-4o',
      'duration>0ms',
      'duration>=1h',
      'input_tokens>999',
      'input_tokens>1000 or status:error',
      'output_tokens>=100',
      'output_tokens>=101',
      'cost>0.0002',
      'cost>=0.0035',
    ];
    // They begin and end at spans and at whole five minutes, and between them.
    const windows = [
      [0, 5],
      [0, 6],
      [6, 20 * MINUTE + 5],
      [3 * MINUTE, 24 * 60 * MINUTE],
      [5 * MINUTE, 10 * MINUTE + 6],
      [20 * MINUTE + 5, 70 * MINUTE + 6],
    ] as const;
    for (const text of filters) {
      for (const [from, to] of windows) {
        const asked = { window: { from: at(from), to: at(to) }, sort: '-cost' as const };
        statements.length = 0;
        const known = parseFilterOrFail(text, 'spans');
        const rolled = [(await list({ ...asked, filter: known })).data];
        rolled.push((await users({ ...asked, filter: known })).data as never);
        expect(statements.join(' ')).not.toContain('GLOBAL IN');
        statements.length = 0;
        const asSpans = parseFilterOrFail(`(${text}) duration>=0ms`, 'spans');
        const read = [(await list({ ...asked, filter: asSpans })).data];
        read.push((await users({ ...asked, filter: asSpans })).data as never);
        expect(statements.join(' ')).toContain('GLOBAL IN');
        expect([text, from, to, rolled]).toEqual([text, from, to, read]);
      }
    }
  });

  it('reads the figures of a page from whole buckets where its sessions lie far from the edges', async () => {
    const early = { from: at(-60 * MINUTE - 1), to: at(24 * 60 * MINUTE + 1) };
    statements.length = 0;
    const { data } = await list({ window: early });
    expect(data.map((row) => row.spans)).toEqual([4, 1, 1]);
    const figures = statements.at(-1) ?? '';
    expect(statements.find((sql) => sql.includes('toString(Begin)'))).toContain('UNION ALL');
    expect(figures).toContain('FROM session_figures');
    expect(figures).not.toContain('FROM otel_traces');
  });

  it('gives first words by the time of the opening span', async () => {
    const rows = (await list()).data;
    const previews = await queries.sessionPreviews(
      context,
      rows.flatMap(({ sessionId, openingNs }) => (openingNs === null ? [] : [{ sessionId, openingNs }])),
    );
    expect(new Map(previews.map(({ sessionId, preview }) => [sessionId, preview.input]))).toEqual(
      new Map([
        ['s1', 'yes'],
        [HOSTILE, 'hello'],
        ['s2', 'x'],
      ]),
    );
  });
});

describe('one session', () => {
  it('has its traces in order, with gaps', async () => {
    const session = await queries.session(context, { sessionId: 's1', window: { from: 0n, to: at(1e9) } });
    expect(session.turns.map((one) => [one.traceId, one.spans, one.errors, one.gapMs])).toEqual([
      [id(1, 32), 1, 0, null],
      [id(2, 32), 1, 0, 20 * MINUTE - 5],
      [id(3, 32), 2, 1, 50 * MINUTE - 5],
    ]);
    expect(session.turns.map((one) => one.users)).toEqual([['ann'], ['ann'], ['bob']]);
    expect(session).toMatchObject({ services: ['shop'], environments: ['production'], truncated: false });
    const sum = session.turns.reduce((total, one) => total + (one.costUsd ?? 0), 0);
    expect(sum).toBeCloseTo(session.costUsd ?? 0, 9);
  });

  it('reads as one conversation: history is not told again, a repeated answer is', async () => {
    const whole = { from: 0n, to: at(1e9) };
    const read = (trace: string | undefined, limit: number) =>
      queries.turns(context, { sessionId: 's1', window: whole, trace, limit, cursor: undefined });
    const { data, nextCursor } = await read(undefined, 20);
    expect(nextCursor).toBeNull();
    const told = (turns: typeof data) =>
      turns.map((one) =>
        one.entries.map((entry) =>
          entry.kind === 'message'
            ? `${entry.message.role}: ${entry.message.parts.map((part) => ('text' in part ? part.text : '')).join('')}`
            : entry.kind,
        ),
      );
    expect(told(data)).toEqual([
      ['system: Be kind.', 'user: yes', 'assistant: Fine.'],
      ['user: yes', 'assistant: Good.'],
      ['user: and now?', 'assistant: Now this.', 'failure'],
    ]);
    // From the middle it reads the same.
    const second = await read(id(2, 32), 1);
    expect(told(second.data)).toEqual([['user: yes', 'assistant: Good.']]);
    const third = await queries.turns(context, {
      sessionId: 's1',
      window: whole,
      trace: undefined,
      limit: 1,
      cursor: second.nextCursor ?? undefined,
    });
    expect(third.data[0]?.traceId).toBe(id(3, 32));
  });

  it('of more content than a page may hold is told as far as that goes', async () => {
    const text = 'word '.repeat(160_000);
    for (let at = 0; at < 120; at += 20) {
      const own = Array.from({ length: 20 }, (_, index) => at + index);
      await bench.put(
        own.map((place) =>
          span(900, 9_000 + place, place, {
            attributes: {
              'session.id': 'large',
              'gen_ai.operation.name': 'chat',
              'gen_ai.prompt': `${place} ${text}`,
            },
          }),
        ),
        { project: 'large' },
      );
    }
    const input = { sessionId: 'large', window, trace: undefined, limit: 10, cursor: undefined };
    const { data } = await queries.turns(contextOf('large'), input);
    expect(data).toHaveLength(1);
    expect(data[0]?.truncated).toBe(true);
    expect(data[0]?.entries.length).toBeGreaterThan(20);
  });

  it('says that there is more where one span alone is too large', async () => {
    const prompt = 'word '.repeat(260_000);
    const attributes = {
      'session.id': 'huge',
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt': prompt,
      'gen_ai.completion': prompt,
      'gen_ai.system_instructions': prompt,
    };
    await bench.put([span(910, 9_500, 0, { attributes })], { project: 'huge' });
    const input = { sessionId: 'huge', window, trace: undefined, limit: 10, cursor: undefined };
    const { data } = await queries.turns(contextOf('huge'), input);
    expect(data).toMatchObject([{ entries: [], truncated: true }]);
  });

  it('is nowhere for another project, and for an id that is not there', async () => {
    const whole = { from: 0n, to: at(1e9) };
    const foreign = contextOf('foreign');
    await expect(queries.session(foreign, { sessionId: 's1', window: whole })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(
      queries.turns(foreign, {
        sessionId: 's1',
        window: whole,
        trace: undefined,
        limit: 1,
        cursor: undefined,
      }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(queries.session(context, { sessionId: "s1'", window: whole })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('users', () => {
  it('lists them with their sessions, in every order', async () => {
    const { data } = await users();
    expect(data.map((row) => [row.userId, row.sessions, row.traces, row.spans])).toEqual([
      ['bob', 1, 1, 2],
      ['cleo', 0, 1, 1],
      ['ann', 1, 2, 2],
      [HOSTILE, 1, 1, 1],
    ]);
    for (const sort of USER_SORTS) expect((await users({ sort })).data).toHaveLength(4);
  });

  it('knows one of them', async () => {
    const user = await queries.user(context, { userId: 'ann', window });
    expect(user).toMatchObject({ traces: 2, sessions: 1, modelCalls: 2, services: ['shop'] });
    await expect(queries.user(context, { userId: 'nobody', window })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the latest of many', () => {
  const many = contextOf('many');
  const day = { from: at(0), to: at(24 * 60 * MINUTE) };

  beforeAll(async () => {
    let seed = 11;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    // More rows of the rollup than are looked at first. A few sessions began early and end late; one never rests.
    const spans = Array.from({ length: 12_000 }, (_, n) => {
      const session = n % 7 === 0 ? 0 : 1 + random(900);
      const begin = session % 50 === 3 ? random(60) : random(24 * 60 - 6);
      const minutes = session % 50 === 3 ? random(30 * 60) : random(5);
      return span(0x5000 + n, n + 1, begin * MINUTE + n, {
        endTimeUnixNano: at((begin + minutes) * MINUTE + n),
        status: { code: session % 11 === 0 ? 2 : 0 },
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': session % 4 === 0 ? 'gpt-4o' : 'gpt-4o-mini',
          'gen_ai.conversation.id': `session ${session}`,
          'user.id': `user ${(session * 7 + (n % 3)) % 300}`,
        },
      });
    });
    for (let from = 0; from < spans.length; from += 4_000) {
      await bench.put(spans.slice(from, from + 4_000), { project: 'many' });
    }
  }, 60_000);

  const inPages = async (
    kind: 'sessions' | 'users',
    changes: { sort: '-last' | 'last'; limit: number; q: string | undefined; window: typeof day },
  ): Promise<readonly unknown[]> => {
    const rows: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { data, nextCursor } = await queries[kind](many, {
        window: changes.window,
        filter: changes.q === undefined ? undefined : parseFilterOrFail(changes.q, 'spans'),
        sort: changes.sort,
        limit: changes.limit,
        cursor,
      });
      rows.push(...data);
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    return rows;
  };

  it.each(['sessions', 'users'] as const)('%s come as all of them sorted by their end do', async (kind) => {
    // Whole hours, a window that cuts buckets, and one in which less lies than is looked at first.
    const windows = [
      day,
      { from: at(61 * MINUTE + 7), to: at(20 * 60 * MINUTE + 11) },
      { from: at(10 * 60 * MINUTE), to: at(11 * 60 * MINUTE) },
    ];
    for (const window of windows) {
      for (const q of [undefined, 'status:error', 'model:gpt-4o', 'model:nothing', 'duration>4m']) {
        const all = await inPages(kind, { sort: 'last', limit: 500, q, window });
        expect(await inPages(kind, { sort: '-last', limit: 40, q, window })).toEqual(all.toReversed());
      }
    }
    expect(await inPages(kind, { sort: '-last', limit: 40, q: undefined, window: day })).not.toHaveLength(0);
  });

  it('are found among the newest rows: nothing else is grouped', async () => {
    statements.length = 0;
    await queries.sessions(many, {
      window: day,
      filter: undefined,
      sort: '-last',
      limit: 50,
      cursor: undefined,
    });
    const [ended, figures] = statements;
    const rows = (at: number) =>
      `session_figures WHERE ProjectId = {p0:String} AND (Bucket >= toDateTime({p${at}:UInt32}) AND Bucket < toDateTime({p${at + 1}:UInt32}))`;
    const since =
      'SELECT if(count() = 1000, min(EndNs), NULL) FROM (SELECT EndNs ' +
      `FROM ${rows(1)} AND (SessionHash != cityHash64('')) ORDER BY EndNs DESC LIMIT 1000)`;
    expect(ended).toBe(
      `WITH (${since}) AS Since SELECT toString(H) AS Hash, toString(Figure) AS K FROM ( SELECT SessionHash AS H, max(EndNs) AS Figure ` +
        `FROM ${rows(3)} AND (EndNs >= Since AND SessionHash != cityHash64('')) GROUP BY SessionHash ) ORDER BY Figure DESC, H DESC LIMIT 51 SETTINGS merge_tree_min_rows_for_concurrent_read = 16384`,
    );
    expect(figures).toContain('toString(min(FirstNs)) AS StartNs');
    expect(figures).toContain('SessionHash IN {p');
    expect(statements).toHaveLength(2);
  });
});

describe('a session of many users, models and agents', () => {
  const MANY = 90;
  const many = Array.from({ length: MANY }, (_, at) => `user-${String(at).padStart(3, '0')}`);
  // In no order, over several inserts: which of them a set meets first is chance.
  const mixed = many.map((_, at) => many[(at * 37) % MANY] as string);
  beforeAll(async () => {
    for (let lot = 0; lot < 3; lot += 1)
      await bench.put(
        mixed.slice(lot * 30, lot * 30 + 30).flatMap((user, at) =>
          turn({
            trace: 1_000 + lot * 30 + at,
            atMs: (lot * 30 + at) * 1_000,
            session: 'crowd',
            user,
            ask: 'a',
            answer: 'b',
            model: `model-${user}`,
          }),
        ),
        { project: 'crowded' },
      );
  }, 60_000);

  it('shows the first by name, and says how many there are', async () => {
    const crowded = contextOf('crowded');
    const { data } = await queries.sessions(crowded, {
      window,
      filter: undefined,
      sort: '-last',
      limit: 50,
      cursor: undefined,
    });
    expect(data).toMatchObject([{ users: many.slice(0, 20), userCount: MANY }]);
    expect(data[0]?.models).toEqual(many.slice(0, 50).map((user) => `model-${user}`));
    const one = await queries.session(crowded, { sessionId: 'crowd', window });
    expect(one).toMatchObject({ users: many.slice(0, 20), userCount: MANY });
  });
});
