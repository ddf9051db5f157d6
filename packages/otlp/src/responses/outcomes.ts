import { type CandelaError, ERROR_TABLE, type ErrorCode } from '@candela/kernel';

/** The gRPC status codes that are given or understood here. */
export const GRPC = {
  ok: 0,
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;
export type GrpcCode = (typeof GRPC)[keyof typeof GRPC];

/**
 * What a sender is told, per kind of failure. OTLP lets a sender retry HTTP 429, 502, 503, 504 and a few gRPC codes;
 * `RESOURCE_EXHAUSTED` only when it carries a `RetryInfo`, which is how "too large" and "slow down" share one code.
 */
const GRPC_OF_HTTP: ReadonlyMap<number, GrpcCode> = new Map([
  [400, GRPC.invalidArgument],
  [401, GRPC.unauthenticated],
  [403, GRPC.permissionDenied],
  [404, GRPC.notFound],
  [405, GRPC.unimplemented],
  [409, GRPC.failedPrecondition],
  [413, GRPC.resourceExhausted],
  [415, GRPC.unimplemented],
  [422, GRPC.invalidArgument],
  [429, GRPC.resourceExhausted],
  [431, GRPC.resourceExhausted],
  [500, GRPC.internal],
  [502, GRPC.unavailable],
  [503, GRPC.unavailable],
]);

export interface ExportFailure {
  readonly httpStatus: number;
  readonly grpcCode: GrpcCode;
  /** For `Retry-After` and `RetryInfo`; undefined when the same request can never succeed. */
  readonly retryDelaySeconds: number | undefined;
}

/** How an error is answered at an OTLP receiver. */
export function exportFailure(error: CandelaError): ExportFailure {
  return {
    httpStatus: error.status,
    grpcCode: GRPC_OF_HTTP.get(error.status) ?? GRPC.internal,
    retryDelaySeconds: error.retryable ? error.retryAfterSeconds : undefined,
  };
}

/** Every error with its two codes: for documentation and for the test that none is missing. */
export function exportFailureCodes(code: ErrorCode): { httpStatus: number; grpcCode: GrpcCode | undefined } {
  const { status } = ERROR_TABLE[code];
  return { httpStatus: status, grpcCode: GRPC_OF_HTTP.get(status) };
}

/** What a sender may do after an HTTP answer. */
export function isRetryableHttp(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

const RETRYABLE_GRPC: ReadonlySet<number> = new Set([
  GRPC.cancelled,
  GRPC.deadlineExceeded,
  GRPC.aborted,
  GRPC.outOfRange,
  GRPC.unavailable,
  GRPC.dataLoss,
]);

/** What a sender may do after a gRPC answer. */
export function isRetryableGrpc(code: number, hasRetryInfo: boolean): boolean {
  return code === GRPC.resourceExhausted ? hasRetryInfo : RETRYABLE_GRPC.has(code);
}
