import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { IExportMetricsServiceResponse } from '@opentelemetry/otlp-transformer';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { OtlpConfig } from '../config.ts';
import { errorText, type Log } from '../log.ts';
import { Fault } from '../source.ts';
import { withoutSecrets } from '../settings/parse.ts';
import { parseEndpoint } from './endpoint.ts';
import type { TlsFiles } from './grpc-transport.ts';

/** PEM files: far more than any chain of certificates. */
const MAX_PEM_BYTES = 1_048_576;

export interface OtlpExport {
  readonly exporter: PushMetricExporter;
  /** The endpoint as logs may name it. */
  readonly name: string;
}

/**
 * The exporter for `endpoint`; what it needs is loaded here and not before: an agent without an endpoint pays nothing.
 * @throws Fault the endpoint or a certificate cannot be
 */
export async function createOtlpExport(
  otlp: OtlpConfig,
  endpoint: string,
  options: { readonly userAgent: string; readonly log: Log },
): Promise<OtlpExport> {
  const { target, tls } = parseEndpoint(otlp, endpoint);
  const files = tls ? readTlsFiles(otlp) : { ca: undefined, cert: undefined, key: undefined };
  const [{ createOtlpNetworkExportDelegate, ExporterMetrics }, transformer] = await Promise.all([
    import('@opentelemetry/otlp-exporter-base'),
    import('@opentelemetry/otlp-transformer'),
  ]);
  const serializer = {
    serializeRequest: transformer.ProtobufMetricsSerializer.serializeRequest,
    deserializeResponse: (data: Uint8Array): IExportMetricsServiceResponse => {
      const response = transformer.ProtobufMetricsSerializer.deserializeResponse(data);
      sayRefused(response, options.log);
      // Said already, and the exporter would say it again in its own way.
      return {};
    },
  };
  const shared = { timeoutMillis: otlp.timeoutMs, concurrencyLimit: 1, compression: otlp.compression };
  const userAgent = options.userAgent;
  const componentType = otlp.protocol === 'grpc' ? 'otlp_grpc_metric_exporter' : 'otlp_http_metric_exporter';
  const name = withoutSecrets(endpoint);
  if (otlp.protocol === 'grpc') {
    const { GrpcTransport } = await import('./grpc-transport.ts');
    const transport = new GrpcTransport({
      target,
      tls,
      files,
      headers: otlp.headers,
      gzip: otlp.compression === 'gzip',
      userAgent,
    });
    const metrics = new ExporterMetrics({
      componentType,
      metricsHelper: transformer.MetricsExporterMetricsHelper,
      url: target,
      meterProvider: undefined,
      responseAttributesFromError: () => ({}),
    });
    return { exporter: createOtlpNetworkExportDelegate(shared, serializer, metrics, transport), name };
  }
  const { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } = await import(
    '@opentelemetry/otlp-exporter-base/node-http'
  );
  const given = Object.fromEntries(otlp.headers);
  const exporter = createOtlpHttpExportDelegate(
    {
      ...shared,
      url: target,
      headers: async () => ({ ...given, 'content-type': 'application/x-protobuf' }),
      agentFactory: httpAgentFactoryFromOptions({
        keepAlive: true,
        proxyEnv: proxyEnvironment(otlp.proxy),
        ...present(files),
      }),
      userAgent,
    },
    serializer,
    componentType,
    transformer.MetricsExporterMetricsHelper,
    undefined,
  );
  return { exporter, name };
}

/** The variables as Node's agents read them. */
function proxyEnvironment({ https, http, none }: OtlpConfig['proxy']): Record<string, string> {
  return {
    ...(https === undefined ? {} : { HTTPS_PROXY: https }),
    ...(http === undefined ? {} : { HTTP_PROXY: http }),
    ...(none === undefined ? {} : { NO_PROXY: none }),
  };
}

/** Only what is there: an agent takes `ca: undefined` for "no authorities at all". */
function present(files: TlsFiles): Record<string, Buffer> {
  const found: Record<string, Buffer> = {};
  for (const [key, value] of Object.entries(files)) if (value !== undefined) found[key] = value;
  return found;
}

function sayRefused(response: IExportMetricsServiceResponse, log: Log): void {
  const { rejectedDataPoints = 0, errorMessage } = response.partialSuccess ?? {};
  if (rejectedDataPoints === 0 && !errorMessage) return;
  log.warn('the endpoint refused some points', { points: rejectedDataPoints, detail: errorMessage });
}

const [CA, CERT, KEY] = [
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_KEY',
] as const;

/**
 * The PEM files of the configuration, checked: TLS would accept an authority file without a certificate and fail at the first
 * export. @throws Fault a file cannot be read or used
 */
export function readTlsFiles(
  otlp: Pick<OtlpConfig, 'certificate' | 'clientCertificate' | 'clientKey'>,
): TlsFiles {
  const ca = readPem(CA, otlp.certificate);
  const cert = readPem(CERT, otlp.clientCertificate);
  const key = readPem(KEY, otlp.clientKey);
  if ((cert === undefined) !== (key === undefined)) {
    throw new Fault(`${CERT} and ${KEY} only work together: set both or none.`);
  }
  for (const [variable, path, pem] of [
    [CA, otlp.certificate, ca],
    [CERT, otlp.clientCertificate, cert],
  ] as const) {
    if (pem !== undefined)
      usable(
        `${variable} names ${JSON.stringify(path)}, which holds no certificate`,
        () => new X509Certificate(pem),
      );
  }
  if (cert !== undefined && key !== undefined) {
    usable(`${CERT} and ${KEY} do not fit together`, () => createSecureContext({ cert, key }));
  }
  return { ca, cert, key };
}

function usable(problem: string, attempt: () => unknown): void {
  try {
    attempt();
  } catch (cause) {
    throw new Fault(`${problem}: ${errorText(cause)}.`, { cause });
  }
}

function readPem(variable: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    if (statSync(path).size > MAX_PEM_BYTES) throw new Error(`it is larger than ${MAX_PEM_BYTES} bytes`);
    return readFileSync(path);
  } catch (cause) {
    throw new Fault(`${variable} names ${JSON.stringify(path)}, which cannot be read: ${errorText(cause)}.`, {
      cause,
    });
  }
}
