import { createServer, connect, type LookupFunction, type Socket } from 'node:net';
import { lookup as resolveName } from 'node:dns';
import { guardedLookup, isRefusedAddress } from '@candela/telemetry-store';

export interface ConnectProxy {
  readonly url: string;
  /** Why a connection was refused, if one was. */
  refused(): string | undefined;
  close(): void;
}

/** Private networks: repositories of an organisation's own server are allowed by naming it in the settings. */
const isPrivate = (address: string): boolean =>
  /^(10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/.test(
    address,
  ) ||
  /^(::1$|f[cd])/i.test(address) ||
  isRefusedAddress(address);

/** Resolves a name and refuses every private address: what is public by name may still lead inside. */
const publicLookup: LookupFunction = (host, options, done) => {
  resolveName(host, options, (error, address, family) => {
    const found =
      error !== null ? [] : Array.isArray(address) ? address.map((one) => one.address) : [address];
    if (found.some(isPrivate)) done(new Error(`${host} leads to an address of a private network`), '', 0);
    else done(error, address, family);
  });
};

/**
 * An HTTP proxy on loopback that knows CONNECT and one destination: git resolves names by itself, so this is where an address is
 * judged, at the moment of connecting. `trusted` hosts were named by the operator and may be private.
 */
export function startConnectProxy(options: {
  readonly host: string;
  readonly port: number;
  readonly trusted: boolean;
  readonly maxBytes: number;
}): Promise<ConnectProxy> {
  const { host, port, trusted, maxBytes } = options;
  const sockets = new Set<Socket>();
  let bytes = 0;
  let refused: string | undefined;
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy()).on('close', () => sockets.delete(client));
    client.once('data', (head) => {
      const asked = /^CONNECT ([^\s:]+|\[[0-9a-f:]+\]):(\d{1,5}) HTTP\/1\.[01]\r\n/i.exec(
        head.toString('latin1', 0, 4_096),
      );
      if (asked?.[1]?.toLowerCase() !== host.toLowerCase() || Number(asked[2]) !== port) {
        refused ??= 'The repository leads to another address, which is not followed.';
        client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        return;
      }
      if (!trusted && isPrivate(host)) {
        refused ??= 'The address of the repository is one of a private network.';
        client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        return;
      }
      const upstream = connect({ host, port, lookup: trusted ? guardedLookup : publicLookup });
      sockets.add(upstream);
      upstream.on('connect', () => client.write('HTTP/1.1 200 Connected\r\n\r\n'));
      upstream.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes > maxBytes) {
          refused ??= `The repository is larger than ${Math.round(maxBytes / 1_048_576)} MiB.`;
          client.destroy();
          upstream.destroy();
        } else if (!client.write(chunk)) {
          upstream.pause();
          client.once('drain', () => upstream.resume());
        }
      });
      client.on('data', (chunk) => void upstream.write(chunk));
      upstream.on('error', (error) => {
        if (/private network|is refused/.test(error.message))
          refused ??= `${error.message}, which is not scanned.`;
        client.destroy();
      });
      upstream.on('close', () => {
        sockets.delete(upstream);
        client.end();
      });
      client.on('close', () => upstream.destroy());
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const own = typeof address === 'object' && address !== null ? address.port : 0;
      resolve({
        url: `http://127.0.0.1:${own}`,
        refused: () => refused,
        close: () => {
          for (const socket of sockets) socket.destroy();
          server.close();
        },
      });
    });
  });
}
