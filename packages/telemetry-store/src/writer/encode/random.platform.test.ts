import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { DEFAULT_LIMITS, encodeTraceRequest, type Span } from '@candela/otlp';
import type { AttributeValue } from '@candela/semconv';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTelemetryStore, type TelemetryStore } from '../../client/open.ts';
import { encodeRequest } from './index.ts';
import { newStoreIn } from '../../testing/migrated.ts';

/**
 * Hundreds of arbitrary spans under arbitrary resources and scopes, against rows computed in the plainest way from
 * the same values: what is repeated, renumbered, split and copied on the way must not show.
 */
let dir: string;
let store: TelemetryStore;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-random-'));
  store = await openTelemetryStore({ kind: 'embedded', dataDir: newStoreIn(dir), logger: silentLogger });
});

afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const hexId = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => {
    value[0] = 1;
    return Buffer.from(value).toString('hex');
  });
const key = fc.oneof(
  text,
  fc.constantFrom('http.route', 'llm.prompts', 'gen_ai.input.messages', 'gen_ai.prompt'),
);
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  text,
  fc.string({ unit: 'grapheme', minLength: 30, maxLength: 200 }),
  fc.boolean(),
  fc.integer(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  fc.array(text, { maxLength: 4 }),
);
const attributes = fc
  .array(fc.tuple(key, value), { maxLength: 12 })
  .map((pairs) => new Map<string, AttributeValue>(pairs));
const time = fc.bigInt({ min: 1n, max: 2n ** 62n });
const duration = fc.bigInt({ min: 0n, max: 2n ** 62n });
const span = fc
  .record({
    traceId: hexId(16),
    parentSpanId: fc.oneof(hexId(8), fc.constant('')),
    traceState: text,
    flags: fc.nat({ max: 0xffff_ffff }),
    name: text,
    start: time,
    duration,
    attributes,
    events: fc.array(fc.record({ timeUnixNano: time, name: text, attributes }), { maxLength: 3 }),
    links: fc.array(fc.record({ traceId: hexId(16), spanId: hexId(8), traceState: text, attributes }), {
      maxLength: 3,
    }),
    status: fc.record({ message: text, code: fc.integer({ min: 0, max: 2 }) }),
  })
  .map(({ start, duration: length, ...rest }) => ({
    ...rest,
    startTimeUnixNano: start,
    endTimeUnixNano: start + length,
  }));
const request = fc.array(
  fc.record({
    attributes,
    scopes: fc.array(
      fc.record({ name: text, version: text, attributes, spans: fc.array(span, { maxLength: 6 }) }),
      { maxLength: 4 },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);

function textOf(item: AttributeValue): string {
  return Array.isArray(item) ? JSON.stringify(item) : String(item);
}

const pairsOf = (map: ReadonlyMap<string, AttributeValue>): [string, string][] =>
  [...map].map(([name, item]) => [name, textOf(item)]);

/** Pairs in any order: content is kept apart from the rest. */
const sorted = (pairs: [string, string][]): [string, string][] =>
  pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));

it('comes back from the engine as it was sent', async () => {
  const samples = fc.sample(request, { numRuns: 25, seed: 20_261_120 });
  let tokens = 0;
  let compared = 0;
  for (const [index, resources] of samples.entries()) {
    let serial = 1;
    const expected: Record<string, unknown>[] = [];
    const body = encodeTraceRequest({
      resourceSpans: resources.map((resource) => ({
        resource: { attributes: resource.attributes },
        scopeSpans: resource.scopes.map((scope) => ({
          scope: { name: scope.name, version: scope.version, attributes: scope.attributes },
          spans: scope.spans.map((item): Span => {
            const spanId = (serial++).toString(16).padStart(16, '0');
            expected.push({
              SpanId: spanId,
              TraceId: item.traceId,
              ParentSpanId: item.parentSpanId,
              TraceState: item.traceState,
              SpanName: item.name,
              StatusMessage: item.status.message,
              Flags: item.flags,
              ScopeName: scope.name,
              ScopeVersion: scope.version,
              start: String(item.startTimeUnixNano),
              duration: String(item.endTimeUnixNano - item.startTimeUnixNano),
              attributes: sorted(pairsOf(item.attributes)),
              resource: pairsOf(resource.attributes),
              scope: pairsOf(scope.attributes),
              events: item.events.map((event) => [
                String(event.timeUnixNano),
                event.name,
                pairsOf(event.attributes),
              ]),
              links: item.links.map((link) => [
                link.traceId,
                link.spanId,
                link.traceState,
                pairsOf(link.attributes),
              ]),
            });
            return { ...item, spanId };
          }),
        })),
      })),
    });
    const projectId = `random-${index}`;
    const { blocks, rejected } = encodeRequest('traces', 'protobuf', body, {
      projectId,
      environment: 'test',
      defaultEnvironment: 'production',
      receivedAtMs: Date.now(),
      retentionDays: 30,
      limits: DEFAULT_LIMITS,
    });
    expect(rejected).toBe(0);
    for (const block of blocks) await store.insertNative(block.table, [block.bytes], `r${tokens++}`);
    const rows = await store.select<Record<string, unknown>>(
      `SELECT SpanId, TraceId, ParentSpanId, TraceState, SpanName, StatusMessage, Flags, ScopeName, ScopeVersion,
         toString(toUnixTimestamp64Nano(Timestamp)) AS start, toString(Duration) AS duration,
         arrayConcat(CAST(SpanAttributes, 'Array(Tuple(String, String))'),
           CAST(ContentAttributes, 'Array(Tuple(String, String))')) AS attributes,
         CAST(ResourceAttributes, 'Array(Tuple(String, String))') AS resource,
         CAST(ScopeAttributes, 'Array(Tuple(String, String))') AS scope,
         arrayMap((at, name, of) -> (toString(toUnixTimestamp64Nano(at)), name, CAST(of, 'Array(Tuple(String, String))')),
           "Events.Timestamp", "Events.Name", "Events.Attributes") AS events,
         arrayMap((trace, span, state, of) -> (trace, span, state, CAST(of, 'Array(Tuple(String, String))')),
           "Links.TraceId", "Links.SpanId", "Links.TraceState", "Links.Attributes") AS links
       FROM otel_traces WHERE ProjectId = {project:String} ORDER BY SpanId`,
      { project: projectId },
    );
    const read = rows.map((row) => ({ ...row, attributes: sorted(row['attributes'] as [string, string][]) }));
    expect(read).toEqual(expected);
    compared += rows.length;
  }
  expect(compared).toBeGreaterThan(300);
});
