import { decodeMessage } from '../messages/decode.ts';
import { encodeMessage } from '../messages/encode.ts';
import { parseJson } from '../messages/parse-json.ts';
import { LOGS_RESPONSE, type Message, METRICS_RESPONSE, TRACE_RESPONSE } from '../messages/schema.ts';
import { ProtoWriter } from '../messages/writer.ts';
import type { Signal } from '@candela/kernel';
import type { Format } from '../requests.ts';
import { Wire } from '../wire/wire.ts';

/** What of a request was not taken. Both empty means that all was well. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

const RESPONSES: Record<Signal, { readonly message: Message; readonly rejected: string }> = {
  traces: { message: TRACE_RESPONSE, rejected: 'rejectedSpans' },
  logs: { message: LOGS_RESPONSE, rejected: 'rejectedLogRecords' },
  metrics: { message: METRICS_RESPONSE, rejected: 'rejectedDataPoints' },
};

/** Body of a 200. `partial_success` is left out when nothing was refused and nothing is to be said. */
export function encodeExportResponse(signal: Signal, format: Format, partial: PartialSuccess): Uint8Array {
  const { message, rejected } = RESPONSES[signal];
  const isFull = partial.rejected === 0 && partial.message === '';
  const value = isFull
    ? {}
    : {
        partialSuccess: {
          // Protobuf leaves zeros out; JSON has 64-bit integers as text.
          ...(partial.rejected === 0 ? {} : { [rejected]: String(partial.rejected) }),
          ...(partial.message === '' ? {} : { errorMessage: partial.message }),
        },
      };
  if (format === 'json') return Buffer.from(JSON.stringify(value), 'utf8');
  const writer = new ProtoWriter();
  encodeMessage(writer, message, value, 'values');
  return writer.take();
}

/** Reads the body of a 200; throws `undecodable`. */
export function decodeExportResponse(signal: Signal, format: Format, body: Uint8Array): PartialSuccess {
  const { message, rejected } = RESPONSES[signal];
  const wire = new Wire();
  wire.open(body);
  const value = format === 'json' ? parseJson(body) : decodeMessage(wire, message, wire.bytes.length);
  const partial = (value as { readonly partialSuccess?: Record<string, unknown> }).partialSuccess ?? {};
  return { rejected: Number(partial[rejected] ?? 0), message: String(partial['errorMessage'] ?? '') };
}
