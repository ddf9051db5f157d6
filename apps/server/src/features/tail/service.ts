import type { Filter, LiveSignal } from '@candela/contract';
import { TAIL_MAX_BACK_SECONDS } from '@candela/contract';
import { CandelaError, type Clock, newRequestId, type RequestContext } from '@candela/kernel';
import { liveTable, type TailQueries } from '@candela/telemetry-store';
import type { ServerEvent } from '../../http/stream-answer.ts';
import type { Bell } from './bell.ts';
import { eventId, forget, parseEventId, type Position, Positions, searchFrom, startAt } from './position.ts';

export interface TailParts {
  readonly queries: TailQueries;
  readonly bell: Bell;
  readonly clock: Clock;
  /** Rows a second that one view is sent. */
  readonly rowsPerSecond: number;
}

export interface TailInput {
  readonly signal: LiveSignal;
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

/** Live views: what arrives is told once, in order of arrival, and no faster than a person or a network can follow. */
export function createTail(parts: TailParts) {
  const { queries, bell, clock } = parts;
  const positions = new Positions();

  function positionOf(input: TailInput): { view: string; position: Position } {
    const now = clock.now();
    const oldest = now - TAIL_MAX_BACK_SECONDS * 1_000;
    const last = parseEventId(input.lastEventId);
    if (last === undefined) {
      return { view: newRequestId(), position: startAt(Math.max(oldest, Math.min(now, input.since ?? now))) };
    }
    const kept = positions.take(last, input.question, now);
    if (kept !== undefined) return { view: last.view, position: kept };
    // Nothing is known of what was sent: rather leave out a late row than tell one twice.
    return { view: newRequestId(), position: startAt(Math.max(oldest, Math.min(now, last.watermark + 1))) };
  }

  async function look(
    context: RequestContext,
    input: TailInput,
    position: Position,
    budget: number,
    abort: AbortSignal,
  ): Promise<{ rows: unknown[]; skipped: number }> {
    forget(position);
    const fromMs = searchFrom(position);
    const known = position.sent.size;
    const { filter, signal } = input;
    const found = await queries.arrivals(
      context,
      signal,
      { filter, fromMs, limit: known + budget + 1 },
      abort,
    );
    const fresh = found.filter(({ id }) => !position.sent.has(id));
    const newest = found.at(-1)?.receivedAtMs ?? position.watermark;
    const shown = fresh.slice(-budget);
    let skipped = 0;
    if (fresh.length > budget) {
      const all = await queries.count(context, signal, { filter, fromMs, toMs: newest }, abort);
      skipped = Math.max(fresh.length - shown.length, all - known - shown.length);
      position.floor = newest;
    }
    position.watermark = Math.max(position.watermark, newest);
    if (shown.length > 0 || skipped > 0) position.event += 1;
    for (const { id, receivedAtMs } of shown)
      position.sent.set(id, { at: receivedAtMs, event: position.event });
    return { rows: shown.map(({ row }) => row), skipped };
  }

  async function* events(
    context: RequestContext,
    input: TailInput,
    abort: AbortSignal,
  ): AsyncGenerator<ServerEvent> {
    const { view, position } = positionOf(input);
    const table = liveTable(input.signal);
    let credit = parts.rowsPerSecond;
    let lookedAt = clock.now();
    let failures = 0;
    try {
      // Rows that were there before the view began are found at once.
      let news = true;
      while (!abort.aborted) {
        if (!news) news = await bell.wait(table, MAX_GAP_MS, abort);
        const gap = lookedAt + MIN_GAP_MS - clock.now();
        if (gap > 0) await pause(gap, abort);
        if (abort.aborted) return;
        const now = clock.now();
        const earned = (Math.max(0, now - lookedAt) / 1_000) * parts.rowsPerSecond;
        credit = Math.min(credit + earned, parts.rowsPerSecond * BURST_SECONDS);
        lookedAt = now;
        news = false;
        try {
          const { rows, skipped } = await look(
            context,
            input,
            position,
            Math.max(1, Math.floor(credit)),
            abort,
          );
          failures = 0;
          credit -= rows.length;
          const id = eventId({ view, event: position.event, watermark: position.watermark });
          if (skipped > 0) yield { event: 'skipped', id, data: { count: skipped } };
          if (rows.length > 0) yield { event: 'rows', id, data: rows };
        } catch (thrown) {
          if (abort.aborted) return;
          const passing = thrown instanceof CandelaError && thrown.retryable;
          if (!passing || ++failures >= PATIENCE) throw thrown;
        }
      }
    } finally {
      positions.keep(view, input.question, position, clock.now());
    }
  }

  return { events };
}

function pause(ms: number, abort: AbortSignal): Promise<void> {
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
