import type { AttributeKey } from './names.ts';

/**
 * What is done with columns, as it is written down for every process that shares the store. `added` tells that one is
 * begun.
 */
export type ChangeKind = 'added' | 'filled' | 'dropped' | 'refused';

/** What is known of a key that was asked for or that has a column. */
export interface KeyFacts extends AttributeKey {
  /** Times it was asked for in the last days, each hour counted up to a bound. */
  readonly score: number;
  /** Seconds since it was asked for; undefined when it was not in the last days. */
  readonly idle: number | undefined;
  /** So often it must be asked for to be worth the filling of its table; {@link DecisionBounds.minScore} at most. */
  readonly enough: number;
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
  /** Seconds between two changes of a store's tables, but for those that are cheap. */
  readonly pauseSeconds: number;
  /** Changes an hour, up to which cheap ones wait for nothing. */
  readonly hourly: number;
  /** Seconds that a column stays at least, and that a key which was refused or lost its column waits. */
  readonly coolSeconds: number;
  /** Values that a dictionary may have. */
  readonly maxValues: number;
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
const HOUR_SECONDS = 3_600;

const isBegun = ({ last }: Pick<KeyFacts, 'last'>): boolean => last?.kind === 'added';

/** Whether its column is there and may not be filled, because who began it ended. */
export const isUnfinished = (fact: KeyFacts): boolean => fact.present && isBegun(fact);

/** A change less than so long ago. */
const isChange = ({ last }: KeyFacts, seconds: number): boolean =>
  last !== undefined && last.kind !== 'refused' && last.seconds < seconds;

/** Filling its table costs no more than reading it a few times did, so that nothing is gained by waiting. */
const isCheap = ({ enough }: KeyFacts, { minScore }: DecisionBounds): boolean => enough < minScore;

const isIdle = ({ idle }: KeyFacts, seconds: number): boolean => idle === undefined || idle >= seconds;

const cooledBy =
  ({ coolSeconds }: DecisionBounds) =>
  ({ last }: KeyFacts): boolean =>
    last === undefined || last.seconds >= coolSeconds;

/** The most asked first, of those the one that was asked for last. */
const byWish = (a: KeyFacts, b: KeyFacts): number =>
  b.score - a.score || (a.idle ?? Infinity) - (b.idle ?? Infinity) || (a.key < b.key ? -1 : 1);

/**
 * What to change now. It depends on nothing but facts that all processes of an installation share, so that two of them
 * come to the same conclusion instead of working against each other.
 */
export function decide(facts: readonly KeyFacts[], bounds: DecisionBounds): Decision {
  const none: Decision = { candidates: [], room: 0, victim: undefined };
  const { pool, minScore, pauseSeconds, coolSeconds, hourly } = bounds;
  if (pool === 0) return none;
  const cool = cooledBy(bounds);
  const left = hourly - facts.filter((fact) => isChange(fact, HOUR_SECONDS)).length;
  const paused = facts.some((fact) => isChange(fact, pauseSeconds));
  /** Asked for just now, so that what lost its column does not come back by what was asked for days ago. */
  const isWantedAtOnce = (fact: KeyFacts): boolean =>
    left > 0 &&
    isCheap(fact, bounds) &&
    fact.score >= fact.enough &&
    !isIdle(fact, HOUR_SECONDS) &&
    // What another process began just now is its own.
    (cool(fact) || (isBegun(fact) && !isChange(fact, pauseSeconds)));
  const wanted = facts
    .filter(
      (fact) =>
        !fact.present &&
        (isWantedAtOnce(fact) || (!paused && fact.score >= minScore && (cool(fact) || isBegun(fact)))),
    )
    .sort(byWish);
  const present = facts.filter((fact) => fact.present);
  const room = Math.max(0, pool - present.length);
  if (room > 0) {
    return {
      candidates: wanted.slice(0, MAX_CANDIDATES),
      room: paused ? Math.max(0, Math.min(room, left)) : room,
      victim: undefined,
    };
  }
  // The one that was asked for longest ago, and not since yesterday, makes room for what was asked for after it.
  const ago = ({ idle = Infinity }: KeyFacts): number => idle;
  const [unasked] = present
    .filter((fact) => cool(fact) && isIdle(fact, coolSeconds))
    .sort((a, b) => ago(b) - ago(a) || (a.key < b.key ? -1 : 1));
  const later = wanted.filter((fact) => unasked !== undefined && ago(fact) < ago(unasked));
  return later.length === 0 ? none : { candidates: later.slice(0, MAX_CANDIDATES), room: 1, victim: unasked };
}
