import type { OtlpConfig } from '../config.ts';
import { withoutSecrets } from '../settings/parse.ts';
import { Fault } from '../source.ts';

/** Where and how metrics are sent. */
export interface Endpoint {
  /** For HTTP the whole URL; for gRPC `host:port` or `unix:path`, as gRPC names its targets. */
  readonly target: string;
  readonly tls: boolean;
}

const GRPC_PORT = '4317';
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/**
 * Reads an endpoint as the OTLP exporter specification says: over HTTP `/v1/metrics` is added to the path, unless the
 * endpoint was given for metrics alone; for gRPC the scheme decides on TLS, and without one `insecure` does.
 * @throws Fault nothing can be sent there
 */
export function parseEndpoint(
  otlp: Pick<OtlpConfig, 'endpointIsComplete' | 'protocol' | 'insecure'>,
  endpoint: string,
): Endpoint {
  const fault = (detail: string) =>
    new Fault(`OTEL_EXPORTER_OTLP_ENDPOINT is ${JSON.stringify(withoutSecrets(endpoint))}, ${detail}.`);
  return otlp.protocol === 'grpc'
    ? grpcEndpoint(endpoint, otlp.insecure, fault)
    : httpEndpoint(endpoint, otlp.endpointIsComplete, fault);
}

function httpEndpoint(endpoint: string, complete: boolean, fault: (detail: string) => Fault): Endpoint {
  const url = SCHEME.test(endpoint) ? URL.parse(endpoint) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw fault('but http/protobuf takes a URL such as http://localhost:4318');
  }
  if (!complete) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/metrics`;
  url.hash = '';
  return { target: url.href, tls: url.protocol === 'https:' };
}

function grpcEndpoint(endpoint: string, insecure: boolean, fault: (detail: string) => Fault): Endpoint {
  if (endpoint.startsWith('unix:')) return { target: endpoint, tls: false };
  const scheme = SCHEME.exec(endpoint)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
    throw fault('but grpc takes a URL such as http://localhost:4317, or host:port');
  }
  // URL knows the default ports of http and would drop them: the authority is read with a scheme that has none.
  const url = URL.parse(`grpc://${endpoint.replace(SCHEME, '')}`);
  if (url === null || url.hostname === '') {
    throw fault('but grpc takes a URL such as http://localhost:4317, or host:port');
  }
  const tls = scheme === undefined ? !insecure : scheme === 'https';
  return { target: `${url.hostname}:${url.port || GRPC_PORT}`, tls };
}
