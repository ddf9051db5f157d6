import { parseFilterOrFail } from '@candela/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogQueries, createTelemetryQueries, type TelemetryQueries } from '../index.ts';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from './testing.ts';

const MINUTE = 60_000;
const ROWS = 1_500;
const ns = (ms: number) => BigInt(BASE_MS + ms) * 1_000_000n;

/** Every so many rows have the word. */
const WORDS = { always: 1, often: 3, seldom: 70, once: ROWS } as const;
const has = (word: string, row: number): boolean =>
  (row + 1) % (WORDS[word as keyof typeof WORDS] ?? Infinity) === 0;

/** When a row was: three busy times of forty minutes, five hours and three days apart. */
const timeOf = (row: number): number =>
  Math.floor(row * (MINUTE / 12.5)) + (row < 500 ? 0 : row < 1_000 ? 300 * MINUTE : 4_320 * MINUTE);

let bench: QueryBench;
let queries: TelemetryQueries;
let logs: ReturnType<typeof createLogQueries>;
let statements: string[];
let values: Readonly<Record<string, unknown>>[];
beforeAll(async () => {
  bench = await openQueryBench();
  const recorded = recordStatements(bench.store);
  ({ statements, values } = recorded);
  queries = createTelemetryQueries(recorded.store, LIMITS);
  logs = createLogQueries(recorded.store, LIMITS);
  const rows = Array.from({ length: ROWS }, (_, row) => row);
  const said = (row: number) =>
    Object.keys(WORDS)
      .filter((word) => has(word, row))
      .join(' ');
  await bench.put(
    rows.map((row) =>
      span(row + 1, row + 1, timeOf(row), {
        name: `row ${row}`,
        attributes: { 'gen_ai.input.messages': said(row) },
      }),
    ),
  );
  await bench.putLogs(
    rows.map((row) => ({ timeUnixNano: ns(timeOf(row)), body: `row ${row} ${said(row)}` })),
  );
}, 60_000);
afterAll(() => bench.close());
beforeEach(() => {
  statements.length = 0;
});

interface Question {
  readonly list: 'spans' | 'traces' | 'logs';
  readonly word: string;
  readonly descending: boolean;
  readonly limit: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly patienceMs?: number | undefined;
}

async function page(question: Question, cursor: string | undefined) {
  const { list, word, descending, limit, fromMs, toMs, patienceMs } = question;
  const asked = { window: { from: ns(fromMs), to: ns(toMs) }, limit, cursor, patienceMs };
  const context = contextOf();
  if (list === 'logs') {
    const filter = parseFilterOrFail(word, 'logs');
    return logs.search(context, { ...asked, filter, sort: descending ? '-time' : 'time' });
  }
  const sorted = {
    ...asked,
    filter: parseFilterOrFail(word, 'spans'),
    sort: descending ? '-start' : 'start',
  } as const;
  return list === 'spans' ? queries.searchSpans(context, sorted) : queries.searchTraces(context, sorted);
}

const rowOf = (found: object): number =>
  Number(
    /row (\d+)/.exec(
      'body' in found
        ? String(found.body)
        : 'rootName' in found
          ? String(found.rootName)
          : String((found as { name: string }).name),
    )?.[1],
  );

async function walk(question: Question): Promise<number[]> {
  const rows: number[] = [];
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await page(question, cursor);
    expect(data.length).toBeLessThanOrEqual(question.limit);
    if (nextCursor !== null) {
      expect(data.length).toBeGreaterThanOrEqual(question.patienceMs === undefined ? question.limit : 1);
    }
    rows.push(...data.map(rowOf));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

const ENDS = [-2_000, -10, 0, 20, 39, 41, 250, 300, 339, 341, 2_000, 4_320, 4_361, 20_000, 60_000].map(
  (minutes) => minutes * MINUTE,
);

describe('rows with words', () => {
  it('are those that have them, in order, on any page, however rare and far away', {
    timeout: 180_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          list: fc.constantFrom('spans' as const, 'traces' as const, 'logs' as const),
          word: fc.constantFrom('always', 'often', 'seldom', 'once', 'never', 'often seldom'),
          descending: fc.boolean(),
          limit: fc.constantFrom(10, 50, 400),
          fromMs: fc.constantFrom(...ENDS),
          toMs: fc.constantFrom(...ENDS),
          patienceMs: fc.constantFrom(undefined, 0, 5),
        }),
        async (question) => {
          fc.pre(question.fromMs < question.toMs);
          const wanted = Array.from({ length: ROWS }, (_, row) => row).filter(
            (row) =>
              question.word.split(' ').every((word) => has(word, row)) &&
              timeOf(row) >= question.fromMs &&
              timeOf(row) < question.toMs,
          );
          expect(await walk(question)).toEqual(question.descending ? wanted.toReversed() : wanted);
        },
      ),
      { numRuns: 30 },
    );
  });

  const question: Question = {
    list: 'spans',
    word: 'seldom',
    descending: true,
    limit: 5,
    fromMs: -2_000 * MINUTE,
    toMs: 4_500 * MINUTE,
  };
  /** How long each slice was in minutes, and which were read at once. */
  const slicesOf = async (changes: Partial<Question>) => {
    statements.length = 0;
    values.length = 0;
    const { data } = await page({ ...question, ...changes }, undefined);
    const slices = statements.flatMap((sql, index) => {
      if (!sql.includes('hasToken(') || /GROUP BY|Timestamp IN/.test(sql)) return [];
      const { p1 = 0n, p2 = 0n } = values[index] ?? {};
      const minutes = Math.round(Number(BigInt(String(p2)) - BigInt(String(p1))) / 6e9) / 10;
      return sql.includes('optimize_read_in_order = 0') ? `${minutes} at once` : minutes;
    });
    return { rows: data.length, slices };
  };

  it('are looked for where rows are, as far as their number near the end says, and not in order there', async () => {
    expect(await slicesOf({ word: 'always' })).toEqual({ rows: 5, slices: [2, 2] });
    expect(await slicesOf({ word: 'often', limit: 20 })).toEqual({ rows: 20, slices: [2, 2, '3.8 at once'] });
    // Never far longer than what was looked at, nor ever shorter.
    expect(await slicesOf({ word: 'often', limit: 200 })).toEqual({
      rows: 200,
      slices: [2, 2, ...[10, 42.2, 27.1, 81.2, 324.9, 1949.6, 4002.9].map((minutes) => `${minutes} at once`)],
    });
    for (const list of ['spans', 'traces', 'logs'] as const) {
      expect(await slicesOf({ list })).toEqual({ rows: 5, slices: [2, 2, '60 at once'] });
      // A quiet day lies before the first of them.
      expect(await slicesOf({ list, descending: false })).toEqual({ rows: 5, slices: [2, 2, '60 at once'] });
      expect(await slicesOf({ list, word: 'never' })).toEqual({
        rows: 0,
        slices: [2, 2, '60 at once', '240 at once', '1440 at once', '4697.9 at once'],
      });
    }
    // Two minutes without any tell a hurried page little: it goes on with five times as much, or ten where the index may have told.
    for (const list of ['spans', 'traces', 'logs'] as const) {
      const { rows, slices } = await slicesOf({ list, word: 'never', patienceMs: 0 });
      expect(rows).toBe(0);
      expect(['10 at once', '20 at once']).toContain(slices[2]);
    }
    // The end of the window is at a row.
    expect(await slicesOf({ word: 'often', toMs: timeOf(ROWS - 1) + 1 })).toEqual({ rows: 5, slices: [2] });
    // No row at all.
    expect(await slicesOf({ toMs: -MINUTE })).toEqual({ rows: 0, slices: [2] });
  });

  it('are answered as soon as there are some, where the page does not wait for more', async () => {
    const early = { word: 'often', limit: 200, patienceMs: 0 };
    for (const list of ['spans', 'traces', 'logs'] as const) {
      for (const descending of [true, false]) {
        const asked = { ...question, ...early, list, descending };
        const first = await page(asked, undefined);
        // Of two minutes, a third of 25 rows.
        expect([8, 9]).toContain(first.data.length);
        // Whoever has them waits for a full page.
        const rest = await page({ ...asked, patienceMs: undefined }, first.nextCursor ?? undefined);
        expect(rest.data).toHaveLength(200);
        const all = await page({ ...asked, limit: 208, patienceMs: undefined }, undefined);
        expect([...first.data, ...rest.data].map(rowOf).slice(0, 208)).toEqual(all.data.map(rowOf));
      }
      // There is nothing beyond the last slice.
      const whole = {
        ...question,
        ...early,
        list,
        fromMs: timeOf(ROWS - 1) - MINUTE,
        toMs: timeOf(ROWS - 1) + 1,
      };
      expect(await page(whole, undefined)).toMatchObject({ nextCursor: null });
    }
    // Nothing found is never an answer before the end of the window.
    expect(await page({ ...question, ...early, word: 'never' }, undefined)).toMatchObject({
      data: [],
      nextCursor: null,
    });
  });

  it('are of traces whether these begin with other words, or with the same before what was looked at', async () => {
    const project = 'beginnings';
    const context = contextOf(project);
    // A trace a quarter of a minute, each with two spans four minutes apart: what matches has the word.
    const traces = Array.from({ length: 120 }, (_, index) => index);
    const words = (word: string) => ({ attributes: { 'gen_ai.input.messages': word } });
    await bench.put(
      traces.flatMap((index) => [
        span(index + 1, 2 * index + 1, index * 15_000, words(index % 2 === 0 ? 'hay' : 'needle')),
        span(index + 1, 2 * index + 2, index * 15_000 + 4 * MINUTE, words('needle')),
      ]),
      { project },
    );
    const firsts = traces
      .map((index) => ({ trace: index + 1, atMs: index * 15_000 + (index % 2 === 0 ? 4 * MINUTE : 0) }))
      .toSorted((a, b) => a.atMs - b.atMs || a.trace - b.trace)
      .map(({ trace }) => trace);
    for (const sort of ['start', '-start'] as const) {
      for (const patienceMs of [undefined, 0]) {
        const found: number[] = [];
        let cursor: string | undefined;
        do {
          const page = await queries.searchTraces(context, {
            window: { from: ns(-MINUTE), to: ns(100 * MINUTE) },
            filter: parseFilterOrFail('needle', 'spans'),
            sort,
            limit: 30,
            cursor,
            patienceMs,
          });
          found.push(...page.data.map(({ traceId }) => Number.parseInt(traceId, 16)));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(found).toEqual(sort === 'start' ? firsts : firsts.toReversed());
      }
    }
  });

  it('are read where they are found, and not looked for again', async () => {
    for (const list of ['spans', 'logs'] as const) {
      await slicesOf({ list });
      expect(statements.filter((sql) => sql.includes('Timestamp IN'))).toEqual([]);
    }
  });

  it('that are not words of texts are read in order, slice by slice', async () => {
    await page({ ...question, word: 'kind:server', limit: 400 }, undefined);
    expect(statements.filter((sql) => sql.includes('optimize_read_in_order'))).toEqual([]);
  });
});
