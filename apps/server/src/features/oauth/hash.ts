import { createHash, timingSafeEqual } from 'node:crypto';

/** How codes, tokens and secrets are kept: they have 256 bits of chance, so that a fast hash is enough. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Whether a secret is the one whose hash is kept; takes as long for a wrong one. */
export function isSecret(given: string, keptHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(keptHash.padEnd(64).slice(0, 64)));
}
