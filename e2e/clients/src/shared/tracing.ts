/** A tracer provider with one OTLP exporter, as an application would set it up. */
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { ClientEnv } from './client-env.ts';

export interface TracingOptions {
  readonly service: string;
  readonly format: 'json' | 'proto' | 'grpc';
  readonly gzip?: boolean;
}

/** A provider of its own. The caller shuts it down, which sends what is left. */
export function makeTracing(env: ClientEnv, options: TracingOptions): NodeTracerProvider {
  return new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service, 'service.version': '1.0.0' }),
    spanProcessors: [new BatchSpanProcessor(exporter(env, options))],
  });
}

/** As {@link makeTracing}, registered globally with its context manager: once a process. */
export function startTracing(env: ClientEnv, options: TracingOptions): NodeTracerProvider {
  const provider = makeTracing(env, options);
  provider.register();
  return provider;
}

function exporter(env: ClientEnv, { format, gzip }: TracingOptions): SpanExporter {
  const compression = gzip === true ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE;
  // The gRPC exporter takes its credential from the standard variable, percent-encoded as the variable wants it.
  if (env.apiKey !== '') process.env['OTEL_EXPORTER_OTLP_HEADERS'] = `authorization=Bearer%20${env.apiKey}`;
  if (format === 'grpc') return new GrpcExporter({ url: `http://${env.grpc}`, compression });
  const settings = {
    url: `${env.otlp}/v1/traces`,
    compression,
    ...(env.apiKey === '' ? {} : { headers: { authorization: `Bearer ${env.apiKey}` } }),
  };
  return format === 'json' ? new JsonExporter(settings) : new ProtoExporter(settings);
}
