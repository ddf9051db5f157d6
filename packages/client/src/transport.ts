import { CandelaError } from './errors.ts';
import type { Settings } from './settings.ts';

/** Larger answers are cut off: no prompt and no set of secrets is near it. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Longest sentence of a platform that is repeated in an error. */
const MAX_SENTENCE_LENGTH = 1_000;

/** 502 and 504 are what proxies say while the platform restarts. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A POST with its body, or a GET. */
export type Call = {
  readonly path: `/api/${string}`;
  /** ETag of the copy the caller holds. */
  readonly etag?: string | undefined;
} & (
  | { readonly method: 'GET' }
  | {
      readonly method?: 'POST';
      readonly contentType: string;
      /** JSON. */
      readonly body: string;
    }
);

export interface Answer {
  /** 200, or 304 when the caller's copy is still right. */
  readonly status: 200 | 304;
  readonly etag: string | null;
  readonly requestId: string | null;
  /** The JSON object of a 200; empty for a 304. */
  readonly body: Readonly<Record<string, unknown>>;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Seconds of a `Retry-After`, which is a number or a date; null when there is none or it cannot be read. */
export function retryAfterOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, (date - nowMs) / 1000);
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      await reader.cancel();
      throw new CandelaError('unexpected_answer', `The answer is larger than ${MAX_ANSWER_BYTES} bytes.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The sentence of a failure; undefined for a success: `err` absent, null or, as old servers say it, `{}`. */
function failureOf(body: Record<string, unknown>): string | undefined {
  const err = body['err'];
  if (err === undefined || err === null || (isRecord(err) && Object.keys(err).length === 0)) return undefined;
  return typeof err === 'string' ? err : JSON.stringify(err);
}

/** `message (code)` of what `fetch` throws, which says little by itself: `ECONNREFUSED` is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = isRecord(cause) || cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
  if (typeof code === 'string') return code;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error instanceof Error ? error.message : String(error);
}

function judge(settings: Settings, call: Call, response: Response, text: string): Answer {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const retryAfterSeconds = retryAfterOf(headers.get('retry-after'), Date.now());
  if (status === 304 && call.etag !== undefined) return { status, etag: call.etag, requestId, body: {} };
  const body = parseObject(text);
  const sentence = body === undefined ? undefined : failureOf(body);
  if (status === 200 && body !== undefined && sentence === undefined) {
    return { status, etag: headers.get('etag'), requestId, body };
  }
  const code = headers.get('x-platform-error-code');
  // A failure that passes says when, also in an envelope, whose status is always 200.
  const retryable = RETRYABLE_STATUSES.has(status) || retryAfterSeconds !== null;
  const facts = { status, requestId, retryAfterSeconds, retryable };
  if (sentence !== undefined) {
    // A platform does not repeat a key; something else that answers at this address might.
    const said = sentence.replaceAll(settings.apiKey, '[API key]').slice(0, MAX_SENTENCE_LENGTH);
    const named = code ?? (status === 429 ? 'rate_limited' : status === 503 ? 'overloaded' : 'failed');
    throw new CandelaError(named, said, facts);
  }
  if (retryable) {
    throw new CandelaError(
      status === 429 ? 'rate_limited' : 'overloaded',
      `${settings.url} answered ${status}: try again later.`,
      facts,
    );
  }
  const kind = headers.get('content-type')?.split(';')[0] ?? 'no content type';
  // A browser shows nothing of a redirect but that it is one.
  const redirected = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
  throw new CandelaError(
    'unexpected_answer',
    `${settings.url}${call.path} answered ${redirected ? 'with a redirect' : `${status} (${kind})`}, which is no answer ` +
      'of Candela. See that the address (`url`, PLATFORM_URL) is that of the platform itself.',
    facts,
  );
}

/** One attempt. `signal` ends it from outside; its own end is after `timeoutMs`. */
export async function attempt(
  settings: Settings,
  call: Call,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const controller = new AbortController();
  const stop = () => {
    controller.abort();
  };
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const response = await settings.fetch(`${settings.url}${call.path}`, {
      method: call.method ?? 'POST',
      headers: {
        ...settings.contextHeaders,
        authorization: `Bearer ${settings.apiKey}`,
        accept: 'application/json',
        ...(call.method === 'GET' ? {} : { 'content-type': call.contentType }),
        ...(call.etag === undefined ? {} : { 'if-none-match': call.etag }),
      },
      ...(call.method === 'GET' ? {} : { body: call.body }),
      cache: 'no-store',
      credentials: 'omit',
      // A followed redirect turns a POST into a GET, or takes the key elsewhere.
      redirect: 'manual',
      signal: controller.signal,
    });
    return judge(settings, call, response, response.status === 304 ? '' : await readText(response));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CandelaError) throw error;
    if (controller.signal.aborted) {
      throw new CandelaError(
        'timeout',
        `${settings.url} gave no whole answer within ${timeoutMs} ms. See that it is running, or give a longer timeoutMs.`,
        { retryable: true },
      );
    }
    throw new CandelaError(
      'unreachable',
      `${settings.url} cannot be reached (${reasonOf(error)}). See that the address is right and the platform is running.`,
      { retryable: true, cause: error },
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
