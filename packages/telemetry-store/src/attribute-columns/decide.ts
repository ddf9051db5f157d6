import type { AttributeKey } from './names.ts';

/** What is done with columns, as it is written down for every process that shares the store. */
export type ChangeKind = 'added' | 'filled' | 'dropped' | 'refused';

/** What is known of a key that was asked for or that has a column. */
export interface KeyFacts extends AttributeKey {
  /** Times it was asked for in the last days, each hour counted up to a bound. */
  readonly score: number;
  /** It has a column. */
  readonly present: boolean;
  /** The last change of it and seconds since; undefined when there was none for long. */
  readonly last: { readonly kind: ChangeKind; readonly seconds: number } | undefined;
}

export interface DecisionBounds {
  /** Columns that a store may have for keys. */
  readonly pool: number;
  /** So often a key was asked for before it gets a column. */
  readonly minScore: number;
  /** Seconds between two changes of a store's tables. */
  readonly pauseSeconds: number;
  /** Seconds that a column stays at least, and that a key which was refused or lost its column waits. */
  readonly coolSeconds: number;
}

export interface Decision {
  /** Keys to look at, the most wanted first. */
  readonly candidates: readonly KeyFacts[];
  /** So many of them may get a column. */
  readonly room: number;
  /** The column that makes room for the first of them; only when there is no room otherwise. */
  readonly victim: KeyFacts | undefined;
}

/** Keys that are looked at in one round: each costs a read of a sample. */
const MAX_CANDIDATES = 4;
/** So much more must a key be asked for than the one whose column it takes. */
const FAR_MORE = 4;

/**
 * What to change now. It depends on nothing but facts that all processes of an installation share, so that two of them
 * come to the same conclusion instead of working against each other.
 */
export function decide(facts: readonly KeyFacts[], bounds: DecisionBounds): Decision {
  const none: Decision = { candidates: [], room: 0, victim: undefined };
  const changed = facts.filter(
    ({ last }) => last?.kind === 'added' || last?.kind === 'filled' || last?.kind === 'dropped',
  );
  if (changed.some(({ last }) => (last?.seconds ?? 0) < bounds.pauseSeconds)) return none;
  const present = facts.filter((fact) => fact.present);
  const cool = ({ last }: KeyFacts) => last === undefined || last.seconds >= bounds.coolSeconds;
  const wanted = facts
    .filter(
      (fact) => !fact.present && fact.score >= bounds.minScore && (cool(fact) || fact.last?.kind === 'added'),
    )
    .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
  const room = Math.max(0, bounds.pool - present.length);
  if (room > 0) return { candidates: wanted.slice(0, MAX_CANDIDATES), room, victim: undefined };
  // With a pool of none, columns that are there stay as they are.
  const victim =
    bounds.pool === 0
      ? undefined
      : present.filter(cool).sort((a, b) => a.score - b.score || (a.key < b.key ? -1 : 1))[0];
  if (victim === undefined) return none;
  const stronger = wanted.filter(({ score }) => score >= FAR_MORE * Math.max(1, victim.score));
  if (stronger.length === 0) return none;
  return { candidates: stronger.slice(0, MAX_CANDIDATES), room: 1, victim };
}
