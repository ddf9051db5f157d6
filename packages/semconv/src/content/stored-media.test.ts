/** References to media that was uploaded beside of the telemetry. */
import { expect, it } from 'vitest';
import { readConversation } from '../normalise.ts';
import type { AttributeValue, SpanReader } from '../types.ts';
import { storedMediaId, storedMediaOf } from './stored-media.ts';

const ID = 'A1B2C3D4E5F6G7H8I9J0_-';
const reference = (type: string, id = ID) =>
  `@@@langfuseMedia:type=${type}|id=${id}|source=base64_data_uri@@@`;
const media = (modality: string, mimeType: string, id = ID) => ({
  type: 'media',
  modality,
  mimeType,
  uri: `candela-media:${id}`,
});
const inputOf = (attributes: Record<string, AttributeValue>) => {
  const span: SpanReader = {
    name: 'span',
    scopeName: '',
    statusCode: 0,
    statusMessage: '',
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    resource: new Map(),
    attributes: new Map(Object.entries(attributes)),
    events: [],
  };
  return readConversation(span).input.map(({ parts }) => parts);
};
const langfuse = (input: unknown) =>
  inputOf({
    'langfuse.observation.type': 'generation',
    'langfuse.observation.input': typeof input === 'string' ? input : JSON.stringify(input),
  });

it('where the address of an image was', () => {
  const content = [
    { type: 'text', text: 'what is this?' },
    { type: 'image_url', image_url: { url: reference('image/png') } },
    { type: 'input_audio', input_audio: { data: reference('audio/wav'), format: 'wav' } },
    { type: 'file', file: { file_data: reference('application/pdf') } },
  ];
  expect(langfuse([{ role: 'user', content }])).toEqual([
    [
      { type: 'text', text: 'what is this?' },
      media('image', 'image/png'),
      media('audio', 'audio/wav'),
      media('file', 'application/pdf'),
    ],
  ]);
});

it('alone, and within a text', () => {
  expect(langfuse(reference('image/jpeg'))).toEqual([[media('image', 'image/jpeg')]]);
  expect(langfuse(`before ${reference('video/mp4')} after`)).toEqual([
    [{ type: 'text', text: 'before ' }, media('video', 'video/mp4'), { type: 'text', text: ' after' }],
  ]);
});

it('in what the AI SDK and OpenTelemetry record', () => {
  const ai = JSON.stringify([
    { role: 'user', content: [{ type: 'image', image: reference('image/webp'), mediaType: 'image/webp' }] },
  ]);
  expect(inputOf({ 'ai.operationId': 'ai.generateText.doGenerate', 'ai.prompt.messages': ai })).toEqual([
    [media('image', 'image/webp')],
  ]);
  const blob = { type: 'blob', modality: 'image', mime_type: 'image/png', content: reference('image/png') };
  const otel = JSON.stringify([{ role: 'user', parts: [blob] }]);
  expect(
    inputOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', 'gen_ai.input.messages': otel }),
  ).toEqual([[media('image', 'image/png')]]);
});

it('beside of what is no message', () => {
  const [parts] = langfuse({ anything: reference('image/png') });
  expect(parts).toEqual([
    { type: 'json', json: expect.stringContaining('langfuseMedia') },
    media('image', 'image/png'),
  ]);
  expect(storedMediaOf(`${reference('image/png')} ${reference('image/png')}`)).toEqual([
    media('image', 'image/png'),
  ]);
});

it('what is none stays what it is', () => {
  for (const text of [
    '@@@langfuseMedia:type=image/png@@@',
    reference('image/png', '../../etc'),
    reference('image/png', ''),
    '@@@langfuseMedia:',
  ])
    expect(langfuse(text)).toEqual([[{ type: 'text', text }]]);
  expect(langfuse(reference('"><script>'))).toEqual([[media('file', '')]]);
  expect(storedMediaId('https://example.com')).toBeUndefined();
  expect(storedMediaId('candela-media:a/b')).toBeUndefined();
  const many = Array.from({ length: 300 }, (_, n) => reference('image/png', `id-${n}`)).join('');
  expect(langfuse(many)[0]).toHaveLength(101);
});
