/** What the SDKs of openlit return for the same calls, in whatever language. */
import { expect } from 'vitest';
import { COMPILED, CONTEXT, SECRET_VALUE, type SteeredPlatform, TEMPLATE } from './steered-platform.ts';

/** Whatever an SDK returned; its own types say little of it. */
export type Returned = Record<
  string,
  { err?: unknown; res?: Record<string, unknown> } & Record<string, unknown>
>;

/** The results that a program printed as its last line. */
export const lastLine = (output: string): Returned =>
  JSON.parse(output.trim().split('\n').at(-1) ?? '') as Returned;

/** What every shipped SDK has to return for the calls of its program; `over`: what differs between them. */
export function expectShippedClient(
  results: Returned,
  { ids }: SteeredPlatform,
  over: { readonly refusedRule: unknown },
): void {
  const version = {
    name: 'support-answer',
    version: '1.0.0',
    prompt: TEMPLATE,
    promptId: ids.prompt,
  };
  for (const name of ['template', 'byId', 'slash']) {
    expect([name, results[name]]).toMatchObject([
      name,
      { err: null, res: { ...version, compiledPrompt: TEMPLATE } },
    ]);
  }
  expect(results['compiled']).toMatchObject({
    err: null,
    res: { ...version, compiledPrompt: COMPILED, tags: ['support'], metaProperties: { owner: 'ada' } },
  });
  // The sentence is the platform's own: it arrives because the answer is a 200.
  expect(results['promptWrongKey']).toEqual({ err: 'The API key is not known or was revoked.', res: null });
  for (const name of ['promptMissing', 'promptDraft', 'promptVersion']) {
    expect([name, results[name]]).toEqual([name, { err: expect.stringMatching(/^[A-Z].*\.$/s), res: null }]);
  }
  expect(results['secrets']).toEqual({
    err: null,
    res: { OPENAI_API_KEY: SECRET_VALUE, STRIPE_KEY: 'rk_live' },
  });
  expect(results['secretsByKey']).toEqual({ err: null, res: { STRIPE_KEY: 'rk_live' } });
  expect(results['secretsSlash']).toEqual(results['secretsByKey']);
  expect(results['secretsByTag']).toEqual({ err: null, res: { OPENAI_API_KEY: SECRET_VALUE } });
  expect(results['environment']).toEqual({ OPENAI_API_KEY: SECRET_VALUE, STRIPE_KEY: null });
  expect(results['secretsNone']).toEqual({ err: null, res: {} });
  // With shouldSetEnv the SDKs walk through `res`: null there would cost the sentence.
  expect(results['secretsWrongKey']).toEqual({ err: 'The API key is not known or was revoked.', res: {} });
  const { contextRule, context, promptRule, prompt, evaluationRule } = ids;
  const matched = {
    matchingRuleIds: [contextRule],
    entities: [{ rule_id: contextRule, entity_type: 'context', entity_id: context }],
  };
  expect(results['rule']).toEqual(matched);
  expect(results['ruleData']).toMatchObject({
    ...matched,
    entity_data: {
      [`context:${context}`]: {
        id: context,
        name: CONTEXT.name,
        content: CONTEXT.content,
        tags: CONTEXT.tags,
        meta_properties: CONTEXT.metaProperties,
        status: 'ACTIVE',
      },
    },
  });
  expect(results['rulePrompt']).toMatchObject({
    matchingRuleIds: [promptRule],
    entity_data: { [`prompt:${prompt}`]: { ...version, compiledPrompt: COMPILED } },
  });
  expect(results['ruleNone']).toEqual({ matchingRuleIds: [], entities: [] });
  expect(results['ruleSlash']).toEqual({
    matchingRuleIds: [evaluationRule],
    entities: [{ rule_id: evaluationRule, entity_type: 'evaluation', entity_id: 'hallucination' }],
  });
  expect(results['ruleWrongKey']).toEqual(over.refusedRule);
}
