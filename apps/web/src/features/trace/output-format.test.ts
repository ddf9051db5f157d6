import { expect, it } from 'vitest';
import { outputFormat } from './output-format.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const read = (attributes: Readonly<Record<string, string>>) => {
  const found = outputFormat({
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, type: 'string', value })),
  });
  return found && [found.name, found.schema === '' ? '' : (JSON.parse(found.schema) as unknown)];
};
const settings = (value: unknown) => ({ 'llm.invocation_parameters': JSON.stringify(value) });

it.each([
  [
    'a schema of its own',
    { 'gen_ai.request.structured_output_schema': JSON.stringify(SCHEMA) },
    ['', SCHEMA],
  ],
  ['the AI SDK', { 'ai.schema': JSON.stringify(SCHEMA), 'ai.schema.name': 'place' }, ['place', SCHEMA]],
  [
    'OpenAI chat',
    settings({ response_format: { type: 'json_schema', json_schema: { name: 'place', schema: SCHEMA } } }),
    ['place', SCHEMA],
  ],
  [
    'OpenAI Responses',
    settings({ text: { format: { type: 'json_schema', name: 'place', schema: SCHEMA } } }),
    ['place', SCHEMA],
  ],
  ['a mere object', settings({ response_format: { type: 'json_object' } }), ['json_object', '']],
  ['Gemini', settings({ generationConfig: { responseSchema: SCHEMA } }), ['object', SCHEMA]],
  ['a word', { 'gen_ai.openai.request.response_format': 'json_schema' }, ['json_schema', '']],
])('reads the form that an answer was asked for, by %s', (_, attributes, form) => {
  expect(read(attributes)).toEqual(form);
});

it('says nothing of plain text and of what cannot be read', () => {
  expect(read({})).toBeUndefined();
  expect(read(settings({ response_format: { type: 'text' }, temperature: 1 }))).toBeUndefined();
  expect(read({ 'llm.invocation_parameters': '{broken' })).toBeUndefined();
  expect(read({ 'ai.schema': '[1]' })).toBeUndefined();
});
