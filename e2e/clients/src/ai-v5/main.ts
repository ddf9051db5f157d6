/** Vercel AI SDK 5: the outer span repeats the sum of its inner calls. OTLP JSON. */
import { embedMany, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai5';
import { createAnthropic } from 'ai5-anthropic';
import { createOpenAI } from 'ai5-openai';
import { clientEnv, MODEL, SESSION, USER } from '../shared/client-env.ts';
import { startTracing } from '../shared/tracing.ts';

const env = clientEnv();
const provider = startTracing(env, { service: 'client-ai-v5', format: 'json' });
const openai = createOpenAI({ apiKey: 'sk-test', baseURL: `${env.ai}/v1` });
const model = openai.chat(MODEL);
const telemetry = {
  experimental_telemetry: {
    isEnabled: true,
    functionId: 'greeter',
    metadata: { sessionId: SESSION, userId: USER },
  },
  maxRetries: 0,
} as const;
const weather = tool({
  description: 'Weather of a city',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: async ({ city }) => `sunny in ${city}`,
});

await generateText({ model, prompt: 'hi', ...telemetry });
await generateText({
  model,
  prompt: 'hi',
  tools: { get_weather: weather },
  stopWhen: stepCountIs(4),
  ...telemetry,
});
const stream = streamText({ model, prompt: 'hi', ...telemetry });
for await (const text of stream.textStream) void text;
await generateText({ model: openai.chat('boom'), prompt: 'hi', ...telemetry }).catch(() => undefined);
await embedMany({
  model: openai.textEmbeddingModel('text-embedding-3-small'),
  values: ['a', 'b'],
  ...telemetry,
});
const anthropic = createAnthropic({ apiKey: 'sk-test', baseURL: `${env.ai}/v1` });
await generateText({ model: anthropic('claude-sonnet-5'), prompt: 'hi', ...telemetry });
const claude = streamText({ model: anthropic('claude-sonnet-5'), prompt: 'hi', ...telemetry });
for await (const text of claude.textStream) void text;
await provider.shutdown();
