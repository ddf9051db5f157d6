import type { AttributeKey } from '../../attribute-columns/names.ts';
import type { StoreSnapshot } from '../../client/types.ts';

export type ParamType =
  | 'String'
  | 'Int64'
  | 'Float64'
  | 'UInt64'
  | 'UInt32'
  | 'UInt8'
  | 'Array(UInt8)'
  | 'Array(UInt64)'
  | 'Array(Int64)'
  | 'Array(String)'
  | 'Array(Float64)'
  | "Array(DateTime64(9, 'UTC'))";

/** Whose rows a statement may read; without an environment those of all. */
interface Tenant {
  readonly projectId: string;
  readonly environment?: string | undefined;
}

/** Half open, nanoseconds since the epoch. */
interface AskedWindow {
  readonly from: bigint;
  readonly to: bigint;
}

const LAST = 2n ** 63n - 1n;
const FIRST = -(2n ** 63n);

const SECOND = 1_000_000_000n;
const LAST_DATE_TIME = 2n ** 32n - 1n;

/** As the engine reads one in a text, for what a `DateTime64(9)` column can hold since 1970. */
function dateTime(nanos: bigint): string {
  const held = nanos > LAST ? LAST : nanos < 0n ? 0n : nanos;
  const seconds = new Date(Number(held / SECOND) * 1_000).toISOString().slice(0, 19).replace('T', ' ');
  return `${seconds}.${(held % SECOND).toString().padStart(9, '0')}`;
}

const LONG_TEXT = 512;

/** By what a long text, or list of texts, is known; undefined of any other value. */
function longText(value: unknown, type: ParamType): string | undefined {
  if (typeof value === 'string') return value.length < LONG_TEXT ? undefined : `${type} ${value}`;
  if (type !== 'Array(String)' || !Array.isArray(value)) return undefined;
  const known = `${type} ${JSON.stringify(value)}`;
  return known.length < LONG_TEXT ? undefined : known;
}

/**
 * Collects the values of one statement, and what it reads. Values only ever reach the engine through here, never as text in
 * the SQL.
 */
export class Params {
  readonly values: Record<string, unknown> = {};
  /** Keys of maps whose values it reads, from the map or from a column. */
  readonly attributes: AttributeKey[] = [];
  /** It reads whole texts, of messages, of bodies. */
  readsTexts = false;
  /** It reads keys of maps that have no column. */
  readsMaps = false;
  /** An index of words tells some of its rows. */
  usesTextIndex = false;
  /** Words that an index is asked for, with their spellings. */
  private readonly askedFor = new Map<string, number>();
  /** Whether it looks at a sample of the rows only. */
  isSample = false;
  /** Whose statement it is: what it reads besides the rows of a scope is limited to the same tenant. */
  readonly tenant: Tenant | undefined;
  /** The time range of the whole question, whatever part of it this statement reads; undefined: it names none. */
  readonly window: AskedWindow | undefined;
  private readonly store: StoreSnapshot | undefined;
  /** Parts of the statement that are written once. */
  private readonly parts = new Map<string, string>();
  private count = 0;
  /** Placeholders of long texts by type and value. */
  private readonly long = new Map<string, string>();

  /** @param context whose it is, and the store that it is written for; without one, it reads maps and texts */
  constructor(
    context?: Partial<Tenant> & {
      readonly store?: StoreSnapshot | undefined;
      readonly window?: AskedWindow | undefined;
      readonly anyScores?: boolean;
    },
  ) {
    this.store = context?.store;
    this.window = context?.anyScores === true ? undefined : context?.window;
    const { projectId, environment } = context ?? {};
    this.tenant = projectId === undefined ? undefined : { projectId, environment };
  }

  /** The text of a part that several places need: written, and its values bound, once. */
  part(name: string, write: () => string): string {
    const known = this.parts.get(name);
    if (known !== undefined) return known;
    const written = write();
    this.parts.set(name, written);
    return written;
  }

  /**
   * The placeholder to write into the statement for `value`. Long texts have one for all places: what a filter looks for is
   * needed in each part of a statement, and is sent once.
   */
  bind(
    value: string | number | bigint | readonly string[] | readonly number[] | readonly bigint[],
    type: ParamType,
  ): string {
    const known = longText(value, type);
    const bound = known === undefined ? undefined : this.long.get(known);
    if (bound !== undefined) return bound;
    const name = `p${this.count++}`;
    this.values[name] = typeof value === 'bigint' ? value.toString() : value;
    const placeholder = `{${name}:${type}}`;
    if (known !== undefined) this.long.set(known, placeholder);
    return placeholder;
  }

  /** Whether an index may be asked for a word of so many spellings: for the first ones of a statement, wherever they stand in it. */
  mayAskFor(word: string, spellings: number, most: number): boolean {
    if (this.askedFor.has(word)) return true;
    const asked = [...this.askedFor.values()].reduce((sum, count) => sum + count, spellings);
    if (asked > most) return false;
    this.askedFor.set(word, spellings);
    return true;
  }

  /** Notes a key whose value is read, and tells its column. */
  columnOf(attribute: AttributeKey): string | undefined {
    this.attributes.push(attribute);
    const column = this.store?.columnOf(attribute);
    if (column === undefined) this.readsMaps = true;
    return column;
  }

  indexesWords(table: string): boolean {
    return this.store?.indexesWords(table) === true;
  }

  indexesItems(table: string): boolean {
    return this.store?.indexesItems(table) === true;
  }

  /** Hashes as the answers of statements tell them, digits of 64 bits each, to be looked up by `IN`. */
  hashes(digits: readonly string[]): string {
    return this.bind(digits.map(BigInt), 'Array(UInt64)');
  }

  /**
   * Points in time since 1970 in nanoseconds, to look up a `DateTime64(9)` column by `IN`. One value for all of them: the
   * engine takes as long to plan for each {@link time} as for a column.
   */
  times(nanos: readonly bigint[]): string {
    return this.bind(nanos.map(dateTime), "Array(DateTime64(9, 'UTC'))");
  }

  /**
   * The first whole second that is not before a point in time, comparable with a `DateTime`: with those of buckets, which
   * begin before the last one that it can hold.
   */
  second(nanos: bigint): string {
    const seconds = (nanos + SECOND - 1n) / SECOND;
    return `toDateTime(${this.bind(seconds > LAST_DATE_TIME ? LAST_DATE_TIME : seconds < 0n ? 0n : seconds, 'UInt32')})`;
  }

  /**
   * A point in time in nanoseconds, comparable with a `DateTime64(9)` column. One that such a column cannot hold is its end:
   * beyond it the engine would begin anew at the other end.
   */
  time(nanos: bigint): string {
    const held = nanos > LAST ? LAST : nanos < FIRST ? FIRST : nanos;
    return `fromUnixTimestamp64Nano(${this.bind(held, 'Int64')})`;
  }
}
