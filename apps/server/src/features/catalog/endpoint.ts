import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CATALOG_ROUTES, INTEGRATION_TYPES } from '@candela/contract';
import { newRequestId } from '@candela/kernel';
import { SECURITY_HEADERS } from '../../http/security-headers.ts';
import { catalogContent, integrationsOf, isIntegrationType } from './content.ts';

type Operation = keyof typeof CATALOG_ROUTES;

/** An answer as it goes out: everything but the id of the request is made once, at the start. */
interface Prepared {
  readonly operation: Operation | 'catalog';
  readonly status: number;
  readonly body: Buffer;
  readonly headers: readonly string[];
  readonly etag: string | undefined;
}

export interface CatalogParts {
  /** The platform's own address, for the addresses in the answers. */
  readonly base: string;
  readonly onAnswer: (operation: string, method: string, status: number) => void;
}

const FRESH_SECONDS = 300;
const BELOW = /^\/api\/v1(?:[/?#]|$)/;
/** The same for everybody, from everywhere. */
const COMMON: readonly string[] = [
  ...[...SECURITY_HEADERS].flatMap(([name, value]) =>
    name === 'cross-origin-resource-policy' ? [name, 'cross-origin'] : [name, value],
  ),
  'content-type',
  'application/json',
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'etag, x-request-id',
];

/**
 * Answers everything below `/api/v1`, and nothing else; false when the request is for somebody else. Public and always
 * the same, so an answer costs a look into a map: a flood of them leaves the rest of the process alone.
 */
export function createCatalog(parts: CatalogParts): {
  handle(request: IncomingMessage, response: ServerResponse): boolean;
} {
  const content = catalogContent(parts.base);
  const known = new Map<string, Prepared>();
  for (const operation of Object.keys(CATALOG_ROUTES) as Operation[]) {
    const answer = operation === 'listIntegrations' ? integrationsOf(undefined) : content[operation];
    known.set(CATALOG_ROUTES[operation].path, prepare(operation, answer));
  }
  const ofType = new Map(
    INTEGRATION_TYPES.map((type) => [type, prepare('listIntegrations', integrationsOf(type))]),
  );
  const documentation = new URL('/openapi-spec', parts.base).href;

  function answerTo(method: string, path: string, search: string): Prepared {
    const found = known.get(path);
    if (found === undefined) {
      return failure(
        404,
        'not_found',
        'There is nothing at this path.',
        `See ${documentation} for the paths.`,
      );
    }
    if (method !== 'GET' && method !== 'HEAD') {
      return failure(
        405,
        'method_not_allowed',
        'This path only takes GET.',
        `Use GET. See ${documentation}.`,
      );
    }
    if (found.operation !== 'listIntegrations' || search === '') return found;
    const types = new URLSearchParams(search).getAll('type');
    const [type = ''] = types;
    if (types.length === 0) return found;
    const valid = INTEGRATION_TYPES.join(', ');
    const chosen = types.length === 1 && isIntegrationType(type) ? ofType.get(type) : undefined;
    return (
      chosen ??
      failure(
        400,
        'invalid_parameter',
        `"type" must be one of: ${valid}.`,
        `Take one of these once, or leave "type" out for all of them. See ${documentation}.`,
      )
    );
  }

  return {
    handle(request, response) {
      const target = request.url ?? '/';
      if (!BELOW.test(target)) return false;
      const [, path = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(target) ?? [];
      const method = request.method ?? 'GET';
      const answer = answerTo(method, path, search);
      const fresh = answer.etag !== undefined && holds(request.headers['if-none-match'], answer.etag);
      send(request, response, answer, fresh);
      parts.onAnswer(answer.operation, method, fresh ? 304 : answer.status);
      return true;
    },
  };
}

function send(request: IncomingMessage, response: ServerResponse, answer: Prepared, fresh: boolean): void {
  const headers = [...answer.headers, 'x-request-id', newRequestId()];
  // A body that nobody reads would be taken for the next request.
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0';
  if (hasBody) headers.push('connection', 'close');
  if (!fresh) headers.push('content-length', String(answer.body.byteLength));
  response.writeHead(fresh ? 304 : answer.status, headers);
  response.end(fresh || request.method === 'HEAD' ? undefined : answer.body);
}

function prepare(operation: Operation, answer: object): Prepared {
  const body = Buffer.from(JSON.stringify(answer));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = [...COMMON, 'cache-control', `public, max-age=${FRESH_SECONDS}`, 'etag', etag];
  // Whether it answers is asked now, not five minutes ago.
  if (operation === 'getHealth') headers[headers.indexOf('cache-control') + 1] = 'no-cache';
  return { operation, status: 200, body, headers, etag };
}

function failure(status: 400 | 404 | 405, code: string, message: string, hint: string): Prepared {
  const headers = [...COMMON, 'cache-control', 'no-store', 'x-platform-error-code', code];
  if (status === 405) headers.push('allow', 'GET, HEAD');
  const body = Buffer.from(JSON.stringify({ error: { code, message, hint } }));
  return { operation: 'catalog', status, body, headers, etag: undefined };
}

/** True when `If-None-Match` names what we would send; compared weakly, as RFC 9110 says. */
function holds(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === etag);
}
