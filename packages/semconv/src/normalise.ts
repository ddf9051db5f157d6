/** The two entry points of the ingest path: facts of a span and of a log record. */
import { CONVENTIONS } from './conventions/index.ts';
import { logFacts } from './conventions/logs.ts';
import { isModelOperation } from './facts/operation.ts';
import type { AttributeValue, Convention, Conversation, GenAiFacts, LogReader, SpanReader } from './types.ts';
import { EMPTY_CONVERSATION } from './content/builder.ts';
import { withLogs } from './content/log-messages.ts';
import { withStoredMedia } from './content/stored-media.ts';

/** Trigger key to a bit per convention. */
const TRIGGERS = new Map<string, number>();
for (const [index, convention] of CONVENTIONS.entries()) {
  for (const key of convention.triggers) TRIGGERS.set(key, (TRIGGERS.get(key) ?? 0) | (1 << index));
}

/** Spans without any trigger key that are still AI spans: named so, or carrying message events. */
const isNamed = (span: SpanReader): boolean =>
  span.name.charCodeAt(0) === 99 && span.name.startsWith('coding_agent.');

function conventionOf(span: SpanReader): Convention | undefined {
  let mask = 0;
  for (const key of span.attributes.keys()) mask |= TRIGGERS.get(key) ?? 0;
  const named = isNamed(span);
  if (mask === 0 && !named) return undefined;
  for (const [index, convention] of CONVENTIONS.entries()) {
    const possible = convention.triggers.length === 0 ? named : (mask & (1 << index)) !== 0;
    if (possible && convention.detect(span)) return convention;
  }
  return undefined;
}

/** Promoted facts of a span; undefined when it is no AI span. Never throws, reads no message content. */
export function normaliseSpan(span: SpanReader): GenAiFacts | undefined {
  return conventionOf(span)?.facts(span);
}

/** Promoted facts of a log record; undefined when it is none of an AI application. Never throws. */
export function normaliseLog(log: LogReader): GenAiFacts | undefined {
  return logFacts(log);
}

/**
 * The conversation of a span in the one model; empty for spans that carry none. Never throws.
 * @param logs the GenAI log records that name the span, oldest first: some emitters keep the messages there.
 */
export function readConversation(span: SpanReader, logs: readonly LogReader[] = []): Conversation {
  const convention = conventionOf(span);
  const own = convention === undefined ? EMPTY_CONVERSATION : conversationBy(convention, span);
  return withStoredMedia(logs.length === 0 ? own : withLogs(own, logs));
}

/** Senders choose what is read here: a span that no reader foresaw says nothing, it takes no list of others with it. */
function conversationBy(convention: Convention, span: SpanReader): Conversation {
  try {
    return convention.conversation(span);
  } catch {
    return EMPTY_CONVERSATION;
  }
}

/** A model call of which only what was said is at hand: other attributes lie elsewhere and cost more to read. */
export interface CallReader extends Pick<SpanReader, 'events'> {
  /** As `normaliseSpan` found them. */
  readonly convention: string;
  readonly operation: string;
  /** Those that `isContentKey` names. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

/**
 * What was said on a model call, as `readConversation` finds it on the whole span. Undefined for other spans: on these
 * other attributes tell a message from the arguments of a tool. Never throws.
 */
export function readCall(call: CallReader): Pick<Conversation, 'input' | 'output'> | undefined {
  const convention = CONVENTIONS.find(({ id }) => id === call.convention);
  if (convention === undefined || !isModelOperation(call.operation)) return undefined;
  const said = conversationBy(convention, {
    name: '',
    scopeName: '',
    statusCode: 0,
    statusMessage: '',
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    attributes: new Map([...call.attributes, ['gen_ai.operation.name', call.operation]]),
    resource: new Map(),
    events: call.events,
  });
  return withStoredMedia(said);
}

/** The conversation of log records alone, oldest first. */
export function readLogConversation(logs: readonly LogReader[]): Conversation {
  return withStoredMedia(withLogs(EMPTY_CONVERSATION, logs));
}
