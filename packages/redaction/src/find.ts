import { TIERS, type Tier } from './tiers.ts';

/** A credential in a text. */
export interface FoundSecret {
  readonly kind: string;
  /** Offset of the value. */
  readonly at: number;
  readonly value: string;
}

/** The credentials of a text, in order, each place once: what `scrub` would replace. Tier 2 adds assignments. */
export function findSecrets(text: string, tier: Tier): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { kind, form } of TIERS[tier].in(text.toLowerCase())) {
    for (const match of text.matchAll(form)) {
      const kept = match[1]?.length ?? 0;
      const at = match.index + kept;
      const value = match[0].slice(kept);
      if (!found.some((one) => at < one.at + one.value.length && one.at < at + value.length))
        found.push({ kind, at, value });
    }
  }
  return found.toSorted((a, b) => a.at - b.at);
}
