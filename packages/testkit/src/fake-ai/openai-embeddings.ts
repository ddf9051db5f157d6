/** OpenAI's embeddings: eight numbers that follow from the text. */
import { type Json, listOf, textOf } from './json.ts';
import type { Reply } from './reply.ts';

const DIMENSIONS = 8;

export function embeddings(body: Json): Reply {
  const input = body['input'];
  const texts = typeof input === 'string' ? [input] : listOf(input).map(String);
  const base64 = body['encoding_format'] === 'base64';
  const tokens = texts.length * 4;
  return {
    kind: 'json',
    status: 200,
    body: {
      object: 'list',
      model: textOf(body['model']),
      data: texts.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: base64 ? encoded(vector(text)) : vector(text),
      })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
  };
}

function vector(text: string): number[] {
  let seed = text.length + 1;
  return Array.from({ length: DIMENSIONS }, (_, index) => {
    seed = (seed * 31 + (text.codePointAt(index % Math.max(1, text.length)) ?? 7)) % 1009;
    return seed / 1009;
  });
}

/** The SDK asks for little-endian 32-bit floats in base64. */
const encoded = (numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
