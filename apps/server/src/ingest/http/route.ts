import { SIGNALS, type Signal } from '@candela/kernel';

/** What real exporters put before `/v1/<signal>`: nothing, a proxy's prefix, or the path of another product. */
const PREFIXES = new Set(['', '/otlp', '/api/public/otel', '/api/public/otel/otlp']);
const PATH = /^(.*)\/v1\/([a-z]+)$/;

/**
 * The signal an HTTP request is for, or undefined when its path is no OTLP receiver. Doubled and trailing slashes are
 * forgiven. `POST /` with an OTLP body is a trace request: some clients send to their base endpoint.
 */
export function matchReceiver(
  method: string,
  url: string,
  contentType: string | undefined,
): Signal | undefined {
  // The quick answer for nearly every request of the product API.
  if (!url.includes('/v1/') && !isRoot(url)) return undefined;
  const query = url.indexOf('?');
  const path = (query === -1 ? url : url.slice(0, query)).replaceAll(/\/{2,}/g, '/').replace(/\/+$/, '');
  if (path === '') return method === 'POST' && isProtobuf(contentType) ? 'traces' : undefined;
  const match = PATH.exec(path);
  return match !== null && PREFIXES.has(match[1] ?? '') ? SIGNALS.find((one) => one === match[2]) : undefined;
}

function isRoot(url: string): boolean {
  return /^\/*(\?|$)/.test(url);
}

/** True for the protobuf media types, whatever their parameters. */
export function isProtobuf(contentType: string | undefined): boolean {
  return /^\s*application\/(x-)?protobuf\s*(;|$)/i.test(contentType ?? '');
}

/** True for JSON, whatever its parameters. */
export function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/json\s*(;|$)/i.test(contentType ?? '');
}
