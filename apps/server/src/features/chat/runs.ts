import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatMessage } from '@candela/contract';
import { asCandelaError, type Logger } from '@candela/kernel';
import type { MetadataStore, StoredChatMessage } from '@candela/metadata-store';
import type { ServerEvent } from '../../http/stream-answer.ts';
import { factsOf, type KeptPart, type MessageFacts, showMessage, showPart } from './parts.ts';

/** How often what there is of an answer is written: a process that is killed loses less than this. */
const FLUSH_MS = 300;
/** How often a process says that it works on an answer, and when another one takes it for dead. */
const TOUCH_MS = 5_000;
export const STALE_MS = 20_000;
/** Events that wait for a slow reader before it is given the whole message instead. */
const MOST_WAITING = 1_000;

type Status = StoredChatMessage['status'];
type Chats = MetadataStore['chats'];

/** An answer that is being made in this process, and whoever follows it. */
export class Run {
  readonly id: string;
  readonly chatId: string;
  readonly #abort = new AbortController();
  readonly #chats: Pick<Chats, 'write'>;
  readonly #logger: Logger;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #startedAt = performance.now();
  #message: StoredChatMessage;
  #parts: KeptPart[] = [];
  #facts: MessageFacts;
  #status: Status = 'running';
  #dirty = false;
  #wroteAt = performance.now();
  #writing: Promise<void> = Promise.resolve();

  constructor(message: StoredChatMessage, chats: Pick<Chats, 'write'>, logger: Logger) {
    this.id = message.id;
    this.chatId = message.chatId;
    this.#message = message;
    this.#facts = factsOf(message);
    this.#chats = chats;
    this.#logger = logger;
    this.#timer = setInterval(() => {
      if (this.#dirty || performance.now() - this.#wroteAt > TOUCH_MS) void this.#write();
    }, FLUSH_MS);
    this.#timer.unref();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }
  get parts(): readonly KeptPart[] {
    return this.#parts;
  }
  get isDone(): boolean {
    return this.#status !== 'running';
  }

  stop(reason: unknown): void {
    this.#abort.abort(reason);
  }

  facts(facts: MessageFacts): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#dirty = true;
  }

  /** Adds text behind the last part. */
  text(delta: string): void {
    const last = this.#parts.at(-1);
    if (last?.kind === 'text') {
      this.#parts[this.#parts.length - 1] = { kind: 'text', text: last.text + delta };
      this.#dirty = true;
      this.#tell({ event: 'delta', data: { text: delta } });
    } else this.part(this.#parts.length, { kind: 'text', text: delta });
  }

  /** Sets a part; at the end it is a new one. */
  part(index: number, part: KeptPart): void {
    this.#parts[index] = part;
    this.#dirty = true;
    this.#tell({ event: 'part', data: { index, part: showPart(part) } });
  }

  /** The last word: what there is is written, and whoever follows is told. */
  async finish(status: Exclude<Status, 'running'>, facts: MessageFacts): Promise<void> {
    clearInterval(this.#timer);
    this.#facts = {
      ...this.#facts,
      ...facts,
      durationMs: Math.round(performance.now() - this.#startedAt),
    };
    await this.#writing;
    this.#message = { ...this.#message, status };
    const kept = { status, parts: this.#parts, facts: { ...this.#facts } };
    try {
      await this.#chats.write(this.id, kept);
    } catch (thrown) {
      this.#logger.warn({ err: thrown, message: this.id }, 'the end of an answer was not written');
    }
    this.#status = status;
    this.#tell({ event: 'done', data: this.snapshot() });
  }

  snapshot(): ChatMessage {
    return showMessage({
      ...this.#message,
      status: this.#status,
      parts: this.#parts,
      facts: { ...this.#facts },
    });
  }

  /** The message as it is, then every change of it; ends with `done`. */
  async *follow(signal: AbortSignal): AsyncGenerator<ServerEvent, void, undefined> {
    const queue: ServerEvent[] = [];
    let wake: (() => void) | undefined;
    let overflow = false;
    const listen = (event: ServerEvent) => {
      if (queue.length >= MOST_WAITING && event.event !== 'done') {
        overflow = true;
        queue.length = 0;
      } else queue.push(event);
      wake?.();
    };
    const gone = () => wake?.();
    this.#listeners.add(listen);
    signal.addEventListener('abort', gone, { once: true });
    try {
      yield { event: this.isDone ? 'done' : 'message', data: this.snapshot() };
      if (this.isDone && queue.length === 0) return;
      while (!signal.aborted) {
        if (overflow) {
          overflow = false;
          queue.length = 0;
          yield { event: 'message', data: this.snapshot() };
          if (this.isDone) yield { event: 'done', data: this.snapshot() };
          if (this.isDone) return;
          continue;
        }
        const event = queue.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (signal.aborted || queue.length > 0) resolve();
          });
          wake = undefined;
          continue;
        }
        yield event;
        if (event.event === 'done') return;
      }
    } finally {
      this.#listeners.delete(listen);
      signal.removeEventListener('abort', gone);
    }
  }

  #tell(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #write(): Promise<void> {
    this.#dirty = false;
    this.#wroteAt = performance.now();
    const kept = { status: 'running' as const, parts: [...this.#parts], facts: { ...this.#facts } };
    this.#writing = this.#writing.then(async () => {
      try {
        // Somebody ended it elsewhere: by the stop of another replica, or by deleting the conversation.
        const isMine = await this.#chats.write(this.id, kept);
        if (!isMine) this.stop(STOPPED);
      } catch (thrown) {
        this.#dirty = true;
        this.#logger.warn({ err: asCandelaError(thrown), message: this.id }, 'an answer was not written yet');
      }
    });
    return this.#writing;
  }
}

/** Why an answer ends that a person stopped. */
export const STOPPED = new Error('stopped');

const POLL_MS = 500;

/** Follows an answer that another process makes, by what it writes. */
export async function* followStored(
  read: () => Promise<StoredChatMessage>,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent, void, undefined> {
  let seen = '';
  while (!signal.aborted) {
    const message = showMessage(await read());
    if (message.status !== 'running') {
      yield { event: 'done', data: message };
      return;
    }
    const now = JSON.stringify(message);
    if (now !== seen) yield { event: 'message', data: message };
    seen = now;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
