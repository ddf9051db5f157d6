import { CandelaError, SIGNALS, type Signal } from '@candela/kernel';
import { decodeLogs, decodeMetrics, decodeTraces, type Format } from '@candela/otlp';
import type { AttributeValue } from '@candela/semconv';
import { NotDoneError } from '../command.ts';
import type { ImportFormat, ImportNotes, ImportRecord, Row } from './format.ts';
import { importIdOf } from './ids.ts';
import { bytesOf, linesOf } from './rows.ts';
import { IMPORT_ID } from './scores.ts';
import { isObject, pick } from './values.ts';

const KEYS = { traces: 'resourceSpans', logs: 'resourceLogs', metrics: 'resourceMetrics' } as const;

/** OTLP requests, one a line: files of the Collector and of Candela's own export. */
export const otlpJson: ImportFormat = {
  name: 'otlp-json',
  summary: 'OTLP as JSON Lines: the Collector, Candela, answers of APIs that give OTLP',
  recognises: (row) => row !== undefined && signalOf(row) !== undefined,
  async *read(files, _options, notes) {
    const seen = new Map<string, number>();
    for (const file of files) {
      let isFirst = true;
      let number = 0;
      for await (const line of linesOf(file)) {
        number += 1;
        if (line.trim() === '') continue;
        const row = parsed(line);
        if (row === undefined && isFirst) {
          const whole = Buffer.from(await bytesOf(file)).toString('utf8');
          yield* ofJson(parsed(whole), whole, { notes, seen, file });
          break;
        }
        isFirst = false;
        yield* ofJson(row, line, { notes, seen, file, line: number });
      }
    }
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function signalOf(row: Row): Signal | undefined {
  return SIGNALS.find(
    (signal) => Array.isArray(row[KEYS[signal]]) || Array.isArray(inner(row)[KEYS[signal]]),
  );
}
/** Jaeger's API v3 wraps what it gives. */
const inner = (row: Row): Row => {
  const result = pick(row, 'result', 'data');
  return isObject(result) ? result : {};
};

interface Reading {
  readonly notes: ImportNotes;
  readonly seen: Map<string, number>;
  readonly file: string;
  /** Undefined where a file is not read by lines. */
  readonly line?: number;
}

function* ofJson(row: unknown, text: string, reading: Reading): Generator<ImportRecord> {
  for (const each of Array.isArray(row) ? row : [row]) {
    const signal = isObject(each) ? signalOf(each) : undefined;
    if (!isObject(each) || signal === undefined) {
      const { notes, file, line } = reading;
      notes.skipped(`${line === undefined ? 'a document' : 'a line'} is no OTLP request`, file, line);
      continue;
    }
    const isPlain = each === row && Array.isArray(each[KEYS[signal]]);
    const body = isPlain ? text : JSON.stringify(Array.isArray(each[KEYS[signal]]) ? each : inner(each));
    yield* recordsOf(signal, new TextEncoder().encode(body), 'json', reading);
  }
}

/** OTLP requests in protobuf: one in a file, or each behind its length, as the Collector writes them. */
export const otlpProtobuf: ImportFormat = {
  name: 'otlp-proto',
  summary: 'OTLP in protobuf: one request, or those that the Collector writes behind each other',
  recognises: (row, head) => row === undefined && head.length > 1 && (head[0] === 0x0a || head[0] === 0),
  async *read(files, _options, notes) {
    const seen = new Map<string, number>();
    for (const file of files) {
      const messages = messagesIn(await bytesOf(file));
      if (messages === undefined)
        throw new NotDoneError(`${file} does not hold whole OTLP requests in protobuf.`);
      for (const message of messages) {
        const signal = SIGNALS.find((one) => isSignal(one, message));
        if (signal === undefined) notes.skipped('a message is no OTLP request', file);
        else yield* recordsOf(signal, message, 'protobuf', { notes, seen, file });
      }
    }
  },
};

const LENGTH_BYTES = 4;

/** Requests behind lengths of four bytes, the highest first; `undefined` where the lengths do not come out even. */
function messagesIn(bytes: Uint8Array): Uint8Array[] | undefined {
  if (bytes[0] === 0x0a) return [bytes];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const messages: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + LENGTH_BYTES > bytes.length) return undefined;
    const end = at + LENGTH_BYTES + view.getUint32(at);
    if (end > bytes.length) return undefined;
    messages.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return messages;
}

/** The three requests look alike from outside; what their records hold tells them apart. */
function isSignal(signal: Signal, message: Uint8Array): boolean {
  try {
    if (signal === 'traces') {
      const spans = decodeTraces(message, 'protobuf').resourceSpans?.flatMap(
        (one) => one.scopeSpans?.flatMap((two) => two.spans ?? []) ?? [],
      );
      return (
        (spans?.length ?? 0) > 0 &&
        spans?.every(
          ({ traceId, spanId }) => String(traceId).length === 32 && String(spanId).length === 16,
        ) === true
      );
    }
    if (signal === 'logs') {
      const logs = decodeLogs(message, 'protobuf').resourceLogs?.flatMap(
        (one) => one.scopeLogs?.flatMap((two) => two.logRecords ?? []) ?? [],
      );
      return (
        (logs?.length ?? 0) > 0 &&
        logs?.every(
          (log) => BigInt(log.timeUnixNano ?? 0) > 0n || BigInt(log.observedTimeUnixNano ?? 0) > 0n,
        ) === true
      );
    }
    const metrics = decodeMetrics(message, 'protobuf').resourceMetrics?.flatMap(
      (one) => one.scopeMetrics?.flatMap((two) => two.metrics ?? []) ?? [],
    );
    return (metrics?.length ?? 0) > 0 && metrics?.every(({ name }) => (name ?? '') !== '') === true;
  } catch {
    return false;
  }
}

function* recordsOf(
  signal: Signal,
  body: Uint8Array,
  format: Format,
  { notes, seen, file, line }: Reading,
): Generator<ImportRecord> {
  try {
    if (signal === 'metrics') {
      yield { signal, request: decodeMetrics(body, format) };
      return;
    }
    if (signal === 'traces') {
      for (const { resource = {}, scopeSpans = [] } of decodeTraces(body, format).resourceSpans ?? []) {
        for (const { scope = {}, spans = [] } of scopeSpans) {
          for (const span of spans) yield { signal, resource, scope, span };
        }
      }
      return;
    }
    for (const { resource = {}, scopeLogs = [] } of decodeLogs(body, format).resourceLogs ?? []) {
      for (const { scope = {}, logRecords = [] } of scopeLogs) {
        for (const log of logRecords) {
          const attributes = new Map(log.attributes as ReadonlyMap<string, AttributeValue>);
          if (!attributes.has(IMPORT_ID)) {
            const identity = identityOf({ resource, scope, log });
            const before = seen.get(identity) ?? 0;
            seen.set(identity, before + 1);
            // Two records that are the same in everything are two.
            attributes.set(IMPORT_ID, before === 0 ? identity : importIdOf(identity, String(before)));
          }
          yield { signal, resource, scope, log: { ...log, attributes } };
        }
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof CandelaError)) throw thrown;
    notes.skipped(thrown.message, file, line);
  }
}

/** A log record has no id: what it holds is what it is. */
const identityOf = (log: object): string =>
  importIdOf(
    'otlp',
    JSON.stringify(log, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value instanceof Map ? [...value] : value,
    ),
  );
