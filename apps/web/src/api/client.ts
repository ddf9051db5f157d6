/** A refusal of the server, with its own sentence and the id to quote. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  /** Where in the query text the error is, when the server says so. */
  readonly position: number | undefined;
  /** When a server that is busy wants to be asked again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    status: number,
    code: string,
    requestId: string,
    said: {
      readonly position?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.position = said.position;
    this.retryAfterSeconds = said.retryAfterSeconds;
  }
}

/** Who asks: a session or an API key of this browser tab, and the environment chosen in the header. */
interface Caller {
  readonly environment: string | undefined;
}

/** A call that no environment narrows. */
export const HERE: Caller = { environment: undefined };

const KEY = 'candela.key';

/** The API key that this tab uses instead of a session; gone when the tab is closed. */
export function tabKey(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export function setTabKey(key: string): void {
  try {
    if (key === '') sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, key);
  } catch {
    // Without storage the key cannot be kept, and the next request says so.
  }
}

/** What may stand for a project in a header. */
export const isProjectId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);

/** The project of the address; undefined: the only one, or the one the credential belongs to. */
export function projectOfAddress(): string | undefined {
  // Tests of what is pure have no address.
  const id = new URLSearchParams(globalThis.location?.search).get('project');
  return id !== null && isProjectId(id) ? id : undefined;
}

const unauthorised = new Set<() => void>();

/** Hears that a request was refused because nobody is signed in. Returns how to stop hearing. */
export function onUnauthorised(listener: () => void): () => void {
  unauthorised.add(listener);
  return () => unauthorised.delete(listener);
}

function headersFor(caller: Caller, hasBody: boolean): Headers {
  const headers = new Headers({ accept: 'application/json' });
  if (hasBody) headers.set('content-type', 'application/json');
  if (caller.environment !== undefined && caller.environment !== '')
    headers.set('x-platform-environment', caller.environment);
  const project = projectOfAddress();
  if (project !== undefined) headers.set('x-platform-project-id', project);
  const key = tabKey();
  if (key !== '') headers.set('authorization', `Bearer ${encodeURIComponent(key)}`);
  return headers;
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** One call of the product API: JSON in, JSON out, `ApiError` on any failure (status 0 when nothing answered). */
export async function call<T>(path: string, caller: Caller, options: CallOptions = {}): Promise<T> {
  const response = await send(path, caller, options);
  const text = await response.text();
  const body = parseJson(text);
  if (response.ok && body !== undefined) return body as T;
  throw errorOf(response, body);
}

/** A call whose answer is read while it comes: a live view or a file. `ApiError` when it is refused. */
export async function openStream(
  path: string,
  caller: Caller,
  options: CallOptions = {},
): Promise<{ readonly headers: Headers; readonly body: ReadableStream<Uint8Array> }> {
  const response = await send(path, caller, options);
  if (response.ok && response.body) return { headers: response.headers, body: response.body };
  throw errorOf(response, parseJson(await response.text()));
}

async function send(path: string, caller: Caller, options: CallOptions): Promise<Response> {
  const hasBody = options.body !== undefined;
  const headers = headersFor(caller, hasBody);
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  try {
    return await fetch(path, {
      method: options.method ?? (hasBody ? 'POST' : 'GET'),
      headers,
      credentials: 'same-origin',
      ...(hasBody ? { body: JSON.stringify(options.body) } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  } catch (thrown) {
    if (options.signal?.aborted) throw thrown;
    throw new ApiError('The server does not answer. Is it still running?', 0, 'unreachable', '');
  }
}

function errorOf(response: Response, body: unknown): ApiError {
  // With a key in this tab it is the key that was refused, and the page says so itself.
  if (response.status === 401 && tabKey() === '') for (const listener of unauthorised) listener();
  const said = typeof body === 'object' && body !== null && 'err' in body ? body.err : undefined;
  return new ApiError(
    typeof said === 'string' && said !== ''
      ? said
      : `The server answered ${response.status} without a reason.`,
    response.status,
    response.headers.get('x-platform-error-code') ?? '',
    response.headers.get('x-request-id') ?? '',
    {
      position: wholeNumber(response.headers.get('x-platform-error-position')),
      retryAfterSeconds: wholeNumber(response.headers.get('retry-after')),
    },
  );
}

const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
