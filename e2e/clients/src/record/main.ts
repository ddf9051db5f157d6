/**
 * Records anew what the real clients send: `node e2e/clients/src/record/main.ts [client ...]` writes
 * packages/semconv/src/conventions/fixtures/<client>/spans.json, trimmed of stack traces and machine names.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttributeMap, decodeTraces } from '@candela/otlp';
import type { AttributeValue } from '@candela/semconv';
import { type RecordedRequest, startFakeAi, startOtlpRecorder } from '@candela/testkit';
import { CLIENTS, PYTHON_CLIENTS, pythonOf, runClient } from '../shared/run-client.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FIXTURES = join(ROOT, 'packages/semconv/src/conventions/fixtures');
const KEPT_RESOURCE = /^(service\.|deployment|telemetry\.sdk\.name$|openinference|session|user)/;
const LEFT_OUT = new Set(['exception.stacktrace']);

const only = process.argv.slice(2);
const able = [...CLIENTS, ...PYTHON_CLIENTS.filter((name) => pythonOf(name) !== undefined)];
for (const client of able.filter((name) => only.length === 0 || only.includes(name))) {
  const [ai, recorder] = await Promise.all([startFakeAi(), startOtlpRecorder()]);
  await runClient(client, { ai: ai.url, otlp: recorder.http, grpc: recorder.grpc, apiKey: '' });
  const spans = recorder.requests
    .filter((request) => request.signal === 'traces' && request.format !== 'none')
    .flatMap(spansOf);
  mkdirSync(join(FIXTURES, client), { recursive: true });
  writeFileSync(join(FIXTURES, client, 'spans.json'), `${JSON.stringify(spans, null, 1)}\n`);
  process.stdout.write(`${client}: ${spans.length} spans\n`);
  await Promise.all([ai.close(), recorder.close()]);
}

function spansOf(request: RecordedRequest): object[] {
  const format = request.format === 'json' ? 'json' : 'protobuf';
  return (decodeTraces(request.body, format).resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
    (scopeSpans ?? []).flatMap(({ scope, spans }) =>
      (spans ?? []).map((span) => ({
        name: span.name,
        scope: scope?.name ?? '',
        kind: span.kind ?? 0,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        startTimeUnixNano: String(span.startTimeUnixNano ?? 0),
        endTimeUnixNano: String(span.endTimeUnixNano ?? 0),
        statusCode: span.status?.code ?? 0,
        statusMessage: span.status?.message ?? '',
        attributes: fixtureOf(span.attributes),
        events: (span.events ?? []).map((event) => ({
          name: event.name,
          attributes: fixtureOf(event.attributes, (key) => !LEFT_OUT.has(key)),
        })),
        resource: fixtureOf(resource?.attributes, (key) => KEPT_RESOURCE.test(key)),
      })),
    ),
  );
}

function fixtureOf(
  attributes: AttributeMap | undefined,
  keep: (key: string) => boolean = () => true,
): Record<string, unknown> {
  const entries: Iterable<[string, AttributeValue]> =
    attributes instanceof Map ? attributes : Object.entries(attributes ?? {});
  return Object.fromEntries(
    [...entries].filter(([key]) => keep(key)).map(([key, value]) => [key, plain(value)]),
  );
}

function plain(value: AttributeValue): unknown {
  if (Array.isArray(value)) return (value as readonly AttributeValue[]).map(plain);
  if (value instanceof Map)
    return {
      $map: [...(value as ReadonlyMap<string, AttributeValue>)].map(([key, entry]) => [key, plain(entry)]),
    };
  // Nameless services carry the path of the Node that ran them, which differs on every machine.
  if (typeof value === 'string' && value.startsWith('unknown_service:')) return 'unknown_service:node';
  if (typeof value === 'string' && value.startsWith(`${ROOT}/`)) return value.slice(ROOT.length + 1);
  return typeof value === 'bigint' ? String(value) : value;
}
