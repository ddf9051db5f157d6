/** Where a live view stands: which rows its client has. */
export interface Position {
  /** Rows that arrived at this time or before are done with, epoch milliseconds. */
  floor: number;
  /** Newest arrival seen. */
  watermark: number;
  /** Rows sent lately: arrival, and the number of the event they went out with. */
  readonly sent: Map<string, { readonly at: number; readonly event: number }>;
  /** Number of the last event. */
  event: number;
}

/**
 * Rows reach the store in nearly, not exactly, the order of their arrival stamps: requests that are decoded and logged
 * side by side overtake each other. A row this much older than the newest is still looked for.
 */
const OVERLAP_MS = 5_000;

export function startAt(ms: number): Position {
  return { floor: ms - 1, watermark: ms, sent: new Map(), event: 0 };
}

/** The first arrival that may still hold something new. */
export const searchFrom = (position: Position): number =>
  Math.max(position.floor + 1, position.watermark - OVERLAP_MS);

/** Forgets rows that are not looked for any more. */
export function forget(position: Position): void {
  const from = searchFrom(position);
  for (const [id, { at }] of position.sent) if (at < from) position.sent.delete(id);
}

const EVENT_ID = /^([0-9a-f]{16})\.(\d{1,12})\.(\d{1,15})$/;

export interface EventId {
  readonly view: string;
  readonly event: number;
  readonly watermark: number;
}

export const eventId = ({ view, event, watermark }: EventId): string => `${view}.${event}.${watermark}`;

/** What an event id of ours says; undefined for any other text. */
export function parseEventId(text: string | undefined): EventId | undefined {
  const [, view = '', event, watermark] = EVENT_ID.exec(text ?? '') ?? [];
  return view === '' ? undefined : { view, event: Number(event), watermark: Number(watermark) };
}

/**
 * Positions of views whose connection ended, kept for a while: a browser that comes back goes on exactly where it was.
 * Bounded in number and time.
 */
export class Positions {
  readonly #kept = new Map<
    string,
    { readonly position: Position; readonly of: string; readonly until: number }
  >();
  readonly #max: number;
  readonly #keepMs: number;

  constructor(max = 500, keepMs = 60_000) {
    this.#max = max;
    this.#keepMs = keepMs;
  }

  /** `of` names what the view shows: only the same view may go on with it. */
  keep(view: string, of: string, position: Position, now: number): void {
    this.#kept.delete(view);
    this.#kept.set(view, { position, of, until: now + this.#keepMs });
    for (const [name, { until }] of this.#kept) {
      if (until >= now && this.#kept.size <= this.#max) break;
      this.#kept.delete(name);
    }
  }

  /** The position as of an event: rows sent after it count as not sent. */
  take(id: EventId, of: string, now: number): Position | undefined {
    const kept = this.#kept.get(id.view);
    if (kept === undefined || kept.of !== of || kept.until < now || id.event > kept.position.event)
      return undefined;
    this.#kept.delete(id.view);
    const { position } = kept;
    const sent = new Map([...position.sent].filter(([, { event }]) => event <= id.event));
    // What was skipped on purpose stays skipped only as far as the client was told.
    const floor =
      id.event === position.event ? position.floor : Math.min(position.floor, id.watermark - OVERLAP_MS);
    return { floor, watermark: id.watermark, sent, event: id.event };
  }
}
