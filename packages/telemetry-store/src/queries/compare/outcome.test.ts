import { expect, test } from 'vitest';
import { mayExplain } from './outcome.ts';

test('what follows from a failure explains none', () => {
  for (const field of [
    'finish_reason',
    'model',
    'response_model',
    'attributes.gen_ai.response.id',
    'attributes.gen_ai.response.finish_reasons',
    'attributes.gen_ai.usage.output_tokens',
    'attributes.llm.token_count.prompt',
    'attributes.ai.response.finishReason',
  ])
    expect([field, mayExplain(field, true)]).toEqual([field, false]);
  for (const field of ['base_model', 'provider', 'service', 'attributes.gen_ai.request.temperature', 'tool'])
    expect([field, mayExplain(field, true)]).toEqual([field, true]);
});

test('a finish reason may explain what is slow; ids of single records explain nothing', () => {
  expect(mayExplain('finish_reason', false)).toBe(true);
  expect(mayExplain('model', false)).toBe(true);
  expect(mayExplain('base_model', false)).toBe(false);
  for (const field of ['attributes.http.request_id', 'attributes.gen_ai.tool.call.id', 'attributes.run_id'])
    expect([field, mayExplain(field, false)]).toEqual([field, false]);
  for (const field of ['user', 'attributes.tenant.id', 'resource.host.id', 'attributes.user_id'])
    expect([field, mayExplain(field, false)]).toEqual([field, true]);
});
