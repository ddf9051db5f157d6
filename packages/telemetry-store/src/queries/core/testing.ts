import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RequestContext, SCOPES, silentLogger, type Signal } from '@candela/kernel';
import {
  DEFAULT_LIMITS,
  encodeLogsRequest,
  encodeMetricsRequest,
  encodeTraceRequest,
  type LogRecord,
  type Metric,
  type Scope,
  type Span,
} from '@candela/otlp';
import { openTelemetryStore, type StoreSnapshot, type TelemetryStore } from '../../client/open.ts';
import { newStoreIn } from '../../testing/migrated.ts';
import { encodeRequest } from '../../writer/encode/index.ts';
import { createTelemetryQueries, type QueryLimits, type TelemetryQueries } from '../index.ts';

/** For tests: the queries over a real engine in a temporary directory, and a way to put spans there. */
export interface QueryBench {
  readonly store: TelemetryStore;
  readonly queries: TelemetryQueries;
  put(spans: readonly Span[], place?: Place): Promise<void>;
  putLogs(records: readonly LogRecord[], place?: Place): Promise<void>;
  putMetrics(metrics: readonly Metric[], place?: Place): Promise<void>;
  /** A request as somebody sent it, in protobuf. */
  receive(signal: Signal, body: Uint8Array, place?: Pick<Place, 'project' | 'environment'>): Promise<void>;
  close(): Promise<void>;
}

interface Place {
  readonly project?: string;
  readonly environment?: string;
  readonly service?: string;
  readonly resource?: Readonly<Record<string, string>>;
  readonly scope?: Scope;
}

const TEST_SCOPE: Scope = { name: 'test', version: '1' };

export const BASE_MS = Date.UTC(2026, 10, 20, 12, 0, 0);
export const LIMITS: QueryLimits = {
  timeoutMs: 30_000,
  maxRowsToRead: 1_000_000_000,
  maxMemoryBytes: 1_000_000_000,
};

export function contextOf(project = 'default', environment?: string): RequestContext {
  return {
    principal: { kind: 'anonymous' },
    organisationId: 'default',
    projectId: project,
    environment,
    databaseConfigId: 'embedded',
    scopes: new Set(SCOPES),
    requestId: 'test',
  };
}

/** @param options `attributeColumns: 0` where a test asks of an attribute that must get no column meanwhile */
export async function openQueryBench(
  options: { readonly attributeColumns?: number; readonly textIndex?: boolean } = {},
): Promise<QueryBench> {
  const dir = await mkdtemp(join(tmpdir(), 'candela-queries-'));
  const store = await openTelemetryStore({
    kind: 'embedded',
    dataDir: newStoreIn(dir),
    logger: silentLogger,
    ...options,
  });
  let token = 0;
  async function insert(signal: Signal, body: Uint8Array, place: Place): Promise<void> {
    const { blocks, rejected, message } = encodeRequest(signal, 'protobuf', body, {
      projectId: place.project ?? 'default',
      environment: place.environment,
      defaultEnvironment: 'production',
      receivedAtMs: Date.now(),
      retentionDays: 30,
      limits: DEFAULT_LIMITS,
    });
    if (rejected > 0) throw new Error(message);
    for (const block of blocks) await store.insertNative(block.table, [block.bytes], `t${token++}`);
  }
  return {
    store,
    queries: createTelemetryQueries(store, LIMITS),
    receive: (signal, body, place = {}) => insert(signal, body, place),
    put: (spans, place = {}) =>
      insert(
        'traces',
        encodeTraceRequest({
          resourceSpans: [
            {
              resource: { attributes: { 'service.name': place.service ?? 'shop', ...place.resource } },
              scopeSpans: [{ scope: place.scope ?? TEST_SCOPE, spans }],
            },
          ],
        }),
        place,
      ),
    putMetrics: (metrics, place = {}) =>
      insert(
        'metrics',
        encodeMetricsRequest({
          resourceMetrics: [
            {
              resource: { attributes: { 'service.name': place.service ?? 'shop', ...place.resource } },
              scopeMetrics: [{ scope: place.scope ?? TEST_SCOPE, metrics }],
            },
          ],
        }),
        place,
      ),
    putLogs: (logRecords, place = {}) =>
      insert(
        'logs',
        encodeLogsRequest({
          resourceLogs: [
            {
              resource: { attributes: { 'service.name': place.service ?? 'shop', ...place.resource } },
              scopeLogs: [{ scope: place.scope ?? TEST_SCOPE, logRecords }],
            },
          ],
        }),
        place,
      ),
    async close() {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A number as a hex id of that many digits. */
export const id = (number: number, digits: 16 | 32): string => number.toString(16).padStart(digits, '0');

/** A span `atMs` after the base time. */
export function span(trace: number, own: number, atMs: number, changes: Partial<Span> = {}): Span {
  const start = BigInt(Math.round((BASE_MS + atMs) * 1_000)) * 1_000n;
  return {
    traceId: id(trace, 32),
    spanId: id(own, 16),
    name: `span ${own}`,
    kind: 2,
    startTimeUnixNano: start,
    endTimeUnixNano: start + 5_000_000n,
    ...changes,
  };
}

/** The store, and the statements it was asked, blanks folded: a test states the SQL and the engine runs it. */
export function recordStatements(store: TelemetryStore): {
  readonly store: TelemetryStore;
  readonly statements: string[];
  /** The values bound in each. */
  readonly values: Readonly<Record<string, unknown>>[];
} {
  const statements: string[] = [];
  const values: Readonly<Record<string, unknown>>[] = [];
  const record = (sql: string, params: Readonly<Record<string, unknown>> = {}) => {
    statements.push(sql.replaceAll(/\s+/g, ' ').trim());
    values.push(params);
  };
  const recording: TelemetryStore = {
    select: (sql, params, options) => {
      record(sql, params);
      return store.select(sql, params, options);
    },
    stream: (sql, params, options) => {
      record(sql, params);
      return store.stream(sql, params, options);
    },
    get ownParts() {
      return store.ownParts;
    },
    snapshot: () => store.snapshot?.() ?? Promise.resolve(PLAIN_STORE),
    command: (sql, params, options) => store.command(sql, params, options),
    insertNative: (table, parts, token) => store.insertNative(table, parts, token),
    health: () => store.health(),
    on: (event, listener) => store.on(event, listener),
    close: () => store.close(),
  };
  return { store: recording, statements, values };
}

const PLAIN_STORE: StoreSnapshot = {
  columnOf: () => undefined,
  indexesWords: () => false,
  indexesItems: () => false,
};

/** A store with an index of the words of these tables. */
export const indexing = (...tables: readonly string[]): StoreSnapshot => ({
  ...PLAIN_STORE,
  indexesWords: (table) => tables.includes(table),
  indexesItems: (table) => tables.includes(table),
});
