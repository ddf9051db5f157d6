import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.ts';
import {
  isLoopback,
  type ListenAddress,
  type Listening,
  listen,
  parseListenAddress,
} from '../http/listen.ts';
import { errorText, type Log } from '../log.ts';
import { Fault } from '../source.ts';
import { readJsonBody } from './body.ts';
import { ControlError } from './contract.ts';
import { Guard } from './guard.ts';
import { type Reply, type Route, type RouteContext, ROUTES } from './routes.ts';

const VARIABLE = 'OTEL_GPU_CONTROL_ADDR';
/** Requests that may be under way at once; a capture is one of them for seconds. */
const MAX_CONCURRENT = 16;

type ControlSettings = Config['control'] & { readonly address: string };

/**
 * Where the control API may listen: on loopback, or anywhere with permission and a token.
 * @throws Fault the address cannot be or is not allowed
 */
export function controlAddress(control: ControlSettings): ListenAddress {
  const address = parseListenAddress(VARIABLE, control.address);
  if (!isLoopback(address) && (!control.allowRemote || control.token === undefined)) {
    throw new Fault(
      `${VARIABLE} is ${JSON.stringify(control.address)}, which others than this machine can reach: that needs OTEL_GPU_CONTROL_ALLOW_REMOTE=true and OTEL_GPU_CONTROL_TOKEN.`,
    );
  }
  return address;
}

/** Serves the control API. @throws Fault the address cannot be, is not allowed or is taken */
export async function serveControl(
  control: ControlSettings,
  context: RouteContext,
  log: Log,
): Promise<Listening> {
  const address = controlAddress(control);
  const loopbackOnly = isLoopback(address);
  const guard = new Guard({ token: control.token, loopbackOnly });
  let underWay = 0;
  return listen(VARIABLE, address, (request, response) => {
    if (underWay >= MAX_CONCURRENT) {
      sendError(response, new ControlError(503, 'Too many requests are under way. Try again shortly.'));
      return;
    }
    underWay += 1;
    void answer(guard, context, log, request, response).finally(() => {
      underWay -= 1;
    });
  });
}

async function answer(
  guard: Guard,
  context: RouteContext,
  log: Log,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    guard.check(request);
    const route = findRoute(request);
    const body = route.method === 'POST' ? await readJsonBody(request) : new Map<string, unknown>();
    await send(response, await route.handle(context, body, gone.signal));
  } catch (thrown) {
    if (gone.signal.aborted || response.headersSent) {
      response.destroy();
      return;
    }
    const error =
      thrown instanceof ControlError
        ? thrown
        : new ControlError(500, 'Something went wrong; see the log of the agent.', { cause: thrown });
    if (error.status === 500)
      log.error('a control request failed', { detail: errorText(error.cause ?? error) });
    sendError(response, error);
  }
}

/** @throws ControlError 404, 405 */
function findRoute(request: IncomingMessage): Route {
  const [path = ''] = (request.url ?? '').split('?', 1);
  const there = ROUTES.filter((route) => route.path === path);
  if (there.length === 0) throw new ControlError(404, 'There is no such path in the control API.');
  const route = there.find(({ method }) => method === request.method);
  if (route !== undefined) return route;
  const allowed = there.map(({ method }) => method).join(', ');
  throw new ControlError(405, `Use ${allowed} here.`, { headers: { allow: allowed } });
}

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.kind === 'pieces') {
    response.writeHead(200, { ...COMMON, 'content-type': 'application/json' });
    await pipeline(Readable.from(reply.pieces), response);
    return;
  }
  const text = reply.kind === 'json' ? JSON.stringify(reply.value) : reply.text;
  response.writeHead(200, {
    ...COMMON,
    'content-type': reply.kind === 'json' ? 'application/json' : 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function sendError(response: ServerResponse, error: ControlError): void {
  const text = JSON.stringify({ error: error.message });
  response.writeHead(error.status, {
    ...COMMON,
    ...error.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    // A body that was not read to its end must not be taken for the next request.
    connection: 'close',
  });
  response.end(text);
}
