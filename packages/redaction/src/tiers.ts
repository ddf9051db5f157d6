import { Keywords } from './keywords.ts';
import { ASSIGNMENTS, TOKENS } from './patterns.ts';

/** 1: tokens with a form of their own. 2: also assignments and random words, for bodies and diffs. */
export type Tier = 1 | 2;

/** Patterns of each tier, by their keywords. */
export const TIERS: Readonly<Record<Tier, Keywords>> = {
  1: new Keywords(TOKENS),
  2: new Keywords([...TOKENS, ...ASSIGNMENTS]),
};
