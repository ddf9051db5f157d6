import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { HTTP_SERVER_OPTIONS, hardenHttpServer, refuseHostless } from '../ingest/index.ts';

export interface Listener {
  readonly port: number;
  /** Base address for people on this machine. */
  readonly url: string;
  /** Stops accepting; resolves when the last answer is out, or after `graceMs` with what is left cut off. */
  close(graceMs: number): Promise<void>;
}

/** Somebody else has the port. The sentence says which variable moves ours. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Variable that sets the port, for the error message. */
  readonly variable: string;
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** Takes connections that become WebSockets, at the paths that are its own; every other request is answered as it is. */
  readonly sockets?: {
    readonly owns: (path: string) => boolean;
    readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  };
  /** How long a client may take nothing of an answer, milliseconds. */
  readonly stallMs: number;
}

/** Opens one HTTP port with bounds on headers, time and connections. @throws PortTakenError */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { sockets } = options;
  const isSocket = (request: IncomingMessage): boolean =>
    request.headers.upgrade?.toLowerCase() === 'websocket' &&
    sockets?.owns((request.url ?? '').split('?', 1)[0] ?? '') === true;
  const server = createServer(
    { ...HTTP_SERVER_OPTIONS, shouldUpgradeCallback: isSocket },
    (request, response) => {
      if (!refuseHostless(request, response)) options.handler(request, response);
    },
  );
  if (sockets !== undefined)
    server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  hardenHttpServer(server, options.stallMs);
  server.maxHeadersCount = 200;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${urlHost(options.host)}:${port}`,
    close: (graceMs) => close(server, graceMs),
  };
}

/** The sentence for a person behind a failed `listen`. */
export function explain(
  error: NodeJS.ErrnoException,
  { host, port, variable }: Pick<ListenOptions, 'host' | 'port' | 'variable'>,
): Error {
  if (error.code === 'EADDRINUSE') {
    return new PortTakenError(
      `Port ${port} on ${host} is in use by another program. Stop it, or choose another port with ${variable} (0 picks a free one).`,
    );
  }
  if (error.code === 'EACCES') {
    return new PortTakenError(
      `Port ${port} may not be opened by this user. Choose another with ${variable}.`,
    );
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new PortTakenError(
      `This machine has no address ${host}. Set PLATFORM_HOST to one it has, e.g. 0.0.0.0.`,
    );
  }
  return error;
}

/** How a browser on this machine reaches an address we listen on. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose answer goes out later is idle then, and nobody else would close it.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
