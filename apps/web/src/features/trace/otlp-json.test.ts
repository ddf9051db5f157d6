import type { Attribute, SpanDetail } from '@candela/contract';
import { expect, it } from 'vitest';
import { testSpan } from './light-span.fixture.ts';
import { otlpJson } from './otlp-json.ts';

const attribute = (key: string, type: Attribute['type'], value: unknown): Attribute => ({ key, type, value });

function detailOf(changes: Partial<SpanDetail>): SpanDetail {
  const { offsetMs: _, ...summary } = testSpan('00f067aa0ba902b7', '', 'other', 0).light;
  return {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    ...summary,
    startTimeUnixNano: '1763000000000000001',
    endTimeUnixNano: '1763000000001000001',
    traceState: null,
    flags: 1,
    usage: null,
    emitterCostUsd: null,
    requestModel: null,
    responseModel: null,
    responseId: null,
    workflow: null,
    promptName: null,
    promptVersion: null,
    finishReason: null,
    convention: null,
    scope: { name: 'lib', version: '1', attributes: [] },
    resource: [attribute('service.name', 'string', 'shop')],
    attributes: [],
    events: [],
    links: [],
    conversation: {
      input: [],
      output: [],
      tools: [],
      toolExecution: undefined,
      retrievedDocuments: [],
      scores: [],
    },
    ...changes,
  };
}

const spanOf = (changes: Partial<SpanDetail>) =>
  JSON.parse(otlpJson(detailOf(changes))).resourceSpans[0].scopeSpans[0].spans[0];

it('writes every type of value as OTLP does', () => {
  const { attributes } = spanOf({
    attributes: [
      attribute('s', 'string', 'x'),
      attribute('i', 'int', '9223372036854775807'),
      attribute('d', 'double', 0.5),
      attribute('b', 'bool', true),
      attribute('x', 'bytes', 'AAE='),
      attribute('j', 'json', ['a', 1, { k: [0.5, null] }]),
      attribute('n', 'null', null),
    ],
  });
  expect(attributes).toEqual([
    { key: 's', value: { stringValue: 'x' } },
    { key: 'i', value: { intValue: '9223372036854775807' } },
    { key: 'd', value: { doubleValue: 0.5 } },
    { key: 'b', value: { boolValue: true } },
    { key: 'x', value: { bytesValue: 'AAE=' } },
    {
      key: 'j',
      value: {
        arrayValue: {
          values: [
            { stringValue: 'a' },
            { intValue: '1' },
            {
              kvlistValue: {
                values: [{ key: 'k', value: { arrayValue: { values: [{ doubleValue: 0.5 }, {}] } } }],
              },
            },
          ],
        },
      },
    },
    { key: 'n', value: {} },
  ]);
});

it('keeps times to the nanosecond and leaves an end out that never came', () => {
  const events = [{ name: 'e', time: '', offsetMs: 0.25, attributes: [] }];
  expect(spanOf({ events, kind: 'client', status: 'error', statusMessage: 'no' })).toMatchObject({
    kind: 3,
    startTimeUnixNano: '1763000000000000001',
    endTimeUnixNano: '1763000000001000001',
    events: [{ timeUnixNano: '1763000000000250001' }],
    status: { code: 2, message: 'no' },
  });
  expect(spanOf({ unfinished: true })).not.toHaveProperty('endTimeUnixNano');
});
