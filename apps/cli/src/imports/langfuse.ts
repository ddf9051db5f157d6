import type { Span } from '@candela/otlp';
import { spanIdOf, traceIdOf } from './ids.ts';
import type { ImportFormat, ImportNotes, ImportOptions, ImportRecord, Row } from './format.ts';
import { rowsOf } from './rows.ts';
import { scoreLog } from './scores.ts';
import {
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

const SCOPE = { name: 'import.langfuse' };
const OBSERVATION_TYPES =
  /^(?:generation|span|event|agent|tool|chain|retriever|evaluator|embedding|guardrail)$/i;

/** What a row is: files of traces, observations and scores may be mixed. */
function kindOf(row: Row): 'trace' | 'observation' | 'score' | undefined {
  if (OBSERVATION_TYPES.test(textAt(row, 'type'))) return 'observation';
  if (pick(row, 'dataType', 'data_type') !== undefined && textAt(row, 'name') !== '') return 'score';
  return textAt(row, 'id') !== '' && pick(row, 'timestamp') !== undefined ? 'trace' : undefined;
}

/** Traces of API answers hold their observations and scores. */
function* partsOf(row: Row): Generator<Row> {
  yield row;
  if (kindOf(row) !== 'trace') return;
  const traceId = textAt(row, 'id');
  for (const key of ['observations', 'scores']) {
    for (const part of listOf(row[key])) if (isObject(part)) yield { traceId, ...part };
  }
}

interface TraceFacts {
  readonly row: Row;
  roots: number;
  observations: number;
}

/**
 * Langfuse: the files of its blob storage (`observations_v2/`, or `traces/` and `observations/`, and `scores/`), downloads of
 * its pages as JSON or JSON Lines, and answers of its API. A trace with several roots, or none, becomes a span above them.
 */
export const langfuse: ImportFormat = {
  name: 'langfuse',
  summary: 'Langfuse: blob storage export, downloads and API answers, as JSON, JSON Lines or Parquet',
  recognises: (row) =>
    row !== undefined &&
    (kindOf(row) === 'observation'
      ? pick(row, 'traceId', 'trace_id') !== undefined && pick(row, 'startTime', 'start_time') !== undefined
      : kindOf(row) === 'score'
        ? pick(row, 'traceId', 'trace_id', 'sessionId', 'session_id') !== undefined
        : kindOf(row) === 'trace' &&
          pick(row, 'projectId', 'project_id', 'observations', 'bookmarked') !== undefined),
  read,
};

async function* read(
  files: readonly string[],
  options: ImportOptions,
  notes: ImportNotes,
): AsyncGenerator<ImportRecord> {
  const traces = new Map<string, TraceFacts>();
  const quiet = { skipped: () => undefined };
  // Traces first: what they say of user and session belongs on every span of theirs.
  for (const file of files) {
    for await (const row of rowsOf(file, quiet)) {
      if (kindOf(row) === 'trace') traces.set(textAt(row, 'id'), { row, roots: 0, observations: 0 });
    }
  }
  if (traces.size > 0) {
    for (const part of await observationsOf(files, quiet)) {
      const trace = traces.get(part.trace);
      if (trace === undefined) continue;
      trace.observations++;
      if (part.isRoot) trace.roots++;
    }
  }
  for (const file of files) {
    for await (const row of rowsOf(file, notes)) {
      for (const part of partsOf(row)) {
        const record = recordOf(part, traces, options, notes);
        if (record !== undefined) yield record;
      }
    }
  }
}

async function observationsOf(files: readonly string[], notes: ImportNotes) {
  const found: { trace: string; isRoot: boolean }[] = [];
  for (const file of files) {
    for await (const row of rowsOf(file, notes)) {
      for (const part of partsOf(row)) {
        if (kindOf(part) !== 'observation') continue;
        found.push({
          trace: textAt(part, 'traceId', 'trace_id'),
          isRoot: textAt(part, 'parentObservationId', 'parent_observation_id') === '',
        });
      }
    }
  }
  return found;
}

function recordOf(
  row: Row,
  traces: ReadonlyMap<string, TraceFacts>,
  options: ImportOptions,
  notes: ImportNotes,
): ImportRecord | undefined {
  const kind = kindOf(row);
  if (kind === undefined) {
    notes.skipped('a row is no trace, observation or score');
    return undefined;
  }
  if (kind === 'score') return scoreOf(row, options, notes);
  const traceId = kind === 'trace' ? textAt(row, 'id') : textAt(row, 'traceId', 'trace_id');
  const trace = traces.get(traceId);
  if (kind === 'trace' && trace?.roots === 1) return undefined;
  const start = nanosOf(pick(row, 'startTime', 'start_time', 'timestamp'));
  if (traceId === '' || start === undefined) {
    notes.skipped(traceId === '' ? 'a row names no trace' : 'a row has no time that can be read');
    return undefined;
  }
  const span = kind === 'trace' ? rootOf(row, start) : observationOf(row, traceId, start, trace);
  const environment = textAt(row, 'environment') || textAt(trace?.row ?? {}, 'environment');
  return {
    signal: 'traces',
    resource: {
      attributes: attributesOf([
        ['service.name', options.service],
        ['deployment.environment.name', environment === 'default' ? undefined : environment],
        ['service.version', textAt(row, 'release') || textAt(trace?.row ?? {}, 'release')],
      ]),
    },
    scope: SCOPE,
    span,
  };
}

/** The trace as a span of its own; it ends with the last thing that is known of it. */
function rootOf(row: Row, start: bigint): Span {
  const id = textAt(row, 'id');
  const latency = numberAt(row, 'latency') ?? 0;
  return {
    traceId: traceIdOf(id),
    spanId: spanIdOf(`trace:${id}`),
    name: textAt(row, 'name') || 'trace',
    kind: 1,
    startTimeUnixNano: start,
    endTimeUnixNano: start + BigInt(Math.max(0, Math.round(latency * 1e6))) * 1_000n,
    attributes: attributesOf([
      ['langfuse.observation.type', 'span'],
      ['langfuse.observation.input', jsonOf(pick(row, 'input'))],
      ['langfuse.observation.output', jsonOf(pick(row, 'output'))],
      ...traceAttributes(row),
    ]),
  };
}

const traceAttributes = (row: Row) =>
  [
    [
      'langfuse.trace.name',
      textAt(row, 'traceName', 'trace_name') || (kindOf(row) === 'trace' ? textAt(row, 'name') : ''),
    ],
    ['user.id', textAt(row, 'userId', 'user_id')],
    ['session.id', textAt(row, 'sessionId', 'session_id')],
    ['langfuse.trace.tags', jsonOf(pick(row, 'tags'))],
    ['langfuse.trace.metadata', kindOf(row) === 'trace' ? jsonOf(pick(row, 'metadata')) : undefined],
  ] as const;

function observationOf(row: Row, traceId: string, start: bigint, trace: TraceFacts | undefined): Span {
  const id = textAt(row, 'id');
  const parent = textAt(row, 'parentObservationId', 'parent_observation_id');
  const end = nanosOf(pick(row, 'endTime', 'end_time'));
  const level = textAt(row, 'level').toUpperCase();
  const message = textAt(row, 'statusMessage', 'status_message');
  const usage = objectOf(pick(row, 'usageDetails', 'usage_details', 'usage'));
  const cost = objectOf(pick(row, 'costDetails', 'cost_details'));
  const total = numberAt(row, 'totalCost', 'total_cost', 'calculatedTotalCost', 'calculated_total_cost');
  const above =
    parent !== ''
      ? spanIdOf(parent)
      : trace !== undefined && trace.roots !== 1
        ? spanIdOf(`trace:${traceId}`)
        : undefined;
  return {
    traceId: traceIdOf(traceId),
    spanId: spanIdOf(id),
    ...(above === undefined ? {} : { parentSpanId: above }),
    name: textAt(row, 'name') || textAt(row, 'type').toLowerCase(),
    kind: 1,
    startTimeUnixNano: start,
    endTimeUnixNano: end ?? start,
    status: level === 'ERROR' ? { code: 2, message } : {},
    attributes: attributesOf([
      ...(trace === undefined ? [] : traceAttributes(trace.row)),
      ...traceAttributes(row).filter(([, value]) => value !== '' && value !== undefined),
      ['langfuse.observation.type', textAt(row, 'type').toLowerCase()],
      ['langfuse.observation.level', level === 'DEFAULT' ? '' : level],
      ['langfuse.observation.status_message', message],
      ['langfuse.observation.model.name', textAt(row, 'model', 'providedModelName', 'provided_model_name')],
      ['langfuse.observation.model.parameters', jsonOf(pick(row, 'modelParameters', 'model_parameters'))],
      ['langfuse.observation.input', jsonOf(pick(row, 'input'))],
      ['langfuse.observation.output', jsonOf(pick(row, 'output'))],
      ['langfuse.observation.metadata', jsonOf(pick(row, 'metadata'))],
      [
        'langfuse.observation.usage_details',
        Object.keys(usage).length === 0 ? undefined : jsonOf(countsIn(usage)),
      ],
      [
        'langfuse.observation.cost_details',
        Object.keys(cost).length > 0 ? jsonOf(cost) : total === undefined ? undefined : jsonOf({ total }),
      ],
      [
        'langfuse.observation.completion_start_time',
        isoOf(pick(row, 'completionStartTime', 'completion_start_time')),
      ],
      ['langfuse.observation.prompt.name', textAt(row, 'promptName', 'prompt_name')],
      ['langfuse.observation.prompt.version', textAt(row, 'promptVersion', 'prompt_version')],
      ['langfuse.version', textAt(row, 'version')],
    ]),
  };
}

/** Older exports say `promptTokens` or `input` with a unit beside. */
function countsIn(usage: Row): Row {
  return Object.fromEntries(
    Object.entries(usage).flatMap(([key, value]) => {
      const name = { promptTokens: 'input', completionTokens: 'output', totalTokens: 'total' }[key] ?? key;
      const count = typeof value === 'boolean' ? Number.NaN : Number(value ?? Number.NaN);
      return Number.isFinite(count) && !/cost|unit/i.test(key) ? [[name, count]] : [];
    }),
  );
}

function isoOf(value: unknown): string | undefined {
  const at = nanosOf(value);
  return at === undefined ? undefined : new Date(Number(at / 1_000_000n)).toISOString();
}

function scoreOf(row: Row, options: ImportOptions, notes: ImportNotes): ImportRecord | undefined {
  const at = nanosOf(pick(row, 'timestamp', 'createdAt', 'created_at', 'updatedAt', 'updated_at'));
  const trace = textAt(row, 'traceId', 'trace_id');
  const session = textAt(row, 'sessionId', 'session_id');
  if (at === undefined || (trace === '' && session === '')) {
    notes.skipped(at === undefined ? 'a score has no time' : 'a score belongs to no trace or session');
    return undefined;
  }
  const observation = textAt(row, 'observationId', 'observation_id');
  const label = textAt(row, 'stringValue', 'string_value');
  return {
    signal: 'logs',
    resource: { attributes: attributesOf([['service.name', options.service]]) },
    scope: SCOPE,
    log: scoreLog({
      from: 'langfuse',
      id: textAt(row, 'id') || `${trace}/${observation}/${textAt(row, 'name')}`,
      name: textAt(row, 'name'),
      at,
      traceId: trace === '' ? undefined : traceIdOf(trace),
      spanId: observation === '' ? undefined : spanIdOf(observation),
      sessionId: session,
      value: /categorical/i.test(textAt(row, 'dataType', 'data_type')) ? undefined : numberAt(row, 'value'),
      label,
      explanation: textAt(row, 'comment'),
      source: textAt(row, 'source'),
    }),
  };
}
