import type { Snippet } from '../../ui/snippet-box.tsx';

/** Ways to send a first trace to the server at `origin`; each works as pasted. */
export function snippets(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Sends one finished chat call, right now, without any SDK.',
      text: curl(origin),
    },
    {
      label: 'Environment',
      note: 'For a service that already has an OpenTelemetry SDK. From other machines an API key is needed.',
      text: `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_SERVICE_NAME=my-service
# export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20<api key>"`,
    },
    {
      label: 'Python',
      note: 'Every call of the OpenAI client becomes a span with messages, tokens and cost.',
      text: `# pip install openai openinference-instrumentation-openai opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
from openai import OpenAI
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter("${origin}/v1/traces")))
OpenAIInstrumentor().instrument(tracer_provider=provider)

print(OpenAI().responses.create(model="gpt-4o-mini", input="Say hello").output_text)
provider.shutdown()`,
    },
    {
      label: 'Node.js',
      note: 'The AI SDK reports every call; the exporter sends it here.',
      text: `// npm install ai @ai-sdk/openai @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-proto
import { openai } from '@ai-sdk/openai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { generateText } from 'ai';

const sdk = new NodeSDK({
  serviceName: 'my-service',
  traceExporter: new OTLPTraceExporter({ url: '${origin}/v1/traces' }),
});
sdk.start();

const { text } = await generateText({
  model: openai('gpt-4o-mini'),
  prompt: 'Say hello',
  experimental_telemetry: { isEnabled: true },
});
console.log(text);
await sdk.shutdown();`,
    },
  ];
}

function curl(origin: string): string {
  return `(now=$(date +%s)
hex() { head -c "$1" /dev/urandom | od -An -tx1 | tr -d ' \\n'; }
curl -sS ${origin}/v1/traces -H 'Content-Type: application/json' -d @- <<EOF
{"resourceSpans":[{
  "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"hello-candela"}}]},
  "scopeSpans":[{"spans":[{
    "traceId":"$(hex 16)","spanId":"$(hex 8)","name":"chat gpt-4o-mini","kind":3,
    "startTimeUnixNano":"$((now - 1))000000000","endTimeUnixNano":"\${now}000000000",
    "attributes":[
      {"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
      {"key":"gen_ai.provider.name","value":{"stringValue":"openai"}},
      {"key":"gen_ai.request.model","value":{"stringValue":"gpt-4o-mini"}},
      {"key":"gen_ai.usage.input_tokens","value":{"intValue":"21"}},
      {"key":"gen_ai.usage.output_tokens","value":{"intValue":"9"}},
      {"key":"gen_ai.input.messages","value":{"stringValue":
        "[{\\\\"role\\\\":\\\\"user\\\\",\\\\"parts\\\\":[{\\\\"type\\\\":\\\\"text\\\\",\\\\"content\\\\":\\\\"Say hello\\\\"}]}]"}},
      {"key":"gen_ai.output.messages","value":{"stringValue":
        "[{\\\\"role\\\\":\\\\"assistant\\\\",\\\\"parts\\\\":[{\\\\"type\\\\":\\\\"text\\\\",\\\\"content\\\\":\\\\"Hello!\\\\"}]}]"}}
    ]}]}]}]}
EOF
)`;
}
