/** Langfuse's tracing: observations around OpenAI's SDK, to `/api/public/otel/v1/traces` with Basic authentication. */
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, startActiveObservation, startObservation } from '@langfuse/tracing';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OpenAI } from 'openai';
import { clientEnv, MODEL, PNG_BASE64, SESSION, USER, WEATHER_TOOL } from '../shared/client-env.ts';

const env = clientEnv();
const processor = new LangfuseSpanProcessor({
  baseUrl: env.otlp,
  publicKey: 'pk-lf-test',
  secretKey: env.apiKey === '' ? 'sk-lf-test' : env.apiKey,
  environment: 'default',
});
const provider = new NodeTracerProvider({ spanProcessors: [processor] });
provider.register();
const openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${env.ai}/v1`, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'hi' }];

/** One observed call: Langfuse prices each key of the usage by itself, so the cached part is taken out of the input. */
async function generation(tools: (typeof WEATHER_TOOL)[]): Promise<void> {
  const observation = startObservation(
    'chat-completion',
    { model: MODEL, input: tools.length === 0 ? messages : { messages, tools } },
    { asType: 'generation' },
  );
  const answer = await openai.chat.completions.create({
    model: MODEL,
    messages,
    ...(tools.length === 0 ? {} : { tools }),
  });
  const usage = answer.usage;
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  observation
    .update({
      output: answer.choices[0]?.message,
      completionStartTime: new Date(),
      usageDetails: {
        input: (usage?.prompt_tokens ?? 0) - cached,
        input_cached_tokens: cached,
        output: usage?.completion_tokens ?? 0,
        total: usage?.total_tokens ?? 0,
      },
    })
    .end();
}

await propagateAttributes({ sessionId: SESSION, userId: USER, traceName: 'greeting' }, async () => {
  await startActiveObservation('greeter', () => generation([]), { asType: 'agent' });
});
await startActiveObservation('with-tool', async () => {
  await generation([WEATHER_TOOL]);
  startObservation('get_weather', { input: { city: 'Paris' } }, { asType: 'tool' })
    .update({ output: 'sunny in Paris' })
    .end();
});
// The SDK takes the picture out, uploads it and leaves a reference.
const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG_BASE64}` } };
startObservation('picture', { input: [{ role: 'user', content: [picture] }] }).end();
startObservation(
  'boom',
  { model: 'boom', input: messages, level: 'ERROR', statusMessage: 'rate limited' },
  { asType: 'generation' },
).end();
await processor.forceFlush();
await provider.shutdown();
