import type { Frame } from '@candela/contract';
import { useEffect, useRef, useState } from 'react';
import { boardAnswers, type BoardAround } from '../../api/boards.ts';
import { waitBefore } from '../../api/retry.ts';
import { ApiError } from '../../api/client.ts';

/** What is known of a widget's answer. */
export interface WidgetState {
  readonly frame?: Frame;
  readonly err?: string;
  /** The answer is of an earlier question. */
  readonly stale: boolean;
}

const RETRIES = 3;
/** Widgets that come into view together are asked for in one request. */
const TOGETHER_MS = 30;

/** One question of a board: which of its widgets were asked for, and what ends their requests. */
interface Asking {
  readonly question: string;
  readonly asked: Set<string>;
  readonly abort: AbortController;
}

/**
 * Answers of the saved widgets that can be seen, each when it is there; of an earlier question they stay, marked, until
 * then. A widget is asked for once a question: when it comes into view.
 * @param version asked again when it changes: the revision of the board
 * @param ids widgets in view
 */
export function useBoardData(
  id: string,
  version: number,
  ids: readonly string[],
  around: BoardAround,
): { readonly states: ReadonlyMap<string, WidgetState>; readonly error: Error | undefined } {
  const [states, setStates] = useState<ReadonlyMap<string, WidgetState>>(new Map());
  const [error, setError] = useState<Error>();
  const asking = useRef<Asking>(undefined);
  const body = JSON.stringify(around);
  const question = `${id} ${version} ${body}`;
  const wanted = ids.toSorted().join(' ');
  useEffect(() => () => asking.current?.abort.abort(), []);
  useEffect(() => {
    if (wanted === '') return undefined;
    const timer = setTimeout(() => {
      let now = asking.current;
      if (now?.question !== question || now.abort.signal.aborted) {
        now?.abort.abort();
        now = { question, asked: new Set(), abort: new AbortController() };
        asking.current = now;
        setStates((before) => new Map([...before].map(([key, state]) => [key, { ...state, stale: true }])));
        setError(undefined);
      }
      const { asked, abort } = now;
      const missing = wanted.split(' ').filter((one) => !asked.has(one));
      for (const one of missing) asked.add(one);
      const put = (key: string, state: WidgetState) =>
        setStates((before) => new Map([...before, [key, state]]));
      if (missing.length > 0)
        void readAnswers({
          id,
          around: JSON.parse(body) as BoardAround,
          missing,
          signal: abort.signal,
          put,
        }).then((failure) => failure !== undefined && setError(failure));
    }, TOGETHER_MS);
    return () => clearTimeout(timer);
  }, [id, question, body, wanted]);
  return { states, error };
}

/** Reads until all are there; what breaks off is asked again for what is missing. Returns why it gave up. */
async function readAnswers(of: {
  id: string;
  around: BoardAround;
  missing: readonly string[];
  signal: AbortSignal;
  put: (id: string, state: WidgetState) => void;
}): Promise<Error | undefined> {
  const wanted = new Set(of.missing);
  for (let attempt = 1; wanted.size > 0; attempt += 1) {
    try {
      for await (const answer of boardAnswers(of.id, of.around, [...wanted], of.signal)) {
        wanted.delete(answer.id);
        of.put(
          answer.id,
          'frame' in answer ? { frame: answer.frame, stale: false } : { err: answer.err, stale: false },
        );
      }
      return undefined;
    } catch (thrown) {
      if (of.signal.aborted) return undefined;
      const isFinal =
        thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && thrown.status !== 429;
      if (isFinal || attempt > RETRIES)
        return thrown instanceof Error ? thrown : new Error('The board could not be read.');
      await new Promise((resolve) => setTimeout(resolve, waitBefore(attempt, thrown)));
    }
  }
  return undefined;
}
