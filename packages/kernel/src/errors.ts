/**
 * The one table of errors. A row says what the HTTP status is, whether the same request may succeed later, and the
 * sentence a person reads. `{name}` in a sentence is filled from the parameters given to `fail`.
 */
export const ERROR_TABLE = {
  bad_request: { status: 400, retryable: false, template: '{detail}' },
  body_not_json: {
    status: 400,
    retryable: false,
    template: 'The request body is not a JSON object. Send one, e.g. {"from":"-1h"}.',
  },
  undecodable: {
    status: 400,
    retryable: false,
    template: 'The body could not be decoded as {format}: {detail}',
  },
  bad_query: { status: 400, retryable: false, template: '{detail}' },
  bad_environment_name: {
    status: 400,
    retryable: false,
    template:
      'Environment name {name} is not valid. Use 1 to 63 characters of a-z, 0-9, ".", "_" and "-", starting with a letter or digit.',
  },
  no_credential: {
    status: 401,
    retryable: false,
    template: 'No API key was sent. Add the header "Authorization: Bearer <key>".',
  },
  not_signed_in: {
    status: 401,
    retryable: false,
    template: 'This needs a signed-in person. Sign in, then try again.',
  },
  wrong_password: {
    // Not 401: who asks is signed in, or is about to be; pages take a 401 for a lost session.
    status: 422,
    retryable: false,
    template: 'E-mail or password is wrong.',
  },
  wrong_code: {
    status: 422,
    retryable: false,
    template:
      'This code is wrong or was used already. Take the next one of the authenticator, or a recovery code.',
  },
  provider_failed: { status: 502, retryable: true, template: '{detail}' },
  unknown_credential: { status: 401, retryable: false, template: 'The API key is not known or was revoked.' },
  forbidden: { status: 403, retryable: false, template: '{detail}' },
  not_found: { status: 404, retryable: false, template: '{what} was not found.' },
  method_not_allowed: {
    status: 405,
    retryable: false,
    template: '{method} is not allowed here. Use {allowed}.',
  },
  conflict: { status: 409, retryable: false, template: '{detail}' },
  too_large: {
    status: 413,
    retryable: false,
    template: 'The body is larger than {limit} bytes, the limit of this route. Send less at once.',
  },
  unsupported_media: { status: 415, retryable: false, template: '{detail}' },
  refused: { status: 422, retryable: false, template: '{detail}' },
  headers_too_large: { status: 431, retryable: false, template: 'The request headers are too large.' },
  rate_limited: { status: 429, retryable: true, template: 'Too many requests. Try again in {seconds} s.' },
  too_many_streams: {
    status: 429,
    retryable: true,
    template: 'More than {limit} live views or exports are open {where}. Close one and try again.',
  },
  too_many_calls: {
    status: 429,
    retryable: true,
    template: 'More than {limit} calls of models are under way {where}. Wait until one is done.',
  },
  assistant_unset: { status: 422, retryable: false, template: '{detail}' },
  spend_cap: { status: 429, retryable: true, template: '{detail}' },
  overloaded: { status: 503, retryable: true, template: '{detail}' },
  store_unavailable: {
    status: 503,
    retryable: true,
    template: 'The telemetry store is not answering. Try again in {seconds} s.',
  },
  connector_unavailable: { status: 503, retryable: true, template: '{detail}' },
  signal_unbound: {
    status: 503,
    retryable: true,
    template:
      'No database is bound to {signal} of {where}. An administrator binds one under Settings, Connectors & routing.',
  },
  choose_environment: {
    status: 422,
    retryable: false,
    template:
      'The environments of this project keep their {signal} in different databases. Choose one environment (header x-platform-environment).',
  },
  metadata_unavailable: {
    status: 503,
    retryable: true,
    template: 'What people saved cannot be read or written at the moment{why}. Try again in {seconds} s.',
  },
  secret_unreadable: {
    status: 500,
    retryable: false,
    template:
      'A stored secret cannot be decrypted: it was damaged, or its master key is missing. Enter the secret again.',
  },
  query_too_expensive: {
    status: 422,
    retryable: false,
    template: 'The query needs more {resource} than its bound allows. Narrow the time range or the filter.',
  },
  sql_refused: { status: 422, retryable: false, template: '{detail}' },
  other_role: {
    status: 503,
    retryable: true,
    template:
      'This replica has the role "{role}" (PLATFORM_ROLE) and does not do that. Send it to a replica with the role {wanted} or all.',
  },
  shutting_down: {
    status: 503,
    retryable: true,
    template: 'The platform is shutting down. Try again shortly.',
  },
  internal: {
    status: 500,
    retryable: false,
    template: 'Something went wrong on our side. Quote the request id.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; template: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** What a retryable error asks to wait where nothing better is known. */
export const RETRY_AFTER_SECONDS = 5;

/** A failure with a row in {@link ERROR_TABLE}. Thrown anywhere, translated once, at the edge. */
export class CandelaError extends Error {
  override readonly name = 'CandelaError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  /** Seconds for `Retry-After`; only on retryable errors. */
  readonly retryAfterSeconds: number | undefined;
  /** Extra headers or fields for the edge, e.g. the position of a query error. Never secrets. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      retryAfterSeconds?: number | undefined;
      details?: Record<string, unknown>;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const row = ERROR_TABLE[code];
    this.code = code;
    this.status = row.status;
    this.retryable = row.retryable;
    this.retryAfterSeconds = row.retryable ? (options.retryAfterSeconds ?? RETRY_AFTER_SECONDS) : undefined;
    this.details = options.details;
  }
}

/** Builds the error of `code`, its sentence filled from `params`. Usage: `throw fail('not_found', {what: 'Trace'})`. */
export function fail(
  code: ErrorCode,
  params: Readonly<Record<string, string | number>> = {},
  options: { retryAfterSeconds?: number; details?: Record<string, unknown>; cause?: unknown } = {},
): CandelaError {
  const message = ERROR_TABLE[code].template.replaceAll(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(params, key) ? String(params[key]) : whole,
  );
  const seconds = typeof params['seconds'] === 'number' ? params['seconds'] : undefined;
  return new CandelaError(code, message, { retryAfterSeconds: seconds, ...options });
}

/** Narrows an unknown throw; anything untyped becomes `internal` with the original as cause. */
export function asCandelaError(thrown: unknown): CandelaError {
  return thrown instanceof CandelaError ? thrown : fail('internal', {}, { cause: thrown });
}
