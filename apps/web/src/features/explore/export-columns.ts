import type { ExceptionGroup, ExportKind, LogRow, SpanRow, TraceRow } from '@candela/contract';

/** Fields of a row by the id of the column that shows them. */
type FieldsOf<Row> = ReadonlyMap<string, readonly (keyof Row & string)[]>;

/** What of a row each column of a page shows: nothing for charts. */
export const FIELDS_OF: {
  readonly traces: FieldsOf<TraceRow>;
  readonly spans: FieldsOf<SpanRow>;
  readonly logs: FieldsOf<LogRow>;
  readonly exceptions: FieldsOf<ExceptionGroup>;
} = {
  traces: new Map([
    ['status', ['status']],
    ['start', ['startTime']],
    ['name', ['rootName']],
    ['service', ['rootService']],
    ['duration', ['durationMs']],
    ['spans', ['spanCount', 'errorCount']],
    ['models', ['models']],
    ['tokens', ['inputTokens', 'outputTokens']],
    ['cost', ['costUsd']],
    ['preview', ['preview']],
    ['session', ['sessionId']],
    ['user', ['userId']],
    ['environment', ['environment']],
    ['traceId', ['traceId']],
  ]),
  spans: new Map([
    ['status', ['status']],
    ['start', ['startTime']],
    ['name', ['name']],
    ['service', ['service']],
    ['duration', ['durationMs']],
    ['ttft', ['timeToFirstTokenMs']],
    ['operation', ['operation']],
    ['model', ['model']],
    ['agent', ['agent']],
    ['tool', ['tool']],
    ['tokens', ['inputTokens', 'outputTokens']],
    ['cost', ['costUsd']],
    ['error', ['errorType', 'statusMessage']],
    ['user', ['userId']],
    ['session', ['sessionId']],
    ['environment', ['environment']],
  ]),
  logs: new Map([
    ['time', ['timestamp']],
    ['severity', ['severity']],
    ['service', ['service']],
    ['body', ['body']],
    ['trace', ['traceId']],
    ['event', ['eventName']],
    ['environment', ['environment']],
    ['scope', ['scopeName']],
    ['severity_text', ['severityText']],
    ['span', ['spanId']],
  ]),
  exceptions: new Map([
    ['exception', ['type', 'message']],
    ['trend', []],
    ['count', ['count']],
    ['users', ['users']],
    ['traces', ['traces']],
    ['service', ['service', 'services']],
    ['models', ['models']],
    ['lastSeen', ['lastSeen']],
    ['firstSeen', ['firstSeen']],
  ]),
};

/**
 * The columns of a file for those of a page. `shown`: what they show, in their order. `all`: every field of the row, and
 * beside them the attributes that the page has columns for. Undefined: whatever the format has by itself.
 */
export function exportColumns(
  signal: ExportKind,
  format: 'csv' | 'json',
  choice: 'shown' | 'all',
  shown: readonly string[],
): string[] | undefined {
  const fields: ReadonlyMap<string, readonly string[]> = signal === 'metrics' ? new Map() : FIELDS_OF[signal];
  const attributes = shown.filter((id) => !fields.has(id));
  if (choice === 'all') return format === 'csv' && attributes.length > 0 ? ['*', ...attributes] : undefined;
  const columns = shown.flatMap((id) => fields.get(id) ?? [id]);
  return columns.length === 0 ? undefined : columns;
}
