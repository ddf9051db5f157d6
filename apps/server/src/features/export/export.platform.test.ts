import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLogger } from '@candela/kernel';
import { OTEL_LOGS, OTEL_TRACES, type Table } from '@candela/telemetry-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { createMetrics } from '../../metrics.ts';
import { type Platform, startPlatform } from '../../platform.ts';
import { NODE_BINARY } from '@candela/testkit';
import { newStoreIn } from '@candela/telemetry-store/testing';

const CLI = join(import.meta.dirname, '../../../../cli/src/main.ts');
let dir: string;
let platform: Platform;
const now = BigInt(Date.now()) * 1_000_000n;

const text = (value: string) => ({ stringValue: value });
const HOSTILE = '=HYPERLINK("http://evil","x"),\r\n"quoted" \\ 😀 %_ \u0001';

/** Spans that hold everything a span can hold. */
const SPANS = {
  resourceSpans: [
    {
      resource: {
        attributes: [
          { key: 'service.name', value: text('shop') },
          { key: 'replicas', value: { intValue: '3' } },
        ],
      },
      scopeSpans: [
        {
          scope: { name: 'lib', version: '1.2', attributes: [{ key: 'a', value: text('b') }] },
          spans: [
            {
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: 'b7ad6b7169203331',
              traceState: 'k=v',
              flags: 257,
              name: HOSTILE,
              kind: 3,
              startTimeUnixNano: (now - 7_000_000_123n).toString(),
              endTimeUnixNano: (now - 5_000_000_001n).toString(),
              attributes: [
                { key: 'text', value: text('-1+2') },
                { key: 'int', value: { intValue: '-9223372036854775808' } },
                { key: 'double', value: { doubleValue: 0.1 } },
                { key: 'whole', value: { doubleValue: 4 } },
                { key: 'nan', value: { doubleValue: 'NaN' } },
                { key: 'yes', value: { boolValue: true } },
                { key: 'bytes', value: { bytesValue: 'AAEC/w==' } },
                { key: 'nothing', value: {} },
                {
                  key: 'list',
                  value: {
                    arrayValue: {
                      values: [
                        text('a'),
                        { intValue: '9007199254740993' },
                        { doubleValue: 1.5 },
                        { boolValue: false },
                        {},
                      ],
                    },
                  },
                },
                {
                  key: 'map',
                  value: {
                    kvlistValue: {
                      values: [
                        { key: '__proto__', value: text('x') },
                        { key: '50256', value: { intValue: '-100' } },
                        { key: '198', value: { intValue: '5' } },
                        {
                          key: 'in',
                          value: { kvlistValue: { values: [{ key: 'n', value: { intValue: '1' } }] } },
                        },
                      ],
                    },
                  },
                },
                { key: 'gen_ai.system', value: text('openai') },
                { key: 'gen_ai.operation.name', value: text('chat') },
                { key: 'gen_ai.request.model', value: text('gpt-4o') },
                { key: 'gen_ai.usage.input_tokens', value: { intValue: '12' } },
                { key: 'gen_ai.usage.output_tokens', value: { intValue: '34' } },
                {
                  key: 'gen_ai.input.messages',
                  value: text('[{"role":"user","parts":[{"type":"text","content":"hello"}]}]'),
                },
                { key: '__proto__', value: text('polluted') },
                { key: HOSTILE, value: text(HOSTILE) },
              ],
              events: [
                {
                  timeUnixNano: (now - 6_000_000_000n).toString(),
                  name: 'exception',
                  attributes: [{ key: 'exception.type', value: text('E') }],
                },
              ],
              links: [
                {
                  traceId: '1af7651916cd43dd8448eb211c80319c',
                  spanId: 'c7ad6b7169203331',
                  traceState: 'l=1',
                  attributes: [{ key: 'why', value: text('batch') }],
                },
              ],
              status: { code: 2, message: 'it failed' },
            },
            {
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: 'd7ad6b7169203331',
              parentSpanId: 'b7ad6b7169203331',
              name: 'still running',
              kind: 1,
              startTimeUnixNano: (now - 6_500_000_000n).toString(),
            },
          ],
        },
      ],
    },
    {
      resource: { attributes: [{ key: 'service.name', value: text('mail') }] },
      scopeSpans: [
        {
          scope: {},
          spans: Array.from({ length: 1_500 }, (_, index) => ({
            traceId: (index + 1).toString(16).padStart(32, '0'),
            spanId: (index + 1).toString(16).padStart(16, '0'),
            name: 'bulk',
            startTimeUnixNano: (now - 60_000_000_000n + BigInt(index >> 2)).toString(),
            endTimeUnixNano: (now - 50_000_000_000n).toString(),
          })),
        },
      ],
    },
  ],
};

const LOGS = {
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: text('shop') }] },
      schemaUrl: 'https://opentelemetry.io/schemas/1.30.0',
      scopeLogs: [
        {
          scope: { name: 'logger', version: '2' },
          schemaUrl: 'https://example.com/scope',
          logRecords: [
            {
              timeUnixNano: now.toString(),
              observedTimeUnixNano: (now + 5n).toString(),
              severityNumber: 13,
              severityText: 'Warning',
              body: text(`=cmd ${'long '.repeat(900)}`),
              attributes: [{ key: 'n', value: { intValue: '5' } }],
              flags: 1,
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: 'b7ad6b7169203331',
              eventName: 'thing.happened',
            },
            ...[1, 2, 3].map(() => ({ timeUnixNano: (now - 9n).toString(), body: text('the same') })),
            {
              timeUnixNano: (now - 1_000n).toString(),
              body: { kvlistValue: { values: [{ key: 'a', value: { intValue: '1' } }] } },
            },
          ],
        },
      ],
    },
  ],
};

/** More names than one page of the catalogue has. */
const METRICS = {
  resourceMetrics: [
    {
      resource: { attributes: [{ key: 'service.name', value: text('shop') }] },
      scopeMetrics: [
        {
          scope: { name: 'meter' },
          metrics: Array.from({ length: 1_200 }, (_, index) => ({
            name: `number.${String(index).padStart(4, '0')}`,
            unit: '1',
            gauge: { dataPoints: [{ timeUnixNano: now.toString(), asDouble: index }] },
          })),
        },
      ],
    },
  ],
};

async function send(path: string, body: string, headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(platform.otlpHttp + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  expect(await answer.text()).not.toContain('rejected');
  expect(answer.status).toBe(200);
}

const ask = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${platform.http}/api/telemetry/export`, {
    method: 'POST',
    headers: { 'x-platform-environment': 'production', ...headers },
    body: JSON.stringify(body),
  });

async function rowsOf(table: Table, environment: string): Promise<unknown[]> {
  const columns = table.columns
    .map(({ name }) => name)
    .filter((name) => name !== 'ReceivedAt' && name !== 'Environment')
    .map((name) => (name.includes('.') ? `\`${name}\`` : name));
  return platform.store.select(
    `SELECT ${columns.join(', ')} FROM ${table.name} WHERE Environment = {environment:String} ORDER BY ALL`,
    { environment },
  );
}

async function until(table: Table, environment: string, count: number): Promise<unknown[]> {
  for (let turn = 0; turn < 300; turn++) {
    const rows = await rowsOf(table, environment);
    if (rows.length >= count) return rows;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${table.name} never had ${count} rows`);
}

/** A file of RFC 4180 as rows of cells. */
function readCsv(file: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const match of file.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'));
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-export-'));
  newStoreIn(join(dir, 'telemetry'));
  const config = readConfig({
    PLATFORM_DATA_DIR: dir,
    PLATFORM_PORT: '0',
    PLATFORM_OTLP_HTTP_PORT: '0',
    PLATFORM_OTLP_GRPC_PORT: '0',
    PLATFORM_MIN_FREE_DISK_PERCENT: '0',
    PLATFORM_EXPORT_MAX_ROWS: '2000',
  });
  platform = await startPlatform(config, { logger: silentLogger, metrics: createMetrics() });
  await send('/v1/traces', JSON.stringify(SPANS));
  await send('/v1/logs', JSON.stringify(LOGS));
  await until(OTEL_TRACES, 'production', 1_502);
  await send('/v1/metrics', JSON.stringify(METRICS));
  await until(OTEL_LOGS, 'production', 5);
});
afterAll(async () => {
  await platform.stop();
  await rm(dir, { recursive: true, force: true });
});

describe('an export', () => {
  it.each([
    ['spans', '/v1/traces', OTEL_TRACES, 1_502],
    ['logs', '/v1/logs', OTEL_LOGS, 5],
  ] as const)('of %s as OTLP, received again, gives identical rows', async (signal, path, table, count) => {
    const answer = await ask({ signal, format: 'otlp' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-platform-export-rows')).toBe(String(count));
    expect(answer.headers.get('x-platform-export-cut')).toBe('false');
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="candela-${signal}-[\\dTZ-]+\\.otlp\\.jsonl"$`),
    );
    const lines = (await answer.text()).trimEnd().split('\n');
    for (const line of lines) await send(path, line, { 'x-platform-environment': 'copy' });
    const copied = await until(table, 'copy', count);
    expect(copied).toEqual(await rowsOf(table, 'production'));
  });

  it('and what another platform gave out is imported once, however often it is typed', async () => {
    const files = join(dir, 'files');
    await mkdir(files);
    const start = new Date(Date.now() - 60_000).toISOString().replace('T', ' ').replace('Z', '000');
    const observation = { trace_id: 'visit', type: 'SPAN', start_time: start, environment: 'moved' };
    const rows = Array.from({ length: 450 }, (_, index) => ({
      ...observation,
      id: `o${index}`,
      name: `n${index}`,
    }));
    const score = {
      id: 's',
      trace_id: 'visit',
      name: 'good',
      value: 1,
      data_type: 'NUMERIC',
      timestamp: start,
    };
    await writeFile(
      join(files, 'observations.jsonl'),
      rows
        .slice(0, 300)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    const candela = async () =>
      (
        await promisify(execFile)(NODE_BINARY, [CLI, 'import', files], {
          env: { PATH: process.env['PATH'] ?? '', PLATFORM_URL: platform.http },
        })
      ).stdout;
    expect(await candela()).toMatch(/langfuse: 1 file\nspans: 300 sent, 0 known already, 0 refused\n/);
    await until(OTEL_TRACES, 'moved', 300);
    await writeFile(join(files, 'more.json'), JSON.stringify([...rows, score]));
    expect(await candela()).toMatch(
      /spans: 150 sent, 600 known already, 0 refused\nscores and log records: 1 sent, 0 known/,
    );
    expect(await until(OTEL_TRACES, 'moved', 450)).toHaveLength(450);
    await until(OTEL_LOGS, 'production', 6);
    expect(await candela()).toMatch(/spans: 0 sent, 750 known[^]*records: 0 sent, 1 known/);
    expect(await rowsOf(OTEL_TRACES, 'moved')).toHaveLength(450);
  });

  it('as CSV is RFC 4180 and no spreadsheet runs it', async () => {
    const answer = await ask({ signal: 'spans', format: 'csv', q: 'service:shop' });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const [head = [], ...rows] = readCsv(await answer.text());
    expect(rows).toHaveLength(2);
    const at = (row: string[] | undefined, name: string) => row?.[head.indexOf(name)];
    const failed = rows.find((row) => at(row, 'spanId') === 'b7ad6b7169203331');
    expect(at(failed, 'name')).toBe(`'${HOSTILE}`);
    expect(at(failed, 'durationMs')).toBe('2000');
    expect(at(failed, 'status')).toBe('error');
    expect(at(failed, 'inputTokens')).toBe('12');
    expect(rows.every((row) => row.length === head.length)).toBe(true);
  });

  it('has the columns asked for, attributes in their type', async () => {
    const columns = [
      'spanId',
      'attributes.text',
      'attributes.int',
      'attributes.list',
      'resource.service.name',
    ];
    const csv = await (
      await ask({ signal: 'spans', format: 'csv', q: 'service:shop -name:"still running"', columns })
    ).text();
    expect(readCsv(csv)).toEqual([
      columns,
      [
        'b7ad6b7169203331',
        "'-1+2",
        "'-9223372036854775808",
        '["a","9007199254740993",1.5,false,null]',
        'shop',
      ],
    ]);
    const [head = [], ...rows] = readCsv(
      await (
        await ask({
          signal: 'spans',
          format: 'csv',
          q: 'service:shop kind:client',
          columns: ['*', 'attributes.text'],
        })
      ).text(),
    );
    expect([head[0], head.at(-1), rows[0]?.at(-1)]).toEqual(['traceId', 'attributes.text', "'-1+2"]);
    expect(head).toContain('durationMs');
    const json = await ask({ signal: 'spans', format: 'json', q: 'service:shop name:still*', columns });
    expect(await json.json()).toEqual({
      spanId: 'd7ad6b7169203331',
      'attributes.text': null,
      'attributes.int': null,
      'attributes.list': null,
      'resource.service.name': 'shop',
    });
  });

  it('as JSON is one object a line with everything the sender said', async () => {
    const answer = await ask({ signal: 'logs', format: 'json', q: 'severity:warn' });
    const log = (await answer.json()) as Record<string, unknown>;
    expect(log).toMatchObject({
      severity: 'warn',
      attributes: { n: 5 },
      resource: { 'service.name': 'shop' },
    });
    expect((log['body'] as string).length).toBeGreaterThan(4_000);
    const spans = await ask({ signal: 'spans', format: 'json', q: 'kind:client' });
    const span = JSON.parse(await spans.text()) as {
      attributes: object;
      events: unknown[];
      links: unknown[];
    };
    expect(span).toMatchObject({
      startTimeUnixNano: (now - 7_000_000_123n).toString(),
      endTimeUnixNano: (now - 5_000_000_001n).toString(),
      traceState: 'k=v',
      flags: 257,
      links: [{ traceState: 'l=1' }],
    });
    expect(Object.hasOwn(span.attributes, '__proto__')).toBe(true);
    expect([span.events.length, span.links.length]).toEqual([1, 1]);
  });

  it('of traces holds a row a trace', async () => {
    const answer = await ask({ signal: 'traces', format: 'json', q: 'service:shop' });
    expect(answer.headers.get('x-platform-export-rows')).toBe('1');
    expect(await answer.json()).toMatchObject({ rootName: HOSTILE, spanCount: 2, errorCount: 1 });
    const all = await ask({ signal: 'traces', format: 'csv' });
    expect(readCsv(await all.text())).toHaveLength(1_502);
  });

  it('of exceptions holds a row a group, of the groups that fit', async () => {
    const answer = await ask({ signal: 'exceptions', format: 'json', q: 'service:shop' });
    expect(answer.headers.get('x-platform-export-rows')).toBe('1');
    expect(answer.headers.get('x-platform-export-cut')).toBe('false');
    expect(await answer.json()).toMatchObject({ type: 'E', service: 'shop', count: 1, isNew: true });
    const [head = [], ...rows] = readCsv(await (await ask({ signal: 'exceptions', format: 'csv' })).text());
    expect(head).toContain('fingerprint');
    expect(head).not.toContain('trend');
    expect(rows).toHaveLength(1);
    const none = await ask({ signal: 'exceptions', format: 'csv', q: 'service:nobody' });
    expect(readCsv(await none.text())).toHaveLength(1);
    expect((await ask({ signal: 'exceptions', format: 'csv', q: 'duration>2s' })).status).toBe(400);
  });

  it('of metrics holds the catalogue, page by page, narrowed as the list is', async () => {
    // The catalogue reads a rollup, which follows its rows a moment later.
    await expect
      .poll(
        async () => (await ask({ signal: 'metrics', format: 'csv' })).headers.get('x-platform-export-rows'),
        {
          timeout: 20_000,
        },
      )
      .toBe('1200');
    const answer = await ask({ signal: 'metrics', format: 'csv' });
    expect(answer.headers.get('x-platform-export-rows')).toBe('1200');
    const [head = [], ...rows] = readCsv(await answer.text());
    const names = rows.map((row) => row[head.indexOf('name')]);
    expect(names).toEqual([...names].sort());
    expect(new Set(names).size).toBe(1_200);
    const cut = await ask({ signal: 'metrics', format: 'json', limit: 7 });
    expect(cut.headers.get('x-platform-export-cut')).toBe('true');
    expect((await cut.text()).trimEnd().split('\n')).toHaveLength(7);
    const found = await ask({
      signal: 'metrics',
      format: 'json',
      q: 'number 0007',
      metrics: { type: 'gauge', service: 'shop' },
    });
    expect(await found.json()).toMatchObject({ name: 'number.0007', type: 'gauge', lastValue: 7 });
    const none = await ask({ signal: 'metrics', format: 'json', metrics: { type: 'sum' } });
    expect(await none.text()).toBe('');
  });

  it('says what was cut and never loses or doubles a row between its pages', async () => {
    const cut = await ask({ signal: 'spans', format: 'json', limit: 1_234 });
    expect([cut.headers.get('x-platform-export-rows'), cut.headers.get('x-platform-export-cut')]).toEqual([
      '1234',
      'true',
    ]);
    expect((await cut.text()).trimEnd().split('\n')).toHaveLength(1_234);
    const whole = await ask({ signal: 'spans', format: 'json', columns: ['traceId', 'spanId'] });
    const lines = (await whole.text()).trimEnd().split('\n');
    expect([lines.length, new Set(lines).size]).toEqual([1_502, 1_502]);
  });

  it('refuses before the first byte what cannot be', async () => {
    for (const [body, sentence] of [
      [{ signal: 'traces', format: 'otlp' }, /not rows of traces: export spans or logs/],
      [{ signal: 'metrics', format: 'otlp' }, /not rows of metrics/],
      [{ signal: 'metrics', format: 'csv', columns: ['attributes.x'] }, /no column "attributes.x"/],
      [
        { signal: 'metrics', format: 'csv', filter: { field: 'metric', op: '=', value: 'x' } },
        /has no filter/,
      ],
      [{ signal: 'spans', format: 'csv', metrics: { unit: 's' } }, /catalogue of metrics only/],
      [{ signal: 'spans', format: 'otlp', columns: ['spanId'] }, /leave "columns" out/],
      [{ signal: 'spans', format: 'csv', columns: ['nope'] }, /no column "nope"/],
      [{ signal: 'spans', format: 'xml' }, /format/],
      [{ signal: 'spans', format: 'csv', q: 'nope:1' }, /no field "nope"/],
    ] as const) {
      const answer = await ask(body);
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as { err: string }).err).toMatch(sentence);
    }
  });

  it('of nothing is a head line, or nothing', async () => {
    expect(
      readCsv(await (await ask({ signal: 'logs', format: 'csv', q: 'service:none' })).text()),
    ).toHaveLength(1);
    expect(await (await ask({ signal: 'logs', format: 'otlp', q: 'service:none' })).text()).toBe('');
  });

  it('frees its place when its client leaves in the middle', async () => {
    for (let turn = 0; turn < 25; turn++) {
      await new Promise<void>((resolve) => {
        const call = httpRequest(`${platform.http}/api/telemetry/export`, { method: 'POST' }, (answer) => {
          answer.once('data', () => call.destroy());
          answer.once('close', resolve);
        });
        call.end(JSON.stringify({ signal: 'spans', format: 'json' }));
      });
    }
    expect((await ask({ signal: 'spans', format: 'csv', limit: 1 })).status).toBe(200);
  });
});
