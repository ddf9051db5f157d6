import type { Arriving } from '@candela/telemetry-store';

/** Rows that arrived in a time of which not all were shown; what comes late into it is counted too. */
export interface Skip extends Arriving {
  /** Those that were told: shown or counted. */
  readonly told: number;
}

/** How far a client was told, epoch milliseconds. */
export interface Reach {
  /** Of what arrived until then all rows were shown or counted. */
  readonly floor: number;
  /** Newest arrival of the tenant that was seen, whether the view shows it or not. */
  readonly watermark: number;
  readonly skips: readonly Skip[];
}

/** Where a view stands once its client has the event of that number. */
interface Mark extends Reach {
  readonly event: number;
  readonly at: number;
}

/** A row as it is remembered: when it arrived, and the number of the event it went out with. */
interface Told {
  readonly at: number;
  readonly event: number;
}

/**
 * Rows reach the store in nearly, not exactly, the order of their arrival stamps: requests that are decoded and logged
 * side by side overtake each other, and clocks of replicas differ. A row this much older than the newest is still
 * looked for.
 */
const OVERLAP_MS = 5_000;
/** How long a client may come back and go on exactly where it was. */
const KEEP_MS = 60_000;
/** Rows remembered of one view, besides those it may find again: what fewer seconds of many rows are. */
const MOST_TOLD = 2_000;

/** Which rows the client of a live view has, now and after each of the last events. */
export class Position {
  /** Of the events that the client may name, the newest last. */
  readonly #marks: Mark[];
  readonly #told: Map<string, Told>;

  private constructor(marks: Mark[], told: Map<string, Told>) {
    this.#marks = marks;
    this.#told = told;
  }

  /** Nothing that arrived before that time will be told. */
  static startingAt(ms: number): Position {
    return new Position([{ event: 0, at: ms, floor: ms - 1, watermark: ms, skips: [] }], new Map());
  }

  get #mark(): Mark {
    const mark = this.#marks.at(-1);
    if (mark === undefined) throw new RangeError('a position has a mark');
    return mark;
  }

  /** Number of the last event. */
  get event(): number {
    return this.#mark.event;
  }

  get reach(): Reach {
    return this.#mark;
  }

  /** Those that rows may still come late into. */
  get skips(): readonly Skip[] {
    const { skips, watermark } = this.#mark;
    return skips.filter(({ toMs }) => toMs >= watermark - OVERLAP_MS);
  }

  /**
   * The arrivals that may hold something new. Nothing arrives in the future: a stamp of there is of a clock that is
   * ahead, and its row waits for its time, else those of right clocks would count as old.
   */
  search(now: number): Arriving {
    const { floor, watermark, skips } = this.#mark;
    // The clock was set back: what arrives from now on is before what was told. By a little, what falls into a time of
    // which rows were skipped is counted with them.
    if (watermark > now + OVERLAP_MS) {
      this.reached({ floor: now - OVERLAP_MS, watermark: now, skips: [] }, now);
    } else if (watermark > now) this.reached({ floor, watermark: now, skips }, now);
    return { fromMs: searchFrom(this.#mark), toMs: now };
  }

  isTold(id: string): boolean {
    return this.#told.has(id);
  }

  /** How many rows were told of those that arrived in a time. */
  toldOf({ fromMs, toMs }: Arriving): number {
    let count = 0;
    for (const { at } of this.#told.values()) if (at >= fromMs && at <= toMs) count += 1;
    return count;
  }

  /** The next event holds these rows. */
  tell(rows: readonly { readonly id: string; readonly receivedAtMs: number }[], now: number): void {
    this.#next(now);
    for (const { id, receivedAtMs } of rows) this.#told.set(id, { at: receivedAtMs, event: this.event });
  }

  /** The next event says how far the client was told. */
  tellReach(reach: Reach, now: number): void {
    this.#next(now);
    this.reached(reach, now);
  }

  /** With the events so far the client was told as much. */
  reached(reach: Reach, now: number): void {
    this.#marks[this.#marks.length - 1] = { ...reach, event: this.event, at: now };
    this.#forget(now);
  }

  /** The position of a client whose last event that was; undefined when it is not known any more. */
  asOf(event: number): Position | undefined {
    const mark = this.#marks.find((each) => each.event === event);
    if (mark === undefined) return undefined;
    return new Position([mark], new Map([...this.#told].filter(([, told]) => told.event <= event)));
  }

  #next(now: number): void {
    this.#marks.push({ ...this.#mark, event: this.event + 1, at: now });
  }

  #forget(now: number): void {
    while (this.#marks.length > 1 && (this.#marks[0]?.at ?? 0) < now - KEEP_MS) this.#marks.shift();
    this.#forgetRows();
    while (this.#marks.length > 1 && this.#told.size > MOST_TOLD) {
      this.#marks.shift();
      this.#forgetRows();
    }
  }

  /** Forgets rows that are not looked for any more, from wherever the client goes on. */
  #forgetRows(): void {
    const from = Math.min(...this.#marks.map(searchFrom));
    for (const [id, { at }] of this.#told) if (at < from) this.#told.delete(id);
  }
}

const searchFrom = ({ floor, watermark }: Reach): number => Math.max(floor + 1, watermark - OVERLAP_MS);

const EVENT_ID = /^([0-9a-f]{16})\.(\d{1,12})\.(\d{1,15})$/;

export interface EventId {
  readonly view: string;
  readonly event: number;
  /** The newest arrival of which the client was told then. */
  readonly watermark: number;
}

export const eventId = ({ view, event, watermark }: EventId): string => `${view}.${event}.${watermark}`;

/** What an event id of ours says; undefined for any other text. */
export function parseEventId(text: string | undefined): EventId | undefined {
  const [, view = '', event, watermark] = EVENT_ID.exec(text ?? '') ?? [];
  return view === '' ? undefined : { view, event: Number(event), watermark: Number(watermark) };
}

/** A view whose client may come back. */
interface Kept {
  /** What the view shows: only the same view may go on with it. */
  readonly of: string;
  readonly position: Position;
  /** Ends its connection, in case that one is still thought to be there. */
  readonly end: () => void;
}

/**
 * Views that are open, or were a while ago: a browser that comes back goes on exactly where it was, also when the loss
 * of its connection was not noticed here yet. Bounded in number and time.
 */
export class Positions {
  readonly #kept = new Map<string, Kept & { readonly until: number }>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Keeps a view for a while from now on. */
  keep(view: string, kept: Kept, now: number): void {
    this.#kept.delete(view);
    this.#kept.set(view, { ...kept, until: now + KEEP_MS });
    for (const [name, { until }] of this.#kept) {
      if (until >= now && this.#kept.size <= this.#max) break;
      this.#kept.delete(name);
    }
  }

  /** The position as of an event: what was sent after it counts as not sent, and who sent it ends. */
  take(id: EventId, of: string, now: number): Position | undefined {
    const kept = this.#kept.get(id.view);
    if (kept === undefined || kept.of !== of || kept.until < now) return undefined;
    const position = kept.position.asOf(id.event);
    if (position === undefined) return undefined;
    this.#kept.delete(id.view);
    kept.end();
    return position;
  }
}
