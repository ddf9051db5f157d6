import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail, newRequestId } from '@candela/kernel';
import { refuseAtReceiver } from '../ingest/index.ts';
import { errorAnswer } from './errors.ts';

function write(response: ServerResponse, thrown: unknown, path: string): void {
  const answer = errorAnswer(thrown, path);
  response.writeHead(answer.status, {
    ...answer.headers,
    'x-request-id': newRequestId(),
    connection: 'close',
  });
  response.end(answer.body);
}

/** Before everything is open. */
export function refuse(request: IncomingMessage, response: ServerResponse): void {
  const error = fail('store_unavailable', { seconds: 1 });
  if (!refuseAtReceiver(request, response, error)) write(response, error, request.url ?? '/');
}

/** What a replica of another role answers: retryable, so that nothing is lost by a proxy that sends it here. */
export function otherRole(
  request: IncomingMessage,
  response: ServerResponse,
  role: string,
  what: 'otlp' | 'api',
): boolean {
  const error = fail('other_role', { role, wanted: what === 'otlp' ? 'ingest' : 'query' });
  if (what === 'otlp') return refuseAtReceiver(request, response, error);
  const path = request.url ?? '/';
  // A prober and Prometheus ask every replica.
  if (/^\/(?:api\/(?:health|ready)|metrics)(?:[?#]|$)/.test(path)) return false;
  write(response, error, path);
  return true;
}

/** On the port of OTLP, for anything else. */
export function notHere(request: IncomingMessage, response: ServerResponse): void {
  write(
    response,
    fail('not_found', {
      what: 'This port takes OTLP only: POST /v1/traces, /v1/metrics or /v1/logs. Anything else',
    }),
    request.url ?? '/',
  );
}
