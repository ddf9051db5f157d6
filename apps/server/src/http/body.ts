import type { IncomingMessage } from 'node:http';
import { fail } from '@candela/kernel';
import { receive } from './receive.ts';

/** Far more than any request of ours needs, far less than hurts. */
const MAX_JSON_BYTES = 1_048_576;
const MAX_NESTING = 64;

/** Reads a JSON object whatever its content type says. @throws too_large, body_not_json, unsupported_media, bad_request */
export async function readJsonObject(request: IncomingMessage): Promise<object> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw fail('unsupported_media', { detail: 'Send the JSON body without a content encoding.' });
  }
  const tooLarge = () => fail('too_large', { limit: MAX_JSON_BYTES });
  if (Number(request.headers['content-length'] ?? 0) > MAX_JSON_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  await receive(request, (chunk) => {
    size += chunk.length;
    if (size > MAX_JSON_BYTES) throw tooLarge();
    chunks.push(chunk);
  });
  return parseJsonObject(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws body_not_json */
export function parseJsonObject(bytes: Uint8Array): object {
  let value: unknown;
  try {
    value = parseShallowJson(utf8.decode(bytes));
  } catch (cause) {
    throw fail('body_not_json', {}, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fail('body_not_json');
  return value;
}

/** JSON that a recursive validator can take. @throws SyntaxError, RangeError when it is nested too deeply */
export function parseShallowJson(text: string): unknown {
  if (nesting(text) > MAX_NESTING) throw new RangeError('nested too deeply');
  return JSON.parse(text) as unknown;
}

/** Depth of brackets outside strings: what a recursive validator would have to descend. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === 0x5c) at++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}
