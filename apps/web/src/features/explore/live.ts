import type { LiveSignal } from '@candela/contract';
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
  /** Rows that came too fast to be sent, or to be kept, since the view began. */
  readonly skipped: number;
  /** Why it was refused; it is not tried again until something of it changes. */
  readonly error: ApiError | undefined;
  /** Shows the rows that wait. */
  release(): void;
}

/** Rows a live view keeps; who wants more reads the list. */
const MOST_ROWS = 500;
/** Arrivals are drawn together, not one by one. */
const DRAW_MS = 250;

interface Collected<Row> {
  readonly rows: readonly Row[];
  readonly held: readonly Row[];
  readonly skipped: number;
}
const NOTHING = { rows: [], held: [], skipped: 0 };

/**
 * New rows of a signal as they arrive, over server-sent events. A lost connection comes back by itself and goes on
 * where it stopped; a hidden tab closes it until it is looked at again.
 */
export function useLive<Row>(options: {
  readonly signal: LiveSignal;
  readonly q: string;
  readonly environment: string | undefined;
  readonly enabled: boolean;
  /** True while arriving rows must wait: the list is scrolled away from its top. */
  readonly isHeld?: () => boolean;
  /** Hears of every arrival, held or not. */
  readonly onArrival?: (count: number) => void;
}): Live<Row> {
  const { signal, q, environment, enabled } = options;
  const [state, setState] = useState<LiveState>('off');
  const [error, setError] = useState<ApiError>();
  const [collected, setCollected] = useState<Collected<Row>>(NOTHING);
  const visible = useVisible();
  const [resume] = useState(() => ({ id: '' }));
  const question = `${signal} ${environment ?? ''} ${q}`;
  const [asked, setAsked] = useState(question);
  if (asked !== question) {
    setAsked(question);
    setCollected(NOTHING);
  }
  const add = useEffectEvent((arrived: Row[], skipped: number) => {
    const isHeld = options.isHeld?.() ?? false;
    setCollected((before) => collect(before, arrived, skipped, isHeld));
    if (arrived.length > 0) options.onArrival?.(arrived.length);
  });
  useEffect(() => {
    resume.id = '';
  }, [question, resume]);
  useEffect(() => {
    if (!enabled || !visible) return undefined;
    const abort = new AbortController();
    const parameters = new URLSearchParams({ signal, ...(q.trim() === '' ? {} : { q }) });
    const startedAt = Date.now();
    let arrived: Row[] = [];
    let skipped = 0;
    const draw = setInterval(() => {
      if (arrived.length === 0 && skipped === 0) return;
      add(arrived, skipped);
      [arrived, skipped] = [[], 0];
    }, DRAW_MS);
    const watch = async () => {
      setState('connecting');
      const { watchStream } = await import('./live-stream.ts');
      await watchStream<Row>({
        address: (id) =>
          // What was stored while the list was read and the stream was not open yet belongs to the live view.
          `/api/telemetry/tail?${parameters}${id === '' ? `&since=${new Date(startedAt - 5_000).toISOString()}` : ''}`,
        environment,
        resume,
        abort: abort.signal,
        onRows: (rows) => arrived.push(...rows),
        onSkipped: (count) => (skipped += count),
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
    };
  }, [signal, q, environment, enabled, visible, resume]);
  useEffect(() => {
    if (!enabled) setCollected(NOTHING);
  }, [enabled]);
  return {
    rows: collected.rows,
    held: collected.held.length,
    state,
    skipped: collected.skipped,
    error,
    release: () => setCollected((before) => collect({ ...before, held: [] }, [...before.held], 0, false)),
  };
}

/** Newest first, the oldest fall off; `arrived` is in order of arrival. */
function collect<Row>(
  before: Collected<Row>,
  arrived: readonly Row[],
  skipped: number,
  isHeld: boolean,
): Collected<Row> {
  const held = [...before.held, ...arrived].slice(-MOST_ROWS);
  const lost = before.held.length + arrived.length - held.length;
  if (isHeld) return { rows: before.rows, held, skipped: before.skipped + skipped + lost };
  const rows = [...held.toReversed(), ...before.rows].slice(0, MOST_ROWS);
  return { rows, held: [], skipped: before.skipped + skipped + lost };
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
