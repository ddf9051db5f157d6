import { parseFilterOrFail } from '@candela/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createActivityQueries, createTelemetryQueries } from '../index.ts';
import {
  BASE_MS,
  contextOf,
  id,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from './testing.ts';

/** More spans than the part that a list is made of three times over, in an hour. */
const SPANS = 640_000;
const BATCH = 40_000;
const STEP_MS = 3_600_000 / SPANS;
/** A trace has four spans, a session ten traces; every tenth session has the word, in its first span. */
const OF_TRACE = 4;
const OF_SESSION = 40;
const OF_WORD = 10 * OF_SESSION;
const USERS = 700;

/** So many are shown of a part. */
const FIRST_ROWS = 25;

const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 3_600_000) * 1_000_000n };
const context = contextOf();
const filter = parseFilterOrFail('walnut', 'spans');

const durationOf = (own: number): bigint => BigInt(1_000 + ((own * 7_919) % 1_000_003)) * 1_000n;

function spansFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const own = first + index;
    const session = Math.floor(own / OF_SESSION);
    const made = span(Math.floor(own / OF_TRACE) + 1, own + 1, own * STEP_MS, {
      attributes: {
        'session.id': `session-${session}`,
        'user.id': `user-${session % USERS}`,
        'gen_ai.input.messages': own % OF_WORD === 0 ? 'a crate of walnut' : 'a crate of apples',
      },
    });
    return { ...made, endTimeUnixNano: BigInt(made.startTimeUnixNano ?? 0) + durationOf(own) };
  });
}

/** Spans of another environment, all with a word of their own, spread over the hour. */
const FEW = 200;

function spanAt(one: ReturnType<typeof span>, part: number) {
  const startTimeUnixNano = window.from + BigInt(Math.round(part * 3_600_000)) * 1_000_000n;
  const attributes = { ...one.attributes, 'gen_ai.input.messages': 'violin' };
  return { ...one, startTimeUnixNano, endTimeUnixNano: startTimeUnixNano + 1_000_000n, attributes };
}

let bench: QueryBench;
let ask: ReturnType<typeof createTelemetryQueries>;
let people: ReturnType<typeof createActivityQueries>;
let statements: string[];
beforeAll(async () => {
  bench = await openQueryBench();
  for (let at = 0; at < SPANS; at += BATCH) await bench.put(spansFrom(at, BATCH));
  // In the same hour, each with the word and longer than all others.
  const others = spansFrom(0, 2_000).map((one) => ({
    ...one,
    attributes: { ...one.attributes, 'gen_ai.input.messages': 'walnut' },
    endTimeUnixNano: BigInt(one.startTimeUnixNano ?? 0) + 60_000_000_000n,
  }));
  await bench.put(others, { project: 'other' });
  const few = spansFrom(SPANS, FEW).map((one, place) => spanAt(one, (place + 0.5) / FEW));
  await bench.put(few, { environment: 'staging' });
  const recorded = recordStatements(bench.store);
  ({ statements } = recorded);
  ask = createTelemetryQueries(recorded.store, LIMITS);
  people = createActivityQueries(recorded.store, LIMITS);
}, 300_000);
afterAll(() => bench.close());
beforeEach(() => {
  statements.length = 0;
});

const EARLY = { patienceMs: 50 };
const search = { window, filter, limit: 50, cursor: undefined };

describe('a list by words in the order of a figure', () => {
  it('has spans of a part of them first, and of all then', async () => {
    const first = await ask.searchSpans(context, { ...search, ...EARLY, sort: '-duration' });
    expect(first.sample).toBeGreaterThan(0.02);
    expect(first.sample).toBeLessThan(0.5);
    expect(first.nextCursor).toBeNull();
    const owns = first.data.map(({ spanId }) => Number.parseInt(spanId, 16) - 1);
    expect(owns.filter((own) => own % OF_WORD !== 0)).toEqual([]);
    expect(owns).toEqual(owns.toSorted((a, b) => Number(durationOf(b) - durationOf(a))));
    expect(owns).toHaveLength(FIRST_ROWS);

    const all = await ask.searchSpans(context, { ...search, sort: '-duration' });
    expect(all.sample).toBeNull();
    const longest = Array.from({ length: SPANS / OF_WORD }, (_, index) => index * OF_WORD)
      .toSorted((a, b) => Number(durationOf(b) - durationOf(a)))
      .slice(0, 50);
    expect(all.data.map(({ spanId }) => spanId)).toEqual(longest.map((own) => id(own + 1, 16)));
  });

  it('has traces of a part of the spans first, and of all then', async () => {
    const first = await ask.searchTraces(context, { ...search, ...EARLY, sort: '-duration' });
    expect(first.sample).toBeGreaterThan(0.02);
    expect(first.nextCursor).toBeNull();
    const of = first.data.map(({ traceId }) => (Number.parseInt(traceId, 16) - 1) * OF_TRACE);
    expect(of.filter((own) => own % OF_WORD !== 0)).toEqual([]);
    const durations = first.data.map(({ durationMs }) => durationMs);
    expect(durations).toEqual(durations.toSorted((a, b) => b - a));
    expect(first.data.every(({ spanCount }) => spanCount === OF_TRACE)).toBe(true);

    const all = await ask.searchTraces(context, { ...search, sort: '-duration' });
    expect(all.sample).toBeNull();
    expect(all.nextCursor).not.toBeNull();
    const longest = all.data.map(({ durationMs }) => durationMs);
    for (const [place, duration] of durations.entries())
      expect(duration).toBeLessThanOrEqual(longest[place] ?? 0);
  });

  it.each(['sessions', 'users'] as const)('has %s of the latest spans first, latest first', async (kind) => {
    const asked = { ...search, sort: '-last' } as const;
    const first = await people[kind](context, { ...asked, early: true });
    expect(first.sample).toBeGreaterThan(0.02);
    expect(first.sample).toBeLessThan(0.6);
    expect(first.nextCursor).toBeNull();
    const all = await people[kind](context, asked);
    expect(all.sample).toBeNull();
    expect(first.data).toEqual(all.data.slice(0, FIRST_ROWS));
    expect(all.data).toHaveLength(50);
  });

  it('has sessions of a part of the spans first in every other order', async () => {
    const first = await people.sessions(context, { ...search, sort: '-duration', early: true });
    expect(first.sample).toBeGreaterThan(0.02);
    const numbers = first.data.map(({ sessionId }) => Number(sessionId.replace('session-', '')));
    expect(numbers.filter((number) => number % 10 !== 0)).toEqual([]);
    const durations = first.data.map(({ durationMs }) => durationMs);
    expect(durations).toEqual(durations.toSorted((a, b) => b - a));
    expect(first.data.every(({ spans }) => spans === OF_SESSION)).toBe(true);
  });

  it('may have nothing at first, and says that not all was looked at', async () => {
    const nothing = { ...search, filter: parseFilterOrFail('zyzzyva', 'spans') };
    const spans = await ask.searchSpans(context, { ...nothing, ...EARLY, sort: '-duration' });
    expect(spans).toMatchObject({ data: [], nextCursor: null });
    expect(spans.sample).toBeGreaterThan(0);
    const sessions = await people.sessions(context, { ...nothing, sort: '-last', early: true });
    expect(sessions).toMatchObject({ data: [], nextCursor: null });
    expect(sessions.sample).toBeGreaterThan(0);
  });

  it('is of all where these are few, after a cursor, and where no text is read', async () => {
    const few = { ...search, window: { ...window, to: window.from + 600_000_000_000n } };
    const early = { ...EARLY, sort: '-duration' } as const;
    const whole = await ask.searchSpans(context, { ...few, ...early });
    expect(whole.sample).toBeNull();
    expect(whole).toEqual(await ask.searchSpans(context, { ...few, sort: '-duration' }));
    expect((await ask.searchTraces(context, { ...few, ...early })).sample).toBeNull();
    expect((await people.sessions(context, { ...few, sort: '-last', early: true })).sample).toBeNull();

    const { nextCursor } = await ask.searchSpans(context, { ...search, sort: '-duration' });
    const second = await ask.searchSpans(context, { ...search, ...early, cursor: nextCursor ?? '' });
    expect(second.sample).toBeNull();
    expect(second.data).toHaveLength(50);

    const named = { ...search, filter: parseFilterOrFail('service:shop', 'spans') };
    expect((await ask.searchSpans(context, { ...named, ...early })).sample).toBeNull();
    expect((await ask.searchTraces(context, { ...named, ...early })).sample).toBeNull();
    expect((await people.sessions(context, { ...named, sort: '-last', early: true })).sample).toBeNull();
  });

  it('is of the rows of one environment, found as soon where these lie among many others', async () => {
    const staging = contextOf('default', 'staging');
    const few = { ...search, filter: parseFilterOrFail('violin', 'spans') };
    const first = await ask.searchSpans(staging, { ...few, ...EARLY, sort: '-duration' });
    expect(first.sample).toBeGreaterThan(0.02);
    expect(first.sample).toBeLessThan(0.5);
    expect(first.data.length).toBeGreaterThan(5);
    expect(first.data.length).toBeLessThan(25);
    expect(first.data.every(({ environment }) => environment === 'staging')).toBe(true);
    const all = await ask.searchSpans(staging, { ...few, sort: '-duration', limit: 500 });
    expect(all.data).toHaveLength(FEW);
    expect((await people.sessions(staging, { ...few, sort: '-last', early: true })).sample).not.toBeNull();
  });

  it('finds the latest spans where the end of the time range is empty', async () => {
    const long = { ...search, window: { ...window, to: window.to + 40n * 3_600_000_000_000n } };
    const first = await people.sessions(context, { ...long, sort: '-last', early: true });
    expect(first.sample).toBeGreaterThan(0.02);
    expect(first.sample).toBeLessThan(0.6);
    const all = await people.sessions(context, { ...long, sort: '-last' });
    expect(first.data).toEqual(all.data.slice(0, FIRST_ROWS));
  });
});
