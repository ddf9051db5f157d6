import { type CandelaError, fail, type RequestContext } from '@candela/kernel';
import type { Arrival, LiveRow, TailQueries } from '@candela/telemetry-store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerEvent } from '../../http/stream-answer.ts';
import { Notifier } from './notifier.ts';
import { createTail, type TailInput } from './service.ts';

const START = Date.parse('2026-11-20T10:00:00Z');
const RATE = 10;
const CONTEXT: RequestContext = {
  principal: { kind: 'anonymous' },
  organisationId: 'o',
  projectId: 'p',
  environment: undefined,
  databaseConfigId: 'default',
  scopes: new Set(['telemetry']),
  requestId: 'r',
};
const WANTED = { field: 'name', op: '=', value: 'wanted' } as const;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Rows by their arrival, in memory; of rows without a name of their own those that a filter finds. */
class Arrivals implements TailQueries {
  readonly rows: {
    readonly id: string;
    readonly at: number;
    readonly isWanted: boolean;
    readonly text: string;
  }[] = [];
  /** From when on each search looked, and how many rows lay there. */
  readonly searches: { readonly fromMs: number; readonly rows: number }[] = [];
  refusal: CandelaError | undefined;
  beforeSearch = () => {};

  /** Rows that arrived that long ago and are there now. */
  put(count: number, { agoMs = 0, isWanted = true, text = '' } = {}): void {
    for (let n = 0; n < count; n += 1) {
      this.rows.push({ id: `${this.rows.length}`, at: Date.now() - agoMs, isWanted, text });
    }
  }

  #between(filter: unknown, { fromMs, toMs }: { fromMs: number; toMs: number }) {
    return this.rows.filter(
      ({ at, isWanted }) => at >= fromMs && at <= toMs && (isWanted || filter === undefined),
    );
  }

  async arrivals(...[, , input]: Parameters<TailQueries['arrivals']>): Promise<Arrival<LiveRow>[]> {
    if (this.refusal !== undefined) throw this.refusal;
    const found = this.#between(input.filter, input).toSorted((a, b) => a.at - b.at);
    this.searches.push({ fromMs: input.fromMs, rows: this.#between(undefined, input).length });
    this.beforeSearch();
    return found.slice(-input.limit).map(({ id, at, text }) => ({
      id,
      receivedAtMs: at,
      row: { spanId: id, statusMessage: text } as unknown as LiveRow,
    }));
  }

  async count(...[, , input]: Parameters<TailQueries['count']>): Promise<number[]> {
    return input.during.map((each) => this.#between(input.filter, each).length);
  }

  async newest(...[, , during]: Parameters<TailQueries['newest']>): Promise<number | undefined> {
    const found = this.#between(undefined, during).map(({ at }) => at);
    return found.length === 0 ? undefined : Math.max(...found);
  }
}

function stage() {
  const store = new Arrivals();
  const notifier = new Notifier();
  const clock = { shift: 0, now: () => Date.now() + clock.shift };
  const tail = createTail({ queries: store, notifier, clock, rowsPerSecond: RATE, maxViews: 2 });
  return {
    store,
    clock,
    ring: () => notifier.ring('otel_traces'),
    /** Opens a view and reads it in the background. */
    async open(more: Partial<TailInput> = {}) {
      const gone = new AbortController();
      const input: TailInput = {
        signal: 'spans',
        filter: undefined,
        question: 'q',
        since: undefined,
        lastEventId: undefined,
        ...more,
      };
      const source = await tail.open(CONTEXT, input, gone.signal);
      const events: ServerEvent[] = [];
      const state = { ended: false };
      void (async () => {
        for await (const event of source) events.push(event);
        state.ended = true;
      })();
      await vi.advanceTimersByTimeAsync(0);
      return { events, state, leave: () => gone.abort() };
    },
  };
}

const rowsOf = (events: readonly ServerEvent[]): string[] =>
  events
    .filter(({ event }) => event === 'rows')
    .flatMap(({ data }) => (data as { spanId: string }[]).map(({ spanId }) => spanId));

const skippedOf = (events: readonly ServerEvent[]): number =>
  events
    .filter(({ event }) => event === 'skipped')
    .reduce((sum, { data }) => sum + (data as { count: number }).count, 0);

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a look of a live view', () => {
  it('searches what arrived since the last one, however little the filter finds', async () => {
    const { store, open } = stage();
    const view = await open({ filter: WANTED });
    for (let second = 0; second < 120; second += 1) {
      store.put(5, { isWanted: false });
      await pass(1_000);
    }
    expect(store.searches.length).toBeGreaterThan(30);
    expect(Math.max(...store.searches.map(({ rows }) => rows))).toBeLessThanOrEqual(50);
    store.put(1);
    store.put(1, { agoMs: 4_000 });
    await pass(4_000);
    expect(rowsOf(view.events).sort()).toEqual(['600', '601']);
    view.leave();
  });

  it('comes soon after rows that were stored while another one was under way', async () => {
    const { store, ring, open } = stage();
    const view = await open();
    store.beforeSearch = () => {
      store.beforeSearch = () => {};
      store.put(1);
      ring();
    };
    ring();
    await pass(500);
    expect(rowsOf(view.events)).toEqual([]);
    await pass(500);
    expect(rowsOf(view.events)).toEqual(['0']);
    view.leave();
  });

  it('that is refused refuses to open the view; one that fails later is tried again', async () => {
    const { store, open } = stage();
    store.refusal = fail('query_too_expensive', { resource: 'time' });
    await expect(open()).rejects.toMatchObject({ code: 'query_too_expensive' });
    store.refusal = undefined;
    const view = await open();
    store.refusal = fail('store_unavailable', { seconds: 1 });
    store.put(1);
    await pass(5_000);
    store.refusal = undefined;
    await pass(5_000);
    expect(rowsOf(view.events)).toEqual(['0']);
    view.leave();
  });

  it('finds rows after the clock was set back, and those of a replica whose clock is ahead', async () => {
    const { store, clock, open } = stage();
    const view = await open();
    store.put(1);
    await pass(3_000);
    clock.shift = -3_600_000;
    await pass(3_500);
    store.put(1, { agoMs: 3_600_000 });
    await pass(4_000);
    expect(rowsOf(view.events)).toEqual(['0', '1']);
    // A minute ahead: told when it is time, and silences nothing meanwhile.
    store.put(1, { agoMs: 3_600_000 - 60_000 });
    await pass(3_500);
    store.put(1, { agoMs: 3_600_000 });
    await pass(3_500);
    expect(rowsOf(view.events)).toEqual(['0', '1', '3']);
    await pass(60_000);
    expect(rowsOf(view.events)).toEqual(['0', '1', '3', '2']);
    view.leave();
  });

  it('finds rows that are stored late, however many come of a replica whose clock is ahead', async () => {
    const { store, open } = stage();
    const view = await open();
    await pass(3_000);
    for (let n = 0; n < 20; n += 1) {
      store.put(n === 10 ? 80 : 1, { agoMs: -4_500 });
      store.put(1, { agoMs: 2_500 });
      await pass(1_000);
    }
    await pass(10_000);
    expect(rowsOf(view.events).length + skippedOf(view.events)).toBe(store.rows.length);
    expect(new Set(rowsOf(view.events)).size).toBe(rowsOf(view.events).length);
    view.leave();
  });
});

describe('of all that arrived', () => {
  it('rows that come late into a time of which some were skipped are counted', async () => {
    const { store, open } = stage();
    const view = await open();
    await pass(3_000);
    store.put(50);
    await pass(3_500);
    expect(rowsOf(view.events).length + skippedOf(view.events)).toBe(50);
    store.put(7, { agoMs: 3_600 });
    await pass(3_500);
    store.put(2, { agoMs: 7_100 });
    store.put(3);
    await pass(3_500);
    expect(rowsOf(view.events).length + skippedOf(view.events)).toBe(62);
    view.leave();
  });

  it('all is told, once, also when the clock is set back by less than rows may be late', async () => {
    // All of them told, or some skipped, when it happens.
    for (const last of [1, 50]) {
      const { store, clock, ring, open } = stage();
      const view = await open();
      await pass(7_000);
      store.put(last);
      ring();
      await pass(500);
      clock.shift = -4_000;
      for (const count of [2, 60, 1, 1]) {
        store.put(count, { agoMs: 4_000 });
        store.put(1, { agoMs: 5_800 });
        await pass(3_500);
      }
      expect(rowsOf(view.events).length + skippedOf(view.events)).toBe(store.rows.length);
      expect(new Set(rowsOf(view.events)).size).toBe(rowsOf(view.events).length);
      view.leave();
    }
  });

  it('as many are counted as were left out after the clock was set back, whatever was told of later', async () => {
    const { store, clock, open } = stage();
    const view = await open();
    await pass(3_000);
    store.put(18);
    await pass(7_000);
    const before = rowsOf(view.events).length;
    expect(before).toBe(18);
    clock.shift = -20_000;
    await pass(3_500);
    store.put(60, { agoMs: 20_000 });
    await pass(3_500);
    expect(rowsOf(view.events).length - before + skippedOf(view.events)).toBe(60);
    view.leave();
  });

  it('a client that comes back after any event gets the rest, once', async () => {
    /** Bursts, trickles, long rows and late rows; the server goes on sending to whom it does not know to be gone. */
    const run = async (lastEvent: number | undefined) => {
      const { store, open } = stage();
      const first = await open();
      await pass(3_500);
      const happen = async (times: number) => {
        for (let n = 0; n < times; n += 1) {
          store.put(2);
          if (n % 4 === 1) store.put(45);
          if (n % 4 === 2) store.put(2, { text: 'x'.repeat(600_000) });
          store.put(1, { agoMs: 2_500 });
          await pass(3_500);
        }
      };
      await happen(8);
      if (lastEvent === undefined) {
        first.leave();
        return first.events.length;
      }
      const got = first.events.slice(0, lastEvent + 1);
      const lastEventId = got.at(-1)?.id;
      const second = await open({ lastEventId });
      await happen(2);
      const events = [...got, ...second.events];
      const rows = rowsOf(events);
      expect(new Set(rows).size).toBe(rows.length);
      expect(rows.length + skippedOf(events)).toBe(store.rows.length);
      // Who is thought to be there still is not told any more.
      expect(first.state.ended).toBe(true);
      second.leave();
      return first.events.length;
    };
    const events = await run(undefined);
    expect(events).toBeGreaterThan(10);
    for (let last = 0; last < events; last += 1) await run(last);
  });

  it('each event has an id, and none is longer than its bound', async () => {
    const { store, open } = stage();
    const view = await open();
    store.put(8, { text: 'x'.repeat(300_000) });
    await pass(3_500);
    expect(view.events).toHaveLength(3);
    for (const { data } of view.events) expect(JSON.stringify(data).length).toBeLessThan(1_001_000);
    expect(new Set(view.events.map(({ id }) => id)).size).toBe(3);
    expect(rowsOf(view.events)).toHaveLength(8);
    view.leave();
  });

  it('a client gets the rest also when many views were refused meanwhile', async () => {
    const { store, open } = stage();
    const view = await open();
    await pass(3_000);
    store.put(1);
    await pass(3_500);
    view.leave();
    await pass(0);
    store.put(1);
    store.refusal = fail('query_too_expensive', { resource: 'time' });
    for (let n = 0; n < 20; n += 1) await expect(open()).rejects.toThrow();
    const lastEventId = view.events.at(-1)?.id;
    // One refusal does not lose the place of who comes back either.
    await expect(open({ lastEventId })).rejects.toThrow();
    store.refusal = undefined;
    store.put(1, { agoMs: 4_000 });
    const again = await open({ lastEventId });
    await pass(3_500);
    expect(rowsOf(again.events).sort()).toEqual(['1', '2']);
    again.leave();
  });

  it('another question does not go on where this one is', async () => {
    const { store, open } = stage();
    const view = await open();
    store.put(1);
    await pass(3_500);
    const other = await open({ question: 'other', lastEventId: view.events.at(-1)?.id });
    store.put(1);
    await pass(3_500);
    expect(rowsOf(other.events)).toEqual(['1']);
    expect(view.state.ended).toBe(false);
    view.leave();
    other.leave();
  });
});
