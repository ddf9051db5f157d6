/** OpenInference's instrumentation of OpenAI's SDK. OTLP protobuf with gzip. */
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { setSession, setUser } from '@arizeai/openinference-core';
import { context } from '@opentelemetry/api';
import { OpenAI } from 'openai';
import { clientEnv, SESSION, USER } from '../shared/client-env.ts';
import { askForTool, embed, failingCall, sayHi, streamHi } from '../shared/openai-calls.ts';
import { startTracing } from '../shared/tracing.ts';

const env = clientEnv();
const provider = startTracing(env, { service: 'client-openinference', format: 'proto', gzip: true });
const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(OpenAI);

const openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${env.ai}/v1`, maxRetries: 0 });
await context.with(setUser(setSession(context.active(), { sessionId: SESSION }), { userId: USER }), () =>
  sayHi(openai),
);
await askForTool(openai);
await streamHi(openai);
await failingCall(openai);
await embed(openai);
await provider.shutdown();
