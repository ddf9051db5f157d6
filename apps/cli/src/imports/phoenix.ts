import type { AttributeValue } from '@candela/semconv';
import { spanIdOf, traceIdOf } from './ids.ts';
import type { ImportFormat, ImportNotes, ImportOptions, ImportRecord, Row } from './format.ts';
import { rowsOf } from './rows.ts';
import { scoreLog } from './scores.ts';
import {
  attributeOf,
  attributesOf,
  isObject,
  jsonOf,
  listOf,
  nanosOf,
  numberAt,
  objectOf,
  pick,
  textAt,
} from './values.ts';

const SCOPE = { name: 'import.phoenix' };
const DEEPEST = 32;
/** Parts of a message are attributes of their own in OpenInference; what deeper objects hold stays one value. */
const ANNOTATIONS = ['annotator_kind', 'annotation_name'];

const idOf = (row: Row, key: 'span_id' | 'trace_id'): string =>
  textAt(row, `context.${key}`, key) || textAt(objectOf(row['context']), key);
const isAnnotation = (row: Row): boolean => pick(row, ...ANNOTATIONS) !== undefined;

/** Phoenix: spans of its REST API and of its data frames (JSON, JSON Lines, Parquet), and span annotations. */
export const phoenix: ImportFormat = {
  name: 'phoenix',
  summary:
    'Phoenix: spans of the REST API or of a data frame, as JSON, JSON Lines or Parquet; span annotations',
  recognises: (row) =>
    row !== undefined &&
    (isAnnotation(row)
      ? idOf(row, 'span_id') !== ''
      : pick(row, 'span_kind') !== undefined && idOf(row, 'span_id') !== '' && idOf(row, 'trace_id') !== ''),
  read,
};

async function* read(
  files: readonly string[],
  options: ImportOptions,
  notes: ImportNotes,
): AsyncGenerator<ImportRecord> {
  /** Annotations name their span only. */
  const traces = new Map<string, string>();
  const late: Row[] = [];
  const resource = { attributes: attributesOf([['service.name', options.service]]) };
  for (const file of files) {
    for await (const row of rowsOf(file, notes)) {
      if (isAnnotation(row)) {
        late.push(row);
        continue;
      }
      const span = spanOf(row, notes);
      if (span === undefined) continue;
      traces.set(span.spanId, span.traceId);
      yield { signal: 'traces', resource, scope: SCOPE, span };
      for (const each of listOf(pick(row, 'annotations', 'span_annotations'))) {
        if (isObject(each)) late.push({ span_id: idOf(row, 'span_id'), ...each });
      }
    }
  }
  for (const row of late) {
    const spanId = spanIdOf(idOf(row, 'span_id'));
    const traceId = traces.get(spanId) ?? textAt(row, 'trace_id');
    const at = nanosOf(pick(row, 'updated_at', 'created_at', 'timestamp'));
    const result = objectOf(pick(row, 'result'));
    if (traceId === '' || at === undefined) {
      notes.skipped(
        at === undefined
          ? 'an annotation has no time'
          : 'an annotation is of a span that is not among the files',
      );
      continue;
    }
    const name = textAt(row, 'name', 'annotation_name');
    const kind = textAt(row, 'annotator_kind');
    const log = scoreLog({
      from: 'phoenix',
      id: textAt(row, 'id') || `${spanId}/${name}/${textAt(row, 'identifier')}/${kind}`,
      name,
      at,
      traceId: traceIdOf(traceId),
      spanId,
      value: numberAt(result, 'score') ?? numberAt(row, 'score', 'result.score'),
      label: textAt(result, 'label') || textAt(row, 'label', 'result.label'),
      explanation: textAt(result, 'explanation') || textAt(row, 'explanation', 'result.explanation'),
      source: kind,
    });
    yield { signal: 'logs', resource, scope: SCOPE, log };
  }
}

function spanOf(row: Row, notes: ImportNotes) {
  const start = nanosOf(pick(row, 'start_time'));
  const traceId = idOf(row, 'trace_id');
  const spanId = idOf(row, 'span_id');
  if (start === undefined || traceId === '' || spanId === '') {
    notes.skipped(
      start === undefined ? 'a span has no start time that can be read' : 'a row has no ids of a span',
    );
    return undefined;
  }
  const parent = textAt(row, 'parent_id', 'parent_span_id');
  const code = textAt(row, 'status_code').toUpperCase();
  const flat = new Map<string, AttributeValue>();
  flatten(flat, '', objectOf(pick(row, 'attributes')), 0);
  for (const [key, value] of Object.entries(row)) {
    if (key.startsWith('attributes.')) flatten(flat, key.slice('attributes.'.length), value, 0);
  }
  if (!flat.has('openinference.span.kind'))
    flat.set('openinference.span.kind', textAt(row, 'span_kind').toUpperCase());
  return {
    traceId: traceIdOf(traceId),
    spanId: spanIdOf(spanId),
    ...(parent === '' ? {} : { parentSpanId: spanIdOf(parent) }),
    name: textAt(row, 'name') || 'span',
    kind: 1,
    startTimeUnixNano: start,
    endTimeUnixNano: nanosOf(pick(row, 'end_time')) ?? start,
    status:
      code === 'ERROR'
        ? { code: 2, message: textAt(row, 'status_message') }
        : code === 'OK'
          ? { code: 1 }
          : {},
    attributes: flat,
    events: listOf(pick(row, 'events')).flatMap((event) =>
      isObject(event)
        ? [
            {
              name: textAt(event, 'name'),
              timeUnixNano: nanosOf(pick(event, 'timestamp')) ?? start,
              attributes: attributeOf(objectOf(pick(event, 'attributes'))) as ReadonlyMap<
                string,
                AttributeValue
              >,
            },
          ]
        : [],
    ),
  };
}

/** `{llm: {input_messages: [{message: {role}}]}}` as `llm.input_messages.0.message.role`, the keys of OpenInference. */
function flatten(into: Map<string, AttributeValue>, path: string, value: unknown, depth: number): void {
  if (value === undefined || value === null) return;
  const isOwn = path === 'metadata' || path.endsWith('.metadata');
  if (isObject(value) && !(value instanceof Uint8Array) && depth < DEEPEST && !isOwn) {
    for (const [key, each] of Object.entries(value))
      flatten(into, path === '' ? key : `${path}.${key}`, each, depth + 1);
    return;
  }
  if (Array.isArray(value) && depth < DEEPEST && value.some(isObject)) {
    for (const [place, each] of value.entries()) flatten(into, `${path}.${place}`, each, depth + 1);
    return;
  }
  if (isOwn && isObject(value)) into.set(path, jsonOf(value) ?? '');
  else if (path !== '') into.set(path, attributeOf(value));
}
