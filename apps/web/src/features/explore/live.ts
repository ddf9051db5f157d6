import type { LiveSignal } from '@candela/contract';
import { useEffect, useEffectEvent, useState } from 'react';
import { waitBefore } from '../../api/again.ts';
import { ApiError, openStream } from '../../api/client.ts';
import { eventReader, type StreamEvent } from '../../lib/event-stream.ts';

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
    let failures = 0;
    let arrived: Row[] = [];
    let skipped = 0;
    const draw = setInterval(() => {
      if (arrived.length === 0 && skipped === 0) return;
      add(arrived, skipped);
      [arrived, skipped] = [[], 0];
    }, DRAW_MS);
    const hear = ({ event, id, data }: StreamEvent) => {
      if (event === 'failure') throw brokenOff(data);
      if (id !== '') resume.id = id;
      if (event === 'rows') arrived.push(...(JSON.parse(data) as Row[]));
      else if (event === 'skipped') skipped += (JSON.parse(data) as { count: number }).count;
    };
    const watch = async () => {
      while (!abort.signal.aborted) {
        setState('connecting');
        let reason: unknown;
        let opened = false;
        try {
          // What was stored while the list was read and the stream was not open yet belongs to the live view.
          const since = new Date(startedAt - 5_000).toISOString();
          const { body } = await openStream(
            `/api/telemetry/tail?${parameters}${resume.id === '' ? `&since=${since}` : ''}`,
            { environment },
            {
              signal: abort.signal,
              headers: {
                accept: 'text/event-stream',
                ...(resume.id === '' ? {} : { 'last-event-id': resume.id }),
              },
            },
          );
          opened = true;
          setState('live');
          setError(undefined);
          const read = eventReader();
          for await (const text of textOf(body)) for (const event of read(text)) hear(event);
        } catch (thrown) {
          if (abort.signal.aborted) return;
          if (isFinal(thrown)) {
            setError(thrown);
            setState('refused');
            return;
          }
          reason = thrown;
        }
        if (reason instanceof ApiError) setError(reason);
        // A view that went well until its connection was lost begins to wait anew.
        else if (opened) failures = 0;
        if (abort.signal.aborted) return;
        setState('again');
        failures += 1;
        await new Promise((resolve) => setTimeout(resolve, waitBefore(failures, reason)));
      }
    };
    void watch();
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

/** Refusals that asking again cannot change: a wrong query, a missing permission. */
const isFinal = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && thrown.status !== 429;

/** What ended a stream that had begun, as a refusal before it would have been. */
function brokenOff(data: string): ApiError {
  const { err, code, requestId } = JSON.parse(data) as { err: string; code: string; requestId: string };
  return new ApiError(err, code === 'query_too_expensive' ? 422 : 503, code, requestId);
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read())
      yield decoder.decode(step.value, { stream: true });
  } finally {
    void reader.cancel().catch(() => undefined);
  }
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
