import type { ServerResponse } from 'node:http';
import { errorAnswer } from './errors.ts';

export interface ServerEvent {
  /** Name of the event; data without one reaches `onmessage`. */
  readonly event: string;
  /** What the browser sends back as `Last-Event-ID` after a broken connection. */
  readonly id?: string;
  readonly data: unknown;
}

/** A live answer: events are pulled one by one, so that a slow client slows the source instead of filling memory. */
export interface EventAnswer {
  readonly events: AsyncIterable<ServerEvent>;
}

/** A download made while it is sent. The first part is made before the first byte leaves: it may still fail plainly. */
export interface FileAnswer {
  readonly contentType: string;
  readonly fileName: string;
  /** A browser may show it instead of saving it; then its headers say what it may do. Default: it is saved. */
  readonly isInline?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** A part of it, or none of it, that a range asked for. Default: 200. */
  readonly status?: 206 | 416;
  readonly parts: AsyncIterable<string | Uint8Array>;
}

export interface StreamTiming {
  /** Silence after which a comment keeps the connection of a live view open, milliseconds. */
  readonly heartbeatMs: number;
  /** How long a client may take nothing before it is dropped, milliseconds. */
  readonly stallMs: number;
}

/** Told the browser: how soon to come back after a lost connection. */
const RETRY_MS = 2_000;

/**
 * Ends an answer before its end, so that nobody takes it for whole. To a hop that speaks HTTP/1.0 a body ends where its
 * connection does: only a reset says that there was more.
 */
function cut(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
  response.destroy();
}

/**
 * Writes to one client: waits while it is slow, gives up when it is gone or stuck. What is stopped while it waits is cut:
 * a client that may have no more would be sent what lies here already.
 */
class Outlet {
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  readonly #stop: AbortSignal;

  constructor(response: ServerResponse, { stallMs }: StreamTiming, stop: AbortSignal) {
    this.#response = response;
    this.#stallMs = stallMs;
    this.#stop = stop;
  }

  /** False once the client is gone or was cut off. */
  async write(part: string | Uint8Array): Promise<boolean> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return false;
    if (response.write(part)) return true;
    const stop = this.#stop;
    return new Promise<boolean>((resolve) => {
      const settle = (open: boolean) => {
        clearTimeout(timer);
        response.off('drain', drained);
        response.off('close', closed);
        stop.removeEventListener('abort', giveUp);
        resolve(open);
      };
      const drained = () => settle(true);
      const closed = () => settle(false);
      const giveUp = () => {
        settle(false);
        cut(response);
      };
      const timer = setTimeout(giveUp, this.#stallMs);
      response.once('drain', drained);
      response.once('close', closed);
      if (stop.aborted) giveUp();
      else stop.addEventListener('abort', giveUp, { once: true });
    });
  }
}

const eventText = ({ event, id, data }: ServerEvent): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

/** A failure as an event, with the status that it has before a stream begins: the client sees why its view ends. */
function failureText(thrown: unknown, requestId: string): string {
  const answer = errorAnswer(thrown, '');
  const { err } = JSON.parse(answer.body) as { err: string };
  const { status, headers } = answer;
  const wait = headers['retry-after'];
  const data = {
    err,
    code: headers['x-platform-error-code'],
    status,
    ...(wait === undefined ? {} : { retryAfterSeconds: Number(wait) }),
    requestId,
  };
  return eventText({ event: 'failure', data });
}

/**
 * Sends events until the source ends, the client leaves or `stop` fires with the reason. A failure after the first byte
 * ends the stream with `event: failure`. Returns what was thrown, for the log.
 */
export async function sendEvents(
  response: ServerResponse,
  answer: EventAnswer,
  parts: { readonly timing: StreamTiming; readonly requestId: string; readonly stop: AbortSignal },
): Promise<unknown> {
  const { timing, requestId, stop } = parts;
  const outlet = new Outlet(response, timing, stop);
  const source = answer.events[Symbol.asyncIterator]();
  let failure: unknown;
  try {
    if (!(await outlet.write(`retry: ${RETRY_MS}\n: open\n\n`))) return undefined;
    for (let next = source.next(); ; next = source.next()) {
      const step = await withHeartbeat(next, outlet, timing.heartbeatMs);
      if (step === undefined || step.done === true) break;
      if (!(await outlet.write(eventText(step.value)))) break;
    }
  } catch (thrown) {
    failure = thrown;
  } finally {
    // Whatever the source holds is given back, also when it waits for something that no longer comes.
    void Promise.resolve(source.return?.()).catch(() => undefined);
  }
  if (stop.aborted) await outlet.write(failureText(stop.reason, requestId));
  else if (failure !== undefined) await outlet.write(failureText(failure, requestId));
  response.end();
  return stop.aborted ? undefined : failure;
}

/** The next event; comments meanwhile. Undefined when the client left. */
async function withHeartbeat(
  next: Promise<IteratorResult<ServerEvent>>,
  outlet: Outlet,
  heartbeatMs: number,
): Promise<IteratorResult<ServerEvent> | undefined> {
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<'silence'>((resolve) => {
      timer = setTimeout(() => resolve('silence'), heartbeatMs);
    });
    let first: IteratorResult<ServerEvent> | 'silence';
    try {
      first = await Promise.race([next, silence]);
    } finally {
      clearTimeout(timer);
    }
    if (first !== 'silence') return first;
    if (!(await outlet.write(': still here\n\n'))) {
      next.catch(() => undefined);
      return undefined;
    }
  }
}

/** A file whose first part is there already: what follows can only fail visibly. */
export interface StartedFile {
  readonly first: IteratorResult<string | Uint8Array>;
  readonly rest: AsyncIterator<string | Uint8Array>;
}

/** Makes the first part of a file. @throws what making it throws: still a plain error answer */
export async function startFile(answer: FileAnswer): Promise<StartedFile> {
  const rest = answer.parts[Symbol.asyncIterator]();
  return { first: await rest.next(), rest };
}

/**
 * Sends a file until its end, or `stop`. A failure on the way resets the connection: the client sees a failed download,
 * never a short file that looks whole. Returns what was thrown, for the log.
 */
export async function sendFile(
  response: ServerResponse,
  file: StartedFile,
  parts: { readonly timing: StreamTiming; readonly stop: AbortSignal },
): Promise<unknown> {
  const { timing, stop } = parts;
  const outlet = new Outlet(response, timing, stop);
  try {
    for (let step = file.first; step.done !== true; step = await file.rest.next()) {
      stop.throwIfAborted();
      if (!(await outlet.write(step.value))) return undefined;
    }
    response.end();
    return undefined;
  } catch (thrown) {
    cut(response);
    return thrown;
  } finally {
    void Promise.resolve(file.rest.return?.()).catch(() => undefined);
  }
}
