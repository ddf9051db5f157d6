/** Traceloop's SDK: a workflow with an agent and a tool around calls of OpenAI's SDK. OTLP protobuf. */
import * as traceloop from '@traceloop/node-server-sdk';
import { OpenAI } from 'openai';
import type { OpenAI as RequiredOpenAI } from 'openai' with { 'resolution-mode': 'require' };
import { clientEnv, SESSION, USER } from '../shared/client-env.ts';
import { askForTool, embed, failingCall, sayHi, streamHi } from '../shared/openai-calls.ts';

const env = clientEnv();
traceloop.initialize({
  appName: 'client-traceloop',
  baseUrl: env.otlp,
  apiKey: env.apiKey === '' ? 'unused' : env.apiKey,
  ...(env.apiKey === '' ? { headers: {} } : {}),
  disableBatch: true,
  silenceInitializationMessage: true,
  traceloopSyncEnabled: false,
  // One class with two sets of types: the SDK of Traceloop names the one for `require`.
  instrumentModules: { openAI: OpenAI as unknown as typeof RequiredOpenAI },
});

const openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${env.ai}/v1`, maxRetries: 0 });
await traceloop.withAssociationProperties({ session_id: SESSION, user_id: USER }, async () => {
  await traceloop.withWorkflow({ name: 'greeting' }, async () => {
    await traceloop.withAgent({ name: 'greeter' }, () => sayHi(openai));
    await traceloop.withTool(
      { name: 'get_weather' },
      async (input: { city: string }) => `sunny in ${input.city}`,
      { city: 'Paris' },
    );
  });
});
await askForTool(openai);
await streamHi(openai);
await failingCall(openai);
await embed(openai);
await traceloop.forceFlush();
await new Promise((resolve) => setTimeout(resolve, 1000));
