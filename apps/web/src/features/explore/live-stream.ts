import { waitBefore } from '../../api/retry.ts';
import { brokenOff } from '../../api/broken-off.ts';
import { ApiError, type AskOf, openStream } from '../../api/client.ts';
import { eventReader, type StreamEvent } from '../../lib/event-stream.ts';

/** Without rows the server sends a comment every 15 seconds: a stream that says nothing for so long has no other end. */
const SILENCE_MS = 45_000;

/**
 * Reads a stream of rows until it is aborted or refused. A lost connection, also one that is lost without a word, comes back
 * by itself and goes on where it stopped: `resume` holds the id of the last event.
 */
export async function watchStream<Row>(options: {
  /** What is watched, for a stream that begins anew or goes on after an event. */
  readonly query: (lastId: string) => NonNullable<AskOf<'tail'>['query']>;
  readonly environment: string | undefined;
  readonly resume: { id: string };
  readonly abort: AbortSignal;
  readonly onRows: (rows: Row[]) => void;
  /** Rows that came too fast to be sent. */
  readonly onSkipped: (count: number) => void;
  readonly onState: (state: 'connecting' | 'live' | 'again' | 'refused', reason?: ApiError) => void;
}): Promise<void> {
  const { abort, resume, onState } = options;
  const hear = ({ event, id, data }: StreamEvent) => {
    if (event === 'failure') throw brokenOff(data);
    if (id !== '') resume.id = id;
    if (event === 'rows') options.onRows(JSON.parse(data) as Row[]);
    else if (event === 'skipped') options.onSkipped((JSON.parse(data) as { count: number }).count);
  };
  let failures = 0;
  while (!abort.aborted) {
    onState('connecting');
    let reason: unknown;
    let opened = false;
    try {
      const { body } = await openStream('tail', {
        query: options.query(resume.id),
        environment: options.environment,
        signal: abort,
        headers: {
          accept: 'text/event-stream',
          ...(resume.id === '' ? {} : { 'last-event-id': resume.id }),
        },
      });
      opened = true;
      onState('live');
      const read = eventReader();
      for await (const text of textOf(body)) {
        if (abort.aborted) return;
        for (const event of read(text)) hear(event);
      }
    } catch (thrown) {
      if (abort.aborted) return;
      if (isFinal(thrown)) return onState('refused', thrown);
      reason = thrown;
    }
    if (abort.aborted) return;
    // A view that went well until its connection was lost begins to wait anew.
    if (!(reason instanceof ApiError) && opened) failures = 0;
    onState('again', reason instanceof ApiError ? reason : undefined);
    failures += 1;
    await new Promise((resolve) => setTimeout(resolve, waitBefore(failures, reason)));
  }
}

/** Refusals that asking again cannot change: a wrong query, a missing permission. */
const isFinal = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && thrown.status !== 429;

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const leave = () => void reader.cancel().catch(() => undefined);
  let silence = setTimeout(leave, SILENCE_MS);
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      clearTimeout(silence);
      silence = setTimeout(leave, SILENCE_MS);
      yield decoder.decode(step.value, { stream: true });
    }
  } finally {
    clearTimeout(silence);
    leave();
  }
}
