import { createServer, request as ask, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ClickHouseProxy {
  /** `http://127.0.0.1:<port>`, or https. */
  readonly url: string;
  /** Statements that came in, for those who want to know where one went. */
  readonly requests: () => number;
  close(): Promise<void>;
}

/**
 * An engine host's Unix socket as a ClickHouse server: HTTP on a TCP port of this machine that asks for user and
 * password. It is what stands for a server where there is none: the dialect and the interface are the engine's own.
 */
export async function openClickHouseProxy(options: {
  readonly socketPath: string;
  readonly username: string;
  readonly password: string;
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}): Promise<ClickHouseProxy> {
  let requests = 0;
  const wanted = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;
  const answer: RequestListener = (request, response) => {
    requests += 1;
    if (request.headers.authorization !== wanted) {
      response.writeHead(403, { 'X-ClickHouse-Exception-Code': '516' });
      response.end('Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)\n');
      return;
    }
    const { authorization: _, ...headers } = request.headers;
    const inner = ask(
      { socketPath: options.socketPath, path: request.url, method: request.method, headers },
      (found: IncomingMessage) => {
        response.writeHead(found.statusCode ?? 500, found.headers);
        found.pipe(response);
      },
    );
    inner.on('error', () => response.destroy());
    response.on('close', () => inner.destroy());
    request.pipe(inner);
  };
  const server = options.tls === undefined ? createServer(answer) : createTlsServer(options.tls, answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
