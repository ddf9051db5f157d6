import type { Filter, EventKind } from '@candela/contract';
import { TAIL_MAX_BACK_SECONDS } from '@candela/contract';
import { CandelaError, type Clock, newRequestId, type RequestContext } from '@candela/kernel';
import { type Arrival, liveTable, type LiveRow, type TailQueries } from '@candela/telemetry-store';
import type { ServerEvent } from '../../http/stream-answer.ts';
import type { Notifier } from './notifier.ts';
import { eventId, parseEventId, Position, Positions, type Skip } from './position.ts';

export interface TailParts {
  readonly queries: TailQueries;
  readonly notifier: Notifier;
  readonly clock: Clock;
  /** Rows a second that one view is sent. */
  readonly rowsPerSecond: number;
  /** Views that may be open at once. */
  readonly maxViews: number;
}

export interface TailInput {
  readonly signal: EventKind;
  readonly filter: Filter | undefined;
  /** Names filter and tenant: a connection that comes back must ask for the same. */
  readonly question: string;
  readonly since: number | undefined;
  readonly lastEventId: string | undefined;
}

/** Between two looks at the store for one view. */
const MIN_GAP_MS = 500;
/** Without news: rows may also come in through another process at the same store. */
const MAX_GAP_MS = 3_000;
/** What a view that waited may be sent at once, in seconds of its rate. */
const BURST_SECONDS = 2;
/** Looks that may fail in a row, e.g. while the engine is started again, before the view ends. */
const PATIENCE = 10;
/** Characters of the rows of one event, unless one row alone has more. */
const EVENT_CHARACTERS = 1_000_000;

/** A live view by its name, and what its client has of it. */
interface View {
  readonly name: string;
  readonly position: Position;
  /** Its client came back. */
  readonly isResumed: boolean;
}

/** Live views: what arrives is told once, in order of arrival, and no faster than a person or a network can follow. */
export function createTail(parts: TailParts) {
  const { queries, notifier, clock } = parts;
  // Those that are open, and as many that were a while ago.
  const positions = new Positions(2 * parts.maxViews);

  function viewOf(input: TailInput): View {
    const now = clock.now();
    const start = (ms: number) => {
      const oldest = now - TAIL_MAX_BACK_SECONDS * 1_000;
      const position = Position.startingAt(Math.max(oldest, Math.min(now, ms)));
      return { name: newRequestId(), position, isResumed: false };
    };
    const last = parseEventId(input.lastEventId);
    if (last === undefined) return start(input.since ?? now);
    const position = positions.take(last, input.question, now);
    // Where nothing is known of what was sent: rather leave out a late row than tell one twice.
    return position === undefined
      ? start(last.watermark + 1)
      : { name: last.view, position, isResumed: true };
  }

  /** What arrived since the last look: at most `budget` rows, the newest, and how many others there are. */
  async function look(
    context: RequestContext,
    { filter, signal }: TailInput,
    { name, position }: View,
    budget: number,
    abort: AbortSignal,
  ): Promise<{ events: ServerEvent[]; rows: number }> {
    const during = position.search(clock.now());
    // A filter may match little: looking on from the last row that it matched would read more with every look. Asked
    // before the rows are, so that what it has seen is found.
    const arrived = filter && (await queries.newest(context, signal, during, abort));
    const limit = position.toldOf(during) + budget + 1;
    const found = await queries.arrivals(context, signal, { filter, ...during, limit }, abort);
    const fresh = found.filter(({ id }) => !position.isTold(id));
    const shown = fresh.slice(-budget);
    const newest = found.at(-1)?.receivedAtMs ?? 0;
    const cut = fresh.length - shown.length;
    const skips = [...position.skips];
    if (cut > 0) {
      const skip = { fromMs: during.fromMs, toMs: newest };
      skips.push({ ...skip, told: position.toldOf(skip) + fresh.length });
    }
    const counts = await queries.count(context, signal, { filter, during: skips }, abort);
    const counted = skips.map((skip, index) => ({ ...skip, told: Math.max(skip.told, counts[index] ?? 0) }));
    const count = cut + sum(counted) - sum(skips);

    const now = clock.now();
    const events: ServerEvent[] = [];
    const add = (event: string, watermark: number, data: unknown) =>
      events.push({ event, id: eventId({ view: name, event: position.event, watermark }), data });
    for (const rows of inEvents(shown)) {
      position.tell(rows, now);
      const last = rows.at(-1)?.receivedAtMs ?? 0;
      add(
        'rows',
        Math.max(position.reach.watermark, last),
        rows.map(({ row }) => row),
      );
    }
    const { floor, watermark } = position.reach;
    const reach = {
      floor: cut > 0 ? newest : floor,
      watermark: Math.max(watermark, newest, arrived ?? 0),
      skips: counted,
    };
    if (count > 0) {
      position.tellReach(reach, now);
      add('skipped', reach.watermark, { count });
    } else position.reached(reach, now);
    return { events, rows: shown.length };
  }

  /**
   * Opens a view. Its first look is made before its first byte is sent: a question that cannot be answered is refused
   * like any other. @throws bad_query, query_too_expensive, choose_environment, store_unavailable
   */
  async function open(
    context: RequestContext,
    input: TailInput,
    abort: AbortSignal,
  ): Promise<AsyncIterable<ServerEvent>> {
    const view = viewOf(input);
    const table = liveTable(input.signal);
    const taken = new AbortController();
    const ended = AbortSignal.any([abort, taken.signal]);
    const keep = () => {
      if (taken.signal.aborted) return;
      const kept = { of: input.question, position: view.position, end: () => taken.abort() };
      positions.keep(view.name, kept, clock.now());
    };
    let credit = parts.rowsPerSecond;
    let lookedAt = clock.now();
    let heard = 0;

    async function next(): Promise<ServerEvent[]> {
      const now = clock.now();
      const earned = (Math.max(0, now - lookedAt) / 1_000) * parts.rowsPerSecond;
      credit = Math.min(credit + earned, parts.rowsPerSecond * BURST_SECONDS);
      lookedAt = now;
      heard = notifier.count(table);
      const { events, rows } = await look(context, input, view, Math.max(1, Math.floor(credit)), ended);
      credit -= rows;
      return events;
    }

    async function* events(first: ServerEvent[]): AsyncGenerator<ServerEvent> {
      let failures = 0;
      try {
        yield* first;
        while (!ended.aborted) {
          await notifier.wait(table, heard, MAX_GAP_MS, ended);
          // Of a clock that was set back, `lookedAt` is far ahead.
          await pause(Math.min(MIN_GAP_MS, lookedAt + MIN_GAP_MS - clock.now()), ended);
          if (ended.aborted) return;
          let found: ServerEvent[] = [];
          keep();
          try {
            found = await next();
            failures = 0;
          } catch (thrown) {
            if (ended.aborted) return;
            const passing = thrown instanceof CandelaError && thrown.retryable;
            if (!passing || ++failures >= PATIENCE) throw thrown;
          }
          yield* found;
        }
      } finally {
        keep();
      }
    }

    // One that is refused is not kept; whose client came back may try again.
    if (view.isResumed) keep();
    const first = await next();
    keep();
    return events(first);
  }

  return { open };
}

const sum = (skips: readonly Skip[]): number => skips.reduce((all, { told }) => all + told, 0);

/** Rows in as many events as keep each below its bound. */
function inEvents(rows: readonly Arrival<LiveRow>[]): Arrival<LiveRow>[][] {
  const events: Arrival<LiveRow>[][] = [];
  let size = Infinity;
  for (const row of rows) {
    const { length } = JSON.stringify(row.row);
    if (size + length > EVENT_CHARACTERS) {
      events.push([]);
      size = 0;
    }
    events.at(-1)?.push(row);
    size += length;
  }
  return events;
}

function pause(ms: number, abort: AbortSignal): Promise<void> {
  if (ms <= 0 || abort.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      abort.removeEventListener('abort', settle);
      resolve();
    };
    const timer = setTimeout(settle, ms);
    abort.addEventListener('abort', settle, { once: true });
  });
}
