import { setTimeout as sleep } from 'node:timers/promises';
import {
  decodeExportResponse,
  encodeLogsRequest,
  encodeMetricsRequest,
  encodeTraceRequest,
  type LogRecord,
  type Span,
} from '@candela/otlp';
import type { Signal } from '@candela/kernel';
import { NotDoneError } from '../command.ts';
import type { ImportRecord } from './format.ts';
import { IMPORT_ID } from './scores.ts';

/** Ids that one question may hold. */
const BATCH_RECORDS = 200;
/** Well below what a receiver takes at once. */
const BATCH_BYTES = 4 * 1024 * 1024;
const TRIES = 8;
const FIRST_WAIT_MS = 250;
/** Undecodable, and too large. */
const REFUSES_RECORDS: ReadonlySet<number> = new Set([400, 413]);

export interface ImportCounts {
  sent: number;
  /** The platform had them, or the files hold them twice. */
  known: number;
  /** Refused by the platform, with its words. */
  rejected: number;
}

export interface ImportTarget {
  readonly url: string;
  /** None: a platform on this machine that asks nobody. */
  readonly key: string | undefined;
  readonly environment?: string | undefined;
}

export interface ImportReport {
  readonly counts: Readonly<Record<Signal, ImportCounts>>;
  /** Why records were refused, and how many. */
  readonly reasons: ReadonlyMap<string, number>;
}

type TraceRecord = Extract<ImportRecord, { signal: 'traces' }>;
type LogsRecord = Extract<ImportRecord, { signal: 'logs' }>;
interface Held<R> {
  readonly record: R;
  readonly id: string;
  readonly bytes: number;
}

/**
 * Sends records in batches, each after the question which of its ids are there. `dryRun`: asks and sends nothing.
 * @throws NotDoneError with what the platform says where it takes nothing at all
 */
export async function sendAll(
  records: AsyncIterable<ImportRecord>,
  target: ImportTarget,
  { dryRun, progress }: { readonly dryRun: boolean; progress(count: number): void },
): Promise<ImportReport> {
  const counts: Record<Signal, ImportCounts> = {
    traces: { sent: 0, known: 0, rejected: 0 },
    logs: { sent: 0, known: 0, rejected: 0 },
    metrics: { sent: 0, known: 0, rejected: 0 },
  };
  const reasons = new Map<string, number>();
  const spans = new Batch<TraceRecord>();
  const logs = new Batch<LogsRecord>();
  let total = 0;

  const refuse = (signal: Signal, count: number, reason: string) => {
    if (count === 0) return;
    counts[signal].rejected += count;
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  };
  const deliver = async (signal: Signal, body: Uint8Array, size: number) => {
    if (dryRun) {
      counts[signal].sent += size;
      return;
    }
    const { rejected, reason } = await post(target, signal, body, size);
    const refused = Math.min(rejected, size);
    counts[signal].sent += size - refused;
    refuse(signal, refused, reason);
  };
  /** Sends what a batch holds and the platform does not. */
  const flush = async <R extends TraceRecord | LogsRecord>(
    signal: R['signal'],
    batch: Batch<R>,
    known: (records: readonly R[], ids: readonly string[]) => Promise<ReadonlySet<string>>,
  ) => {
    const held = batch.take();
    if (held.length === 0) return;
    const there = dryRun
      ? new Set<string>()
      : await known(
          held.map(({ record }) => record),
          held.map(({ id }) => id),
        );
    const fresh = held.filter(({ id }) => !there.has(id));
    counts[signal].known += held.length - fresh.length;
    if (fresh.length > 0) await deliver(signal, encoded(fresh.map(({ record }) => record)), fresh.length);
  };
  const flushSpans = () =>
    flush('traces', spans, (records) =>
      knownSpans(
        target,
        records.map(({ span }) => span),
      ),
    );
  const flushLogs = () =>
    flush('logs', logs, (records, ids) =>
      knownLogs(
        target,
        records.map(({ log }) => log),
        ids,
      ),
    );

  const seen = new Set<string>();
  for await (const record of records) {
    progress(++total);
    if (record.signal === 'metrics') {
      const points = pointsIn(record.request);
      await deliver('metrics', encodeMetricsRequest(record.request), points);
      continue;
    }
    const id = idOf(record);
    if (seen.has(id)) {
      counts[record.signal].known++;
      continue;
    }
    seen.add(id);
    const bytes = hasPossibleTimes(record) ? sizeOf(record) : IMPOSSIBLE_TIME;
    if (typeof bytes === 'string') {
      refuse(record.signal, 1, bytes);
      continue;
    }
    const [batch, send] = record.signal === 'traces' ? [spans, flushSpans] : [logs, flushLogs];
    // Alone: a record that is too large for the platform takes none along.
    if (batch.hasNoRoomFor(bytes)) await send();
    if (record.signal === 'traces') spans.add({ record, id, bytes });
    else logs.add({ record, id, bytes });
    if (batch.isFull) await send();
  }
  await flushSpans();
  await flushLogs();
  return { counts, reasons };
}

class Batch<R> {
  #held: Held<R>[] = [];
  #bytes = 0;

  add(held: Held<R>): void {
    this.#held.push(held);
    this.#bytes += held.bytes;
  }

  get isFull(): boolean {
    return this.#held.length >= BATCH_RECORDS || this.#bytes >= BATCH_BYTES;
  }

  hasNoRoomFor(bytes: number): boolean {
    return this.#held.length > 0 && this.#bytes + bytes > BATCH_BYTES;
  }

  take(): Held<R>[] {
    const held = this.#held;
    this.#held = [];
    this.#bytes = 0;
    return held;
  }
}

const spanKey = (traceId: unknown, spanId: unknown): string => `${String(traceId)}/${String(spanId)}`;
const attributeAt = (log: LogRecord, key: string): unknown =>
  log.attributes instanceof Map ? log.attributes.get(key) : undefined;

function idOf(record: TraceRecord | LogsRecord): string {
  return record.signal === 'traces'
    ? spanKey(record.span.traceId, record.span.spanId)
    : String(attributeAt(record.log, IMPORT_ID));
}

/** Records of one signal as a request. @throws where a value has no place in OTLP, such as a time beyond 64 bits */
function encoded(records: readonly (TraceRecord | LogsRecord)[]): Uint8Array {
  const [first] = records;
  return first?.signal === 'logs'
    ? encodeLogsRequest({
        resourceLogs: records.flatMap((record) =>
          record.signal === 'logs'
            ? [{ resource: record.resource, scopeLogs: [{ scope: record.scope, logRecords: [record.log] }] }]
            : [],
        ),
      })
    : encodeTraceRequest({
        resourceSpans: records.flatMap((record) =>
          record.signal === 'traces'
            ? [{ resource: record.resource, scopeSpans: [{ scope: record.scope, spans: [record.span] }] }]
            : [],
        ),
      });
}

/** The bytes of a record. A sentence: why it cannot be sent; found before it is among others, which it would take along. */
function sizeOf(record: TraceRecord | LogsRecord): number | string {
  try {
    return encoded([record]).length;
  } catch (thrown) {
    return `it cannot be written as OTLP: ${(thrown as Error).message}`;
  }
}

/** Later times can be neither asked for nor shown. */
const LAST_NANOS = BigInt(Date.UTC(2243, 0)) * 1_000_000n;
const IMPOSSIBLE_TIME = 'a time lies before 1970 or after 2242';

/** Whether a file says times that there are: others are an error of whoever wrote it, and no time to ask for. */
function hasPossibleTimes(record: TraceRecord | LogsRecord): boolean {
  const times =
    record.signal === 'traces'
      ? [record.span.startTimeUnixNano, record.span.endTimeUnixNano]
      : [record.log.timeUnixNano, record.log.observedTimeUnixNano];
  return times.every((time) => BigInt(time ?? 0) >= 0n && BigInt(time ?? 0) <= LAST_NANOS);
}

function pointsIn({ resourceMetrics = [] }: { readonly resourceMetrics?: readonly object[] }): number {
  const text = JSON.stringify(resourceMetrics, (key, value: unknown) =>
    key === 'dataPoints' && Array.isArray(value)
      ? value.length
      : typeof value === 'bigint' || value instanceof Map
        ? 0
        : value,
  );
  return [...text.matchAll(/"dataPoints":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function knownSpans(target: ImportTarget, spans: readonly Span[]): Promise<Set<string>> {
  const rows = await ask(
    target,
    'spans',
    spans.map(({ startTimeUnixNano }) => startTimeUnixNano),
    {
      field: 'span_id',
      op: 'in',
      value: spans.map(({ spanId }) => String(spanId)),
    },
    ['traceId', 'spanId'],
  );
  return new Set(rows.map((row) => spanKey(row['traceId'], row['spanId'])));
}

async function knownLogs(
  target: ImportTarget,
  logs: readonly LogRecord[],
  ids: readonly string[],
): Promise<Set<string>> {
  const times = logs.map(({ timeUnixNano, observedTimeUnixNano }) =>
    BigInt(timeUnixNano ?? 0) > 0n ? timeUnixNano : observedTimeUnixNano,
  );
  const column = `attributes.${IMPORT_ID}`;
  const rows = await ask(target, 'logs', times, { field: column, op: 'in', value: ids }, [column]);
  return new Set(rows.map((row) => String(row[column])));
}

const authorised = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

/** Rows of a window around these times, with these columns. */
async function ask(
  { url, key }: ImportTarget,
  signal: 'spans' | 'logs',
  times: readonly unknown[],
  filter: object,
  columns: readonly string[],
): Promise<Record<string, unknown>[]> {
  const at = times.map((time) => Number(BigInt(String(time ?? 0)) / 1_000_000n));
  const response = await tried(() =>
    fetch(new URL('/api/telemetry/export', url), {
      method: 'POST',
      headers: { ...authorised(key), 'content-type': 'application/json' },
      body: JSON.stringify({
        signal,
        format: 'json',
        columns,
        filter,
        from: Math.max(0, Math.min(...at) - 1_000),
        to: Math.max(...at) + 1_000,
      }),
    }),
  );
  if (!response.ok)
    throw new NotDoneError(`What is there already cannot be asked for: ${await reasonOf(response)}`);
  const text = await response.text();
  try {
    return text
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
  } catch (thrown) {
    throw new NotDoneError(`${url} answers, and is no platform of this kind.`, { cause: thrown });
  }
}

async function post(
  { url, key, environment }: ImportTarget,
  signal: Signal,
  body: Uint8Array,
  size: number,
): Promise<{ rejected: number; reason: string }> {
  const response = await tried(() =>
    fetch(new URL(`/v1/${signal}`, url), {
      method: 'POST',
      headers: {
        ...authorised(key),
        'content-type': 'application/x-protobuf',
        ...(environment === undefined ? {} : { 'x-platform-environment': environment }),
      },
      body: Buffer.from(body),
    }),
  );
  // What is wrong with these records is not wrong with the next.
  if (REFUSES_RECORDS.has(response.status)) return { rejected: size, reason: await reasonOf(response) };
  if (!response.ok) throw new NotDoneError(`The platform takes no ${signal}: ${await reasonOf(response)}`);
  const taken = decodeExportResponse(signal, 'protobuf', new Uint8Array(await response.arrayBuffer()));
  return { rejected: taken.rejected, reason: taken.message };
}

async function tried(call: () => Promise<Response>): Promise<Response> {
  for (let turn = 1; ; turn++) {
    let response: Response | undefined;
    let trouble = '';
    try {
      response = await call();
    } catch (thrown) {
      trouble =
        (thrown as Error).cause instanceof Error
          ? ((thrown as Error).cause as Error).message
          : (thrown as Error).message;
    }
    if (response !== undefined && ![429, 502, 503, 504].includes(response.status)) return response;
    if (turn === TRIES) {
      if (response !== undefined) return response;
      throw new NotDoneError(`The platform does not answer: ${trouble}`);
    }
    const after = Number(response?.headers.get('retry-after') ?? Number.NaN);
    await sleep(Number.isFinite(after) ? Math.min(30, after) * 1_000 : FIRST_WAIT_MS * 2 ** (turn - 1));
  }
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { err, message } = JSON.parse(text) as { err?: string; message?: string };
    return err ?? message ?? `it answered ${response.status}.`;
  } catch {
    return `it answered ${response.status}.`;
  }
}
