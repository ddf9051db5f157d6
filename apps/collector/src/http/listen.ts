import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { errorText } from '../log.ts';
import { Fault } from '../source.ts';

/** An address to listen on; without a host it means all addresses. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

/** Reads `host:port`, `[v6]:port` or `:port`. @throws Fault `variable` does not hold one */
export function parseListenAddress(variable: string, text: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const [, bracketed, plain, digits] = match ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  const knownHost =
    bracketed === undefined ? host === '' || isIP(host) === 4 || HOST_NAME.test(host) : isIP(host) === 6;
  if (match === null || !knownHost || port > 65_535) {
    throw new Fault(
      `${variable} is ${JSON.stringify(text)}, but takes host:port, [IPv6 address]:port or :port, e.g. 127.0.0.1:1919.`,
    );
  }
  return { host: host === '' ? undefined : host, port };
}

/** True for an address that only this machine can reach. */
export function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || host === '127.0.0.1';
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a request came by a name of this machine itself, not by one that somebody's DNS points here. */
export function askedAsLoopback({ headers: { host = '' } }: IncomingMessage): boolean {
  return LOOPBACK_NAMES.has(host.replace(/:\d{1,5}$/, '').toLowerCase());
}

export interface Listening {
  /** As bound: `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const TIMEOUTS = {
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 60_000,
  /** A connection on which nothing moves: what a reader that takes nothing of its answer comes to. */
  timeout: 60_000,
} as const;
const MAX_HEADER_BYTES = 16_384;
const MAX_CONNECTIONS = 128;
const CHECK_MS = 1_000;
/** Longest answer, its writing included: a reader that takes a byte a second holds nothing up for longer. */
const ANSWER_MS = 60_000;

/**
 * An HTTP server with bounds on everything a peer decides: time, header bytes, connections. `handle` must not throw.
 * @throws Fault the address cannot be listened on
 */
export async function listen(
  variable: string,
  address: ListenAddress,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Listening> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: TIMEOUTS.headersTimeout,
      requestTimeout: TIMEOUTS.requestTimeout,
      keepAliveTimeout: TIMEOUTS.keepAliveTimeout,
      connectionsCheckingInterval: CHECK_MS,
      insecureHTTPParser: false,
    },
    (request, response) => {
      const timer = setTimeout(() => response.destroy(), ANSWER_MS);
      response.once('close', () => clearTimeout(timer));
      handle(request, response);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = TIMEOUTS.timeout;
  await bind(server, variable, address);
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  const host = address.host ?? '0.0.0.0';
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bind(server: Server, variable: string, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const where = `${host ?? ''}:${port}`;
      const why =
        (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
          ? 'another program listens there'
          : errorText(cause);
      reject(new Fault(`Cannot listen on ${where} (${variable}): ${why}.`, { cause }));
    });
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.removeAllListeners('error');
      // What goes wrong with a single connection is no concern of the agent.
      server.on('error', () => undefined);
      resolve();
    });
  });
}
