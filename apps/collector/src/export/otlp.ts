import { readFileSync, statSync } from 'node:fs';
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
  const files: TlsFiles = tls
    ? {
        ca: readPem('OTEL_EXPORTER_OTLP_CERTIFICATE', otlp.certificate),
        cert: readPem('OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE', otlp.clientCertificate),
        key: readPem('OTEL_EXPORTER_OTLP_CLIENT_KEY', otlp.clientKey),
      }
    : { ca: undefined, cert: undefined, key: undefined };
  if ((files.cert === undefined) !== (files.key === undefined)) {
    throw new Fault(
      'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY only work together: set both or none.',
    );
  }
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
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true, ...present(files) }),
      userAgent,
    },
    serializer,
    componentType,
    transformer.MetricsExporterMetricsHelper,
    undefined,
  );
  return { exporter, name };
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
