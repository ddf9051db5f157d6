import type { Conversation, Message, MessagePart } from '../types.ts';
import { messageIdentity } from './identity.ts';

/** The id that a tool call and its result have in common; empty for every other part, and for a result without a call. */
export type CallIdOf = (part: MessagePart) => string;
/** The same by the place of a message and that of its part. */
export type CallIds = readonly (readonly string[])[];

type Call = Extract<MessagePart, { type: 'tool_call' }>;
type Result = Extract<MessagePart, { type: 'tool_result' }>;

/** The calls that share an id or a tool, in their order; results answer them one after another. */
interface Asked {
  readonly calls: string[];
  answered: number;
}

/** The first call without a result, which has one now; undefined when none waits. */
function answeredOf(asked: Asked | undefined): string | undefined {
  const call = asked?.calls[asked.answered];
  if (asked !== undefined && call !== undefined) asked.answered += 1;
  return call;
}

/**
 * Ids of the tool calls and results of one conversation. Gemini and others send none: there the first call of a tool
 * that has no result yet gets the next result of that tool. Others number their calls anew in every answer: there a
 * second call with an id gets a number. Such ids are the same wherever the conversation is sent again from its beginning.
 * @param thread who leads the conversation, to tell equal calls of two of them apart
 */
function callIdsByPlace(messages: readonly Message[], thread = ''): CallIds {
  const times = new Map<string, number>();
  const open = new Map<string, Asked>();
  const sent = new Map<string, Asked & { readonly places: Map<string, number> }>();
  const ofCall = (part: Call): string => {
    const call = JSON.stringify([thread, part.name, part.arguments]);
    if (part.id !== '') {
      const asked = sent.get(part.id) ?? { calls: [], answered: 0, places: new Map<string, number>() };
      sent.set(part.id, asked);
      const nth = asked.places.get(call) ?? asked.calls.push(call);
      asked.places.set(call, nth);
      return numbered(part.id, nth);
    }
    if (part.name === '') return '';
    const nth = (times.get(call) ?? 0) + 1;
    times.set(call, nth);
    const asked = open.get(part.name) ?? { calls: [], answered: 0 };
    open.set(part.name, asked);
    asked.calls.push(`#${nth} ${call}`);
    return `#${nth} ${call}`;
  };
  const ofResult = (part: Result): string => {
    if (part.id === '') return answeredOf(open.get(part.name)) ?? '';
    const asked = sent.get(part.id);
    const call = answeredOf(asked);
    // The same call again is a further one from here on.
    if (call !== undefined) asked?.places.delete(call);
    return numbered(part.id, Math.max(1, asked?.answered ?? 0));
  };
  return messages.map(({ parts }) =>
    parts.map((part) => {
      if (part.type === 'tool_call') return ofCall(part);
      return part.type === 'tool_result' ? ofResult(part) : '';
    }),
  );
}

/** The id of the nth call that was sent with an id. */
export const numbered = (id: string, nth: number): string => (nth === 1 ? id : `${id} #${nth}`);

/** The same of both sides, by the place of a message and that of its part. */
export function callIdsOf(
  { input, output }: Pick<Conversation, 'input' | 'output'>,
  thread = '',
): { readonly input: CallIds; readonly output: CallIds } {
  const [first, again] = [input[0], output[0]];
  // Graphs give their whole state back, with what they were given at its head: these are no further calls.
  if (first !== undefined && again !== undefined && messageIdentity(first) === messageIdentity(again))
    return { input: callIdsByPlace(input, thread), output: callIdsByPlace(output, thread) };
  const ids = callIdsByPlace([...input, ...output], thread);
  return { input: ids.slice(0, input.length), output: ids.slice(input.length) };
}

/** The same by the part itself, for messages of which none is there twice. */
export function callIds(messages: readonly Message[], thread = ''): CallIdOf {
  const ids = callIdsByPlace(messages, thread);
  const known = new Map(
    messages.flatMap(({ parts }, at) => parts.map((part, place) => [part, ids[at]?.[place] ?? ''] as const)),
  );
  return (part) => known.get(part) ?? '';
}

/** A stretch of a message: what it says between two calls, or a call, with the place of its part. */
type Stretch =
  | { readonly kind: 'said'; readonly at: number; readonly message: Message }
  | { readonly kind: 'call'; readonly at: number; readonly part: Call };

/**
 * A message in the order it is read: what is said before, between and after its calls. Where it stopped is told by the
 * last that is said.
 * @param isPaired says of a result by the place of its part that it stands at its call
 */
export function stretchesOf(message: Message, isPaired: (at: number) => boolean): Stretch[] {
  const { finishReason, ...unfinished } = message;
  const stretches: Stretch[] = [];
  let spoken: MessagePart[] = [];
  let from = 0;
  const flush = () => {
    if (spoken.length > 0)
      stretches.push({ kind: 'said', at: from, message: { ...unfinished, parts: spoken } });
    spoken = [];
  };
  for (const [at, part] of message.parts.entries()) {
    if (part.type === 'tool_call') {
      flush();
      stretches.push({ kind: 'call', at, part });
    } else if (part.type !== 'tool_result' || !isPaired(at)) {
      if (spoken.length === 0) from = at;
      spoken.push(part);
    }
  }
  flush();
  const last = stretches.findLastIndex((stretch) => stretch.kind === 'said');
  return finishReason === undefined
    ? stretches
    : stretches.map((stretch, at) =>
        at === last && stretch.kind === 'said'
          ? { ...stretch, message: { ...stretch.message, finishReason } }
          : stretch,
      );
}
