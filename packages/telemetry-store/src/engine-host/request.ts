import type { IncomingMessage } from 'node:http';

/** One request of the ClickHouse HTTP interface, taken apart. */
export interface EngineRequest {
  readonly queryId: string;
  /** `query` of the URL; the body then holds the data of an insert. Undefined: the body is the query. */
  readonly queryInUrl: string | undefined;
  readonly database: string | undefined;
  readonly defaultFormat: string;
  readonly settings: Map<string, string>;
  /** Values still in ClickHouse's escaped form, as the interface carries them. */
  readonly parameters: Map<string, string>;
}

/** Names of the HTTP interface that are not settings of a query. */
const INTERFACE_NAMES = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'role',
  'session_id',
  'session_timeout',
  'session_check',
  'close_session',
  'stacktrace',
  'buffer_size',
  'wait_end_of_query',
  'compress',
  'decompress',
  'enable_http_compression',
  'http_zlib_compression_level',
  'http_headers_progress_interval_ms',
  'http_write_exception_in_output_format',
  'http_response_headers',
  'send_progress_in_http_headers',
  'add_http_cors_header',
  'cancel_http_readonly_queries_on_client_close',
  'client_protocol_version',
]);

const PARAMETER_PREFIX = 'param_';

/** Reads the URL of a request. Settings keep the order in which they came. */
export function parseRequest(req: IncomingMessage, newQueryId: () => string): EngineRequest {
  const url = new URL(req.url ?? '/', 'http://engine');
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (name.startsWith(PARAMETER_PREFIX)) parameters.set(name.slice(PARAMETER_PREFIX.length), value);
    else if (!INTERFACE_NAMES.has(name)) settings.set(name, value);
  }
  return {
    queryId: url.searchParams.get('query_id') || newQueryId(),
    queryInUrl: url.searchParams.get('query') ?? undefined,
    database: url.searchParams.get('database') || undefined,
    defaultFormat: url.searchParams.get('default_format') ?? 'TabSeparated',
    settings,
    parameters,
  };
}
