import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RouteDeclaration, ROUTES } from '@candela/contract';
import { type Logger, newRequestId } from '@candela/kernel';
import type { PlatformMetrics } from '../metrics.ts';
import type { ApiAnswer, ApiRequest, StreamingAnswer } from './api.ts';
import { errorAnswer } from './errors.ts';
import { header } from './header.ts';
import { canonicalPath } from './paths.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { StaticSite } from './static-site.ts';

export interface Page {
  readonly path: string;
  readonly contentType: string;
  readonly body: () => string | Promise<string>;
  /** Undefined: anybody. Otherwise throws for who may not see it. */
  readonly guard?: (request: IncomingMessage) => Promise<void>;
  /** The UI has a page of the same path: a browser that asks for HTML gets that one. */
  readonly sharesPath?: true;
}

/** True when a person opened the address; scrapers and programs do not ask for HTML. */
const wantsHtml = (request: IncomingMessage): boolean =>
  /\btext\/html\b/.test(header(request, 'accept') ?? '');

/** Paths that another library answers, all by itself. */
export interface Endpoint {
  readonly id: string;
  readonly owns: (path: string) => boolean;
  /** @throws what is answered like any other error, as long as nothing was sent */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** A path at which a connection becomes another protocol: WebSocket. */
export interface SocketEndpoint {
  readonly owns: (path: string) => boolean;
  /** Takes the connection over, or ends it with an answer. Never throws. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
  /** The platform stops: says goodbye to everybody. */
  readonly close: () => void;
}

export interface FrontParts {
  readonly api: (request: ApiRequest) => Promise<ApiAnswer | StreamingAnswer>;
  readonly site: StaticSite;
  /** Documents outside the API: OpenAPI, its page, metrics. */
  readonly pages: readonly Page[];
  readonly endpoints: readonly Endpoint[];
  readonly logger: Logger;
  readonly metrics: PlatformMetrics;
}

/** Answers everything on the main port that is not OTLP. Never throws, never leaves a request open. */
export function createRequestHandler(
  parts: FrontParts,
): (request: IncomingMessage, response: ServerResponse) => void {
  const pages = new Map(parts.pages.map((page) => [page.path, page]));

  async function route(
    request: IncomingMessage,
    path: string,
    call: Call,
  ): Promise<ApiAnswer | StreamingAnswer> {
    const method = request.method ?? 'GET';
    if (path === '/api' || path.startsWith('/api/')) {
      const search = /\?([^#]*)/.exec(request.url ?? '')?.[1] ?? '';
      return parts.api({
        request,
        method,
        path,
        search,
        requestId: call.requestId,
        signal: call.signal,
        onRoute: (id) => (call.route = id),
      });
    }
    const own = pages.get(path);
    const page = own?.sharesPath === true && wantsHtml(request) ? undefined : own;
    // Two answers at one address: a cache must not give a browser what a scraper was given.
    const vary = own?.sharesPath === true ? { vary: 'accept, accept-encoding' } : {};
    call.route = page === undefined ? 'static' : path;
    if (method !== 'GET' && method !== 'HEAD') {
      return errorAnswerOf('method_not_allowed', path);
    }
    if (page !== undefined) {
      await page.guard?.(request);
      const headers = { 'content-type': page.contentType, 'cache-control': 'no-cache', ...vary };
      return { status: 200, headers, body: await page.body() };
    }
    const found = await parts.site.answer(path, {
      acceptEncoding: header(request, 'accept-encoding') ?? '',
      ifNoneMatch: header(request, 'if-none-match') ?? '',
    });
    return { status: found.status, headers: { ...found.headers, ...vary }, body: found.body ?? '' };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const gone = new AbortController();
    response.once('close', () => {
      // Whoever has the whole answer did not leave; and an abort makes an error with its stack.
      if (!response.writableFinished) gone.abort();
    });
    const call: Call = { requestId: newRequestId(), signal: gone.signal, route: 'unknown' };
    let path = request.url ?? '/';
    let answer: ApiAnswer | StreamingAnswer | undefined;
    try {
      path = canonicalPath(undoubled(path));
      const endpoint = parts.endpoints.find((each) => each.owns(path));
      if (endpoint === undefined) answer = await route(request, path, call);
      else {
        call.route = endpoint.id;
        const head = headOf({ headers: { 'cache-control': 'no-store' } }, call.requestId);
        for (const [name, value = ''] of Object.entries(head)) response.setHeader(name, value);
        await endpoint.serve(request, response);
      }
    } catch (thrown) {
      if (gone.signal.aborted) return;
      answer = errorAnswer(thrown, path.split('?', 1)[0] ?? '/');
      if (answer.status === 500) {
        parts.logger.error({ requestId: call.requestId, route: call.route, err: thrown }, 'request failed');
      }
    }
    const method = request.method ?? 'GET';
    let seconds = (performance.now() - startedAt) / 1_000;
    if (answer === undefined) {
      // Answered already.
    } else if ('send' in answer) {
      const failure = await sendStream(request, response, answer, call.requestId);
      if (failure !== undefined && !gone.signal.aborted) {
        parts.logger.error({ requestId: call.requestId, route: call.route, err: failure }, 'stream failed');
      }
    } else {
      if (answer.failure !== undefined) {
        parts.logger.error(
          { requestId: call.requestId, route: call.route, err: answer.failure },
          'request failed',
        );
      }
      send(request, response, answer, call.requestId);
      seconds = (performance.now() - startedAt) / 1_000;
    }
    // Of a stream the figure is the time until it began: how long it is watched says nothing about the platform.
    const status = answer?.status ?? response.statusCode;
    parts.metrics.observeRequest(call.route, knownMethod(method), status, seconds);
    // An envelope is 200 whatever went wrong.
    const code = answer?.headers['x-platform-error-code'];
    const fields = {
      requestId: call.requestId,
      method,
      route: call.route,
      status,
      ...(code === undefined ? {} : { code }),
      ms: Math.round(performance.now() - startedAt),
      address: request.socket.remoteAddress,
    };
    if (QUIET.has(call.route) && status < 400 && code === undefined) parts.logger.debug(fields, 'request');
    else parts.logger.info(fields, 'request');
  }

  return (request, response) => {
    serve(request, response).catch((thrown: unknown) => {
      parts.logger.error({ err: thrown }, 'answering failed');
      response.destroy();
    });
  };
}

/**
 * Shipped SDKs put `/api/…` behind a base URL that may end in a slash. Exactly these paths are meant then, and no
 * proxy in between can have taken them for others.
 */
const SDK_PATHS = new Set(
  Object.values<RouteDeclaration>(ROUTES).flatMap((route) =>
    route.pace === 'sdk' ? [`/${route.path}`] : [],
  ),
);
const undoubled = (target: string): string => (SDK_PATHS.has(target) ? target.slice(1) : target);

interface Call {
  readonly requestId: string;
  readonly signal: AbortSignal;
  route: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** A label has few values, whatever is sent. */
export const knownMethod = (method: string): string => (METHODS.has(method) ? method : 'other');
/** Asked so often that a line each would drown the others; what goes wrong is told all the same. */
const QUIET: ReadonlySet<string> = new Set([
  'static',
  '/metrics',
  'getPlatformHealth',
  'getReady',
  ...Object.values<RouteDeclaration>(ROUTES).flatMap(({ id, pace }) => (pace === 'sdk' ? [id] : [])),
]);

function errorAnswerOf(code: 'method_not_allowed', path: string): ApiAnswer {
  const headers = { allow: 'GET, HEAD', 'content-type': 'application/json', 'x-platform-error-code': code };
  return { status: 405, headers, body: JSON.stringify({ err: `Use GET for ${path.slice(0, 100)}.` }) };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: ApiAnswer,
  requestId: string,
): void {
  if (response.headersSent || response.destroyed) return;
  const head = headOf(answer, requestId);
  // RFC 9110 section 8.6: of 204 it must not be said, of 304 it would be that of the document.
  const bodiless = answer.status === 204 || answer.status === 304;
  if (!bodiless) head['content-length'] = Buffer.byteLength(answer.body);
  // A body that was not read to its end would be taken for the next request.
  if (!request.complete) head['connection'] = 'close';
  response.writeHead(answer.status, head);
  response.end(request.method === 'HEAD' || bodiless ? undefined : answer.body);
}

const SECURITY = Object.fromEntries(SECURITY_HEADERS);

/** All headers of an answer at once: told one by one they cost more than the rest of it. */
const headOf = (
  { headers, cookies = [] }: Pick<ApiAnswer, 'headers' | 'cookies'>,
  requestId: string,
): OutgoingHttpHeaders => ({
  ...SECURITY,
  ...headers,
  ...(cookies.length > 0 ? { 'set-cookie': [...cookies] } : {}),
  'x-request-id': requestId,
});

async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  answer: StreamingAnswer,
  requestId: string,
): Promise<unknown> {
  // The connection is not used again: a stream that was cut short must not be taken for a whole one.
  response.writeHead(answer.status, { ...headOf(answer, requestId), connection: 'close' });
  if (request.method === 'HEAD') response.end();
  else response.flushHeaders();
  // What came with the request and was not asked for is not kept as long as the stream.
  request.resume();
  return answer.send(response);
}
