import { expect, test } from 'vitest';
import { costOriginOf } from './cost-origin.ts';

const span = (attributes: Record<string, string | number>) => ({
  name: 'chat',
  scopeName: '',
  statusCode: 0,
  statusMessage: '',
  startTimeUnixNano: BigInt(Date.parse('2026-11-27')) * 1_000_000n,
  endTimeUnixNano: 0n,
  attributes: new Map(Object.entries(attributes)),
  resource: new Map(),
  events: [],
});
const call = span({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o-mini',
  'gen_ai.usage.input_tokens': 120,
  'gen_ai.usage.output_tokens': 30,
});

test('the origin of a cost is found from the span again', () => {
  expect(costOriginOf(call, { costUsd: 0.000_036, emitterCostUsd: null })).toMatchObject({
    kind: 'list',
    priceId: 'openai/gpt-4o-mini',
    priceDate: expect.stringMatching(/^20\d\d-\d\d-\d\d$/) as string,
    parts: [
      { of: 'input', amount: 120, rate: 0.15, costUsd: expect.closeTo(0.000_018, 12) as number },
      { of: 'output', amount: 30, rate: 0.6, costUsd: expect.closeTo(0.000_018, 12) as number },
    ],
  });
  expect(costOriginOf(call, { costUsd: 0.5, emitterCostUsd: null })).toMatchObject({ kind: 'earlier' });
  expect(costOriginOf(call, { costUsd: 0.5, emitterCostUsd: 0.5 })).toMatchObject({ kind: 'sender' });
  expect(costOriginOf(call, { costUsd: null, emitterCostUsd: null })).toBeNull();
  const set = span({
    'langfuse.observation.type': 'generation',
    'langfuse.observation.model.name': 'gpt-4o-mini',
    'langfuse.observation.cost_details': '{"total":1}',
  });
  expect(costOriginOf(set, { costUsd: 1, emitterCostUsd: 1 })).toMatchObject({ kind: 'person' });
});
