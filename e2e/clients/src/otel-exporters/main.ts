/**
 * Plain OpenTelemetry: a hand-made GenAI span through each exporter (JSON, protobuf, gRPC; each plain and gzip), then a
 * log record and a metric. A failed export fails the program.
 */
import { DiagLogLevel, diag, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPLogExporter as GrpcLogExporter } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { clientEnv, MODEL, SESSION, USER, WEATHER_TOOL } from '../shared/client-env.ts';
import { makeTracing, type TracingOptions } from '../shared/tracing.ts';

const env = clientEnv();
const quiet = (): void => undefined;
diag.setLogger(
  {
    error: (message) => {
      process.stderr.write(`${message}\n`);
      process.exitCode = 1;
    },
    warn: quiet,
    info: quiet,
    debug: quiet,
    verbose: quiet,
  },
  DiagLogLevel.ERROR,
);
const formats: readonly TracingOptions[] = [
  { service: 'client-otel-json', format: 'json' },
  { service: 'client-otel-json-gzip', format: 'json', gzip: true },
  { service: 'client-otel-proto', format: 'proto' },
  { service: 'client-otel-proto-gzip', format: 'proto', gzip: true },
  ...(env.grpc === ''
    ? []
    : ([
        { service: 'client-otel-grpc', format: 'grpc' },
        { service: 'client-otel-grpc-gzip', format: 'grpc', gzip: true },
      ] as const)),
];

for (const format of formats) {
  const provider = makeTracing(env, format);
  const span = provider.getTracer('by-hand').startSpan(`chat ${MODEL}`, { kind: SpanKind.CLIENT });
  span.setAttributes({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': MODEL,
    'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 120,
    'gen_ai.usage.output_tokens': 30,
    'gen_ai.usage.cache_read.input_tokens': 64,
    'gen_ai.conversation.id': SESSION,
    'user.id': USER,
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]),
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: [{ type: 'text', content: 'Hello Ada' }], finish_reason: 'stop' },
    ]),
    'gen_ai.tool.definitions': JSON.stringify([WEATHER_TOOL]),
  });
  span.setStatus({ code: SpanStatusCode.OK });
  span.end();
  await provider.shutdown();
}

const headers = env.apiKey === '' ? {} : { authorization: `Bearer ${env.apiKey}` };
const logs = new LoggerProvider({
  processors: [
    new BatchLogRecordProcessor({ exporter: new JsonLogExporter({ url: `${env.otlp}/v1/logs`, headers }) }),
    ...(env.grpc === ''
      ? []
      : [new BatchLogRecordProcessor({ exporter: new GrpcLogExporter({ url: `http://${env.grpc}` }) })]),
  ],
});
logs
  .getLogger('by-hand')
  .emit({ eventName: 'app.started', body: 'started', attributes: { 'user.id': USER } });
await logs.shutdown();

const metrics = new MeterProvider({
  readers: [
    new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter({ url: `${env.otlp}/v1/metrics`, headers }),
    }),
  ],
});
metrics.getMeter('by-hand').createHistogram('gen_ai.client.operation.duration', { unit: 's' }).record(0.25);
await metrics.shutdown();
