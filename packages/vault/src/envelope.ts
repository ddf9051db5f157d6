import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { fail } from '@candela/kernel';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';
/** Of a secret before it is sealed. */
const MAX_SECRET_BYTES = 1_048_576;

/** Where a sealed value stands. It opens nowhere else. */
export interface Place {
  readonly table: string;
  readonly column: string;
  readonly id: string;
}

/** A key that wraps data keys. */
export interface MasterKey {
  /** Made of the key, so that it is known whether two are the same without keeping either. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The first one seals; the others only open. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

/** 32 bytes as base64 (also the URL kind) or 64 hexadecimal digits; undefined for any other text. */
export function parseMasterKey(text: string): MasterKey | undefined {
  const given = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(given)
    ? Buffer.from(given, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(given)
      ? Buffer.from(given, 'base64')
      : undefined;
  if (bytes?.byteLength !== KEY_BYTES) return undefined;
  return {
    id: createHmac('sha256', bytes).update('candela master key id').digest('hex').slice(0, 16),
    bytes,
  };
}

/** Several keys, separated by commas or white space, the one that seals first; undefined: one of them is none. */
export function parseMasterKeys(text: string): MasterKeys | undefined {
  const texts = text.split(/[\s,]+/).filter(Boolean);
  const [first, ...others] = texts.map(parseMasterKey).filter((key) => key !== undefined);
  if (first === undefined || others.length + 1 !== texts.length) return undefined;
  return [first, ...others];
}

/** A new master key, and its text. */
export function newMasterKey(): { readonly key: MasterKey; readonly text: string } {
  const text = randomBytes(KEY_BYTES).toString('base64');
  const key = parseMasterKey(text);
  if (key === undefined) throw new Error('A key just made is none');
  return { key, text };
}

/**
 * Seals secrets, each with a data key of its own that the master key wraps (AES-256-GCM both). The place is
 * authenticated with both: a value moved to another row or column, or changed in one bit, is an error. What other
 * master keys sealed is opened as long as they are given.
 */
export class Envelope {
  #current: MasterKey;
  #keys: ReadonlyMap<string, MasterKey>;
  readonly #again: (() => MasterKeys | undefined) | undefined;

  /** @param again the keys as they are by now, looked up when one is missing; undefined: they are as they were */
  constructor(keys: MasterKeys, again?: () => MasterKeys | undefined) {
    this.#current = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    this.#again = again;
  }

  /** Takes the keys as they are by now: the master key may have been changed meanwhile. */
  refresh(): void {
    const keys = this.#again?.();
    if (keys === undefined) return;
    this.#current = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  get keyId(): string {
    return this.#current.id;
  }

  /** Tells texts apart without saying anything of them to who has no master key. Another one after a change of it. */
  fingerprint(text: string): string {
    return createHmac('sha256', this.#current.bytes)
      .update('candela fingerprint\0')
      .update(text)
      .digest('hex');
  }

  seal(plain: string, place: Place): string {
    if (Buffer.byteLength(plain) > MAX_SECRET_BYTES) throw fail('too_large', { limit: MAX_SECRET_BYTES });
    const dataKey = randomBytes(KEY_BYTES);
    try {
      const wrapped = encrypt(this.#current.bytes, dataKey, wrapping(this.#current.id, place));
      const value = encrypt(dataKey, Buffer.from(plain), content(place));
      return [VERSION, this.#current.id, wrapped.toString('base64url'), value.toString('base64url')].join(
        '.',
      );
    } finally {
      dataKey.fill(0);
    }
  }

  /** @throws secret_unreadable: never gives what was not sealed here */
  open(sealed: string, place: Place): string {
    const { dataKey, value } = this.#unwrap(sealed, place);
    try {
      return decrypt(dataKey, value, content(place)).toString('utf8');
    } finally {
      dataKey.fill(0);
    }
  }

  /** Whether it was sealed with another master key than the current one. */
  isOld(sealed: string): boolean {
    return sealed.split('.', 2)[1] !== this.#current.id;
  }

  /** The same value under the current master key: only its data key is wrapped anew. @throws secret_unreadable */
  rewrap(sealed: string, place: Place): string {
    const { dataKey, value } = this.#unwrap(sealed, place);
    try {
      // What does not open now would be found out too late.
      decrypt(dataKey, value, content(place)).fill(0);
      const wrapped = encrypt(this.#current.bytes, dataKey, wrapping(this.#current.id, place));
      return [VERSION, this.#current.id, wrapped.toString('base64url'), value.toString('base64url')].join(
        '.',
      );
    } finally {
      dataKey.fill(0);
    }
  }

  #unwrap(sealed: string, place: Place): { dataKey: Buffer; value: Buffer } {
    const [version, keyId = '', wrapped = '', value = '', ...rest] = sealed.split('.');
    if (!this.#keys.has(keyId)) this.refresh();
    const key = this.#keys.get(keyId);
    if (version !== VERSION || key === undefined || rest.length > 0) throw fail('secret_unreadable');
    return {
      dataKey: decrypt(key.bytes, Buffer.from(wrapped, 'base64url'), wrapping(keyId, place)),
      value: Buffer.from(value, 'base64url'),
    };
  }
}

/** What is authenticated without being encrypted. Lengths keep two places from reading alike. */
const content = ({ table, column, id }: Place): Buffer =>
  Buffer.from(JSON.stringify([VERSION, table, column, id]));
const wrapping = (keyId: string, place: Place): Buffer =>
  Buffer.from(JSON.stringify([VERSION, keyId, place.table, place.column, place.id]));

/** Nonce, ciphertext and tag. */
function encrypt(key: Buffer, plain: Buffer, associated: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, associated: Buffer): Buffer {
  if (sealed.byteLength < NONCE_BYTES + TAG_BYTES) throw fail('secret_unreadable');
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(sealed.byteLength - TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(associated)
    .setAuthTag(tag);
  try {
    const start = decipher.update(sealed.subarray(NONCE_BYTES, sealed.byteLength - TAG_BYTES));
    return Buffer.concat([start, decipher.final()]);
  } catch (thrown) {
    throw fail('secret_unreadable', {}, { cause: thrown });
  }
}
