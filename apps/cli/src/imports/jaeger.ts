import type { AttributeValue } from '@candela/semconv';
import { spanIdOf, traceIdOf } from './ids.ts';
import type { ImportFormat, ImportNotes, ImportOptions, ImportRecord, Row } from './format.ts';
import { rowsOf } from './rows.ts';
import { attributesOf, isObject, jsonOf, listOf, numberAt, objectOf, pick, textAt } from './values.ts';

const KINDS: Readonly<Record<string, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};
const OWN = new Set([
  'span.kind',
  'error',
  'otel.status_code',
  'otel.status_description',
  'otel.scope.name',
  'otel.scope.version',
  'otel.library.name',
  'otel.library.version',
]);

/** Jaeger: traces as its page downloads them and its query API gives them (`{"data":[{"traceID":...}]}`). */
export const jaeger: ImportFormat = {
  name: 'jaeger',
  summary: 'Jaeger: traces as JSON, of the page or of the query API',
  recognises: (row) => row !== undefined && pick(row, 'traceID') !== undefined && Array.isArray(row['spans']),
  async *read(files, options, notes) {
    for (const file of files) {
      for await (const row of rowsOf(file, notes)) yield* spansOf(row, options, notes);
    }
  },
};

function* spansOf(trace: Row, options: ImportOptions, notes: ImportNotes): Generator<ImportRecord> {
  const processes = objectOf(pick(trace, 'processes'));
  for (const span of listOf(trace['spans'])) {
    if (!isObject(span)) continue;
    const start = numberAt(span, 'startTime');
    const spanId = textAt(span, 'spanID');
    if (start === undefined || spanId === '') {
      notes.skipped(start === undefined ? 'a span has no start time' : 'a span has no id');
      continue;
    }
    const own = objectOf(processes[textAt(span, 'processID')] ?? span['process']);
    const tags = tagsOf(span['tags']);
    const references = listOf(span['references']).filter(isObject);
    const traceId = jaegerId(textAt(span, 'traceID') || textAt(trace, 'traceID'), 32);
    const above = references.find((one) => textAt(one, 'refType') === 'CHILD_OF') ?? references[0];
    const parent = above === undefined ? textAt(span, 'parentSpanID') : textAt(above, 'spanID');
    const isParent =
      parent !== '' && (above === undefined || jaegerId(textAt(above, 'traceID'), 32) === traceId);
    const from = BigInt(Math.round(start)) * 1_000n;
    const failed =
      tags.get('error') === true || tags.get('error') === 'true' || tags.get('otel.status_code') === 'ERROR';
    const message = tags.get('otel.status_description');
    const textOr = (key: string, other: string) => String(tags.get(key) ?? tags.get(other) ?? '');
    yield {
      signal: 'traces',
      resource: {
        attributes: new Map([
          ['service.name', textAt(own, 'serviceName') || options.service],
          ...tagsOf(own['tags']),
        ]),
      },
      scope: {
        name: textOr('otel.scope.name', 'otel.library.name'),
        version: textOr('otel.scope.version', 'otel.library.version'),
      },
      span: {
        traceId: traceIdOf(traceId),
        spanId: spanIdOf(jaegerId(spanId, 16)),
        ...(isParent ? { parentSpanId: spanIdOf(jaegerId(parent, 16)) } : {}),
        name: textAt(span, 'operationName'),
        kind: KINDS[String(tags.get('span.kind') ?? '').toLowerCase()] ?? 0,
        startTimeUnixNano: from,
        endTimeUnixNano: from + BigInt(Math.max(0, Math.round(numberAt(span, 'duration') ?? 0))) * 1_000n,
        status: failed
          ? { code: 2, ...(typeof message === 'string' ? { message } : {}) }
          : tags.get('otel.status_code') === 'OK'
            ? { code: 1 }
            : {},
        attributes: new Map([...tags].filter(([key]) => !OWN.has(key))),
        events: listOf(span['logs']).flatMap((log) => (isObject(log) ? [eventOf(log, from)] : [])),
        links: references
          .filter((one) => one !== above || !isParent)
          .map((one) => ({
            traceId: traceIdOf(jaegerId(textAt(one, 'traceID'), 32)),
            spanId: spanIdOf(jaegerId(textAt(one, 'spanID'), 16)),
          })),
      },
    };
  }
}

/** Ids of 64 bits stand for such with zeros before. */
const jaegerId = (id: string, digits: number): string =>
  /^[0-9a-f]+$/i.test(id) ? id.padStart(digits, '0') : id;

function eventOf(log: Row, start: bigint) {
  const fields = tagsOf(log['fields']);
  const at = numberAt(log, 'timestamp');
  const name = fields.get('event') ?? fields.get('message') ?? 'log';
  return {
    timeUnixNano: at === undefined ? start : BigInt(Math.round(at)) * 1_000n,
    name: String(name).slice(0, 300),
    attributes: new Map([...fields].filter(([key]) => key !== 'event')),
  };
}

function tagsOf(list: unknown): Map<string, AttributeValue> {
  return new Map(
    attributesOf(
      listOf(list).flatMap((tag): (readonly [string, AttributeValue | undefined])[] =>
        isObject(tag) && textAt(tag, 'key') !== '' ? [[textAt(tag, 'key'), valueOf(tag)]] : [],
      ),
    ),
  );
}

function valueOf(tag: Row): AttributeValue | undefined {
  const value = tag['value'];
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value !== 'string') return jsonOf(value);
  switch (textAt(tag, 'type')) {
    case 'int64':
      return /^-?\d{1,19}$/.test(value) ? BigInt.asIntN(64, BigInt(value)) : value;
    case 'float64':
      return Number.isFinite(Number(value)) ? Number(value) : value;
    case 'bool':
      return value === 'true';
    case 'binary':
      return new Uint8Array(Buffer.from(value, 'base64'));
    default:
      return value;
  }
}
