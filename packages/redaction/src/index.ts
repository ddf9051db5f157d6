export { findSecrets, type FoundSecret } from './find.ts';
import { randomWords } from './entropy.ts';
import { TIERS, type Tier } from './tiers.ts';

export type { Tier } from './tiers.ts';

/** The text without the credentials in it; each becomes `[REDACTED:<kind>]`. Takes time linear in the text. */
export function scrub(text: string, tier: Tier): string {
  if (text.length < 8) return text;
  let out = text;
  for (const { kind, form } of TIERS[tier].in(text.toLowerCase())) {
    out = out.replace(form, (_match: string, kept: unknown) =>
      typeof kept === 'string' ? `${kept}[REDACTED:${kind}]` : `[REDACTED:${kind}]`,
    );
  }
  return tier === 2 ? randomWords(out) : out;
}

const CUT = '… [cut]';

/** Scrubs the whole text, then cuts it to `bytes` of UTF-8 on a character border, with a mark. */
export function scrubAndCut(text: string, tier: Tier, bytes: number): string {
  return cut(scrub(text, tier), bytes);
}

/** The text in at most `bytes` of UTF-8, cut on a character border and marked so. */
export function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const room = Math.max(0, bytes - Buffer.byteLength(CUT));
  // A character cut in half decodes to U+FFFD at the end.
  const kept = Buffer.from(text.slice(0, room + 1))
    .subarray(0, room)
    .toString('utf8')
    .replace(/\uFFFD+$/u, '');
  return `${kept}${CUT}`;
}
