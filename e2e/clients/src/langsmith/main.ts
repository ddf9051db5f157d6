/** LangSmith's wrapper of OpenAI's SDK with its OpenTelemetry export. OTLP protobuf to exactly the configured address. */
import { clientEnv, SESSION, USER } from '../shared/client-env.ts';
import { askForTool, embed, failingCall, sayHi, streamHi } from '../shared/openai-calls.ts';

const env = clientEnv();
// Read by the SDK when it is loaded.
Object.assign(process.env, {
  LANGSMITH_TRACING: 'true',
  LANGSMITH_OTEL_ENABLED: 'true',
  LANGSMITH_ENDPOINT: env.otlp,
  LANGSMITH_API_KEY: env.apiKey === '' ? 'unused' : env.apiKey,
  LANGSMITH_PROJECT: 'client-langsmith',
  OTEL_SERVICE_NAME: 'client-langsmith',
});
const { initializeOTEL } = await import('langsmith/experimental/otel/setup');
const otel = initializeOTEL({
  exporterConfig: {
    url: `${env.otlp}/v1/traces`,
    ...(env.apiKey === '' ? {} : { headers: { authorization: `Bearer ${env.apiKey}` } }),
  },
});
const { wrapOpenAI } = await import('langsmith/wrappers');
const { traceable } = await import('langsmith/traceable');
const { OpenAI } = await import('openai');

const openai = wrapOpenAI(new OpenAI({ apiKey: 'sk-test', baseURL: `${env.ai}/v1`, maxRetries: 0 }));
const greet = traceable(async (_question: string) => sayHi(openai), {
  name: 'greeting',
  metadata: { session_id: SESSION, user_id: USER },
});
await greet('hi');
const weather = traceable(async (input: { city: string }) => `sunny in ${input.city}`, {
  name: 'get_weather',
  run_type: 'tool',
});
await weather({ city: 'Paris' });
await askForTool(openai);
await streamHi(openai);
await failingCall(openai);
await embed(openai);
await otel.DEFAULT_LANGSMITH_SPAN_PROCESSOR.forceFlush();
await otel.DEFAULT_LANGSMITH_SPAN_PROCESSOR.shutdown();
