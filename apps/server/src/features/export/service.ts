import { EXPORT_HEADERS, type ExportFormat, type ExportKind, type EventKind } from '@candela/contract';
import { type Clock, fail, type RequestContext } from '@candela/kernel';
import { type ExportInput, type ExportQueries, type ExportRow, isOtlp } from '@candela/telemetry-store';
import type { FileAnswer } from '../../http/stream-answer.ts';
import { attributeObject, type Column, columnsOf, scoresOf } from './columns.ts';
import { csvLine } from './formats/csv.ts';

export interface ExportParts {
  readonly queries: ExportQueries;
  readonly clock: Clock;
  /** Rows one export may hold. */
  readonly maxRows: number;
}

export interface ExportAsk {
  readonly signal: ExportKind;
  readonly format: ExportFormat;
  readonly columns: readonly string[] | undefined;
  readonly input: ExportInput;
}

const NO_ATTRIBUTES = { keys: [], values: [], types: '' };

const FORMATS: Record<ExportFormat, { readonly contentType: string; readonly ending: string }> = {
  csv: { contentType: 'text/csv; charset=utf-8', ending: 'csv' },
  json: { contentType: 'application/x-ndjson', ending: 'jsonl' },
  otlp: { contentType: 'application/x-ndjson', ending: 'otlp.jsonl' },
};

/** Exports: a file made page by page while it is sent. */
export function createExport({ queries, clock, maxRows }: ExportParts) {
  async function* pages(
    context: RequestContext,
    ask: ExportAsk,
    abort: AbortSignal,
  ): AsyncGenerator<ExportRow[]> {
    const { signal } = ask;
    if (isOtlp(signal)) {
      yield* queries.rows(context, signal, ask.input, abort);
      return;
    }
    for await (const page of queries.list(context, signal, ask.input, abort)) {
      const none = { attributes: NO_ATTRIBUTES, resource: NO_ATTRIBUTES, scope: NO_ATTRIBUTES };
      yield page.map((row) => ({ row: row as ExportRow['row'], ...none }));
    }
  }

  async function* csv(
    context: RequestContext,
    ask: ExportAsk,
    columns: readonly Column[],
    abort: AbortSignal,
  ): AsyncGenerator<string> {
    let head = csvLine(columns.map(({ name }) => name));
    for await (const page of pages(context, ask, abort)) {
      yield head + page.map((row) => csvLine(columns.map((column) => column.value(row)))).join('');
      head = '';
    }
    if (head !== '') yield head;
  }

  async function* json(
    context: RequestContext,
    ask: ExportAsk,
    columns: readonly Column[] | undefined,
    abort: AbortSignal,
  ): AsyncGenerator<string> {
    for await (const page of pages(context, ask, abort)) {
      yield page.map((row) => `${JSON.stringify(toObject(ask.signal, row, columns))}\n`).join('');
    }
  }

  async function* otlp(
    context: RequestContext,
    signal: EventKind,
    input: ExportInput,
    abort: AbortSignal,
  ): AsyncGenerator<string> {
    for await (const request of queries.otlp(context, signal, input, abort)) yield `${request}\n`;
  }

  function parts(context: RequestContext, ask: ExportAsk, abort: AbortSignal): AsyncIterable<string> {
    const { signal, format } = ask;
    if (format === 'csv') return csv(context, ask, columnsOf(signal, ask.columns), abort);
    if (format === 'json') {
      return json(
        context,
        ask,
        ask.columns === undefined ? undefined : columnsOf(signal, ask.columns),
        abort,
      );
    }
    if (!isOtlp(signal)) {
      throw fail('bad_query', { detail: `OTLP holds records, not rows of ${signal}: export spans or logs.` });
    }
    if (ask.columns !== undefined) {
      throw fail('bad_query', { detail: 'OTLP holds whole records: leave "columns" out.' });
    }
    return otlp(context, signal, ask.input, abort);
  }

  return async (context: RequestContext, asked: ExportAsk, abort: AbortSignal): Promise<FileAnswer> => {
    const limit = Math.min(asked.input.limit, maxRows);
    const scores = scoresOf(asked.signal, asked.columns);
    const ask = { ...asked, input: { ...asked.input, limit, scores } };
    const made = parts(context, ask, abort);
    const { rows, more } = await queries.count(context, ask.signal, ask.input, abort);
    const { contentType, ending } = FORMATS[ask.format];
    const stamp = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
    return {
      contentType,
      fileName: `candela-${ask.signal}-${stamp}Z.${ending}`,
      headers: {
        [EXPORT_HEADERS.rows]: String(rows),
        [EXPORT_HEADERS.cut]: String(more),
      },
      parts: made,
    };
  };
}

function toObject(signal: ExportKind, row: ExportRow, columns: readonly Column[] | undefined): object {
  if (columns !== undefined) {
    return Object.fromEntries(columns.map((column) => [column.name, column.value(row) ?? null]));
  }
  if (!isOtlp(signal)) return row.row;
  return {
    ...row.row,
    attributes: attributeObject(row, 'attributes'),
    resource: attributeObject(row, 'resource'),
    scope: attributeObject(row, 'scope'),
  };
}
