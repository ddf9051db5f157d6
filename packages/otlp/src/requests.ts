import { fail, type Signal } from '@candela/kernel';
import { decodeMessage } from './messages/decode.ts';
import { encodeMessage } from './messages/encode.ts';
import { parseJson } from './messages/parse-json.ts';
import { LOGS_REQUEST, type Message, METRICS_REQUEST, TRACE_REQUEST } from './messages/schema.ts';
import { SpellingError } from './messages/spelling-error.ts';
import type { LogsRequest, MetricsRequest, TraceRequest } from './messages/types.ts';
import { ProtoWriter } from './messages/writer.ts';
import { Wire } from './wire/wire.ts';

export type Format = 'protobuf' | 'json';

const REQUESTS: Record<Signal, Message> = {
  traces: TRACE_REQUEST,
  logs: LOGS_REQUEST,
  metrics: METRICS_REQUEST,
};

function encode(message: Message, value: unknown): Uint8Array {
  const writer = new ProtoWriter();
  encodeMessage(writer, message, value, 'values');
  return writer.take();
}

/** Protobuf bytes of an ExportTraceServiceRequest. */
export function encodeTraceRequest(value: TraceRequest): Uint8Array {
  return encode(TRACE_REQUEST, value);
}

/** Protobuf bytes of an ExportLogsServiceRequest. */
export function encodeLogsRequest(value: LogsRequest): Uint8Array {
  return encode(LOGS_REQUEST, value);
}

/** Protobuf bytes of an ExportMetricsServiceRequest. */
export function encodeMetricsRequest(value: MetricsRequest): Uint8Array {
  return encode(METRICS_REQUEST, value);
}

/**
 * An OTLP/JSON request as protobuf. There is one decoder, one set of limits and one column writer, all for protobuf;
 * JSON is brought to it, so the two encodings cannot drift apart. Throws `undecodable`.
 */
export function jsonToProtobuf(signal: Signal, body: Uint8Array): Uint8Array {
  const value = parseJson(body);
  const writer = new ProtoWriter();
  try {
    encodeMessage(writer, REQUESTS[signal], value, 'json');
  } catch (error) {
    if (error instanceof SpellingError) {
      throw fail('undecodable', { format: 'JSON', detail: error.message }, { cause: error });
    }
    throw error;
  }
  return writer.take();
}

function decode(signal: Signal, body: Uint8Array, format: Format): unknown {
  const wire = new Wire();
  wire.open(format === 'json' ? jsonToProtobuf(signal, body) : body);
  return decodeMessage(wire, REQUESTS[signal], wire.bytes.length);
}

/** The whole request as values: for tests and tools. The ingest path uses the readers instead. Throws `undecodable`. */
export function decodeTraces(body: Uint8Array, format: Format): TraceRequest {
  return decode('traces', body, format) as TraceRequest;
}

/** As {@link decodeTraces}. */
export function decodeLogs(body: Uint8Array, format: Format): LogsRequest {
  return decode('logs', body, format) as LogsRequest;
}

/** As {@link decodeTraces}. */
export function decodeMetrics(body: Uint8Array, format: Format): MetricsRequest {
  return decode('metrics', body, format) as MetricsRequest;
}
