import type { CandelaError, ErrorCode } from '@candela/kernel';

/** Codes of `google.rpc.Code`, as gRPC and the OTLP `Status` body use them. */
export const RPC = {
  ok: 0,
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const SPECIAL: Partial<Record<ErrorCode, number>> = {
  no_credential: RPC.unauthenticated,
  unknown_credential: RPC.unauthenticated,
  forbidden: RPC.permissionDenied,
  not_found: RPC.notFound,
  method_not_allowed: RPC.unimplemented,
  unsupported_media: RPC.invalidArgument,
  too_large: RPC.resourceExhausted,
  rate_limited: RPC.resourceExhausted,
  internal: RPC.internal,
};

/** The RPC code of an error. Retryable ones are UNAVAILABLE; too large is RESOURCE_EXHAUSTED without RetryInfo. */
export function rpcCode(error: CandelaError): number {
  return SPECIAL[error.code] ?? (error.retryable ? RPC.unavailable : RPC.invalidArgument);
}
