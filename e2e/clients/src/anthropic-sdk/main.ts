/** Anthropic's SDK alone: it emits spans of its own on the global tracer provider. OTLP protobuf. */
import { Anthropic } from '@anthropic-ai/sdk';
import { clientEnv } from '../shared/client-env.ts';
import { startTracing } from '../shared/tracing.ts';

const env = clientEnv();
const provider = startTracing(env, { service: 'client-anthropic-sdk', format: 'proto' });
const client = new Anthropic({ apiKey: 'sk-test', baseURL: env.ai, maxRetries: 0 });
const request = {
  model: 'claude-sonnet-4-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'hi' }],
};
await client.messages.create(request);
await client.messages.create({
  ...request,
  tools: [
    {
      name: 'get_weather',
      description: 'Weather of a city',
      input_schema: { type: 'object', properties: { city: { type: 'string' } } },
    },
  ],
});
const stream = await client.messages.create({ ...request, stream: true });
for await (const event of stream) void event;
await client.messages.create({ ...request, model: 'boom' }).catch(() => undefined);
await provider.shutdown();
