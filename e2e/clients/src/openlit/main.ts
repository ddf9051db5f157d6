/** openlit: instruments OpenAI's SDK and Anthropic's, whose own spans then lie below its own. OTLP JSON. */
import { createRequire } from 'node:module';
import { clientEnv, SESSION, USER } from '../shared/client-env.ts';
import { askForTool, embed, failingCall, sayHi, streamHi } from '../shared/openai-calls.ts';

const env = clientEnv();
const require = createRequire(import.meta.url);
// Instrumentations patch what is required after them, so the SDKs are required late.
const { default: Openlit } = require('openlit') as typeof import('openlit');
Openlit.init({
  otlpEndpoint: env.otlp,
  applicationName: 'client-openlit',
  environment: 'default',
  disableBatch: true,
  pricingJson: { chat: {}, embeddings: {} },
  ...(env.apiKey === '' ? {} : { otlpHeaders: { Authorization: `Bearer ${env.apiKey}` } }),
});
const { OpenAI } = require('openai') as typeof import('openai');
const { Anthropic } = require('@anthropic-ai/sdk') as typeof import('@anthropic-ai/sdk');

const openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${env.ai}/v1`, maxRetries: 0 });
await Openlit.usingAttributes({ 'session.id': SESSION, 'user.id': USER }, () => sayHi(openai));
await askForTool(openai);
await streamHi(openai);
await failingCall(openai);
await embed(openai);
const anthropic = new Anthropic({ apiKey: 'sk-test', baseURL: env.ai, maxRetries: 0 });
await anthropic.messages.create({
  model: 'claude-sonnet-4-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hi' }],
});
await new Promise((resolve) => setTimeout(resolve, 1500));
