import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { guardedLookup, isRefusedAddress, RefusedAddressError } from './address-guard.ts';
import type { TlsOptions } from './types.ts';
import { UnixAgent } from './unix-agent.ts';

export interface Connection {
  readonly url: string;
  readonly database: string;
  readonly username?: string;
  readonly password?: string;
  readonly socketPath?: string;
  readonly tls?: TlsOptions;
  /** Chosen by people of an organisation, not by who runs the platform: some addresses are refused. */
  readonly guarded?: boolean;
}

/** Statements of their own bound may take this long; the transport gives up a moment later. */
export const INSERT_TIMEOUT_MS = 120_000;
/** What the way there and back may take beyond the engine's own bound. */
export const TRANSPORT_GRACE_MS = 5_000;
const MAX_SOCKETS = 64;
const MAX_HEADER_BYTES = 65_536;

/**
 * A client of one database. Every client has an agent of its own: its idle timers assume that a socket is its own.
 * @throws RefusedAddressError
 */
export function connect(connection: Connection, database: string): ClickHouseClient {
  // An address is connected to as it is, without being resolved.
  if (connection.guarded === true && isRefusedAddress(new URL(connection.url).hostname)) {
    throw new RefusedAddressError(`${connection.url} is an address that is refused`);
  }
  return createClient({
    url: connection.url,
    database,
    username: connection.username ?? 'default',
    password: connection.password ?? '',
    application: 'candela',
    request_timeout: INSERT_TIMEOUT_MS + TRANSPORT_GRACE_MS,
    compression: { request: false, response: false },
    keep_alive: { enabled: true },
    // Errors are thrown; whoever catches them logs them once.
    log: { level: ClickHouseLogLevel.OFF },
    ...transport(connection),
  });
}

function transport({ socketPath, tls, guarded, url }: Connection): Parameters<typeof createClient>[0] {
  if (socketPath !== undefined)
    return { http_agent: new UnixAgent(socketPath), set_basic_auth_header: false };
  if (tls === undefined && guarded !== true) return { max_open_connections: MAX_SOCKETS };
  const agent = {
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    ...(guarded === true ? { lookup: guardedLookup } : {}),
  };
  return {
    max_response_headers_size: MAX_HEADER_BYTES,
    http_agent: url.startsWith('https:')
      ? new HttpsAgent({
          ...agent,
          minVersion: 'TLSv1.2',
          rejectUnauthorized: tls?.insecure !== true,
          ...(tls?.ca === undefined ? {} : { ca: tls.ca }),
          ...(tls?.certificate === undefined ? {} : { cert: tls.certificate }),
          ...(tls?.key === undefined ? {} : { key: tls.key }),
        })
      : new HttpAgent(agent),
  };
}
