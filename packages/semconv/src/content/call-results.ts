import type { Conversation, Message } from '../types.ts';
import { type CallIds, numbered } from './call-ids.ts';
import { messageIdentity } from './identity.ts';

/** What a tool call gave back; `by` is the span that ran it, undefined when only a message tells. */
interface CallResult<Run> {
  readonly result: string;
  readonly failed: boolean;
  readonly by: Run | undefined;
}

/**
 * The result of every tool call that anybody reported; the span that ran it wins. Threads (agents) that number their
 * calls from the beginning have results of their own.
 */
export class CallResults<Run> {
  readonly #told = new Map<string, CallResult<Run>>();
  readonly #ran = new Map<string, CallResult<Run>>();
  readonly #runs = new Map<Run, string>();
  readonly #times = new Map<string, number>();
  readonly #asked = new Set<string>();
  /** Calls that messages ask for, by the id that was sent, of a thread and of all. */
  readonly #calls = new Map<string, Set<string>>();
  /** The first run of an id with these arguments and that result. */
  readonly #first = new Map<string, Run>();
  /** Runs that another span has told before, by that one. */
  readonly #again = new Map<Run, Run>();

  /** Takes the results that messages tell, and hears of their calls. */
  addTold(
    thread: string,
    conversation: Pick<Conversation, 'input' | 'output'>,
    ids: { readonly input: CallIds; readonly output: CallIds },
  ): void {
    for (const side of ['input', 'output'] as const)
      for (const [at, { parts }] of conversation[side].entries())
        for (const [place, part] of parts.entries()) {
          const id = ids[side][at]?.[place] ?? '';
          if (part.type === 'tool_call') {
            this.#asked.add(id);
            for (const key of part.id === '' ? [] : [ownKey(thread, part.id), part.id])
              this.#calls.set(key, (this.#calls.get(key) ?? new Set()).add(ownKey(thread, id)));
          }
          if (part.type !== 'tool_result' || id === '') continue;
          const result = { result: part.result, failed: part.failed === true, by: undefined };
          for (const key of [ownKey(thread, id), id]) if (!this.#told.has(key)) this.#told.set(key, result);
        }
  }

  /**
   * Takes what a span ran, in the order they began, after the messages of those before it. Two instrumentations tell
   * one run twice: one more than was asked for, with nothing new.
   */
  addRun(
    thread: string,
    { callId, arguments: input, result }: NonNullable<Conversation['toolExecution']>,
    failed: boolean,
    by: Run,
  ): void {
    if (callId === '') return;
    const outcome = JSON.stringify([callId, argumentsKey(input), result, failed]);
    const first = this.#first.get(outcome);
    if (first !== undefined && this.#isOneMore(thread, callId)) {
      this.#again.set(by, first);
      return;
    }
    if (first === undefined) this.#first.set(outcome, by);
    const own = ownKey(thread, this.#next(ownKey(thread, callId), callId));
    const id = this.#next(callId, callId);
    this.#runs.set(by, id);
    this.#asked.add(id);
    for (const key of [own, id]) this.#ran.set(key, { result, failed, by });
  }

  /** Whether as many calls with that id were run already as were asked for. */
  #isOneMore(thread: string, callId: string): boolean {
    const own = ownKey(thread, callId);
    const counter = this.#calls.has(own) ? own : callId;
    return (this.#times.get(counter) ?? 0) >= (this.#calls.get(counter)?.size ?? 0);
  }

  #next(counter: string, callId: string): string {
    const nth = (this.#times.get(counter) ?? 0) + 1;
    this.#times.set(counter, nth);
    return numbered(callId, nth);
  }

  /** The result of a call that this thread asks for. */
  of(thread: string, id: string): CallResult<Run> | undefined {
    return this.#ran.get(ownKey(thread, id)) ?? this.#ran.get(id) ?? this.reported(thread, id);
  }

  /** The same, when a message told it and no span ran it. */
  reported(thread: string, id: string): CallResult<Run> | undefined {
    if (this.#ran.has(id)) return undefined;
    return this.#told.get(ownKey(thread, id)) ?? this.#told.get(id);
  }

  /** Whether anybody asked for what has that id, or ran it. */
  isAsked(id: string): boolean {
    return id !== '' && this.#asked.has(id);
  }

  /** The span that told first what this one ran; itself where none did. */
  firstOf(run: Run): Run {
    return this.#again.get(run) ?? run;
  }

  /** The call that a span ran; empty when it does not say. */
  ranBy(run: Run): string {
    return this.#runs.get(run) ?? '';
  }
}

const ownKey = (thread: string, id: string): string => `${thread}\u0000${id}`;

/**
 * What tells messages of the same words apart: the ids of their calls and results, as far as they were sent. Those that
 * are made hold their thread, and a history that another agent takes over is the same one.
 */
export const sentIds = (message: Message, callIds: readonly string[]): string =>
  message.parts
    .flatMap((part, at) =>
      (part.type === 'tool_call' || part.type === 'tool_result') && part.id !== '' ? [callIds[at] ?? ''] : [],
    )
    .join('\u0001');

/** Whether the output is the whole state with the input at its head, as graphs give it back: nothing of that is said again. */
export function givesBack({ input, output }: Pick<Conversation, 'input' | 'output'>): boolean {
  const [first, again] = [input[0], output[0]];
  return first !== undefined && again !== undefined && messageIdentity(first) === messageIdentity(again);
}

/** Whether a message that is new asks for an answer: instructions and what the model said itself do not. */
export const asksForMore = ({ role }: Message): boolean =>
  role !== 'system' && role !== 'developer' && role !== 'assistant';

/** Calls that stand in a text already. */
export class ShownCalls<Run> {
  readonly #ways = new Map<string, Set<string>>();
  readonly #runs = new Set<Run>();

  /** @param ran the span whose result stands at the call */
  add(id: string, thread: string, input: string, ran: Run | undefined): void {
    if (ran !== undefined) this.#runs.add(ran);
    if (id === '') return;
    const ways = this.#ways.get(id) ?? new Set();
    this.#ways.set(id, ways.add(thread).add(argumentsKey(input)));
  }

  /** Whether it is there: of the same thread, or told by another in the same words. */
  has(id: string, thread: string, input: string): boolean {
    const ways = this.#ways.get(id);
    return ways !== undefined && (ways.has(thread) || ways.has(argumentsKey(input)));
  }

  /** Whether a call with that id is there. */
  names(id: string): boolean {
    return this.#ways.has(id);
  }

  /** Whether what the span ran is there. */
  isRun(run: Run): boolean {
    return this.#runs.has(run);
  }
}

/** Arguments are written in another way where a client has parsed them. */
function argumentsKey(input: string): string {
  try {
    return `\u0000${JSON.stringify(JSON.parse(input))}`;
  } catch {
    return `\u0000${input}`;
  }
}
