import { decodeMessage } from '../messages/decode.ts';
import { encodeMessage } from '../messages/encode.ts';
import { parseJson } from '../messages/parse-json.ts';
import { RETRY_INFO, STATUS } from '../messages/schema.ts';
import type { Status } from '../messages/types.ts';
import { ProtoWriter } from '../messages/writer.ts';
import type { Format } from '../requests.ts';
import { Wire } from '../wire/wire.ts';

const RETRY_INFO_URL = 'type.googleapis.com/google.rpc.RetryInfo';

/**
 * A `google.rpc.Status`: the body of an HTTP 4xx or 5xx, and in protobuf the value of gRPC's
 * `grpc-status-details-bin`. With `retryDelaySeconds` it carries a `RetryInfo`.
 */
export function encodeStatus(format: Format, status: Status): Uint8Array {
  const { code = 0, message = '', retryDelaySeconds } = status;
  if (format === 'json') {
    const details =
      retryDelaySeconds === undefined
        ? {}
        : { details: [{ '@type': RETRY_INFO_URL, retryDelay: `${retryDelaySeconds}s` }] };
    return Buffer.from(JSON.stringify({ code, message, ...details }), 'utf8');
  }
  const writer = new ProtoWriter();
  let details: { typeUrl: string; value: Uint8Array }[] = [];
  if (retryDelaySeconds !== undefined) {
    const seconds = Math.floor(retryDelaySeconds);
    const nanos = Math.round((retryDelaySeconds - seconds) * 1e9);
    encodeMessage(writer, RETRY_INFO, { retryDelay: { seconds, nanos } }, 'values');
    details = [{ typeUrl: RETRY_INFO_URL, value: writer.take() }];
  }
  encodeMessage(writer, STATUS, { code, message, details }, 'values');
  return writer.take();
}

/** Reads a `google.rpc.Status`; throws `undecodable`. */
export function decodeStatus(format: Format, body: Uint8Array): Status {
  return format === 'json' ? fromJson(parseJson(body)) : fromProtobuf(body);
}

function fromJson(value: unknown): Status {
  const status = value as {
    readonly code?: number;
    readonly message?: string;
    readonly details?: readonly { readonly '@type'?: string; readonly retryDelay?: string }[];
  };
  const delay = status.details?.find((detail) => detail['@type'] === RETRY_INFO_URL)?.retryDelay;
  return statusOf(status.code, status.message, delay === undefined ? undefined : Number.parseFloat(delay));
}

function fromProtobuf(body: Uint8Array): Status {
  const wire = new Wire();
  wire.open(body);
  const status = decodeMessage(wire, STATUS, wire.bytes.length) as {
    readonly code?: number;
    readonly message?: string;
    readonly details?: readonly { readonly typeUrl?: string; readonly value?: Uint8Array }[];
  };
  const detail = status.details?.find((item) => item.typeUrl === RETRY_INFO_URL)?.value;
  return statusOf(status.code, status.message, detail === undefined ? undefined : delayOf(detail));
}

function delayOf(retryInfo: Uint8Array): number {
  const wire = new Wire();
  wire.open(retryInfo);
  const { retryDelay } = decodeMessage(wire, RETRY_INFO, wire.bytes.length) as {
    readonly retryDelay?: { readonly seconds?: bigint; readonly nanos?: number };
  };
  return Number(retryDelay?.seconds ?? 0n) + (retryDelay?.nanos ?? 0) / 1e9;
}

function statusOf(code = 0, message = '', retryDelaySeconds?: number): Status {
  return { code, message, ...(retryDelaySeconds === undefined ? {} : { retryDelaySeconds }) };
}
