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

const SCOPE = { name: 'import.langsmith' };
const META = 'langsmith.metadata.';
const MOST_FEEDBACK = 100;

/** LangSmith: runs of its bulk export (Parquet), of `list_runs` as JSON Lines, and of its API. */
export const langsmith: ImportFormat = {
  name: 'langsmith',
  summary: 'LangSmith: runs of the bulk export (Parquet), or of the API as JSON or JSON Lines',
  recognises: (row) =>
    row !== undefined && pick(row, 'run_type') !== undefined && pick(row, 'start_time') !== undefined,
  async *read(files, options, notes) {
    for (const file of files) {
      for await (const row of rowsOf(file, notes)) yield* runsOf(row, undefined, options, notes, 0);
    }
  },
};

const DEEPEST = 200;

/** A run, and those that it holds within it. */
function* runsOf(
  row: Row,
  above: Row | undefined,
  options: ImportOptions,
  notes: ImportNotes,
  depth: number,
): Generator<ImportRecord> {
  const id = textAt(row, 'id', 'run_id');
  const start = nanosOf(pick(row, 'start_time'));
  const root = /^[^Z]*Z([0-9a-f-]{36})/i.exec(textAt(row, 'dotted_order'))?.[1];
  const trace =
    textAt(row, 'trace_id') || root || (above === undefined ? '' : textAt(above, 'trace_id')) || id;
  if (id === '' || start === undefined) {
    notes.skipped(id === '' ? 'a run has no id' : 'a run has no start time that can be read');
    return;
  }
  const run = { ...row, id, trace_id: trace };
  const parent = textAt(row, 'parent_run_id') || (above === undefined ? '' : textAt(above, 'id'));
  const resource = {
    attributes: attributesOf([['service.name', textAt(row, 'session_name') || options.service]]),
  };
  const error = textAt(row, 'error');
  const end = nanosOf(pick(row, 'end_time'));
  yield {
    signal: 'traces',
    resource,
    scope: SCOPE,
    span: {
      traceId: traceIdOf(trace),
      spanId: spanIdOf(id),
      ...(parent === '' ? {} : { parentSpanId: spanIdOf(parent) }),
      name: textAt(row, 'name') || textAt(row, 'run_type'),
      kind: 1,
      startTimeUnixNano: start,
      endTimeUnixNano: end ?? start,
      status:
        error === '' && textAt(row, 'status') !== 'error' ? {} : { code: 2, message: error.slice(0, 8_000) },
      attributes: attributesOf(attributesOfRun(run)),
    },
  };
  let feedback = 0;
  for (const [name, stats] of Object.entries(objectOf(pick(row, 'feedback_stats')))) {
    const value = isObject(stats) ? numberAt(stats, 'avg') : undefined;
    if (value === undefined || ++feedback > MOST_FEEDBACK) continue;
    yield {
      signal: 'logs',
      resource,
      scope: SCOPE,
      log: scoreLog({
        from: 'langsmith',
        id: `${id}/${name}`,
        name,
        at: end ?? start,
        traceId: traceIdOf(trace),
        spanId: spanIdOf(id),
        value,
        source: 'feedback',
      }),
    };
  }
  for (const child of listOf(pick(row, 'child_runs'))) {
    if (isObject(child) && depth < DEEPEST) yield* runsOf(child, run, options, notes, depth + 1);
  }
}

type Entry = readonly [string, AttributeValue | undefined];

function attributesOfRun(row: Row): Entry[] {
  const extra = objectOf(pick(row, 'extra'));
  const metadata = objectOf(pick(extra, 'metadata'));
  const parameters = objectOf(pick(extra, 'invocation_params'));
  const kind = textAt(row, 'run_type').toLowerCase();
  const isCall = kind === 'llm' || kind === 'embedding';
  const cost = numberAt(row, 'total_cost');
  const prompt = numberAt(row, 'prompt_tokens', 'input_tokens');
  const completion = numberAt(row, 'completion_tokens', 'output_tokens');
  const usage = {
    ...(prompt === undefined ? {} : { input_tokens: prompt }),
    ...(completion === undefined ? {} : { output_tokens: completion }),
    ...(cost === undefined ? {} : { total_cost: cost }),
    ...details('input_token_details', pick(row, 'prompt_token_details')),
    ...details('output_token_details', pick(row, 'completion_token_details')),
  };
  const keys = Object.entries(metadata).filter(([key]) => key !== 'usage_metadata');
  return [
    ...keys.map(([key, value]): Entry => [META + key, isObject(value) ? jsonOf(value) : attributeOf(value)]),
    ['langsmith.span.kind', kind],
    ['langsmith.trace.name', textAt(row, 'session_name')],
    ['gen_ai.prompt', jsonOf(pick(row, 'inputs'))],
    ['gen_ai.completion', jsonOf(pick(row, 'outputs'))],
    ['langsmith.span.tags', jsonOf(pick(row, 'tags'))],
    // Runs above a call carry the sum of what is below them: that would be counted twice.
    ...(isCall && Object.keys(usage).length > 0
      ? [['langsmith.usage_metadata', jsonOf(usage)] as const]
      : []),
    ...(isCall
      ? ([
          [
            'gen_ai.request.model',
            textAt(parameters, 'model', 'model_name') || textAt(metadata, 'ls_model_name'),
          ],
          ['gen_ai.request.temperature', numberAt(parameters, 'temperature')],
          ['gen_ai.request.max_tokens', numberAt(parameters, 'max_tokens')],
        ] as const)
      : []),
  ];
}

function details(name: string, value: unknown): Row {
  const found = objectOf(value);
  return Object.keys(found).length === 0 ? {} : { [name]: found };
}
