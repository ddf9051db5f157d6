import type { Clock } from '@candela/kernel';
import { randomBase62, sha256 } from '../keys/format.ts';
import type { Sealer } from './second-factor.ts';

const MAX_AGE_SECONDS = 180 * 86_400;
const NONCE_CHARACTERS = 22;
/** A sealed value in characters that cookies take. */
export const DEVICE_COOKIE = /^[A-Za-z0-9_-]{40,1000}$/;

/** What a browser gets in which somebody signed in: it names the account, and nobody can make one. */
export interface Devices {
  issue(email: string): { readonly value: string; readonly maxAgeSeconds: number };
  /** Which browser it is, when it is one in which this account signed in before. */
  find(value: string | undefined, email: string): string | undefined;
}

// The account is part of the place: a cookie opens for no other one.
const placeOf = (email: string) => ({ table: 'devices', column: 'cookie', id: sha256(email.toLowerCase()) });

export function createDevices(sealer: Sealer, clock: Clock): Devices {
  return {
    issue(email) {
      const content = JSON.stringify({ nonce: randomBase62(NONCE_CHARACTERS), at: clock.now() });
      const value = Buffer.from(sealer.seal(content, placeOf(email))).toString('base64url');
      return { value, maxAgeSeconds: MAX_AGE_SECONDS };
    },
    find(value, email) {
      if (value === undefined) return undefined;
      try {
        const sealed = Buffer.from(value, 'base64url').toString();
        const { nonce, at } = JSON.parse(sealer.open(sealed, placeOf(email))) as {
          nonce: string;
          at: number;
        };
        return clock.now() - at < MAX_AGE_SECONDS * 1_000 ? nonce : undefined;
      } catch {
        // Made up, of another account, or sealed with a master key that is gone: a browser like any other.
        return undefined;
      }
    },
  };
}
