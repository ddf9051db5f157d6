import type { ParamsOf, QueryOf, RequestBodyOf, RequestQueryOf, ResponseOf, ROUTES } from '@candela/contract';
import { ROUTE_TABLE } from './routes.gen.ts';

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

function headersFor(environment: string | undefined, accept: string, hasBody: boolean): Headers {
  const headers = new Headers({ accept });
  if (hasBody) headers.set('content-type', 'application/json');
  if (environment !== undefined && environment !== '') headers.set('x-platform-environment', environment);
  const project = projectOfAddress();
  if (project !== undefined) headers.set('x-platform-project-id', project);
  const key = tabKey();
  if (key !== '') headers.set('authorization', `Bearer ${encodeURIComponent(key)}`);
  return headers;
}

/** Declarations of the contract; types only, so that no schema reaches the browser. */
type Routes = typeof ROUTES;
/** A route that no page named before is added by `npm run generate`. */
type RouteName = keyof Routes & keyof typeof ROUTE_TABLE;
type StreamName = { [Id in RouteName]: Routes[Id]['stream'] extends undefined ? never : Id }[RouteName];
type JsonName = Exclude<RouteName, StreamName>;

/** Parameters of the address. What the server coerces from text has the type that it becomes. */
type Search<Input, Output> = {
  readonly [Key in keyof Input]:
    | (unknown extends Input[Key] ? (Key extends keyof Output ? Output[Key] : string) : Input[Key])
    | undefined;
};
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { readonly [Key in Name]?: never }
  : object extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

/** What a page says of the place and the lifetime of a call, besides its input. */
interface Around {
  /** The environment of the header; undefined: no environment narrows the call. */
  readonly environment?: string | undefined;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where a route is: values of its path and its query. */
export type AddressOf<Id extends RouteName> = Part<'params', ParamsOf<Routes[Id]>> &
  Part<'query', Search<RequestQueryOf<Routes[Id]>, QueryOf<Routes[Id]>> | MissingOf<Routes[Id]['query']>>;
type MissingOf<Declared> = Declared extends undefined ? undefined : never;

/** Everything that a call of the route takes. */
export type AskOf<Id extends RouteName> = AddressOf<Id> & Part<'body', RequestBodyOf<Routes[Id]>> & Around;

/** What the route answers. */
export type AnswerOf<Id extends RouteName> = ResponseOf<Routes[Id]>;

/** What a route takes as its body. */
export type BodyOf<Id extends RouteName> = RequestBodyOf<Routes[Id]>;

/** Nothing has to be given where nothing is required. */
type Asked<Ask> = object extends Ask ? [ask?: Ask] : [ask: Ask];

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly environment?: string | undefined;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The address of a route, as it is called and as "Open query" shows it. */
export function addressOf<Id extends RouteName>(id: Id, ...[at]: Asked<AddressOf<Id>>): string {
  return pathOf(id, (at ?? {}) as Parts);
}

/**
 * One call of the product API, named by its route: JSON in, JSON out. The compiler refuses a wrong name, path
 * parameter, query, body or use of the answer. @throws ApiError on any failure (status 0 when nothing answered)
 */
export async function call<Id extends JsonName>(id: Id, ...[ask]: Asked<AskOf<Id>>): Promise<AnswerOf<Id>> {
  const response = await send(id, (ask ?? {}) as Parts, 'application/json');
  const text = await response.text();
  const body = parseJson(text);
  if (response.ok && body !== undefined) return body as AnswerOf<Id>;
  throw errorOf(response, body);
}

/** A call whose answer is read while it comes: a live view or a file. @throws ApiError when it is refused */
export async function openStream<Id extends StreamName>(
  id: Id,
  ...[ask]: Asked<AskOf<Id>>
): Promise<{ readonly headers: Headers; readonly body: ReadableStream<Uint8Array> }> {
  const response = await send(id, (ask ?? {}) as Parts, '*/*');
  if (response.ok && response.body) return { headers: response.headers, body: response.body };
  throw errorOf(response, parseJson(await response.text()));
}

/** Method and path of a route; a path has its parameters in braces. */
function declared(id: RouteName): readonly [method: string, path: string] {
  const [method = '', path = ''] = ROUTE_TABLE[id].split(' ');
  return [method, path];
}

function pathOf(id: RouteName, { params = {}, query = {} }: Parts): string {
  const path = declared(id)[1].replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) search.set(key, String(value as string | number | boolean));
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

async function send(id: RouteName, ask: Parts, accept: string): Promise<Response> {
  const hasBody = ask.body !== undefined;
  const headers = headersFor(ask.environment, accept, hasBody);
  for (const [name, value] of Object.entries(ask.headers ?? {})) headers.set(name, value);
  try {
    return await fetch(pathOf(id, ask), {
      method: declared(id)[0],
      headers,
      credentials: 'same-origin',
      ...(hasBody ? { body: JSON.stringify(ask.body) } : {}),
      ...(ask.signal ? { signal: ask.signal } : {}),
    });
  } catch (thrown) {
    if (ask.signal?.aborted) throw thrown;
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
