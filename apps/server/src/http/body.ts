import type { IncomingMessage } from 'node:http';
import { fail } from '@candela/kernel';
import { Gatherer } from '../ingest/gatherer.ts';
import { receive } from './receive.ts';

/** Far more than any request of ours needs, far less than hurts. */
const MAX_JSON_BYTES = 1_048_576;
/** Of somebody who has shown no credential: an address with what a provider of identities put into it is the longest. */
const MAX_STRANGER_BYTES = 32_768;
/** What is being received of people and keys at one time, all together. */
const MAX_HELD_BYTES = 64 * MAX_JSON_BYTES;
const MAX_NESTING = 64;

let held = 0;

/**
 * Reads a JSON object whatever its content type says. `known`: who asks has shown a credential. Without one a body is
 * small, and has no part in what all others share: whoever may connect could use that up.
 * @throws too_large, body_not_json, unsupported_media, bad_request, overloaded
 */
export async function readJsonObject(request: IncomingMessage, known: boolean): Promise<object> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw fail('unsupported_media', { detail: 'Send the JSON body without a content encoding.' });
  }
  const limit = known ? MAX_JSON_BYTES : MAX_STRANGER_BYTES;
  const tooLarge = () => fail('too_large', { limit });
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge();
  let whole: Buffer | undefined;
  let gatherer: Gatherer | undefined;
  let size = 0;
  try {
    await receive(request, (chunk) => {
      if (size + chunk.length > limit) throw tooLarge();
      if (known && held + chunk.length > MAX_HELD_BYTES) {
        throw fail('overloaded', { detail: 'Too many requests at once. Send again shortly.' });
      }
      size += chunk.length;
      if (known) held += chunk.length;
      // Nearly always. Otherwise chunks are not kept as they are: one of a single byte takes two hundred.
      if (chunk.length === announced) whole = chunk;
      else (gatherer ??= new Gatherer(announced)).add(chunk);
    });
    return parseJsonObject(whole ?? gatherer?.finish() ?? new Uint8Array());
  } finally {
    if (known) held -= size;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws body_not_json, bad_request when it is nested too deeply */
export function parseJsonObject(bytes: Uint8Array): object {
  let value: unknown;
  try {
    value = parseShallowJson(utf8.decode(bytes));
  } catch (cause) {
    if (cause instanceof NestedTooDeeply) {
      throw fail('bad_request', { detail: `The request body is ${cause.message}.` }, { cause });
    }
    throw fail('body_not_json', {}, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fail('body_not_json');
  return value;
}

/** JSON of more levels than a recursive validator can take. */
export class NestedTooDeeply extends RangeError {
  override readonly name = 'NestedTooDeeply';

  constructor() {
    super(`nested deeper than ${MAX_NESTING} levels`);
  }
}

/** JSON that a recursive validator can take. @throws SyntaxError, NestedTooDeeply */
export function parseShallowJson(text: string): unknown {
  if (nesting(text) > MAX_NESTING) throw new NestedTooDeeply();
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
