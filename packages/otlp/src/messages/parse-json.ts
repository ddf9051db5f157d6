import { fail } from '@candela/kernel';
import { MAX_VALUE_DEPTH } from '../limits.ts';

/** A value at the depth limit has up to four brackets a level, below a dozen of the request's own. */
const MAX_BRACKETS = MAX_VALUE_DEPTH * 4 + 16;
/** Sixteen digits and more may be past 2^53. */
const LONG_INTEGER = /[[:,]\s*-?\d{16,}/;

function malformed(detail: string, cause?: unknown): Error {
  return fail('undecodable', { format: 'JSON', detail }, { cause });
}

/**
 * Parses an OTLP/JSON body. Integers past 2^53 come as decimal text, so that no digit is lost. Refuses
 * (`undecodable`) what is no JSON and what nests deeper than any valid request.
 */
export function parseJson(body: Uint8Array): unknown {
  checkDepth(body);
  let text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  try {
    return LONG_INTEGER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch (error) {
    throw malformed('it is not valid JSON', error);
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

/** Before parsing: a few megabytes of `[` would become hundreds of megabytes of arrays. */
function checkDepth(body: Uint8Array): void {
  let depth = 0;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index];
    if (byte === QUOTE) {
      for (index++; index < body.length && body[index] !== QUOTE; index++)
        if (body[index] === BACKSLASH) index++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > MAX_BRACKETS) throw malformed(`it nests deeper than ${MAX_BRACKETS} brackets`);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
