import type { Filter } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { Span } from '@candela/otlp';
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
import type { ReadStore } from '../core/stores.ts';
import { createFieldQueries } from '../fields/index.ts';
import { createCompareQueries } from './index.ts';

let bench: QueryBench;
const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 3_600_000) * 1_000_000n };
const slow = { field: 'duration_ms', op: '>', value: 1_000 } as const;

/** One span a second: every tenth is slow, and those run on node-3 with another release far more often. */
const SPANS: Span[] = Array.from({ length: 3_000 }, (_, index) => {
  const isSlow = index % 10 === 0;
  const made = span(1 + (index >> 3), 1 + index, index * 1_000, {
    name: index % 3 === 0 ? 'GET /cart' : 'POST /pay',
    attributes: {
      'http.route': index % 3 === 0 ? '/cart' : '/pay',
      'node.name': isSlow ? 'node-3' : `node-${index % 7}`,
      release: isSlow && index % 20 === 0 ? 'v2' : 'v1',
      'request.id': `r${index}`,
      retries: index % 4,
      flag: index % 2 === 0,
      ...(isSlow ? { 'only.slow': 'x' } : {}),
    },
  });
  const end =
    BigInt(String(made.startTimeUnixNano)) + BigInt((isSlow ? 2_000 : 50) + (index % 13)) * 1_000_000n;
  return { ...made, endTimeUnixNano: end };
});

beforeAll(async () => {
  bench = await openQueryBench();
  await bench.put(SPANS);
  await bench.put(SPANS.slice(0, 50), { project: 'foreign', service: 'secret' });
});
afterAll(() => bench.close());

describe('what differs', () => {
  it('ranks the fields that tell the selection from the rest', async () => {
    const { store, statements } = recordStatements(bench.store);
    const found = await createCompareQueries(store, LIMITS).compare(contextOf(), 'spans', {
      window,
      filter: undefined,
      selection: slow,
      limit: 30,
    });
    expect(found.selection).toEqual({ rows: 300, sampled: 300 });
    expect(found.rest).toEqual({ rows: 2_700, sampled: 2_700 });
    const names = found.fields.map(({ field }) => field);
    expect(names.slice(0, 2)).toEqual(['attributes.only.slow', 'attributes.node.name']);
    expect(names).toEqual(expect.arrayContaining(['attributes.release', 'attributes.flag']));
    const node = found.fields.find(({ field }) => field === 'attributes.node.name');
    expect(node?.values[0]).toMatchObject({ value: 'node-3', selection: 1 });
    expect(node?.values[0]?.rest).toBeCloseTo(1 / 7, 1);
    const only = found.fields[0];
    expect(only?.difference).toBeCloseTo(1, 1);
    expect(only?.values).toEqual(
      expect.arrayContaining([{ value: null, cut: false, selection: 0, rest: 1 }]),
    );
    // Ids differ from row to row, which is no difference; what the selection is made by is left out.
    expect(names).not.toContain('attributes.request.id');
    expect(names).not.toContain('duration_ms');
    expect(found.numbers).toEqual([]);
    const ofSpans = statements.filter((statement) => statement.includes('FROM otel_traces'));
    expect(ofSpans).toHaveLength(3);
    expect(ofSpans[0]).toContain('FROM otel_traces WHERE ProjectId = {p0:String}');
    expect(ofSpans[0]).toContain('GROUP BY B');
    expect(ofSpans[1]).toMatch(/LIMIT 10000 BY B, Sel/);
    // And one for the names of scores, which are fields too.
    expect(statements).toHaveLength(4);
    for (const statement of statements) expect(statement).toContain('ProjectId = {p0:String}');
  });

  it('looks at rows of all senders, whoever sent first', async () => {
    const project = 'senders';
    // Everybody is as busy all the time; each sends an hour at once, one after another.
    for (const [place, host] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      const attributes = { host, thread: 'x' };
      const own = Array.from({ length: 4_000 }, (_, index) =>
        span(1 + index, 1 + index * 5 + place, index * 900, {
          attributes,
          ...(index % 20 === 0 ? { status: { code: 2, message: '' } } : {}),
        }),
      );
      await bench.put(own, { project, service: host });
      await bench.putLogs(
        own.map((_, index) => ({
          timeUnixNano: BigInt(BASE_MS + index * 900) * 1_000_000n,
          body: `line ${index}`,
          severityNumber: index % 20 === 0 ? 17 : 9,
          attributes,
        })),
        { project, service: host },
      );
    }
    const queries = createCompareQueries(bench.store, LIMITS);
    for (const [signal, selection] of [
      ['spans', { field: 'status', op: '=', value: 'error' }],
      ['logs', { field: 'severity', op: '>=', value: 'error' }],
    ] as const) {
      const asked = { window, filter: undefined, selection, limit: 30 };
      const found = await queries.compare(contextOf(project), signal, asked);
      expect(found.rest.rows).toBe(19_000);
      expect(found.rest.sampled).toBe(24 * 128);
      // Who is as busy on both sides makes no difference.
      const names = found.fields.map(({ field }) => field);
      expect(names).not.toContain('service');
      expect(names).not.toContain('attributes.host');
      expect(await queries.compare(contextOf(project), signal, asked)).toEqual(found);
    }
  });

  it('looks at as many rows where they fill a small part of the window as where they fill it', async () => {
    const project = 'an-hour-ago';
    const every = 100;
    const spans = Array.from({ length: 24_000 }, (_, index) =>
      span(1 + (index >> 4), 1 + index, index * every, {
        status: { code: index % 4 === 0 ? 2 : 0 },
        attributes: { release: index % 4 === 0 ? 'v2' : 'v1' },
      }),
    );
    for (let at = 0; at < spans.length; at += 4_000)
      await bench.put(spans.slice(at, at + 4_000), { project });
    const end = BigInt(BASE_MS + 24_000 * every) * 1_000_000n;
    const ask = (hours: bigint, before?: { from: bigint; to: bigint }) =>
      createCompareQueries(bench.store, LIMITS).compare(contextOf(project), 'spans', {
        window: { from: end - hours * 3_600_000_000_000n, to: end + hours * 60_000_000_000n },
        filter: undefined,
        selection: { field: 'status', op: '=', value: 'error' },
        limit: 10,
        before,
      });
    const filled = await ask(1n);
    for (const hours of [24n, 24n * 30n]) {
      const sparse = await ask(hours);
      for (const side of ['selection', 'rest'] as const) {
        expect(sparse[side].rows).toBe(filled[side].rows);
        expect(sparse[side].sampled, `${side} of ${hours} h`).toBeGreaterThan(filled[side].sampled * 0.7);
      }
      expect(sparse.fields[0]).toMatchObject({ field: 'attributes.release' });
    }
    const none = await ask(24n, { from: 0n, to: 1n });
    expect([none.selection.rows, none.rest.rows]).toEqual([6_000, 0]);
    expect(none.selection.sampled).toBe(6_000);
  });

  it('tells what a named field and the attribute it was taken from have in common once', async () => {
    const failures = (first: number, attributes: (index: number) => Record<string, string>) =>
      Array.from({ length: 200 }, (_, index) =>
        span(first + index, first + index, index * 1_000, {
          attributes: {
            'gen_ai.operation.name': 'chat',
            'gen_ai.request.model': index % 4 === 0 ? 'small' : 'large',
            ...attributes(index),
          },
        }),
      );
    await bench.put(
      failures(10_000, (index) =>
        index % 4 === 0 ? { 'error.type': 'Timeout', copy: 'Timeout' } : { copy: 'other' },
      ),
      { project: 'twins' },
    );
    const asked = { window, filter: undefined, limit: 30 };
    const queries = createCompareQueries(bench.store, LIMITS);
    const byModel = await queries.compare(contextOf('twins'), 'spans', {
      ...asked,
      selection: { field: 'model', op: '=', value: 'small' },
    });
    const names = byModel.fields.map(({ field }) => field);
    expect(names).toContain('error_type');
    expect(names).not.toContain('attributes.error.type');
    // It says the same in some rows only, so it says something of its own.
    expect(names).toContain('attributes.copy');
    // What the selection is made by is left out, under its other name too.
    expect(names).not.toContain('attributes.gen_ai.request.model');
    const byError = await queries.compare(contextOf('twins'), 'spans', {
      ...asked,
      selection: { field: 'error_type', op: 'exists' },
    });
    expect(byError.fields.map(({ field }) => field)).not.toContain('attributes.error.type');
  });

  it('names what may explain failures before what they are called', async () => {
    await bench.put(
      Array.from({ length: 200 }, (_, index) => ({
        ...span(20_000 + index, 20_000 + index, index * 1_000, {
          attributes: {
            region: index % 4 === 0 || index % 7 === 0 ? 'west' : 'east',
            ...(index % 4 === 0 ? { 'error.type': index % 8 === 0 ? 'Timeout' : 'Overloaded' } : {}),
          },
        }),
        status: index % 4 === 0 ? { code: 2, message: 'turn failed' } : { code: 0, message: '' },
      })),
      { project: 'failures' },
    );
    const queries = createCompareQueries(bench.store, LIMITS);
    const fieldsOf = async (selection: Filter) => {
      const found = await queries.compare(contextOf('failures'), 'spans', {
        window,
        filter: undefined,
        selection,
        limit: 30,
      });
      return found.fields.map(({ field }) => field);
    };
    const failed = await fieldsOf({ field: 'status', op: '=', value: 'error' });
    expect(failed[0]).toBe('attributes.region');
    expect(failed.slice(-2).sort()).toEqual(['error_type', 'status_message']);
    // Of any other selection they are as telling as the rest.
    const west = await fieldsOf({ field: 'attributes.region', op: '=', value: 'west' });
    expect(west[0]).toMatch(/^(status|status_message|error_type)$/);
  });

  it('tells how far numbers lie apart', async () => {
    const found = await createCompareQueries(bench.store, LIMITS).compare(contextOf(), 'spans', {
      window,
      filter: undefined,
      selection: { field: 'attributes.node.name', op: '=', value: 'node-3' },
      limit: 5,
    });
    const [duration] = found.numbers;
    expect(duration).toMatchObject({ field: 'duration_ms', unit: 'ms' });
    expect(duration?.selection.p90).toBeGreaterThan(1_900);
    expect(duration?.rest.p99).toBeLessThan(100);
    expect(duration?.difference).toBeGreaterThan(0.3);
  });

  it('sees that only the selection has a field, whatever its values, and says which values are cut', async () => {
    const long = 'x'.repeat(250);
    await bench.put(
      Array.from({ length: 1_200 }, (_, index) =>
        span(40_000 + index, 40_000 + index, index * 1_000, {
          attributes: {
            'request.id': `r${index}`,
            path: `${index % 4 === 0 ? long : 'y'}${index % 8}`,
            ...(index % 4 === 0 ? { 'retry.ticket': `t${index}` } : {}),
          },
          status: { code: index % 4 === 0 ? 2 : 0 },
        }),
      ),
      { project: 'tickets' },
    );
    const found = await createCompareQueries(bench.store, LIMITS).compare(contextOf('tickets'), 'spans', {
      window,
      filter: undefined,
      selection: { field: 'status', op: '=', value: 'error' },
      limit: 30,
    });
    expect(found.selection).toEqual({ rows: 300, sampled: 300 });
    expect(found.fields.map(({ field }) => field).sort()).toEqual([
      'attributes.path',
      'attributes.retry.ticket',
    ]);
    const [path, ticket] = ['attributes.path', 'attributes.retry.ticket'].map((name) =>
      found.fields.find(({ field }) => field === name),
    );
    expect(ticket?.difference).toBeCloseTo(1);
    expect(ticket?.more).toBe(true);
    expect(ticket?.values[0]).toEqual({ value: null, cut: false, selection: 0, rest: 1 });
    expect(path?.values[0]).toEqual({ value: long.slice(0, 200), cut: true, selection: 1, rest: 0 });
    expect(path?.values.slice(1).some(({ cut }) => cut)).toBe(false);
    // The beginning finds what it stands for.
    const again = await createCompareQueries(bench.store, LIMITS).compare(contextOf('tickets'), 'spans', {
      window,
      filter: undefined,
      selection: { field: 'attributes.path', op: 'starts_with', value: path?.values[0]?.value ?? '' },
      limit: 30,
    });
    expect(again.selection.rows).toBe(300);
  });

  it('searches for what is too rare to be seen in a part of a large window', async () => {
    const project = 'large';
    const [rows, rare] = [600_000, 60];
    const step = 6_000_000;
    // Twelve parts of the window have a few such rows each, in the middle between the places that are looked at.
    const isRare = `intDiv(number, ${rows / 24}) % 2 = 0 AND number % ${rows / 24} BETWEEN 12500 AND 12504`;
    await bench.store.command(
      `INSERT INTO otel_traces (ProjectId, Environment, Timestamp, ReceivedAt, RetentionDays, TraceId, SpanId, SpanName, SpanAttributes)
       SELECT {project:String}, 'production', fromUnixTimestamp64Nano({from:Int64} + number * ${step}), now64(3), 30,
         toString(number), toString(number), 'work', if(${isRare}, map('tenant', 'acme', 'release', 'v2'),
           map('tenant', 'other', 'release', 'v1'))
       FROM numbers(${rows}) SETTINGS max_insert_threads = 1`,
      { project, from: String(window.from) },
    );
    const asked = {
      window: { from: window.from, to: window.from + BigInt(rows * step) },
      filter: undefined,
      limit: 10,
    };
    const tenant = (value: string) => ({ field: 'attributes.tenant', op: '=', value }) as const;
    const queries = createCompareQueries(bench.store, LIMITS);
    const found = await queries.compare(contextOf(project), 'spans', { ...asked, selection: tenant('acme') });
    expect(found).toMatchObject({ estimated: false, selection: { rows: rare }, rest: { rows: rows - rare } });
    expect(found.selection.sampled).toBe(rare);
    expect(found.fields[0]).toMatchObject({ field: 'attributes.release', difference: 1 });
    const others = await queries.compare(contextOf(project), 'spans', {
      ...asked,
      selection: tenant('other'),
    });
    expect(others).toMatchObject({
      estimated: false,
      selection: { rows: rows - rare },
      rest: { rows: rare },
    });
    const within = await queries.compare(contextOf(project), 'spans', {
      ...asked,
      filter: tenant('acme'),
      selection: { field: 'attributes.release', op: '=', value: 'v2' },
    });
    expect(within).toMatchObject({ estimated: false, selection: { rows: rare }, rest: { rows: 0 } });
    // Where that is too much, what was looked at is said to be a part.
    const tooMuch: ReadStore = {
      ownParts: bench.store.ownParts,
      select: (sql, params, options) =>
        sql.includes('groupArraySample')
          ? Promise.reject(fail('query_too_expensive', { resource: 'rows' }))
          : bench.store.select(sql, params, options),
    };
    const part = await createCompareQueries(tooMuch, LIMITS).compare(contextOf(project), 'spans', {
      ...asked,
      selection: tenant('acme'),
    });
    expect(part).toMatchObject({ estimated: true, selection: { rows: 0 }, rest: { rows } });
  }, 60_000);

  it('is empty for nothing, and does not see another project', async () => {
    const queries = createCompareQueries(bench.store, LIMITS);
    const none = await queries.compare(contextOf('nobody'), 'spans', {
      window,
      filter: undefined,
      selection: slow,
      limit: 5,
    });
    expect(none).toEqual({
      selection: { rows: 0, sampled: 0 },
      rest: { rows: 0, sampled: 0 },
      estimated: false,
      fields: [],
      numbers: [],
    });
    const all = await queries.compare(contextOf(), 'spans', {
      window,
      filter: undefined,
      selection: { field: 'name', op: 'exists' },
      limit: 5,
    });
    expect(all.rest.rows).toBe(0);
    expect(JSON.stringify(all)).not.toContain('secret');
  });
});

describe('what differs from a period before', () => {
  const HOUR = 3_600_000;
  const hours = (from: number, to: number) => ({
    from: BigInt(BASE_MS + from * HOUR) * 1_000_000n,
    to: BigInt(BASE_MS + to * HOUR) * 1_000_000n,
  });
  const queries = () => createCompareQueries(bench.store, LIMITS);
  const project = 'hours';
  /** An hour of spans, one every `everyMs`; `release` is news, the rest is as before. */
  const hour = (at: number, everyMs: number, release: string) =>
    Array.from({ length: HOUR / everyMs }, (_, index) =>
      span((at + 50) * 100_000 + index, (at + 50) * 100_000 + index, at * HOUR + index * everyMs, {
        name: index % 3 === 0 ? 'GET /cart' : 'POST /pay',
        attributes: { release, 'node.name': `node-${index % 7}` },
        ...(index % 50 === 0
          ? { status: { code: 2, message: release === 'v2' ? 'out of seats' : 'timeout' } }
          : {}),
      }),
    );
  beforeAll(async () => {
    await bench.put(hour(1, 1_000, 'v1'), { project });
    await bench.put(hour(2, 3_000, 'v2'), { project });
    // Far before, and more than are all looked at: only a period that is given finds them.
    for (const lot of [0, 1])
      await bench.put(
        hour(-30, 250, 'v0').filter((_, index) => index % 2 === lot),
        { project },
      );
  }, 60_000);

  it('compares all rows of one with all of the other, exact at the edges', async () => {
    const asked = { filter: undefined, selection: undefined, limit: 30 };
    const found = await queries().compare(contextOf(project), 'spans', {
      ...asked,
      window: hours(2, 3),
      before: hours(1, 2),
    });
    expect(found.selection).toEqual({ rows: 1_200, sampled: 1_200 });
    expect(found.rest).toEqual({ rows: 3_600, sampled: 3_600 });
    expect(found.fields.map(({ field }) => field)).toEqual(['attributes.release', 'status_message']);
    expect(found.fields[0]?.values).toEqual([
      { value: 'v1', cut: false, selection: 0, rest: 1 },
      { value: 'v2', cut: false, selection: 1, rest: 0 },
    ]);
    const part = await queries().compare(contextOf(project), 'spans', {
      ...asked,
      window: { from: hours(2, 3).from + 1n, to: hours(2, 3).to },
      before: { from: hours(1, 2).from, to: hours(1, 2).from + 1n },
    });
    expect([part.selection.rows, part.rest.rows]).toEqual([1_199, 1]);
  });

  it('compares a selection with itself: what it is made by is no difference, why it was made may be', async () => {
    const found = await queries().compare(contextOf(project), 'spans', {
      window: hours(2, 3),
      before: hours(1, 2),
      filter: { field: 'name', op: '=', value: 'POST /pay' },
      selection: { field: 'status', op: '=', value: 'error' },
      limit: 30,
    });
    expect(found.selection).toEqual({ rows: 16, sampled: 16 });
    expect(found.rest).toEqual({ rows: 48, sampled: 48 });
    const names = found.fields.map(({ field }) => field);
    expect(names).toContain('status_message');
    expect(names).not.toContain('status');
    expect(names).not.toContain('name');
  });

  it('takes a period of any place and size, and samples each evenly', async () => {
    const asked = { filter: undefined, selection: undefined, limit: 30, window: hours(2, 3) };
    const found = await queries().compare(contextOf(project), 'spans', { ...asked, before: hours(-30, -29) });
    expect(found.selection).toEqual({ rows: 1_200, sampled: 1_200 });
    expect(found.rest).toEqual({ rows: 14_400, sampled: 24 * 128 });
    expect(found.fields.map(({ field }) => field)).toEqual(['attributes.release', 'status_message']);
    const none = await queries().compare(contextOf(project), 'spans', { ...asked, before: hours(-40, -39) });
    expect(none.selection).toEqual({ rows: 1_200, sampled: 1_200 });
    expect(none.rest).toEqual({ rows: 0, sampled: 0 });
    const overlapping = queries().compare(contextOf(project), 'spans', { ...asked, before: hours(1, 2.5) });
    await expect(overlapping).rejects.toThrow(/times in common/);
  });
});

describe('fields', () => {
  it('lists named fields and the keys in use with their types', async () => {
    const { store, statements } = recordStatements(bench.store);
    const queries = createFieldQueries(store, LIMITS);
    const { sampled, fields } = await queries.list(contextOf(), 'spans', {
      window,
      filter: undefined,
      prefix: '',
    });
    expect(sampled).toBe(3_000);
    const by = new Map(fields.map((field) => [field.field, field]));
    expect(by.get('service')).toMatchObject({ source: 'named', type: 'string', rows: 3_000 });
    expect(by.get('duration_ms')?.type).toBe('duration');
    expect(by.get('model')?.rows).toBe(0);
    expect(by.get('attributes.retries')).toMatchObject({ source: 'attributes', type: 'number', rows: 3_000 });
    expect(by.get('attributes.flag')?.type).toBe('boolean');
    expect(by.get('attributes.only.slow')?.rows).toBe(300);
    expect(by.get('resource.service.name')).toMatchObject({ source: 'resource', type: 'string' });
    expect(by.has('severity')).toBe(false);
    // Where the newest rows lie is found by narrow columns; maps are read in that part only.
    expect(statements[0]).not.toContain('mapKeys');
    expect(statements.at(-1)).toContain('ORDER BY Timestamp DESC LIMIT 5000');
    const some = await queries.list(contextOf(), 'spans', {
      window,
      filter: undefined,
      prefix: 'attributes.re',
    });
    expect(some.fields.map(({ field }) => field).sort()).toEqual([
      'attributes.release',
      'attributes.request.id',
      'attributes.retries',
    ]);
  });

  it('completes values, those that begin with the text first', async () => {
    const queries = createFieldQueries(bench.store, LIMITS);
    const ask = async (field: string, prefix: string, project = 'default') =>
      (
        await queries.values(contextOf(project), 'spans', {
          window,
          filter: undefined,
          field,
          prefix,
          limit: 3,
        })
      ).values.map(({ value }) => value);
    expect(await ask('attributes.release', '')).toEqual(['v1', 'v2']);
    expect(await ask('name', 'post')).toEqual(['POST /pay']);
    expect(await ask('name', 'CART')).toEqual(['GET /cart']);
    expect(await ask('attributes.request.id', 'r299')).toHaveLength(3);
    expect(await ask('status', '')).toEqual(['unset']);
    expect(await ask('service', '', 'foreign')).toEqual(['secret']);
    expect(await ask('service', '', 'nobody')).toEqual([]);
    await expect(ask('text', 'a')).rejects.toThrow(/searched by words/);
    await expect(ask('nope', 'a')).rejects.toThrow(/no field/);
  });
});
