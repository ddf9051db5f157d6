import { expect, test } from 'vitest';
import { mayExplain, numberMayExplain, restatesFailure } from './outcome.ts';

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
    'attributes.gen_ai.usage.details.reasoning_tokens',
    'attributes.langfuse.observation.usage_details',
    'attributes.metadata.usage_object',
    'attributes.responseId',
    'attributes.gen_ai.server.time_to_first_token',
  ])
    expect([field, mayExplain(field, true)]).toEqual([field, false]);
  for (const field of ['base_model', 'provider', 'service', 'attributes.gen_ai.request.temperature', 'tool'])
    expect([field, mayExplain(field, true)]).toEqual([field, true]);
});

test('what says a failure in other words comes after what may explain it', () => {
  for (const field of [
    'status_message',
    'error_type',
    'attributes.error.type',
    'attributes.exception.message',
    'attributes.http.response.status_code',
    'attributes.langfuse.observation.level',
    'attributes.tool.error',
  ])
    expect([field, restatesFailure(field)]).toEqual([field, true]);
  for (const field of ['service', 'attributes.http.route', 'attributes.release', 'attributes.terror'])
    expect([field, restatesFailure(field)]).toEqual([field, false]);
  for (const [field, failure, may] of [
    ['output_tokens', true, false],
    ['cost', true, false],
    ['ttft_ms', true, false],
    ['input_tokens', true, true],
    ['duration_ms', true, true],
    ['cost', false, true],
  ] as const)
    expect([field, numberMayExplain(field, failure)]).toEqual([field, may]);
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
