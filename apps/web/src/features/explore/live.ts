import type { EventKind } from '@candela/contract';
import { useEffect, useEffectEvent, useState } from 'react';
import type { ApiError } from '../../api/client.ts';

/** How a live view stands. */
export type LiveState = 'off' | 'connecting' | 'live' | 'again' | 'refused';

export interface Live<Row> {
  /** What arrived and is shown, newest first. */
  readonly rows: readonly Row[];
  /** Rows that wait while the list is held still. */
  readonly held: number;
  readonly state: LiveState;
  /** Rows that arrived since the view began, shown or not. */
  readonly arrived: number;
  /** Of those the ones that were more than is sent at once, or than is kept. */
  readonly skipped: number;
  /** Why it was refused, and is not tried again until something of it changes; or why it waits. */
  readonly error: ApiError | undefined;
  /** Shows the rows that wait. */
  release(): void;
}

/** Rows a live view keeps; who wants more reads the list. */
const MOST_ROWS = 500;
/** Arrivals are drawn together, not one by one. */
const DRAW_MS = 250;
/** How far before its begin a view looks: what was stored while the list was read and the stream was not open yet. */
const LOOK_BACK_MS = 5_000;

interface Collected<Row> {
  readonly rows: readonly Row[];
  readonly held: readonly Row[];
  readonly arrived: number;
  readonly skipped: number;
}
const NOTHING = { rows: [], held: [], arrived: 0, skipped: 0 };
/** What came in and is not handed over yet, and the id of the last event of it. */
interface Inbox<Row> {
  id: string;
  rows: Row[];
  skipped: number;
}

/**
 * New rows of a signal as they arrive, over server-sent events. A lost connection comes back by itself and goes on
 * where it stopped; a hidden tab closes it until it is looked at again.
 */
export function useLive<Row>(options: {
  readonly signal: EventKind;
  readonly q: string;
  readonly environment: string | undefined;
  readonly enabled: boolean;
  /** The time that the list ends at: what arrived before then it has. */
  readonly listedMs: number;
  /** Brings the list up to now. */
  readonly refresh: () => void;
  /** True while arriving rows must wait: the list is scrolled away from its top. */
  readonly isHeld: () => boolean;
  /** Hears of every arrival, held or not. */
  readonly onArrival: (count: number) => void;
}): Live<Row> {
  const { signal, q, environment, enabled } = options;
  const [state, setState] = useState<LiveState>('off');
  const [error, setError] = useState<ApiError>();
  const [collected, setCollected] = useState<Collected<Row>>(NOTHING);
  const visible = useVisible();
  // Outlives the stream: a tab that is hidden before what came in was drawn draws it when it is looked at again.
  const [inbox] = useState((): Inbox<Row> => ({ id: '', rows: [], skipped: 0 }));
  const question = `${signal} ${environment ?? ''} ${q}`;
  const [asked, setAsked] = useState(question);
  if (asked !== question) {
    setAsked(question);
    setCollected(NOTHING);
  }
  const handOver = useEffectEvent(() => {
    const { rows, skipped } = inbox;
    if (rows.length === 0 && skipped === 0) return;
    [inbox.rows, inbox.skipped] = [[], 0];
    const isHeld = options.isHeld();
    setCollected((before) => collect(before, rows, skipped, isHeld));
    if (rows.length > 0) options.onArrival(rows.length);
  });
  // A list that was read longer ago than the stream looks back would lack what came in between.
  const catchUp = useEffectEvent(() => {
    if (Date.now() - LOOK_BACK_MS > options.listedMs && !options.isHeld()) options.refresh();
  });
  useEffect(() => {
    // A view that was turned off begins anew: what arrived meanwhile is the list's, and nothing of it was missed.
    Object.assign(inbox, { id: '', rows: [], skipped: 0 });
  }, [question, enabled, inbox]);
  useEffect(() => {
    if (!enabled || !visible) return undefined;
    const abort = new AbortController();
    const startedAt = performance.now();
    // By the clock of the platform, which may not be the one of this machine.
    const since = () => `-${Math.ceil((performance.now() - startedAt + LOOK_BACK_MS) / 1_000)}s`;
    catchUp();
    const draw = setInterval(() => handOver(), DRAW_MS);
    const watch = async () => {
      setState('connecting');
      const { watchStream } = await import('./live-stream.ts');
      await watchStream<Row>({
        query: (id) => ({
          signal,
          q: q.trim() === '' ? undefined : q,
          since: id === '' ? since() : undefined,
        }),
        environment,
        resume: inbox,
        abort: abort.signal,
        onRows: (rows) => inbox.rows.push(...rows),
        onSkipped: (count) => (inbox.skipped += count),
        onState(next, reason) {
          setState(next);
          if (next === 'live') setError(undefined);
          else if (reason !== undefined) setError(reason);
        },
      });
    };
    // Without its code there is no live view; turned off and on it is tried again.
    watch().catch(() => abort.signal.aborted || setState('refused'));
    return () => {
      clearInterval(draw);
      abort.abort();
      setState('off');
      setError(undefined);
    };
  }, [signal, q, environment, enabled, visible, inbox]);
  useEffect(() => {
    if (!enabled) setCollected(NOTHING);
  }, [enabled]);
  return {
    rows: collected.rows,
    held: collected.held.length,
    state,
    arrived: collected.arrived,
    skipped: collected.skipped,
    error,
    release: () => setCollected((before) => collect(before, [], 0, false)),
  };
}

/** Newest first, the oldest fall off; `fresh` is in order of arrival. */
function collect<Row>(
  before: Collected<Row>,
  fresh: readonly Row[],
  skipped: number,
  isHeld: boolean,
): Collected<Row> {
  const waiting = [...before.held, ...fresh];
  const held = waiting.slice(-MOST_ROWS);
  const told = {
    arrived: before.arrived + fresh.length + skipped,
    skipped: before.skipped + skipped + waiting.length - held.length,
  };
  if (isHeld) return { rows: before.rows, held, ...told };
  return { rows: [...held.toReversed(), ...before.rows].slice(0, MOST_ROWS), held: [], ...told };
}

function useVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const changed = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  }, []);
  return visible;
}
