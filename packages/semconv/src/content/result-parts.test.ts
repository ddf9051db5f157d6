import { expect, test } from 'vitest';
import { resultParts } from './result-parts.ts';

const picture = {
  type: 'media',
  modality: 'image',
  mimeType: 'image/png',
  uri: 'data:image/png;base64,AAAA',
} as const;
const said = { type: 'text', text: 'the page' } as const;
const anthropic = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const mcp = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

test.each<[string, unknown, unknown]>([
  ['Anthropic', [{ type: 'text', text: 'the page' }, anthropic], [said, picture]],
  ['one part alone', anthropic, [picture]],
  ['MCP', { content: [{ type: 'text', text: 'the page' }, mcp], isError: false }, [said, picture]],
  ['AI SDK', [{ type: 'media', data: 'AAAA', mediaType: 'image/png' }], [picture]],
  ['OpenAI', [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }], [picture]],
])('the pictures of a result: %s', (_, result, parts) => {
  expect(resultParts(result)).toEqual(parts);
});

test.each([
  ['text alone', [{ type: 'text', text: 'x' }]],
  ['an object', { sky: 'wet', image: 'none' }],
  ['a list of rows', [{ id: 1, image: 'a.png' }, { id: 2 }]],
  ['rows beside a picture', [anthropic, { id: 2 }]],
  ['an empty list', []],
  ['an empty content', { content: [] }],
  ['a text', 'image'],
  ['nothing', null],
  ['a prototype', JSON.parse('{"__proto__":{"content":[{"type":"image"}]}}')],
])('any other result stays as it was sent: %s', (_, result) => {
  expect(resultParts(result)).toBeUndefined();
});
