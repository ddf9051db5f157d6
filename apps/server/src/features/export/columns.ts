import {
  type Attribute,
  exceptionGroupSchema,
  MAP_SOURCES,
  type MapSource,
  spanRowSchema,
  traceRowSchema,
  logRowSchema,
  metricRowSchema,
} from '@candela/contract';
import type { ExportKind } from '@candela/contract';
import { fail } from '@candela/kernel';
import { type ExportRow, isOtlp, toAttributes } from '@candela/telemetry-store';

/** One column of an export: how it is called and what it holds. */
export interface Column {
  readonly name: string;
  value(row: ExportRow): unknown;
}

const MORE: Record<ExportKind, readonly string[]> = {
  traces: [],
  exceptions: [],
  metrics: [],
  spans: ['startTimeUnixNano', 'endTimeUnixNano', 'traceState', 'flags', 'scopeName', 'scopeVersion'],
  logs: ['scopeVersion'],
};
/** Of a row what no file has a column for: parts of lists, charts. */
const LEFT_OUT = new Set(['bodyTruncated', 'fields', 'trend']);
const ROWS = {
  traces: traceRowSchema,
  spans: spanRowSchema,
  logs: logRowSchema,
  exceptions: exceptionGroupSchema,
  metrics: metricRowSchema,
} satisfies Record<ExportKind, unknown>;

/** Fields of a row, in the order of the search's answer. */
function rowFields(signal: ExportKind): readonly string[] {
  return [...Object.keys(ROWS[signal].shape).filter((field) => !LEFT_OUT.has(field)), ...MORE[signal]];
}

const SCORE = 'score.';
/** Scores that one export may tell: each is looked up for every row. */
const MOST_SCORES = 20;
const scoreNameOf = (column: string): string | undefined =>
  column.startsWith(SCORE) && column.length > SCORE.length ? column.slice(SCORE.length) : undefined;

/** Names of the scores among the columns asked for. @throws bad_query */
export function scoresOf(signal: ExportKind, wanted: readonly string[] = []): string[] {
  if (signal !== 'spans') return [];
  const names = [...new Set(wanted.flatMap((name) => scoreNameOf(name) ?? []))];
  if (names.length > MOST_SCORES)
    throw fail('bad_query', { detail: `An export has at most ${MOST_SCORES} columns of scores.` });
  return names;
}

/** Stands among columns for all fields of the row. */
const ALL = '*';

/** The columns asked for, else one for every field of the row. @throws bad_query */
export function columnsOf(signal: ExportKind, wanted: readonly string[] = [ALL]): Column[] {
  const fields = rowFields(signal);
  const names = wanted.flatMap((name) => (name === ALL ? fields : [name]));
  return [...new Set(names)].map((name): Column => {
    if (fields.includes(name)) return { name, value: ({ row }) => row[name] };
    const score = signal === 'spans' ? scoreNameOf(name) : undefined;
    if (score !== undefined) return { name, value: ({ scores }) => scores?.get(score) || null };
    const source = !isOtlp(signal) ? undefined : MAP_SOURCES.find((one) => name.startsWith(`${one}.`));
    if (source === undefined) {
      const keys = !isOtlp(signal)
        ? ''
        : `, or attributes.<key>, resource.<key>, scope.<key>${signal === 'spans' ? ', score.<name>' : ''}`;
      throw fail('bad_query', {
        detail: `There is no column "${name.slice(0, 80)}". Columns of ${signal} are ${fields.join(', ')}${keys}; * is all fields.`,
      });
    }
    const key = name.slice(source.length + 1);
    return { name, value: (row) => attributeOf(row, source, key)?.value };
  });
}

function attributeOf(row: ExportRow, source: MapSource, key: string): Attribute | undefined {
  const stored = row[source];
  const at = stored.keys.indexOf(key);
  if (at < 0) return undefined;
  const letter = source === 'attributes' ? row.attributes.types.charAt(at) : '';
  return toAttributes({ keys: [key], values: [stored.values[at] ?? ''] }, letter)[0];
}

/** All attributes of a source as an object; of a key that occurs twice the last. */
export function attributeObject(row: ExportRow, source: MapSource): object {
  const types = source === 'attributes' ? row.attributes.types : '';
  return Object.fromEntries(toAttributes(row[source], types).map(({ key, value }) => [key, value]));
}
