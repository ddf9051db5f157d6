import type { ExportKind, EventKind } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { ReadStores } from '../core/stores.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { ExportRow, ExportSource, OtlpRecord, RawMaps } from './export-source.ts';
import { countList, listPages, type ListKind } from './lists.ts';
import { LOG_EXPORT } from './logs.ts';
import { countExport, type ExportInput, exportPages, type ExportSize } from './pages.ts';
import { SPAN_EXPORT } from './spans.ts';

export type { ExportRow } from './export-source.ts';
export type { ListKind } from './lists.ts';
export type { ExportInput, ExportSize } from './pages.ts';

/** Of one line of OTLP JSON, which a receiver takes as one request; only a record that is larger alone makes a longer one. */
const LINE_CHARACTERS = 2_000_000;

/** Reads for exports: page by page, bounded in memory. @throws bad_query, query_too_expensive, store_unavailable */
export interface ExportQueries {
  /** How many rows the file will hold, and whether more match. */
  count(
    context: RequestContext,
    signal: ExportKind,
    input: ExportInput,
    abort: AbortSignal,
  ): Promise<ExportSize>;
  /** Rows of a list whose rows are no records of their own. */
  list(
    context: RequestContext,
    signal: ListKind,
    input: ExportInput,
    abort: AbortSignal,
  ): AsyncIterable<object[]>;
  rows(
    context: RequestContext,
    signal: EventKind,
    input: ExportInput,
    abort: AbortSignal,
  ): AsyncIterable<ExportRow[]>;
  /** OTLP export requests as JSON texts, one after another. */
  otlp(
    context: RequestContext,
    signal: EventKind,
    input: ExportInput,
    abort: AbortSignal,
  ): AsyncIterable<string>;
}

/** Whether records are exported, else the rows of a list. */
export const isOtlp = (signal: ExportKind): signal is EventKind => signal === 'spans' || signal === 'logs';

/** Calls `use` with the source of a signal, whose raw rows only it knows. */
function withSource<T>(signal: EventKind, use: <Raw>(source: ExportSource<Raw>) => T): T {
  return signal === 'spans' ? use(SPAN_EXPORT) : use(LOG_EXPORT);
}

export function createExportQueries(stores: ReadStores, limits: QueryLimits): ExportQueries {
  async function* rowsOf<Raw>(
    source: ExportSource<Raw>,
    context: RequestContext,
    input: ExportInput,
    abort: AbortSignal,
  ): AsyncGenerator<ExportRow[]> {
    for await (const page of exportPages(runner(stores, limits, 'export', abort), context, source, input)) {
      yield page.map((raw) => toExportRow(source, raw, input.scores));
    }
  }

  async function* otlpOf<Raw>(
    source: ExportSource<Raw>,
    context: RequestContext,
    input: ExportInput,
    abort: AbortSignal,
  ): AsyncGenerator<string> {
    for await (const page of exportPages(runner(stores, limits, 'export', abort), context, source, input)) {
      let records: OtlpRecord[] = [];
      let size = 0;
      for (const raw of page) {
        const record = source.toOtlp(raw);
        const length = JSON.stringify(record.record).length + record.resourceKey.length;
        if (size + length > LINE_CHARACTERS && records.length > 0) {
          yield requestText(source.lists, records);
          records = [];
          size = 0;
        }
        records.push(record);
        size += length;
      }
      if (records.length > 0) yield requestText(source.lists, records);
    }
  }

  return {
    count(context, signal, input, abort) {
      const own = runner(stores, limits, 'export', abort);
      return isOtlp(signal)
        ? withSource(signal, ({ reader }) => countExport(own, context, reader.source, input))
        : countList(own, context, signal, input);
    },
    list: (context, signal, input, abort) =>
      listPages(runner(stores, limits, 'export', abort), context, signal, input),
    rows: (context, signal, input, abort) =>
      withSource(signal, (source) => rowsOf(source, context, input, abort)),
    otlp: (context, signal, input, abort) =>
      withSource(signal, (source) => otlpOf(source, context, input, abort)),
  };
}

function toExportRow<Raw>(
  source: ExportSource<Raw>,
  raw: Raw & RawMaps,
  scores: readonly string[] = [],
): ExportRow {
  const row = source.reader.toRow(raw as Readonly<Record<string, unknown>>, 0);
  return {
    row: source.whole(row, raw),
    attributes: { keys: raw.AttributeKeys, values: raw.AttributeValues, types: raw.AttributeTypes },
    resource: { keys: raw.ResourceKeys, values: raw.ResourceValues },
    scope: { keys: raw.ScopeKeys, values: raw.ScopeValues },
    ...(scores.length === 0
      ? {}
      : { scores: new Map(scores.map((name, at) => [name, raw.Scores?.[at] ?? ''])) }),
  };
}

/** One export request: records under their scopes under their resources, in the order given. */
function requestText(lists: ExportSource<never>['lists'], records: readonly OtlpRecord[]): string {
  const resources = new Map<string, Map<string, OtlpRecord[]>>();
  for (const record of records) {
    const scopes = resources.get(record.resourceKey) ?? new Map<string, OtlpRecord[]>();
    resources.set(record.resourceKey, scopes);
    const own = scopes.get(record.scopeKey) ?? [];
    scopes.set(record.scopeKey, own);
    own.push(record);
  }
  const request = {
    [lists.resources]: [...resources.values()].map((scopes) => {
      const [first] = scopes.values();
      return {
        resource: first?.[0]?.resource,
        schemaUrl: first?.[0]?.resourceSchemaUrl,
        [lists.scopes]: [...scopes.values()].map((own) => ({
          scope: own[0]?.scope,
          schemaUrl: own[0]?.scopeSchemaUrl,
          [lists.records]: own.map(({ record }) => record),
        })),
      };
    }),
  };
  return JSON.stringify(request);
}
