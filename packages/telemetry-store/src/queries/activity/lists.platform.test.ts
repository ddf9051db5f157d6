import {
  ACTIVITY_SORTS,
  type ActivitySort,
  parseFilterOrFail,
  USER_SORTS,
  type UserSort,
} from '@candela/contract';
import type { Span } from '@candela/otlp';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from '../core/testing.ts';
import { type ActivityQueries, createActivityQueries } from './index.ts';

const MINUTE = 60_000;
const SESSIONS = 180;
const USERS = 40;
const ENVIRONMENTS = ['production', 'staging'] as const;
const at = (ms: number) => BigInt(BASE_MS + ms) * 1_000_000n;

/** A span as the test itself knows it. */
interface Fact {
  readonly trace: number;
  readonly session: string;
  readonly user: string;
  readonly environment: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly operation: string;
  readonly model: string;
  readonly client: boolean;
  readonly failed: boolean;
  readonly tier: string;
  readonly tokens: number;
}

/** A random number below 1 that is the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Sessions of minutes and of hours over a working day; of some only the first spans are calls of models. */
function makeFacts(): Fact[] {
  const random = seeded(11);
  let trace = 1;
  return Array.from({ length: SESSIONS }, (_, index) => {
    const begin = random() * 360 * MINUTE;
    const length = (random() < 0.6 ? 6 : 300) * random() * MINUTE;
    const chatty = random() < 0.5;
    return Array.from({ length: 3 + Math.floor(random() * 9) }, (_none, turn): Fact => {
      if (random() < 0.7) trace += 1;
      const startMs = Math.floor(begin + (turn === 0 ? 0 : random() * length));
      const early = startMs < begin + length * 0.15;
      const operation = chatty || early ? 'chat' : random() < 0.1 ? 'embeddings' : 'execute_tool';
      // Now and then one that lasts longer than all the rest of its session.
      const lastsMs = Math.floor(random() * (random() < 0.05 ? 90 * MINUTE : 1_200));
      return {
        trace,
        session: random() < 0.1 ? '' : `session ${index}`,
        user: random() < 0.3 ? '' : `user ${index % USERS}`,
        environment: ENVIRONMENTS[random() < 0.2 ? 1 : 0],
        start: at(startMs),
        end: at(startMs + lastsMs),
        operation,
        model: operation === 'execute_tool' ? '' : random() < 0.5 ? 'gpt-4o' : 'gpt-4o-mini',
        client: random() < 0.5,
        failed: random() < 0.1,
        tier: random() < 0.02 ? 'gold' : 'plain',
        tokens: operation === 'execute_tool' ? 0 : 1 + Math.floor(random() * 1_000),
      };
    });
  }).flat();
}

const spanOf = (fact: Fact, index: number): Span =>
  span(fact.trace, index + 1, 0, {
    startTimeUnixNano: fact.start,
    endTimeUnixNano: fact.end,
    name: `${fact.tier} work`,
    kind: fact.client ? 3 : 2,
    status: { code: fact.failed ? 2 : 0 },
    attributes: {
      'gen_ai.operation.name': fact.operation,
      'shop.tier': fact.tier,
      ...(fact.session === '' ? {} : { 'session.id': fact.session }),
      ...(fact.user === '' ? {} : { 'user.id': fact.user }),
      ...(fact.model === '' ? {} : { 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': fact.model }),
      ...(fact.tokens === 0 ? {} : { 'gen_ai.usage.input_tokens': fact.tokens }),
    },
  });

const ms = ({ start, end }: Fact): number => Number(end - start) / 1e6;

/** Filters on spans, and what they say. */
const FILTERS: Readonly<Record<string, (fact: Fact) => boolean>> = {
  'operation:chat': ({ operation }) => operation === 'chat',
  'operation:embeddings': ({ operation }) => operation === 'embeddings',
  'operation:nothing': () => false,
  'operation:c*': ({ operation }) => operation === 'chat',
  'operation:(chat or embeddings)': ({ operation }) => operation === 'chat' || operation === 'embeddings',
  'operation:*thing': () => false,
  'model:*4o status:error': ({ model, failed }) => model === 'gpt-4o' && failed,
  '-operation:chat': ({ operation }) => operation !== 'chat',
  'kind:client operation:chat': ({ client, operation }) => client && operation === 'chat',
  'model:gpt-4o status:error': ({ model, failed }) => model === 'gpt-4o' && failed,
  'provider:openai': ({ model }) => model !== '',
  'duration>600ms': (fact) => ms(fact) > 600,
  'duration>20m': (fact) => ms(fact) > 20 * MINUTE,
  'duration:1s..1200ms': (fact) => ms(fact) >= 1_000 && ms(fact) <= 1_200,
  'input_tokens>=950': ({ tokens }) => tokens >= 950,
  'cost>=0': ({ model }) => model !== '',
  // A tool has none: that is not 0.
  'input_tokens:0': () => false,
  '-input_tokens:*': ({ tokens }) => tokens === 0,
  'input_tokens<20 or duration>40m': (fact) =>
    (fact.tokens > 0 && fact.tokens < 20) || ms(fact) > 40 * MINUTE,
  'model:gpt-4o input_tokens>900': ({ model, tokens }) => model === 'gpt-4o' && tokens > 900,
  // Texts are read for these.
  gold: ({ tier }) => tier === 'gold',
  'gold status:error': ({ tier, failed }) => tier === 'gold' && failed,
  'gold duration>600ms': (fact) => fact.tier === 'gold' && ms(fact) > 600,
  nowhere: () => false,
  'attributes.shop.tier:gold': ({ tier }) => tier === 'gold',
  'attributes.shop.tier:plain or duration>20m': (fact) => fact.tier === 'plain' || ms(fact) > 20 * MINUTE,
};

const least = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b));
const most = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a > b ? a : b));

/** What is sorted by; of costs the rows themselves say what they are. */
const FIGURE: Readonly<Record<string, (facts: readonly Fact[]) => bigint>> = {
  last: (facts) => most(facts.map(({ end }) => end)),
  first: (facts) => least(facts.map(({ start }) => start)),
  duration: (facts) => most(facts.map(({ end }) => end)) - least(facts.map(({ start }) => start)),
  tokens: (facts) => facts.reduce((sum, { tokens }) => sum + BigInt(tokens), 0n),
  errors: (facts) => BigInt(facts.filter(({ failed }) => failed).length),
  traces: (facts) => BigInt(new Set(facts.map(({ trace }) => trace)).size),
  sessions: (facts) => BigInt(new Set(facts.flatMap(({ session }) => session || [])).size),
};

interface Row {
  readonly id: string;
  readonly spans: number;
  readonly costUsd: number | null;
}

let bench: QueryBench;
let queries: ActivityQueries;
let statements: string[];
const facts = makeFacts();

beforeAll(async () => {
  bench = await openQueryBench();
  const recorded = recordStatements(bench.store);
  statements = recorded.statements;
  queries = createActivityQueries(recorded.store, LIMITS);
  const spans = facts.map((fact, index) => ({ environment: fact.environment, sent: spanOf(fact, index) }));
  // In several requests, so that inserts cut through sessions.
  for (const environment of ENVIRONMENTS) {
    const own = spans.filter((one) => one.environment === environment).map(({ sent }) => sent);
    for (let from = 0; from < own.length; from += 400)
      await bench.put(own.slice(from, from + 400), { project: 'random', environment });
  }
}, 60_000);
afterAll(() => bench.close());

interface Question {
  readonly kind: 'sessions' | 'users';
  readonly q: string;
  readonly sort: string;
  readonly limit: number;
  readonly fromMs: number;
  readonly lengthMs: number;
  readonly environment: string | undefined;
  readonly user: string | undefined;
}

/** All pages, one after another. */
async function walk(question: Question): Promise<Row[]> {
  const { kind, q, sort, limit, fromMs, lengthMs, environment, user } = question;
  const context = contextOf('random', environment);
  const asked = {
    window: { from: at(fromMs), to: at(fromMs + lengthMs) },
    filter: parseFilterOrFail(q, 'spans'),
    limit,
  };
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page =
      kind === 'sessions'
        ? await queries.sessions(context, { ...asked, user, sort: sort as ActivitySort, cursor })
        : await queries.users(context, { ...asked, sort: sort as UserSort, cursor });
    rows.push(...page.data.map((row) => ({ ...row, id: 'sessionId' in row ? row.sessionId : row.userId })));
    cursor = page.nextCursor ?? undefined;
    // Full pages only, until the last one.
    if (cursor !== undefined) expect(page.data).toHaveLength(limit);
  } while (cursor !== undefined);
  return rows;
}

/** The spans in the window of each that belongs to the list, by id, as one reads the question. */
function expected({ kind, q, fromMs, lengthMs, environment, user }: Question): Map<string, Fact[]> {
  const inside = facts.filter(
    (fact) =>
      fact.start >= at(fromMs) &&
      fact.start < at(fromMs + lengthMs) &&
      (environment === undefined || fact.environment === environment),
  );
  const groups = Map.groupBy(inside, (fact) => (kind === 'sessions' ? fact.session : fact.user));
  const matches = FILTERS[q] ?? (() => true);
  return new Map(
    [...groups].filter(
      ([id, own]) =>
        id !== '' && own.some(matches) && (user === undefined || own.some((fact) => fact.user === user)),
    ),
  );
}

const QUESTION: fc.Arbitrary<Question> = fc
  .constantFrom('sessions' as const, 'users' as const)
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      q: fc.constantFrom(...Object.keys(FILTERS)),
      sort: fc.constantFrom(...(kind === 'sessions' ? ACTIVITY_SORTS : USER_SORTS)),
      limit: fc.constantFrom(5, 12, 30, 60),
      fromMs: fc.integer({ min: -30 * MINUTE, max: 240 * MINUTE }),
      lengthMs: fc.oneof(
        fc.integer({ min: 1, max: 60 * MINUTE }),
        fc.integer({ min: 180 * MINUTE, max: 720 * MINUTE }),
      ),
      environment: fc.constantFrom(undefined, undefined, ...ENVIRONMENTS),
      user:
        kind === 'sessions'
          ? fc.constantFrom(undefined, undefined, undefined, 'user 3')
          : fc.constant(undefined),
    }),
  );

describe('lists of sessions and users', () => {
  it('are what one finds by looking at every span, whatever is asked', { timeout: 240_000 }, async () => {
    const ways = { rollup: 0, spans: 0 };
    await fc.assert(
      fc.asyncProperty(QUESTION, async (question) => {
        statements.length = 0;
        const rows = await walk(question);
        const asked = statements.some((sql) => /Hash GLOBAL IN \(SELECT \w+Hash FROM otel_traces/.test(sql));
        ways[asked ? 'spans' : 'rollup'] += 1;
        const wanted = expected(question);
        expect(rows.map(({ id }) => id).toSorted()).toEqual([...wanted.keys()].toSorted());
        expect(rows.map(({ spans }) => spans)).toEqual(rows.map(({ id }) => wanted.get(id)?.length));
        const descending = question.sort.startsWith('-');
        const figure = FIGURE[question.sort.replace('-', '')];
        const figures = rows.map(({ id, costUsd }) =>
          figure === undefined ? (costUsd ?? -1) : figure(wanted.get(id) ?? []),
        );
        expect(figures).toEqual(figures.toSorted((a, b) => (a === b ? 0 : a < b === descending ? 1 : -1)));
      }),
      { numRuns: 60 },
    );
    // Both are taken, else nothing was tried.
    expect(Math.min(...Object.values(ways)), JSON.stringify(ways)).toBeGreaterThan(0);
  });
});
