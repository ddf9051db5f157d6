/** Vercel AI SDK 7 with its OpenTelemetry package: standard names. OTLP JSON. */
import { OpenTelemetry } from '@ai-sdk/otel';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { embedMany, generateText, isStepCount, jsonSchema, registerTelemetry, streamText, tool } from 'ai';
import { clientEnv, MODEL } from '../shared/client-env.ts';
import { startTracing } from '../shared/tracing.ts';

const env = clientEnv();
const provider = startTracing(env, { service: 'client-ai-v7', format: 'json' });
registerTelemetry(new OpenTelemetry());
const openai = createOpenAI({ apiKey: 'sk-test', baseURL: `${env.ai}/v1` });
const model = openai.chat(MODEL);
const telemetry = { telemetry: { functionId: 'greeter' }, maxRetries: 0 } as const;
const weather = tool({
  description: 'Weather of a city',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: async ({ city }: { city: string }) => `sunny in ${city}`,
});

await generateText({ model, prompt: 'hi', ...telemetry });
await generateText({
  model,
  prompt: 'hi',
  tools: { get_weather: weather },
  stopWhen: isStepCount(4),
  ...telemetry,
});
const stream = streamText({ model, prompt: 'hi', ...telemetry });
for await (const text of stream.textStream) void text;
await generateText({ model: openai.chat('boom'), prompt: 'hi', ...telemetry }).catch(() => undefined);
await embedMany({ model: openai.embedding('text-embedding-3-small'), values: ['a', 'b'], ...telemetry });
const anthropic = createAnthropic({ apiKey: 'sk-test', baseURL: `${env.ai}/v1` });
await generateText({ model: anthropic('claude-sonnet-5'), prompt: 'hi', ...telemetry });
await provider.shutdown();
