import { type Filter, parseFilterOrFail, printFilter } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogQueries } from '../logs/index.ts';
import { BASE_MS, contextOf, LIMITS, openQueryBench, type QueryBench, span } from './testing.ts';

/** Values that mean something to SQL, LIKE, regular expressions, JSON or terminals; each must find only itself. */
const HOSTILE = [
  "' OR 1=1 --",
  '" OR ""="',
  "\\' OR 1=1",
  "'); DROP TABLE otel_traces; --",
  '{p0:String}',
  '%',
  '_',
  '%_%',
  'a%c',
  'abc',
  'a_c',
  '*',
  'a*c',
  '\\',
  '\\\\',
  '\\%',
  'line\nbreak',
  'tab\tstop',
  'carriage\rreturn',
  'nul\u0000byte',
  'bell\u0007',
  '😀',
  '😀😀',
  'é',
  'e\u0301',
  'ＦＵＬＬ',
  'ß',
  'İ',
  '\u202Ertl',
  '__proto__',
  'constructor',
  'null',
  'NULL',
  'true',
  '0',
  '-1',
  '1e3',
  '1..5',
  '/regex/',
  '[a-z]+',
  '(a|b)',
  'and',
  'not x',
  'service:x',
  '${table:otel_traces}',
  '#comment',
  '/* comment */',
  '`tick`',
  '$1',
  '=cmd',
  ' leading',
  'trailing ',
];

let bench: QueryBench;
const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 60_000) * 1_000_000n };

beforeAll(async () => {
  bench = await openQueryBench();
  await bench.put(
    HOSTILE.map((value, index) =>
      span(1_000 + index, 1_000 + index, index, {
        name: value,
        attributes: { value, [`key ${value}`]: 'x', 'user.id': value },
      }),
    ),
  );
  await bench.putLogs(
    HOSTILE.map((value, index) => ({
      timeUnixNano: (BigInt(BASE_MS + index) * 1_000_000n).toString(),
      body: value,
      attributes: { value },
    })),
  );
});
afterAll(() => bench.close());

/** Names of the spans that a filter finds, asked for as text, so that printer and parser take part. */
async function spans(filter: Filter): Promise<string[]> {
  const parsed = parseFilterOrFail(printFilter(filter), 'spans');
  const { data } = await bench.queries.searchSpans(contextOf(), {
    window,
    filter: parsed,
    sort: 'start',
    limit: 500,
    cursor: undefined,
  });
  return data.map(({ name }) => name);
}

async function logs(filter: Filter): Promise<string[]> {
  const parsed = parseFilterOrFail(printFilter(filter), 'logs');
  const { data } = await createLogQueries(bench.store, LIMITS).search(contextOf(), {
    window,
    filter: parsed,
    sort: 'time',
    limit: 500,
    cursor: undefined,
  });
  return data.map(({ body }) => body);
}

const lower = (text: string) => text.toLowerCase();
/** A pattern for the very text: every character that could mean something is taken literally. */
const literally = (text: string) => `^${text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;

describe('a hostile value', () => {
  it('finds itself by equality and nothing else', async () => {
    for (const value of HOSTILE) {
      expect(await spans({ field: 'name', op: '=', value }), JSON.stringify(value)).toEqual([value]);
      expect(await spans({ field: 'attributes.value', op: '=', value }), JSON.stringify(value)).toEqual([
        value,
      ]);
      expect(await logs({ field: 'attributes.value', op: '=', value }), JSON.stringify(value)).toEqual([
        value,
      ]);
    }
  });

  it('as a key finds the one span that has it', async () => {
    for (const value of HOSTILE) {
      expect(await spans({ field: `attributes.key ${value}`, op: 'exists' }), JSON.stringify(value)).toEqual([
        value,
      ]);
    }
  });

  it('is literal in contains, starts with, ends with and lists', async () => {
    for (const value of HOSTILE) {
      const has = HOSTILE.filter((other) => lower(other).includes(lower(value)));
      expect(await spans({ field: 'name', op: 'contains', value }), JSON.stringify(value)).toEqual(has);
      expect(
        await logs({ field: 'body', op: 'contains', value: value === ' ' ? 'x' : value }),
        JSON.stringify(value),
      ).toEqual(HOSTILE.filter((other) => lower(other).includes(lower(value))));
      const starts = HOSTILE.filter((other) => lower(other).startsWith(lower(value)));
      expect(await spans({ field: 'name', op: 'starts_with', value }), JSON.stringify(value)).toEqual(starts);
      const ends = HOSTILE.filter((other) => lower(other).endsWith(lower(value)));
      expect(await spans({ field: 'name', op: 'ends_with', value }), JSON.stringify(value)).toEqual(ends);
    }
    expect(await spans({ field: 'name', op: 'in', value: HOSTILE.slice(0, 20) })).toEqual(
      HOSTILE.slice(0, 20),
    );
    expect(await spans({ not: { field: 'name', op: 'in', value: HOSTILE.slice(0, 20) } })).toEqual(
      HOSTILE.slice(20),
    );
  });

  it('escaped in a regular expression finds itself', async () => {
    for (const value of HOSTILE) {
      expect(
        await spans({ field: 'name', op: 'regex', value: literally(value) }),
        JSON.stringify(value),
      ).toEqual([value]);
      expect(
        await logs({ field: 'body', op: 'regex', value: literally(value) }),
        JSON.stringify(value),
      ).toEqual([value]);
    }
  });
});

describe('a regular expression', () => {
  it('matches a part of the text, case counting unless it says otherwise', async () => {
    expect(await spans({ field: 'name', op: 'regex', value: 'b[cr]' })).toEqual(['abc', 'line\nbreak']);
    expect(await spans({ field: 'name', op: 'regex', value: '^null$' })).toEqual(['null']);
    expect(await spans({ field: 'name', op: 'regex', value: '(?i)^null$' })).toEqual(['null', 'NULL']);
    expect(await spans({ field: 'text', op: 'regex', value: '^😀{2}$' })).toEqual(['😀😀']);
    expect(await spans({ field: 'user', op: 'regex', value: '^1e\\d$' })).toEqual(['1e3']);
  });

  it('that would explode elsewhere is harmless', async () => {
    const text = `${'a'.repeat(20_000)}!`;
    await bench.put([span(9_000, 9_000, 5_000, { name: 'long', attributes: { long: text } })]);
    const startedAt = performance.now();
    for (const value of ['(a+)+$', '(a|aa)+$', '(a*)*b', '([a-z]+)*\\d$', '(.*)(.*)(.*)(.*)x$']) {
      expect(await spans({ field: 'attributes.long', op: 'regex', value })).toEqual([]);
    }
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('too large for the engine is told as a bad query', async () => {
    const value = '((a{100}){100}){100}';
    await expect(spans({ field: 'name', op: 'regex', value })).rejects.toMatchObject({ code: 'bad_query' });
  });
});

it('an attribute is compared as a number where it is a decimal one', async () => {
  const texts = ['5', '6.5', '-7', '1e2', 'inf', 'Infinity', '-inf', 'nan', '1e999', 'x', '', '5 apples'];
  await bench.put(
    texts.map((text, n) =>
      span(8_000 + n, 8_000 + n, 6_000 + n, { name: text, attributes: { amount: text } }),
    ),
  );
  const amount = (op: '>' | '<' | '>=' | '<=', value: number): Filter => ({
    field: 'attributes.amount',
    op,
    value,
  });
  expect(await spans(amount('>', 4))).toEqual(['5', '6.5', '1e2']);
  expect(await spans(amount('<=', 5))).toEqual(['5', '-7']);
  expect(await spans({ field: 'attributes.amount', op: 'between', value: [-10, 6.5] })).toEqual([
    '5',
    '6.5',
    '-7',
  ]);
  const rest = await spans({ and: [{ field: 'attributes.amount', op: 'exists' }, { not: amount('>', 4) }] });
  expect(rest).toEqual(texts.filter((text) => !['5', '6.5', '1e2'].includes(text)));
});

describe('times at the ends of what a column can hold', () => {
  it('are found by lists of traces, and hide nothing else', async () => {
    const last = 2n ** 63n - 1n;
    const project = 'ends';
    const times = [1n, BigInt(BASE_MS) * 1_000_000n, last - 5_000_000_000n, last - 1n];
    await bench.put(
      times.map((time, n) => span(n + 1, n + 1, 0, { startTimeUnixNano: time, endTimeUnixNano: time })),
      { project },
    );
    for (const sort of ['-start', 'start', '-duration', '-tokens'] as const) {
      const input = { window: { from: 0n, to: last }, filter: undefined, sort, limit: 10, cursor: undefined };
      const { data } = await bench.queries.searchTraces(contextOf(project), input);
      expect(
        data.map(({ spanCount }) => spanCount),
        sort,
      ).toEqual([1, 1, 1, 1]);
    }
  });
});
