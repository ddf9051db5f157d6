import { CandelaError, fail, hasRole, type RequestContext } from '@candela/kernel';
import { RefusedAddressError } from '@candela/telemetry-store';
import { AnswerTooLongError } from '../http/guarded-fetch.ts';

/** Characters of what a vendor says about a failure. */
const MAX_SAID = 300;
/** Longest wait that is passed on from a vendor. */
const MAX_RETRY_AFTER_SECONDS = 3_600;

/** No answer came: what the connection failed with tells what listens at an address. */
class UnreachedError extends CandelaError {
  /** The same for who may not know that: an open port is told like a closed one. */
  static readonly veiled =
    'The model server cannot be reached. Somebody with the role admin sees why when they check the model.';

  constructor(detail: string) {
    super('provider_failed', detail);
  }
}

/** What counts of the SDK's error for a failed call; found by shape, so that no SDK is loaded to look at one. */
interface CallFailure {
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly responseHeaders?: unknown;
  readonly cause?: unknown;
}

/**
 * What went wrong with a call, as a sentence for who asked. Nothing of the thrown error goes along: it holds the key
 * in its request and the prompt in its body, and vendors repeat both.
 */
export function explainFailure(thrown: unknown, secret: string | null): CandelaError {
  if (thrown instanceof CandelaError) return thrown;
  const chain = causesOf(thrown);
  if (chain.some((error) => error instanceof RefusedAddressError)) {
    return fail('refused', { detail: 'The base URL leads to an address that models may not lead to.' });
  }
  if (chain.some((error) => error instanceof AnswerTooLongError)) {
    return fail('provider_failed', { detail: 'The model server sent more than an answer may have.' });
  }
  const answered = chain.find((error): error is CallFailure => statusOf(error) !== undefined);
  const status = answered === undefined ? undefined : statusOf(answered);
  if (answered !== undefined && status !== undefined) return explainStatus(status, answered, secret);
  const code = chain.map((error) => Reflect.get(Object(error), 'code') as unknown).find(isCode);
  if (code !== undefined) return explainConnection(code);
  const said = saidBy(chain, secret);
  return fail('provider_failed', {
    detail: `The answer of the model server broke off or cannot be read${said === '' ? '.' : `: ${said}`}`,
  });
}

function explainStatus(status: number, failure: CallFailure, secret: string | null): CandelaError {
  if (status === 401 || status === 403) {
    // What vendors say here repeats the key.
    return fail('refused', {
      detail: `The provider refused the API key (${status}). Look at the secret that this model names, and at what its key may do.`,
    });
  }
  if (status === 429) {
    const seconds = retryAfterOf(failure);
    return fail(
      'provider_failed',
      {
        detail: `The provider takes no more calls at the moment (429): a rate limit or no credit. Try again later.`,
      },
      seconds === undefined ? {} : { retryAfterSeconds: seconds },
    );
  }
  if (status >= 300 && status < 400) {
    return fail('refused', {
      detail: `The base URL answers with a redirect (${status}), which is not followed.`,
    });
  }
  const said = saidBy([failure], secret);
  const tail = said === '' ? '' : ` It says: ${said}`;
  if (status === 404) {
    return fail('refused', { detail: `The provider knows no such model or address (404).${tail}` });
  }
  if (status < 500) return fail('refused', { detail: `The provider refused the call (${status}).${tail}` });
  return fail('provider_failed', { detail: `The provider failed (${status}). Try again.${tail}` });
}

const CONNECTION: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'Nothing listens at the address of the model server. Is it running?'],
  ['ENOTFOUND', 'The name of the model server is not known.'],
  ['EAI_AGAIN', 'The name of the model server cannot be looked up at the moment.'],
  ['ETIMEDOUT', 'The model server cannot be reached.'],
  ['EHOSTUNREACH', 'The model server cannot be reached.'],
  ['ENETUNREACH', 'The model server cannot be reached.'],
  ['ECONNRESET', 'The model server cut the connection.'],
]);
const isCode = (code: unknown): code is string =>
  typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code);

function explainConnection(code: string): CandelaError {
  const tls = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code);
  const detail =
    CONNECTION.get(code) ??
    (tls
      ? `The certificate of the model server is not trusted (${code}).`
      : `The connection to the model server failed (${code}).`);
  return new UnreachedError(detail);
}

/** The error and what caused it, the outermost first. */
function causesOf(thrown: unknown): object[] {
  const chain: object[] = [];
  const queue: unknown[] = [thrown];
  while (queue.length > 0 && chain.length < 20) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null || chain.includes(next)) continue;
    chain.push(next);
    const { cause, lastError, errors } = next as Record<string, unknown>;
    queue.push(cause, lastError, ...(Array.isArray(errors) ? errors.slice(0, 5) : []));
  }
  return chain;
}

function statusOf(error: object): number | undefined {
  const status: unknown = Reflect.get(error, 'statusCode');
  return typeof status === 'number' && status >= 300 ? status : undefined;
}

function retryAfterOf({ responseHeaders }: CallFailure): number | undefined {
  if (typeof responseHeaders !== 'object' || responseHeaders === null) return undefined;
  const seconds = Number(Reflect.get(responseHeaders, 'retry-after'));
  return Number.isFinite(seconds) && seconds > 0
    ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS)
    : undefined;
}

/** The first message that a vendor gave, bounded and without the key; empty when there is none. */
function saidBy(errors: readonly object[], secret: string | null): string {
  for (const error of errors) {
    const body: unknown = Reflect.get(error, 'responseBody');
    const text = typeof body === 'string' ? messageIn(body) : '';
    if (text !== '') return readable(text, secret);
  }
  return '';
}

/** `{"error":{"message":…}}`, `{"error":"…"}`, `{"message":…}` or the first one of a list: what the vendors send. */
function messageIn(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return '';
  }
  for (let depth = 0; depth < 4; depth++) {
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) value = value[0] as unknown;
    else if (typeof value === 'object' && value !== null) {
      const record = value as Record<string, unknown>;
      value = record['error'] ?? record['message'] ?? record['detail'];
    } else return '';
  }
  return typeof value === 'string' ? value : '';
}

function readable(text: string, secret: string | null): string {
  const key = secret?.trim() ?? '';
  const without = key === '' ? text : text.replaceAll(key, '…');
  const line = without.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
  return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID)}…` : line;
}

/** What is told of a connection that failed: the whole of it to people who may set addresses. */
export function veiled({ principal }: RequestContext, thrown: unknown): unknown {
  const mayKnow = principal.kind === 'user' && hasRole(principal.role, 'admin');
  if (mayKnow || !(thrown instanceof UnreachedError)) return thrown;
  return fail('provider_failed', { detail: UnreachedError.veiled }, { cause: thrown });
}
