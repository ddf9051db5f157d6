import { Body } from './body.ts';

/** Headers that are kept, and no others: credentials never leave the parser. */
const KEPT = new Set([
  'host',
  ':authority',
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
]);

export type Headers = ReadonlyMap<string, string>;

/** Names in lower case; the first of a name counts. */
export function keepHeader(headers: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase();
  if (KEPT.has(key) && !headers.has(key)) headers.set(key, value.slice(0, 1_024));
}

/** The path without its query, which may hold a key. */
const pathOf = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/]*/, '');
  return path.split(/[?#]/, 1)[0]?.slice(0, 2_048) ?? '';
};

/** A request with its answer. Times are nanoseconds of the monotonic clock. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly request: { readonly headers: Headers; readonly body: Body };
  readonly startedAt: bigint;
  status: number;
  responseHeaders: Headers;
  readonly response: Body;
  endedAt: bigint;
  /** The connection ended before the answer did. */
  broken: boolean;
  /** The name that the connection was made for, by SNI. */
  server: string | undefined;
}

/** Who was called: what the request says, else what the connection was made for. Without the port. */
export function hostOf({ request: { headers }, server }: Exchange): string | undefined {
  const host = headers.get('host') ?? headers.get(':authority') ?? server;
  return host?.replace(/:\d+$/, '');
}

export const newExchange = (method: string, target: string, headers: Headers, at: bigint): Exchange => ({
  method: method.slice(0, 16),
  path: pathOf(target),
  request: { headers, body: new Body() },
  startedAt: at,
  status: 0,
  responseHeaders: new Map(),
  response: new Body(),
  endedAt: at,
  broken: false,
  server: undefined,
});
