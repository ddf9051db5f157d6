import { createHash, randomBytes } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** `pk_`, eight characters that are shown, `_`, and 43 that are 256 bits of chance. */
const PUBLIC = 8;
const SECRET = 43;
/** The largest multiple of 62 in a byte: what is above would make some characters likelier. */
const FAIR = 248;

/** Characters of base62, all equally likely. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < FAIR && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** A new key; its prefix is what lists show of it. */
export function newApiKey(): { readonly apiKey: string; readonly prefix: string } {
  const prefix = `pk_${randomBase62(PUBLIC)}`;
  return { prefix, apiKey: `${prefix}_${randomBase62(SECRET)}` };
}

/** SHA-256, hexadecimal. Right for secrets of chance; passwords get a slow hash. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
