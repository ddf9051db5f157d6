import { type AttributeKey, keyText, mayHaveColumn } from './names.ts';
import { type SpreadSample, unaskedTypeFor } from './sample.ts';
import type { RestFacts } from './rest.ts';
import type { ColumnType } from './statements.ts';
import { hasOwnColumn } from '../schema/own-columns.ts';

/**
 * What is done with columns, as it is written down for every process that shares the store. `added` and `common` tell
 * that one is begun: for a key that is asked for, or for one that a look found on many rows.
 */
export type ChangeKind = 'added' | 'common' | 'filled' | 'dropped' | 'refused';

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
  /** Its last column came from a look, not because it was asked for. */
  readonly byLook: boolean;
}

/** A table that could be looked at for what is common. */
export interface TableFacts {
  readonly table: string;
  readonly rows: number;
  /** Seconds since a look at it ended, and since one began; undefined when there was none for long. */
  readonly looked: number | undefined;
  readonly looking: number | undefined;
}

/** A key as a look at a table saw it. */
export interface SeenKey extends AttributeKey, SpreadSample {
  /** Rows that were looked at, with the key or without. */
  readonly sampled: number;
}

/** A key that a look gives a column to. */
export interface CommonKey extends SeenKey {
  readonly type: ColumnType;
}

export interface DecisionBounds {
  /** Columns that a store may have for keys. */
  readonly pool: number;
  /** So often a key was asked for before it gets a column. */
  readonly minScore: number;
  /** Seconds between two changes of a store's tables, but for those that are cheap. */
  readonly pauseSeconds: number;
  /** Changes an hour, of all kinds but looks, up to which cheap ones wait for nothing. */
  readonly hourly: number;
  /** Seconds that a column stays at least, and that a key which was refused or lost its column waits. */
  readonly coolSeconds: number;
  /** Values that a dictionary may have. */
  readonly maxValues: number;
  /** Tables of fewer rows are not looked at: their maps are read fast enough. */
  readonly lookRows: number;
  /** Seconds between two looks at a table. */
  readonly lookSeconds: number;
  /** Seconds after which a look that was begun and not ended was cut off. */
  readonly lookingSeconds: number;
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
/** A key is common that one row of a hundred has. */
const COMMON_SHARE = 0.01;
/** Longer values, on average, nobody groups by before somebody does. */
const COMMON_BYTES = 200;
/** Keys that nobody asks for take at most this part of the pool, and those of many values this one. */
const COMMON_PART = 0.5;
const PLAIN_PART = 1 / 12;
const HOUR_SECONDS = 3_600;

const BEGUN: ReadonlySet<ChangeKind | undefined> = new Set<ChangeKind>(['added', 'common']);

const isBegun = ({ last }: Pick<KeyFacts, 'last'>): boolean => BEGUN.has(last?.kind);

/** Whether its column is there and may not be filled, because who began it ended. */
export const isUnfinished = (fact: KeyFacts): boolean => fact.present && isBegun(fact);
export const isUnfinishedRest = (fact: RestFacts): boolean => isBegun(fact);

/** A change less than so long ago; not what a look did: nobody who asks for a key waits for that. */
function isChange({ last, byLook }: KeyFacts, seconds: number): boolean {
  if (last === undefined || last.kind === 'refused' || last.seconds >= seconds) return false;
  return last.kind === 'dropped' || !byLook;
}

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
  const droppable = present
    .filter(cool)
    .sort(
      (a, b) => a.score - b.score || (b.idle ?? Infinity) - (a.idle ?? Infinity) || (a.key < b.key ? -1 : 1),
    );
  const replace = (victim: KeyFacts | undefined, by: readonly KeyFacts[]): Decision | undefined =>
    victim === undefined || by.length === 0
      ? undefined
      : { candidates: by.slice(0, MAX_CANDIDATES), room: 1, victim };
  const [least] = droppable;
  const farMore = wanted.filter(({ score }) => score >= FAR_MORE * Math.max(1, least?.score ?? 0));
  // Nobody asked for one of them since yesterday: whatever is asked for today is worth its place.
  const unasked = droppable.find((fact) => isIdle(fact, coolSeconds));
  return replace(least, farMore) ?? replace(unasked, wanted.filter(isWantedAtOnce)) ?? none;
}

/** Columns that keys may get which nobody asks for: never in the place of one that is asked for. */
function roomForCommon(facts: readonly KeyFacts[], { pool, minScore }: DecisionBounds): number {
  const present = facts.filter((fact) => fact.present);
  const unasked = present.filter(({ score }) => score < minScore);
  return Math.max(0, Math.min(pool - present.length, Math.floor(pool * COMMON_PART) - unasked.length));
}

/** The tables to look at now for keys that many of their rows have, and for what is left besides them. */
export function tablesToLookAt<T extends TableFacts>(
  facts: readonly KeyFacts[],
  tables: readonly T[],
  bounds: DecisionBounds,
): readonly T[] {
  if (facts.some((fact) => !isCheap(fact, bounds) && isChange(fact, bounds.pauseSeconds))) return [];
  const since = (seconds: number | undefined) => seconds ?? Number.POSITIVE_INFINITY;
  return tables.filter(
    ({ rows, looked, looking }) =>
      rows >= bounds.lookRows &&
      since(looked) >= bounds.lookSeconds &&
      // One that ended is over, however short ago it began.
      (since(looking) >= bounds.lookingSeconds || since(looked) <= since(looking)),
  );
}

/**
 * The keys that a look gives columns to: those that many rows have, most of them of few values, a few of many. The most
 * common of each map comes first, then the second of each: what every resource says does not push out what single
 * requests do.
 */
export function commonest(
  facts: readonly KeyFacts[],
  seen: readonly SeenKey[],
  bounds: DecisionBounds,
): readonly CommonKey[] {
  const known = new Map(facts.map((fact) => [keyText(fact), fact]));
  const cool = cooledBy(bounds);
  const fitting = seen
    .flatMap((key): CommonKey[] => {
      const fact = known.get(keyText(key));
      if (fact !== undefined && (fact.present || !(cool(fact) || isBegun(fact)))) return [];
      const type = commonType(key, bounds);
      return type === undefined ? [] : [{ ...key, type }];
    })
    .sort((a, b) => percentOf(b) - percentOf(a) || b.many - a.many || (a.key < b.key ? -1 : 1));
  const { dictionaries = [], plain = [] } = Object.groupBy(fitting, ({ type }) =>
    type === 'String' ? 'plain' : 'dictionaries',
  );
  const room = roomForCommon(facts, bounds);
  const manyValued = inTurns(plain).slice(0, Math.min(room, Math.floor(bounds.pool * PLAIN_PART)));
  return [...inTurns(dictionaries).slice(0, room - manyValued.length), ...manyValued];
}

/** The first of each map, then the second of each. */
function inTurns(keys: readonly CommonKey[]): CommonKey[] {
  const places = new Map<string, number>();
  return keys
    .map((key) => {
      const map = `${key.table} ${key.map}`;
      const place = places.get(map) ?? 0;
      places.set(map, place + 1);
      return { key, place };
    })
    .sort((a, b) => a.place - b.place)
    .map(({ key }) => key);
}

const percentOf = ({ rows, sampled }: SeenKey): number => Math.round((rows / sampled) * 100);

/** The column that a key gets when there is room for it; undefined when it is worth none. */
function commonType(key: SeenKey, { maxValues }: DecisionBounds): ColumnType | undefined {
  const { rows, sampled, many, mean } = key;
  if (!mayHaveColumn(key) || hasOwnColumn(key.table, key.map, key.key)) return undefined;
  if (rows < sampled * COMMON_SHARE || mean > COMMON_BYTES) return undefined;
  // What is the same on all rows tells none of them apart. Not having the key is a value, too.
  if (many + (rows < sampled ? 1 : 0) < 2) return undefined;
  return unaskedTypeFor(key, maxValues);
}
