import type { Frame, Widget } from '@candela/contract';
import { useEffect, useState } from 'react';
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

/**
 * Answers of the saved widgets of a board, each when it is there; of an earlier question they stay, marked, until then.
 * @param version asked again when it changes: the revision of the board
 */
export function useBoardData(
  id: string,
  version: number,
  widgets: readonly Widget[],
  around: BoardAround,
): { readonly states: ReadonlyMap<string, WidgetState>; readonly error: Error | undefined } {
  const [states, setStates] = useState<ReadonlyMap<string, WidgetState>>(new Map());
  const [error, setError] = useState<Error>();
  const ids = widgets.map((widget) => widget.id).join(' ');
  const question = JSON.stringify(around);
  useEffect(() => {
    const abort = new AbortController();
    setStates((before) => new Map([...before].map(([key, state]) => [key, { ...state, stale: true }])));
    setError(undefined);
    const read = async () => {
      const wanted = new Set(ids.split(' ').filter((one) => one !== ''));
      for (let attempt = 1; wanted.size > 0; attempt += 1) {
        try {
          const asked = JSON.parse(question) as BoardAround;
          for await (const answer of boardAnswers(id, asked, [...wanted], abort.signal)) {
            wanted.delete(answer.id);
            const state: WidgetState =
              'frame' in answer ? { frame: answer.frame, stale: false } : { err: answer.err, stale: false };
            setStates((before) => new Map([...before, [answer.id, state]]));
          }
          return;
        } catch (thrown) {
          if (abort.signal.aborted) return;
          const isFinal =
            thrown instanceof ApiError &&
            thrown.status >= 400 &&
            thrown.status < 500 &&
            thrown.status !== 429;
          if (isFinal || attempt > RETRIES) {
            setError(thrown instanceof Error ? thrown : new Error('The board could not be read.'));
            return;
          }
          await new Promise((resolve) => setTimeout(resolve, waitBefore(attempt, thrown)));
        }
      }
    };
    void read();
    return () => abort.abort();
  }, [id, version, ids, question]);
  return { states, error };
}
