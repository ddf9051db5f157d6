import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Envelope, type RouteDeclaration, ROUTES, type RouteId } from '@candela/contract';
import { askerOf, type ClientOrigin, type Clock, fail, type RequestContext } from '@candela/kernel';
import { authorise } from '../features/identity/access.ts';
import { isLoopbackAddress } from '../features/identity/addresses.ts';
import type { AuthenticateInput, Identity } from '../features/identity/service.ts';
import { withWindow } from '../features/telemetry/service.ts';
import { readJsonObject } from './body.ts';
import { createOriginPolicy } from './cross-origin.ts';
import { acceptedEncodings } from './encodings.ts';
import { errorAnswer } from './errors.ts';
import type { Handlers } from './handlers.ts';
import { header } from './header.ts';
import { RateLimiter } from './rate-limit.ts';
import { createRouter, type Match } from './router.ts';
import type { SharedAnswers } from './shared-answers.ts';
import {
  type EventAnswer,
  type FileAnswer,
  sendEvents,
  sendFile,
  startFile,
  type StreamTiming,
} from './stream-answer.ts';
import type { StreamGate } from './stream-gate.ts';
import { StreamPermit } from './stream-permit.ts';
import { saveUpload } from './upload.ts';
import { validate } from './validate.ts';

export interface ApiParts {
  readonly handlers: Handlers;
  readonly identity: Identity;
  readonly rateLimitPerMinute: number;
  readonly sdkRateLimitPerMinute: number;
  /** Complete origins of pages that may read answers of routes which say so. */
  readonly allowedOrigins: readonly string[];
  readonly clock: Clock;
  readonly answers: SharedAnswers;
  readonly streams: StreamGate;
  readonly streamTiming: StreamTiming;
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
  readonly cookies?: readonly string[];
  readonly body: string | Uint8Array;
  /** Why it is a failure, where the status does not say it. */
  readonly failure?: unknown;
}

/** An answer that is made while it is sent; `send` resolves with what went wrong on the way, for the log. */
export interface StreamingAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly send: (response: ServerResponse) => Promise<unknown>;
}

const COMPRESS_FROM = 16_384;

/** Answers the declared routes: route, credential, permission, limit, validation, handler. */
export function createApi(parts: ApiParts): (request: ApiRequest) => Promise<ApiAnswer | StreamingAnswer> {
  const router = createRouter(ROUTES);
  const limiters = {
    page: new RateLimiter(parts.rateLimitPerMinute, parts.clock),
    sdk: new RateLimiter(parts.sdkRateLimitPerMinute, parts.clock),
  };
  const origins = createOriginPolicy(parts.allowedOrigins);

  async function perform(
    api: ApiRequest,
    { id, route, params }: Match,
  ): Promise<ApiAnswer | StreamingAnswer> {
    const { permission } = route;
    const caller: AuthenticateInput = {
      headers: (name) => header(api.request, name),
      remoteAddress: api.request.socket.remoteAddress ?? '',
      endpoint: 'api',
      requestId: api.requestId,
      method: api.method,
      on: permission === 'public' ? 'account' : permission.on,
      storage: route.storage,
      application: route.pace === 'sdk',
      basic: route.basic === true,
    };
    const client = originOf(parts.identity, caller);
    let context: RequestContext | undefined;
    if (permission === 'public') parts.identity.requireOwnPage(caller);
    else {
      const known = await parts.identity.authenticate(caller);
      context = { ...known, client };
      limiters[route.pace ?? 'page'].take(askerOf(context));
      authorise(permission, context);
    }
    const cookies: string[] = [];
    let tag: string | undefined;
    const pathParams = validate(route.params, params, 'path');
    const query = validate(route.query, Object.fromEntries(new URLSearchParams(api.search)), 'query');
    const body =
      route.body && validate(route.body, await readJsonObject(api.request, context !== undefined), 'body');
    const input = {
      context: withWindow(context, [body, query], parts.clock.now()),
      params: pathParams,
      query,
      body,
      header: (name: string) => header(api.request, name),
      save: (path: string, most = Number.POSITIVE_INFINITY) =>
        saveUpload(api.request, path, Math.min(route.upload ?? 0, most)),
      client,
      requestId: api.requestId,
      caller,
      setCookie: (cookie: string) => cookies.push(cookie),
      etag: (given: string) => (tag = `"${given}"`),
    };
    // The types of input and handler meet in `Handlers`; the id read from the table cannot carry them here.
    const handler = parts.handlers[id as RouteId] as (input: unknown) => unknown;
    if (route.stream !== undefined) {
      const viewer = context === undefined ? `address ${client.address}` : askerOf(context);
      const check = () => stillMay(parts.identity, caller, route, context);
      return stream(parts, api, { route, client: viewer, check }, (signal) => handler({ ...input, signal }));
    }
    if (route.shared === true && context !== undefined) {
      const question = [id, input.params, input.query, input.body];
      const text = await parts.answers.ask(context, question, api.signal, async (signal) =>
        JSON.stringify(await handler({ ...input, signal })),
      );
      return answer(api, route.success, text);
    }
    const result = await handler({ ...input, signal: api.signal });
    if (tag !== undefined && hasVersion(header(api.request, 'if-none-match'), tag)) {
      return { status: 304, headers: { etag: tag, 'cache-control': 'no-store' }, body: '' };
    }
    const made = await answer(api, route.success, JSON.stringify(result));
    return { ...made, headers: { ...made.headers, ...(tag === undefined ? {} : { etag: tag }) }, cookies };
  }

  return async (api) => {
    const origin = header(api.request, 'origin');
    if (api.method === 'OPTIONS' && origin !== undefined) {
      const asked = router.crossing(api.path);
      if (asked !== undefined) return { ...origins.preflight(origin, asked.method), body: '' };
    }
    const match = router.match(api.method, api.path);
    const { route } = match;
    api.onRoute(match.id);
    let crossing: Record<string, string> | undefined;
    try {
      crossing = route.crossOrigin && origins.headers(origin, route.crossOrigin);
      return withHeaders(await perform(api, match), crossing);
    } catch (thrown) {
      const { envelope, crossOrigin } = route;
      if (envelope === undefined && crossOrigin === undefined) throw thrown;
      const refused = crossOrigin !== undefined && crossing === undefined;
      return withHeaders(failureOf(thrown, { path: api.path, envelope, refused }), crossing);
    }
  };
}

/** Headers for pages of other origins join those of the answer; `vary` has several reasons. */
function withHeaders<A extends ApiAnswer | StreamingAnswer>(
  made: A,
  more: Record<string, string> | undefined,
): A {
  if (more === undefined) return made;
  const vary = [made.headers['vary'], more['vary']].filter((value) => value !== undefined).join(', ');
  return { ...made, headers: { ...made.headers, ...more, vary } };
}

/**
 * A failure as a route with an envelope tells it: status 200 whatever is wrong, code and time to wait in the headers as
 * everywhere. Only a page that may not ask at all sees another status.
 */
function failureOf(
  thrown: unknown,
  of: { readonly path: string; readonly envelope: Envelope | undefined; readonly refused: boolean },
): ApiAnswer {
  const { status, headers, body } = errorAnswer(thrown, of.path);
  const failure = status === 500 ? { failure: thrown } : {};
  if (of.envelope === undefined) return { status, headers, body, ...failure };
  const { err } = JSON.parse(body) as { err: string };
  const told = JSON.stringify({ err, res: of.envelope.onFailure });
  return { status: of.refused ? status : 200, headers, body: told, ...failure };
}

/** Whether a list of versions that a client has names this one. */
function hasVersion(list: string | undefined, tag: string): boolean {
  if (list === undefined) return false;
  return list.split(',').some((each) => each.trim().replace(/^W\//, '') === tag || each.trim() === '*');
}

const originOf = (identity: Identity, caller: AuthenticateInput): ClientOrigin => ({
  address: identity.addressOf(caller),
  userAgent: caller.headers('user-agent'),
});

/**
 * Whether who opened a stream still may, and still reaches what it tells of.
 * @throws what authenticate and authorise throw, forbidden
 */
async function stillMay(
  identity: Identity,
  caller: AuthenticateInput,
  { permission }: RouteDeclaration,
  opened: RequestContext | undefined,
): Promise<void> {
  if (permission === 'public' || opened === undefined) return;
  const now = await identity.authenticate({ ...caller, unattended: true });
  authorise(permission, now);
  if (now.projectId !== opened.projectId || now.environment !== opened.environment) {
    throw fail('forbidden', { detail: 'What this credential reaches was changed. Ask again.' });
  }
}

/** Starts a stream: until its first part is there a failure is a plain error answer. */
async function stream(
  parts: ApiParts,
  api: ApiRequest,
  of: { readonly route: RouteDeclaration; readonly client: string; readonly check: () => Promise<void> },
  handle: (signal: AbortSignal) => unknown,
): Promise<ApiAnswer | StreamingAnswer> {
  const { streams, streamTiming: timing } = parts;
  const exit = streams.enter(of.client);
  const permit = new StreamPermit(of.check);
  const leave = () => {
    permit.close();
    exit();
  };
  try {
    const stop = AbortSignal.any([streams.stopping, permit.ended]);
    const signal = AbortSignal.any([api.signal, stop]);
    // Proxies that gather an answer before they pass it on would hold events back.
    const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
    if (of.route.stream === 'events') {
      const events = (await handle(signal)) as EventAnswer;
      const { requestId } = api;
      return {
        status: 200,
        headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
        send: (response) => sendEvents(response, events, { timing, requestId, stop }).finally(leave),
      };
    }
    const file = (await handle(signal)) as FileAnswer;
    const started = await startFile(file);
    return {
      status: file.status ?? 200,
      headers: {
        ...headers,
        ...file.headers,
        'content-type': file.contentType,
        'content-disposition': `${file.isInline === true ? 'inline' : 'attachment'}; filename="${file.fileName.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"`,
      },
      send: async (response) => {
        const failure = await sendFile(response, started, { timing, stop }).finally(leave);
        return stop.aborted ? undefined : failure;
      },
    };
  } catch (thrown) {
    leave();
    throw thrown;
  }
}

async function answer(api: ApiRequest, status: number, text: string): Promise<ApiAnswer> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: 'accept-encoding',
  };
  const accepts = acceptedEncodings(header(api.request, 'accept-encoding') ?? '').has('gzip');
  // On the same machine bandwidth is free and the time to compress is not.
  const near = isLoopbackAddress(api.request.socket.remoteAddress ?? '');
  if (!accepts || near || text.length < COMPRESS_FROM) return { status, headers, body: text };
  headers['content-encoding'] = 'gzip';
  return { status, headers, body: await promisify(gzip)(text, { level: 4 }) };
}
