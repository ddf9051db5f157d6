/**
 * openlit's prompts, secrets and rules, unchanged: prints what its functions return, as one line of JSON. It prefers its
 * environment to its arguments, so a wrong key has to take the place of the right one there.
 */
import { createRequire } from 'node:module';
import { clientEnv } from '../shared/client-env.ts';

const { ai: url, apiKey } = clientEnv();
const require = createRequire(import.meta.url);
const { default: Openlit } = require('openlit') as typeof import('openlit');

const base = { url, apiKey };
const wrong = { url, apiKey: 'pk_00000000_wrong' };
const variables = { product: 'Lamp', tone: 'friendly' };
const fields = { user_tier: 'gold' };
const results = {
  template: await Openlit.getPrompts({ ...base, name: 'support-answer' }),
  compiled: await Openlit.getPrompts({
    ...base,
    name: 'support-answer',
    version: '1.0.0',
    shouldCompile: true,
    variables,
  }),
  byId: await Openlit.getPrompts({ ...base, promptId: process.env['CLIENT_PROMPT_ID'] ?? '' }),
  slash: await Openlit.getPrompts({ ...base, url: `${url}/`, name: 'support-answer' }),
  promptWrongKey: await Openlit.getPrompts({ ...wrong, name: 'support-answer' }),
  promptMissing: await Openlit.getPrompts({ ...base, name: 'no-such-prompt' }),
  promptDraft: await Openlit.getPrompts({ ...base, name: 'only-a-draft' }),
  promptVersion: await Openlit.getPrompts({ ...base, name: 'support-answer', version: '9.9.9' }),
  secrets: await Openlit.getSecrets({ ...base }),
  secretsByKey: await Openlit.getSecrets({ ...base, key: 'STRIPE_KEY' }),
  secretsByTag: await Openlit.getSecrets({ ...base, tags: ['llm'], shouldSetEnv: true }),
  environment: {
    OPENAI_API_KEY: process.env['OPENAI_API_KEY'],
    STRIPE_KEY: process.env['STRIPE_KEY'] ?? null,
  },
  secretsNone: await Openlit.getSecrets({ ...base, key: 'NO_SUCH_SECRET', shouldSetEnv: true }),
  secretsWrongKey: await Openlit.getSecrets({ ...wrong, shouldSetEnv: true }),
  secretsSlash: await Openlit.getSecrets({ ...base, url: `${url}/`, key: 'STRIPE_KEY' }),
  rule: await Openlit.evaluateRule({ ...base, entityType: 'context', fields }),
  ruleData: await Openlit.evaluateRule({ ...base, entityType: 'context', fields, includeEntityData: true }),
  rulePrompt: await Openlit.evaluateRule({
    ...base,
    entityType: 'prompt',
    fields,
    includeEntityData: true,
    entityInputs: { variables },
  }),
  ruleNone: await Openlit.evaluateRule({ ...base, entityType: 'context', fields: { user_tier: 'silver' } }),
  ruleSlash: await Openlit.evaluateRule({ ...base, url: `${url}/`, entityType: 'evaluation', fields }),
  ruleWrongKey: await Openlit.evaluateRule({ ...wrong, entityType: 'context', fields }),
};
process.stdout.write(`\n${JSON.stringify(results)}\n`);
