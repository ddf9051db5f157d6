/** Plain OpenTelemetry: a hand-made GenAI span through each exporter (JSON, protobuf, gRPC; gzip on two of them). */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { clientEnv, MODEL, SESSION, USER, WEATHER_TOOL } from '../shared/client-env.ts';
import { startTracing, type TracingOptions } from '../shared/tracing.ts';

const env = clientEnv();
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
  const provider = startTracing(env, format);
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
