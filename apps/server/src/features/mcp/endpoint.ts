import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  askerOf,
  type CandelaError,
  type Clock,
  fail,
  newRequestId,
  type Scope,
  SCOPES,
} from '@candela/kernel';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { readJsonObject } from '../../http/body.ts';
import { errorAnswer } from '../../http/errors.ts';
import type { Endpoint, Page } from '../../http/request-handler.ts';
import { header } from '../../http/header.ts';
import { RateLimiter } from '../../http/rate-limit.ts';
import type { Caller, CallParts } from '../../tools/calls.ts';
import type { AuthenticateInput, Identity } from '../identity/service.ts';
import { mcpServer, scopesMissing } from './server.ts';

const PATH = '/mcp';
const METADATA_PATH = `/.well-known/oauth-protected-resource${PATH}`;

export interface McpParts extends CallParts {
  readonly identity: Identity;
  readonly clock: Clock;
  /** Origin under which people reach the platform. */
  readonly issuer: string;
  /** Complete origins of web pages that may ask. */
  readonly allowedOrigins: readonly string[];
  readonly rateLimitPerMinute: number;
  readonly version: string;
}

/** The tools over the Model Context Protocol at `POST /mcp`, without sessions, in its wire of 2026 and the one before. */
export function mcpEndpoint(parts: McpParts): Endpoint {
  const { identity, issuer } = parts;
  const limiter = new RateLimiter(parts.rateLimitPerMinute, parts.clock);
  const origins = new Set([new URL(issuer).origin, ...parts.allowedOrigins]);

  return {
    id: 'mcp',
    owns: (path) => path === PATH,
    async serve(request, response) {
      const origin = header(request, 'origin');
      if (origin !== undefined && !origins.has(origin)) {
        throw fail('forbidden', { detail: 'Web pages of this origin may not ask here.' });
      }
      requireOwnHost(header(request, 'host') ?? '', issuer);
      const caller = await callerOf(identity, request, response, issuer);
      if (caller === undefined) return;
      limiter.take(askerOf(caller.context));
      const isPost = request.method === 'POST';
      const parsedBody = isPost ? await readJsonObject(request, true) : undefined;
      const mayWrite = new URL(request.url ?? PATH, issuer).searchParams.get('write') === '1';
      const missing = scopesMissing(parsedBody, caller, mayWrite);
      if (missing.length > 0) {
        refuse(response, missingScope(caller, missing), challengeOf(issuer, caller, missing));
        return;
      }
      // One a request: its tools are those of who asks.
      const handler = createMcpHandler(() =>
        mcpServer(parts, caller, { origin: issuer, version: parts.version, mayWrite }),
      );
      const asked = new Request(new URL(PATH, issuer), {
        method: request.method ?? 'GET',
        headers: headersOf(request),
        signal: caller.signal,
        ...(isPost ? { body: JSON.stringify(parsedBody) } : {}),
      });
      await send(await handler.fetch(asked, isPost ? { parsedBody } : {}), response);
    },
  };
}

/** Where clients learn who gives out tokens (RFC 9728). */
export function mcpMetadataPage(issuer: string): Page {
  const document = {
    resource: new URL(PATH, issuer).href,
    resource_name: 'Candela',
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: SCOPES.filter((scope) => scope !== 'ingest'),
  };
  return { path: METADATA_PATH, contentType: 'application/json', body: () => JSON.stringify(document) };
}

/** A page whose name was made to lead here would send its own name. @throws forbidden */
function requireOwnHost(host: string, issuer: string): void {
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  const isAddress = isIP(name.replaceAll(/^\[|\]$/g, '')) !== 0;
  if (isAddress || name === 'localhost' || name === new URL(issuer).hostname) return;
  throw fail('forbidden', {
    detail:
      'This name is not the platform’s. Set PLATFORM_PUBLIC_URL to the address under which people reach it.',
  });
}

/** Undefined: nobody that is known, and that was answered, with where to get a token. */
async function callerOf(
  identity: Identity,
  request: IncomingMessage,
  response: ServerResponse,
  issuer: string,
): Promise<Caller | undefined> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const caller: AuthenticateInput = {
    headers: (name) => header(request, name),
    remoteAddress: request.socket.remoteAddress ?? '',
    endpoint: 'api',
    requestId: newRequestId(),
    method: request.method ?? 'GET',
    on: 'project',
    storage: undefined,
    application: false,
  };
  try {
    const context = await identity.authenticate(caller);
    const client = { address: caller.remoteAddress, userAgent: header(request, 'user-agent') };
    const platform = async () => ({
      ...(await identity.authenticate({ ...caller, storage: 'platform' })),
      client,
    });
    const idempotencyKey = header(request, 'idempotency-key');
    return { context: { ...context, client }, platform, caller, signal: gone.signal, idempotencyKey };
  } catch (thrown) {
    if (errorAnswer(thrown, PATH).status !== 401) throw thrown;
    refuse(response, thrown, `Bearer resource_metadata="${metadataOf(issuer)}", scope="telemetry"`);
    return undefined;
  }
}

const metadataOf = (issuer: string): string => new URL(METADATA_PATH, issuer).href;

/** Why a call is refused that other scopes would allow: who has no key is asked for one. */
function missingScope({ context }: Caller, missing: readonly Scope[]): CandelaError {
  if (context.principal.kind === 'anonymous') return fail('no_credential');
  const names = missing.map((scope) => `"${scope}"`).join(', ');
  return fail('forbidden', { detail: `This credential lacks the scope ${names}, which the tool needs.` });
}

/** The scopes to ask a person for (RFC 6750): those that there are and those that a call needs. */
function challengeOf(issuer: string, { context }: Caller, missing: readonly Scope[]): string {
  const scope = SCOPES.filter((each) => context.scopes.has(each) || missing.includes(each)).join(' ');
  const error = context.principal.kind === 'anonymous' ? '' : 'error="insufficient_scope", ';
  return `Bearer ${error}scope="${scope}", resource_metadata="${metadataOf(issuer)}"`;
}

function refuse(response: ServerResponse, thrown: unknown, challenge: string): void {
  const { status, headers, body } = errorAnswer(thrown, PATH);
  response.writeHead(status, { ...headers, 'www-authenticate': challenge }).end(body);
}

/** Headers that belong to the protocol; a credential is none of its business. */
function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    const isOurs = /^(accept|content-type|mcp-.*|traceparent)$/.test(name);
    if (isOurs && typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response);
}
