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
import { createTelemetryQueries, type TelemetryQueries } from '../index.ts';
import { SPLIT_TUNING, SplitTraces } from './split-traces.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HOURS = 12;
let bench: QueryBench;

beforeAll(async () => {
  bench = await openQueryBench();
});
afterAll(() => bench.close());

/** One span of a trace that begins at `at` and takes so many milliseconds. */
const lasting = (trace: number, own: number, at: number, ms: number) =>
  span(trace, own, at, { endTimeUnixNano: BigInt(BASE_MS + at + ms) * 1_000_000n });

const named = (trace: number) => id(trace, 32);

/** Lists of a project, and the statements that found what is in them. */
function lists(project: string, tuning: Partial<typeof SPLIT_TUNING> = {}) {
  const { store, statements } = recordStatements(bench.store);
  const queries = createTelemetryQueries(store, LIMITS, new SplitTraces({ manyRows: 0, ...tuning }));
  return {
    statements,
    longest: (limit = 3, hours = HOURS) => longest(queries, project, limit, hours),
    /** How the last list was found. */
    how() {
      const asked = statements.splice(0);
      return {
        looked: asked.some((sql) => sql.includes('HAVING count() > 1')),
        apart: asked.filter((sql) => sql.includes('UNION ALL')).length,
        joined: asked.some((sql) => sql.includes('AS Figure') && !sql.includes('UNION ALL')),
      };
    },
  };
}

async function longest(queries: TelemetryQueries, project: string, limit: number, hours: number) {
  const { data } = await queries.searchTraces(contextOf(project), {
    window: { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + hours * HOUR) * 1_000_000n },
    filter: undefined,
    sort: '-duration',
    limit,
    cursor: undefined,
  });
  return data.map(({ traceId, durationMs }) => [traceId, durationMs]);
}

describe('what is remembered of split traces', () => {
  it('holds for rows that come later, in the same hour and in the next, and for merged ones', async () => {
    const project = 'remembered';
    const put = (...spans: ReturnType<typeof span>[]) => bench.put(spans, { project });
    await put(lasting(1, 1, 0, 1_000), lasting(2, 1, 0, 2_000), lasting(3, 1, 0, 3_000));
    const { longest: list, how } = lists(project);
    const now = () => [
      [named(3), 3_000],
      [named(2), 2_000],
      [named(1), 1_000],
    ];
    expect(await list()).toEqual(now());
    expect(how()).toEqual({ looked: true, apart: 1, joined: false });
    expect(await list()).toEqual(now());
    expect(how()).toEqual({ looked: false, apart: 1, joined: false });
    // Both rows of this one are short; together it is the longest.
    await put(lasting(1, 2, 10_000, 500));
    expect(await list(1)).toEqual([[named(1), 10_500]]);
    expect(how()).toEqual({ looked: false, apart: 1, joined: false });
    await put(lasting(2, 2, 2 * HOUR, 500));
    expect(await list(2)).toEqual([
      [named(2), 2 * HOUR + 500],
      [named(1), 10_500],
    ]);
    await bench.store.command('OPTIMIZE TABLE trace_figures FINAL');
    expect(await list(2)).toEqual([
      [named(2), 2 * HOUR + 500],
      [named(1), 10_500],
    ]);
    // What was seen now are whole rows and one that has another hour.
    const { longest: anew, statements } = lists(project);
    expect((await anew(1))[0]).toEqual([named(2), 2 * HOUR + 500]);
    expect(statements.filter((sql) => sql.includes('HAVING count() > 1'))).toHaveLength(1);
  });

  it('is told apart by tenant and by hours', async () => {
    await bench.put([lasting(0x10, 1, 0, 1_000)], { project: 'one' });
    await bench.put([lasting(0x10, 1, 0, 2_000), lasting(0x11, 1, 30 * HOUR, 5_000)], { project: 'two' });
    const { store, statements } = recordStatements(bench.store);
    let now = BASE_MS;
    const splits = new SplitTraces({ manyRows: 0 }, () => now);
    const queries = createTelemetryQueries(store, LIMITS, splits);
    const looks = () => statements.splice(0).filter((sql) => sql.includes('HAVING count() > 1')).length;
    expect(await longest(queries, 'one', 3, HOURS)).toEqual([[named(0x10), 1_000]]);
    expect(looks()).toBe(1);
    expect(await longest(queries, 'two', 3, HOURS)).toEqual([[named(0x10), 2_000]]);
    expect(looks()).toBe(1);
    // A little later is known as well, a day and more is looked at.
    expect(await longest(queries, 'two', 3, HOURS + 1)).toEqual([[named(0x10), 2_000]]);
    expect(looks()).toBe(0);
    expect(await longest(queries, 'two', 3, 40)).toEqual([
      [named(0x11), 5_000],
      [named(0x10), 2_000],
    ]);
    expect(looks()).toBe(1);
    // Of hours that are over nobody asks for later ones soon.
    now += 100 * HOUR;
    expect(await longest(queries, 'one', 3, HOURS + 2)).toEqual([[named(0x10), 1_000]]);
    expect(looks()).toBe(0);
    expect(await longest(queries, 'one', 3, HOURS + 40)).toEqual([[named(0x10), 1_000]]);
    expect(looks()).toBe(1);
    expect(await longest(queries, 'one', 3, HOURS + 41)).toEqual([[named(0x10), 1_000]]);
    expect(looks()).toBe(1);
  });

  it('is forgotten when the engine was started again', async () => {
    await bench.put([lasting(0x20, 1, 0, 1_000)], { project: 'again' });
    const { store, statements } = recordStatements(bench.store);
    let starts = 0;
    const restarted = {
      select: store.select,
      get ownParts() {
        return starts;
      },
    };
    const queries = createTelemetryQueries(restarted, LIMITS, new SplitTraces({ manyRows: 0 }));
    const looks = () => statements.splice(0).filter((sql) => sql.includes('HAVING count() > 1')).length;
    for (const expected of [1, 0]) {
      await longest(queries, 'again', 1, HOURS);
      expect(looks()).toBe(expected);
    }
    starts += 1;
    expect(await longest(queries, 'again', 1, HOURS)).toEqual([[named(0x20), 1_000]]);
    expect(looks()).toBe(1);
  });

  it('is given up for a new look when much came since', async () => {
    const project = 'fresh';
    const put = (from: number, count: number) =>
      bench.put(
        Array.from({ length: count }, (_, n) => lasting(from + n, 1, n, 10 + ((from + n) % 1_000))),
        { project },
      );
    await put(0x1000, 10);
    const { longest: list, how } = lists(project, { mostFresh: 1_000 });
    await list();
    expect(how()).toEqual({ looked: true, apart: 1, joined: false });
    await put(0x2000, 3_000);
    const [first] = await list();
    expect(first?.[1]).toBe(1_009);
    expect(how()).toEqual({ looked: true, apart: 2, joined: false });
  });

  it('is not used where too many are split, where rows are few, nor of a store that others change', async () => {
    const project = 'many';
    const put = (own: number) =>
      bench.put(
        Array.from({ length: 20 }, (_, n) => lasting(0x8000 + n, own, own * 100, n)),
        { project },
      );
    await put(1);
    await put(2);
    const many = lists(project, { mostSplit: 19 });
    const wanted = [[named(0x8013), 119]];
    expect(await many.longest(1)).toEqual(wanted);
    expect(many.how()).toEqual({ looked: true, apart: 0, joined: true });
    expect(await many.longest(1)).toEqual(wanted);
    expect(many.how()).toEqual({ looked: false, apart: 0, joined: true });
    const few = lists(project, { manyRows: 41 });
    expect(await few.longest(1)).toEqual(wanted);
    expect(few.how()).toEqual({ looked: false, apart: 0, joined: true });
    const { store, statements } = recordStatements(bench.store);
    const shared = createTelemetryQueries(
      { select: (...asked) => store.select(...asked) },
      LIMITS,
      new SplitTraces({ manyRows: 0 }),
    );
    expect(await longest(shared, project, 1, HOURS)).toEqual(wanted);
    expect(statements.filter((sql) => sql.includes('_part'))).toEqual([]);
  });
});
