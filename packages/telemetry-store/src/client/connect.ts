import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import { guardedLookup, isRefusedAddress, RefusedAddressError } from './address-guard.ts';
import { type AnswerBounds, boundAnswers } from './bounded-answers.ts';
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
/**
 * Connections that nobody uses are closed by Node's pool, before a server would. The client's own timers for that lose
 * count when a reader leaves between asking and getting a connection, and then close it under the next one.
 */
const POOL = { keepAlive: true, maxSockets: 64, timeout: 2_500 } as const;
/** The engine host bounds itself what runs and what waits: here nothing may wait that it would refuse. */
export const HOST_POOL = { ...POOL, maxSockets: 1_024 } as const;
const MAX_HEADER_BYTES = 65_536;

/**
 * What a statement that may take hours is sent with, over a patient connection: without a word in between a client takes
 * a server for gone, and begins anew beside the statement that goes on.
 */
export const LONG_STATEMENT: ClickHouseSettings = {
  max_execution_time: 0,
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: '60000',
};
/** Such words are headers: one a minute, for days. */
const PATIENT_HEADER_BYTES = 1 << 20;
/** The engine host says none; one that hangs is killed by its supervisor, and then the connection ends. */
const PATIENT_MS = 7 * 86_400_000;

/** A server takes no field of a form that is longer (`http_max_field_value_size`), the statement too. */
const MOST_OF_FORM = 131_072;

/**
 * Whether a statement to a server has its long values in a form: of a URL servers take a mebibyte, and what stands before
 * them less. The client does so from four kilobytes of values on, and then sends the statement there as well, so a statement
 * longer than a field stays out. The engine host takes long URLs and no forms.
 */
export const sendsForms = ({ socketPath }: Connection, sql: string): boolean =>
  socketPath === undefined && Buffer.byteLength(sql) + FORMAT_BYTES < MOST_OF_FORM;
/** What the client adds to a statement. */
const FORMAT_BYTES = 64;

/** Bounds of answers of a server, which may be anybody's; the engine host is ours and bounds itself. */
export const ANSWERS = {
  /** Rows that are read whole. */
  rows: { bytes: 64 << 20, ms: INSERT_TIMEOUT_MS + TRANSPORT_GRACE_MS },
  /** Rows that are read one by one, at the pace of whoever takes them. */
  stream: { bytes: Number.MAX_SAFE_INTEGER, lineBytes: 64 << 20, ms: 3_600_000 },
  /** Of statements without a result: a few words, or an error. */
  done: { bytes: 1 << 20, ms: INSERT_TIMEOUT_MS + TRANSPORT_GRACE_MS },
  /** Of migrations; the largest answers are lists of tables and migrations. */
  patient: { bytes: 16 << 20, ms: PATIENT_MS },
} as const satisfies Record<string, AnswerBounds>;

/**
 * A client of one database, with connections of its own.
 * @param answers `patient`: for statements that may take hours, see {@link LONG_STATEMENT}
 * @throws RefusedAddressError
 */
export function connect(
  connection: Connection,
  database: string,
  answers: keyof typeof ANSWERS | AnswerBounds,
): ClickHouseClient {
  const patient = answers === 'patient';
  const { socketPath } = connection;
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
    request_timeout:
      patient && socketPath !== undefined ? PATIENT_MS : INSERT_TIMEOUT_MS + TRANSPORT_GRACE_MS,
    compression: { request: false, response: false },
    keep_alive: { enabled: true, idle_socket_ttl: 0 },
    // Errors are thrown; whoever catches them logs them once.
    log: { level: ClickHouseLogLevel.OFF },
    ...transport(connection, typeof answers === 'string' ? ANSWERS[answers] : answers),
    ...(patient ? { max_response_headers_size: PATIENT_HEADER_BYTES } : {}),
  });
}

function transport(
  { socketPath, tls, guarded, url }: Connection,
  bounds: AnswerBounds,
): Parameters<typeof createClient>[0] {
  if (socketPath !== undefined)
    return { http_agent: new UnixAgent(socketPath, HOST_POOL), set_basic_auth_header: false };
  const agent = { ...POOL, ...(guarded === true ? { lookup: guardedLookup } : {}) };
  return {
    max_response_headers_size: MAX_HEADER_BYTES,
    http_agent: boundAnswers(
      url.startsWith('https:')
        ? new HttpsAgent({
            ...agent,
            minVersion: 'TLSv1.2',
            rejectUnauthorized: tls?.insecure !== true,
            ...(tls?.ca === undefined ? {} : { ca: tls.ca }),
            ...(tls?.certificate === undefined ? {} : { cert: tls.certificate }),
            ...(tls?.key === undefined ? {} : { key: tls.key }),
          })
        : new HttpAgent(agent),
      bounds,
    ),
  };
}
