import { canonicalFilter, FILTER_LIMITS, type Filter, type RecordKind } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createActivityQueries,
  createCompareQueries,
  createExceptionQueries,
  createLogQueries,
} from '../index.ts';
import { BASE_MS, contextOf, LIMITS, openQueryBench, type QueryBench, span } from './testing.ts';

const { conditions, fieldLength, listLength, textLength, valueBytes, words } = FILTER_LIMITS;
const context = contextOf();
const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 60_000) * 1_000_000n };

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench();
  await bench.put([span(1, 1, 0, { name: 'found', attributes: { 'gen_ai.input.messages': '["found"]' } })]);
  await bench.putLogs([{ timeUnixNano: window.from.toString(), body: 'found' }]);
});
afterAll(() => bench.close());

/** As many texts of that many characters as the limit of bytes lets pass, each another one. */
function texts(characters: number, filler = 'x'): string[] {
  const bytes = new TextEncoder().encode(filler).length * (characters - 6) + 6;
  return Array.from(
    { length: Math.floor(valueBytes / bytes) },
    (_, index) => `${index}`.padStart(6, '0') + filler.repeat(characters - 6),
  );
}

const of = (field: string, op: 'in' | 'contains' | 'matches', values: readonly string[]): Filter => ({
  or: values.map((value) => ({ field, op, value: op === 'in' ? [value] : value })),
});

function lists(field: string, values: readonly string[]): Filter {
  const count = Math.min(conditions, Math.ceil(values.length / listLength));
  return {
    or: Array.from({ length: count }, (_, index) => ({
      field,
      op: 'in' as const,
      value: values.slice(index * listLength, (index + 1) * listLength),
    })),
  };
}

/** Full lists of short values in as many conditions as there may be, each of a key of its own. */
const manyKeys = (letter: string): Filter => ({
  or: Array.from({ length: conditions }, (_, index) => ({
    field: `attributes.${letter.repeat(fieldLength - 13)}${`${index}`.padStart(2, '0')}`,
    op: 'in' as const,
    value: Array.from({ length: listLength }, (__, value) => `${value}`),
  })),
});

/** Words that are written in most ways: letters beyond ASCII that have cases. */
const hardWords = Array.from({ length: words }, (_, index) => `äöüσ${index}`);

/** The most that a filter may ask for, in each of the shapes that make the most of it. */
const LARGEST: readonly [string, RecordKind, Filter][] = [
  ['short values', 'spans', lists('name', texts(8).slice(0, 5_000))],
  ['long values of a list', 'spans', lists('attributes.k', texts(textLength))],
  ['keys as long as they may be', 'spans', lists(`attributes.${'k'.repeat(280)}`, texts(320))],
  ['keys of letters of three bytes', 'spans', manyKeys('中')],
  ['keys of backslashes', 'logs', manyKeys('\\')],
  ['backslashes', 'spans', lists('attributes.k', texts(320, '\\'))],
  ['quotes', 'spans', lists('name', texts(320, "'"))],
  ['parts of texts', 'spans', of('name', 'contains', texts(textLength))],
  ['parts of messages', 'spans', of('text', 'contains', texts(textLength, 'ü'))],
  ['parts of bodies', 'logs', of('body', 'contains', texts(textLength, '\\'))],
  ['one word as long as it may be', 'spans', of('prompt', 'matches', texts(textLength, 'σ'))],
  ['many words of messages', 'spans', { field: 'text', op: 'matches', value: hardWords.join(' ') }],
  ['many words of prompts', 'spans', { field: 'prompt', op: 'matches', value: hardWords.join(' ') }],
  [
    'words in as many conditions as there may be',
    'spans',
    of('prompt', 'matches', hardWords.slice(0, conditions)),
  ],
  ['many words of bodies', 'logs', of('body', 'matches', hardWords.slice(0, conditions))],
  ['many words of exceptions', 'exceptions', of('message', 'matches', hardWords.slice(0, conditions))],
];

/** The same filter of other values. */
const other = (filter: Filter): Filter =>
  JSON.parse(
    JSON.stringify(filter)
      .replaceAll(/(?<=[[:]")0/g, '9')
      .replaceAll('äöüσ', 'σüöä'),
  ) as Filter;

/** The reads of a signal; some need the filter several times in one statement. */
const READS: Readonly<Record<string, (filter: Filter) => readonly (() => Promise<unknown>)[]>> = {
  spans: (filter) => {
    const page = { window, filter, limit: 10, cursor: undefined };
    const { queries, store } = bench;
    return [
      () => queries.searchSpans(context, { ...page, sort: '-start' }),
      ...(['-start', '-duration'] as const).map(
        (sort) => () => queries.searchTraces(context, { ...page, sort }),
      ),
      () => queries.facets(context, { window, filter, fields: ['name', 'service', 'model'], limit: 10 }),
      () =>
        queries.aggregate(context, {
          window,
          filter,
          groupBy: ['name'],
          measures: ['count', 'duration_p95'],
          bucketSeconds: 'auto',
          limit: 10,
        }),
      () =>
        createCompareQueries(store, LIMITS).compare(context, 'spans', {
          window,
          filter,
          // Another one of the same size.
          selection: other(filter),
          limit: 10,
        }),
      () => createActivityQueries(store, LIMITS).sessions(context, { ...page, sort: '-last' }),
    ];
  },
  logs: (filter) => [
    () =>
      createLogQueries(bench.store, LIMITS).search(context, {
        window,
        filter,
        limit: 10,
        cursor: undefined,
        sort: 'time',
      }),
  ],
  exceptions: (filter) => [
    () =>
      createExceptionQueries(bench.store, LIMITS).search(context, {
        window,
        filter,
        limit: 10,
        cursor: undefined,
        sort: '-lastSeen',
      }),
  ],
};

it.each([
  ['bytes', `SELECT length('${'x'.repeat(17 << 20)}')`],
  ['parts', `SELECT ${'a,'.repeat(510_000)} 1 FROM (SELECT 1 AS a)`],
])('a statement of more %s than the engine takes is no failure of the platform', async (_, sql) => {
  await expect(bench.store.select(sql)).rejects.toMatchObject({
    code: 'query_too_expensive',
    message: expect.stringContaining('Look for fewer words or values at once'),
  });
});

it('values of more bytes than a request takes are no failure of the platform', async () => {
  const values = Array.from({ length: 3 }, () => '中'.repeat(1 << 20));
  await expect(bench.store.select('SELECT length({values:Array(String)})', { values })).rejects.toMatchObject(
    {
      code: 'query_too_expensive',
      message: expect.stringContaining('Look for fewer words or values at once'),
    },
  );
});

describe('a filter as large as it may be is answered', () => {
  it.each(LARGEST)('%s', async (_, signal, filter) => {
    canonicalFilter(filter, signal);
    for (const [index, read] of (READS[signal]?.(filter) ?? []).entries()) {
      await expect(read(), `${signal} ${index}`).resolves.toBeDefined();
    }
  });
});
