import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ROUTES, type RouteId } from '@candela/contract';
import { type Clock, fail, type RequestContext } from '@candela/kernel';
import { isLoopbackAddress } from '../features/identity/addresses.ts';
import type { Identity } from '../features/identity/service.ts';
import { readJsonObject } from './body.ts';
import type { Handlers } from './handlers.ts';
import { RateLimiter } from './rate-limit.ts';
import { createRouter } from './router.ts';
import { validate } from './validate.ts';

export interface ApiParts {
  readonly handlers: Handlers;
  readonly identity: Identity;
  readonly rateLimitPerMinute: number;
  readonly clock: Clock;
}

export interface ApiRequest {
  readonly request: IncomingMessage;
  readonly method: string;
  /** Canonical path and the raw query. */
  readonly path: string;
  readonly search: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Learns the route as soon as it is known, for log and metrics. */
  readonly onRoute: (id: string) => void;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
}

const COMPRESS_FROM = 16_384;

/** Answers the declared routes: route, credential, permission, limit, validation, handler. */
export function createApi(parts: ApiParts): (request: ApiRequest) => Promise<ApiAnswer> {
  const router = createRouter(ROUTES);
  const limiter = new RateLimiter(parts.rateLimitPerMinute, parts.clock);

  function identify(api: ApiRequest): RequestContext {
    const address = api.request.socket.remoteAddress ?? '';
    const context = parts.identity.authenticate({
      headers: (name) => header(api.request, name),
      remoteAddress: address,
      door: 'api',
      method: api.method,
      requestId: api.requestId,
    });
    const { principal } = context;
    limiter.take(
      principal.kind === 'anonymous' ? `anonymous ${address}` : `${principal.kind} ${principal.id}`,
    );
    return context;
  }

  return async (api) => {
    const { id, route, params } = router.match(api.method, api.path);
    api.onRoute(id);
    const isPublic = route.permission === 'public';
    const context = isPublic ? undefined : identify(api);
    if (route.permission !== 'public' && context?.scopes.has(route.permission) !== true) {
      throw fail('forbidden', { detail: `This credential lacks the scope "${route.permission}".` });
    }
    const input = {
      context,
      params: validate(route.params, params, 'path'),
      query: validate(route.query, Object.fromEntries(new URLSearchParams(api.search)), 'query'),
      body: route.body && validate(route.body, await readJsonObject(api.request), 'body'),
      signal: api.signal,
    };
    // The types of input and handler meet in `Handlers`; the id read from the table cannot carry them here.
    const handler = parts.handlers[id as RouteId] as (input: unknown) => unknown;
    const text = JSON.stringify(await handler(input));
    return answer(api, text);
  };
}

async function answer(api: ApiRequest, text: string): Promise<ApiAnswer> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: 'accept-encoding',
  };
  const accepts = /\bgzip\b/.test(header(api.request, 'accept-encoding') ?? '');
  // On the same machine bandwidth is free and the time to compress is not.
  const near = isLoopbackAddress(api.request.socket.remoteAddress ?? '');
  if (!accepts || near || text.length < COMPRESS_FROM) return { status: 200, headers, body: text };
  headers['content-encoding'] = 'gzip';
  return { status: 200, headers, body: await promisify(gzip)(text, { level: 4 }) };
}

/** One header as the sender wrote it; repeated ones joined, so that they are noticed. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  return values === undefined ? undefined : values.join(', ');
}
