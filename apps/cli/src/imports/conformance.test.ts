import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { encodeLogsRequest, encodeTraceRequest } from '@candela/otlp';
import { normaliseSpan, type SpanReader } from '@candela/semconv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportRecord } from './format.ts';
import { formatOf, IMPORTS } from './index.ts';
import { UsageError } from '../command.ts';
import { linesOf } from './rows.ts';
import { sendAll } from './sender.ts';
import { nanosOf } from './values.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'candela-import-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const UUID = '0af76519-16cd-43dd-8448-eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const OTLP_SPAN = {
  traceId: TRACE,
  spanId: SPAN,
  name: 'chat gpt-4o',
  kind: 3,
  startTimeUnixNano: '1764000000000000000',
  endTimeUnixNano: '1764000001000000000',
};
const ATTRIBUTES = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 12,
  'user.id': 'ada',
};
const behindLengths = (...messages: readonly Uint8Array[]) =>
  Buffer.concat(
    messages.flatMap((message) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(message.length);
      return [length, message];
    }),
  );
const lines = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

/** A file of every format: one call of gpt-4o with 12 tokens in, asked for by ada where the format has users. */
const CASES: Readonly<
  Record<
    string,
    {
      readonly body: string | Uint8Array;
      readonly spans: number;
      readonly logs: number;
      readonly user?: false;
      readonly foreign?: true;
    }
  >
> = {
  'otlp-json': {
    spans: 1,
    logs: 2,
    body: lines(
      {
        resourceSpans: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
            scopeSpans: [
              {
                spans: [
                  {
                    ...OTLP_SPAN,
                    attributes: Object.entries(ATTRIBUTES).map(([key, value]) => ({
                      key,
                      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
                    })),
                  },
                ],
              },
            ],
          },
        ],
      },
      {
        resourceLogs: [
          {
            scopeLogs: [
              {
                logRecords: [1, 2].map(() => ({
                  timeUnixNano: '1764000000000000000',
                  body: { stringValue: 'same' },
                })),
              },
            ],
          },
        ],
      },
    ),
  },
  'otlp-proto': {
    spans: 1,
    logs: 1,
    body: behindLengths(
      encodeTraceRequest({
        resourceSpans: [{ scopeSpans: [{ spans: [{ ...OTLP_SPAN, attributes: ATTRIBUTES }] }] }],
      }),
      encodeLogsRequest({
        resourceLogs: [
          { scopeLogs: [{ logRecords: [{ timeUnixNano: 1_764_000_000_000_000_000n, body: 'x' }] }] },
        ],
      }),
    ),
  },
  jaeger: {
    spans: 2,
    logs: 0,
    body: JSON.stringify(
      {
        data: [
          {
            traceID: TRACE,
            spans: [
              {
                traceID: TRACE,
                spanID: SPAN,
                operationName: 'chat gpt-4o',
                startTime: 1_764_000_000_000_001,
                duration: 1_000_000,
                processID: 'p1',
                references: [],
                tags: [
                  { key: 'span.kind', type: 'string', value: 'client' },
                  { key: 'error', type: 'bool', value: true },
                  ...Object.entries(ATTRIBUTES).map(([key, value]) => ({
                    key,
                    type: typeof value === 'number' ? 'int64' : 'string',
                    value,
                  })),
                ],
                logs: [
                  {
                    timestamp: 1_764_000_000_000_500,
                    fields: [{ key: 'event', type: 'string', value: 'exception' }],
                  },
                ],
              },
              {
                traceID: TRACE,
                spanID: 'abc',
                operationName: 'child',
                startTime: 1_764_000_000_100_000,
                duration: 5,
                processID: 'p1',
                references: [{ refType: 'CHILD_OF', traceID: TRACE, spanID: SPAN }],
                tags: [],
                logs: [],
              },
            ],
            processes: { p1: { serviceName: 'shop', tags: [] } },
          },
        ],
      },
      undefined,
      1,
    ),
  },
  langsmith: {
    spans: 2,
    logs: 1,
    foreign: true,
    body: lines(
      {
        id: '11111111-2222-4333-8444-555555555555',
        trace_id: UUID,
        parent_run_id: UUID,
        name: 'ChatOpenAI',
        run_type: 'llm',
        start_time: '2025-11-24T16:00:00.000001',
        end_time: '2025-11-24T16:00:01',
        inputs: { messages: [{ role: 'user', content: 'When do you open?' }] },
        outputs: '{"generations":[]}',
        extra: {
          metadata: { ls_model_name: 'gpt-4o', ls_provider: 'openai', user_id: 'ada' },
          invocation_params: { model: 'gpt-4o' },
        },
        prompt_tokens: 12,
        completion_tokens: 3,
        total_cost: 0.25,
        feedback_stats: { helpful: { n: 1, avg: 0.5 } },
      },
      {
        id: UUID,
        trace_id: UUID,
        name: 'chain',
        run_type: 'chain',
        start_time: '2025-11-24T16:00:00',
        error: 'it failed',
        prompt_tokens: 12,
      },
    ),
  },
  phoenix: {
    spans: 1,
    logs: 1,
    body: JSON.stringify({
      data: [
        {
          name: 'ChatCompletion',
          context: { trace_id: TRACE, span_id: SPAN },
          span_kind: 'LLM',
          parent_id: null,
          start_time: '2025-11-24T16:00:00.5+00:00',
          end_time: '2025-11-24T16:00:01+00:00',
          status_code: 'OK',
          attributes: {
            llm: {
              model_name: 'gpt-4o',
              token_count: { prompt: 12, completion: 3 },
              input_messages: [{ message: { role: 'user', content: 'When do you open?' } }],
            },
            user: { id: 'ada' },
          },
          events: [],
          annotations: [
            {
              id: 'a',
              name: 'correct',
              annotator_kind: 'HUMAN',
              created_at: '2025-11-25T00:00:00Z',
              result: { label: 'yes', score: 1 },
            },
          ],
        },
      ],
    }),
  },
  langfuse: {
    spans: 3,
    logs: 1,
    foreign: true,
    body: lines(
      {
        id: 'obs-1',
        trace_id: 'my trace',
        type: 'GENERATION',
        name: 'answer',
        start_time: '2025-11-24 16:00:00.123456',
        end_time: '2025-11-24 16:00:01.000000',
        model: 'gpt-4o',
        input: '[{"role":"user","content":"When do you open?"}]',
        output: '"At nine."',
        usage_details: { input: 12, output: 3, total: 15 },
        cost_details: { total: 0.25 },
        level: 'DEFAULT',
        environment: 'default',
      },
      {
        id: 'obs-2',
        trace_id: 'my trace',
        type: 'SPAN',
        name: 'other root',
        start_time: '2025-11-24 16:00:00',
      },
      {
        id: 'my trace',
        timestamp: '2025-11-24 16:00:00.000000',
        name: 'visit',
        user_id: 'ada',
        session_id: 's',
        project_id: 'p',
        metadata: {},
      },
      {
        id: 'score-1',
        trace_id: 'my trace',
        observation_id: 'obs-1',
        name: 'good',
        value: 1,
        data_type: 'NUMERIC',
        source: 'API',
        timestamp: '2025-11-24 16:00:02',
      },
    ),
  },
};

async function recordsOf(name: string, body: string | Uint8Array) {
  const file = join(dir, name);
  writeFileSync(file, body);
  const format = await formatOf([file]);
  const skipped: string[] = [];
  const records: ImportRecord[] = [];
  for await (const record of format.read(
    [file],
    { service: 'x' },
    { skipped: (reason) => void skipped.push(reason) },
  )) {
    records.push(record);
  }
  return { format: format.name, records, skipped };
}

const spansOf = (records: readonly ImportRecord[]) =>
  records.flatMap((record) => (record.signal === 'traces' ? [record.span] : []));

describe.each(IMPORTS.map(({ name }) => name))('the import of %s', (name) => {
  const one = CASES[name];
  if (one === undefined) throw new Error(`no case for ${name}`);

  it('is known by its file, and read whole', async () => {
    const { format, records, skipped } = await recordsOf(name, one.body);
    expect([format, skipped]).toEqual([name, []]);
    expect(spansOf(records)).toHaveLength(one.spans);
    expect(records.filter(({ signal }) => signal === 'logs')).toHaveLength(one.logs);
    for (const span of spansOf(records)) {
      expect([span.traceId, span.spanId]).toEqual([
        expect.stringMatching(/^[0-9a-f]{32}$/),
        expect.stringMatching(/^[0-9a-f]{16}$/),
      ]);
      expect(BigInt(span.startTimeUnixNano ?? 0) / 1_000_000_000n).toBe(1_764_000_000n);
      expect(BigInt(span.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano ?? 0));
    }
  });

  it('gives the same records every time, packed or not, and ids that differ', async () => {
    const { records } = await recordsOf(name, one.body);
    if (name !== 'otlp-proto') {
      expect((await recordsOf(`${name}.gz`, gzipSync(one.body))).records).toEqual(records);
      expect((await recordsOf(`${name}.zst`, zstdCompressSync(one.body))).records).toEqual(records);
    }
    expect((await recordsOf(name, one.body)).records).toEqual(records);
    const ids = records.map((record) =>
      record.signal === 'traces'
        ? record.span.spanId
        : record.signal === 'logs'
          ? (record.log.attributes as Map<string, unknown>).get('platform.import.id')
          : '',
    );
    expect(new Set(ids).size).toBe(records.length);
    if (one.foreign !== true) expect(ids).toContain(SPAN);
  });

  it('says model, tokens and user in words that the platform reads', async () => {
    const { records } = await recordsOf(name, one.body);
    const facts = spansOf(records).map((span) =>
      normaliseSpan({
        events: [],
        scopeName: '',
        resource: new Map(),
        ...span,
        attributes: new Map(span.attributes as Map<string, never>),
      } as unknown as SpanReader),
    );
    const call = facts.find((fact) => fact?.requestModel === 'gpt-4o');
    expect(call).toMatchObject({ usage: { input: 12 }, userId: 'ada' });
    // What is above a call does not count its tokens again.
    expect(facts.filter((fact) => fact?.usage?.input === 12)).toHaveLength(1);
  });

  it('leaves out what it cannot read and says so', async () => {
    if (typeof one.body !== 'string' || !one.body.includes('\n{')) return;
    const { skipped, records } = await recordsOf(name, `${one.body}\n{broken\n{"a":1}\n`);
    expect(spansOf(records)).toHaveLength(one.spans);
    expect(skipped.length).toBeGreaterThan(0);
  });
});

/** What stands in files that somebody else wrote, in the place of any value. */
const STRANGE = [
  null,
  '',
  -1,
  1e300,
  -1e300,
  0.5,
  true,
  '9'.repeat(40),
  '\u0000\ud800',
  [],
  [[{}]],
  {},
  JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}') as object,
];

/** A JSON value with each of its parts in turn replaced. */
function* damaged(value: unknown, by: unknown): Generator<unknown> {
  yield by;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const bad of damaged(part, by)) {
      if (Array.isArray(value)) yield value.with(Number(key), bad);
      else yield { ...value, [key]: bad };
    }
  }
}

describe.each(IMPORTS.filter(({ name }) => name !== 'otlp-proto'))('garbage in $name', (format) => {
  const { body = '' } = CASES[format.name] ?? {};
  const rows = (() => {
    const text = String(body);
    try {
      return [JSON.parse(text) as unknown];
    } catch {
      return text.split('\n').map((line) => JSON.parse(line) as unknown);
    }
  })();

  it.each(STRANGE)('ends no import: %j', async (by) => {
    const file = join(dir, `${format.name}.garbage`);
    const lines = rows.flatMap((row) => [...damaged(row, by)].map((bad) => JSON.stringify(bad)));
    // The first line is whole: a file is known by it.
    writeFileSync(file, [JSON.stringify(rows[0]), ...lines].join('\n'));
    const records = format.read([file], { service: 'x' }, { skipped: () => undefined });
    let [sent, refused] = [0, 0];
    // One at a time: most have the same ids, and the same record is sent once.
    for await (const record of records) {
      const { counts, reasons } = await sendAll(
        Readable.from([record]),
        { url: '', key: undefined },
        { dryRun: true, progress: () => undefined },
      );
      sent += counts.traces.sent;
      refused += counts.traces.rejected;
      for (const reason of reasons.keys()) {
        expect(reason).toMatch(
          /^a time lies before 1970|^it cannot be written as OTLP: timeUnixNano is out of/,
        );
      }
    }
    expect(sent).toBeGreaterThan(0);
    if (format.name === 'jaeger' && by === 1e300) expect(refused).toBeGreaterThan(0);
  });
});

describe('a file that is damaged', () => {
  it.each([
    ['gzip', gzipSync('{"a":1}\n'.repeat(10_000))],
    ['zstd', zstdCompressSync('{"a":1}\n'.repeat(10_000))],
    ['Parquet', Buffer.from('PAR1 and nothing of a table')],
  ])('is named in a sentence: %s', async (_kind, whole) => {
    const file = join(dir, 'damaged');
    writeFileSync(file, whole.subarray(0, whole.length - 12));
    for (const { read } of IMPORTS.filter(({ name }) => !name.startsWith('otlp'))) {
      const records = read([file], { service: 'x' }, { skipped: () => undefined });
      await expect(Array.fromAsync(records)).rejects.toThrow(UsageError);
    }
  });

  it.each(['\r\n', '\n\n', '\n'])(
    'has lines that end with %j and characters that chunks cut',
    async (end) => {
      const file = join(dir, 'lines');
      const row = JSON.stringify({ text: 'ä€😀'.repeat(3_000) });
      writeFileSync(file, `x${[row, row, row, row].join(end)}`);
      const found: string[] = [];
      for await (const line of linesOf(file)) if (line.trim() !== '') found.push(line.trim());
      expect(found).toEqual([`x${row}`, row, row, row]);
    },
  );
});

describe('an import', () => {
  it('refuses what is of no format', async () => {
    await expect(recordsOf('x.json', '{"hello":"world"}')).rejects.toThrow(/no format that is known/);
    await expect(recordsOf('x.txt', 'hello')).rejects.toThrow(/no format that is known/);
  });

  it.each([
    ['2025-11-24 16:00:00.123456', 1_764_000_000_123_456_000n],
    ['2025-11-24T17:00:00+01:00', 1_764_000_000_000_000_000n],
    ['2025-11-24T16:00:00Z', 1_764_000_000_000_000_000n],
    [1_764_000_000_000, 1_764_000_000_000_000_000n],
    [1_764_000_000_000_000n, 1_764_000_000_000_000_000n],
    [1_764_000_000.5, 1_764_000_000_500_000_000n],
    ['1764000000000', 1_764_000_000_000_000_000n],
    ['yesterday', undefined],
    [-1, undefined],
    ['', undefined],
  ])('reads the time %s', (text, nanos) => {
    expect(nanosOf(text)).toBe(nanos);
  });
});
