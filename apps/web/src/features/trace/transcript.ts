import type { Conversation, Message } from '@candela/semconv';
import { type CallIdOf, callIds } from '@candela/semconv/call-ids';
import { identityOf } from './conversation-memory.ts';
import type { TraceSpan } from './trace-spans.ts';
import type { SpanTree } from './tree.ts';

/** A span that belongs into the transcript, and how deep in sub-agents it sits. */
export interface Step {
  readonly span: TraceSpan;
  /** Span ids of the agents around it, outermost first. */
  readonly agents: readonly string[];
}

export type Entry =
  | {
      readonly kind: 'agent';
      readonly key: string;
      readonly span: TraceSpan;
      readonly depth: number;
      readonly steps: number;
    }
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly span: TraceSpan;
      readonly depth: number;
      readonly message: Message;
      /** What the model was given, or what it answered, and which of these messages. */
      readonly side: 'input' | 'output';
      readonly index: number;
    }
  | {
      readonly kind: 'tool';
      readonly key: string;
      /** The span that ran the tool, else the model call that asked for it. */
      readonly span: TraceSpan;
      /** Whether `span` ran it: a model call's figures say nothing of the tool. */
      readonly ran: boolean;
      readonly depth: number;
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      /** Undefined while no result was seen. */
      readonly result: string | undefined;
      /** The span that ran it failed, or the result says so. */
      readonly failed: boolean;
    }
  | { readonly kind: 'failure'; readonly key: string; readonly span: TraceSpan; readonly depth: number };

/** Model calls, tools, retrievals and agents of a trace in the order they began. */
export function stepsOf(spans: readonly TraceSpan[], tree: SpanTree): Step[] {
  const steps: Step[] = [];
  const agents: { id: string; end: number }[] = [];
  for (let position = 0; position < tree.order.length; position += 1) {
    while (agents.length > 0 && position > (agents.at(-1)?.end ?? 0)) agents.pop();
    const span = spans[tree.order[position] as number] as TraceSpan;
    if (span.reading === 'other' || span.reading === 'embedding') continue;
    steps.push({ span, agents: agents.map((agent) => agent.id) });
    if (span.reading === 'agent' && (tree.descendants[position] ?? 0) > 0)
      agents.push({ id: span.spanId, end: position + (tree.descendants[position] ?? 0) });
  }
  return steps;
}

/**
 * The sub-agents that a reader meets folded: those inside an agent that speaks for itself. What runs in a mere wrapper
 * (a workflow, a chain without a model call of its own) is the conversation and stays open.
 */
export function foldedAtFirst(steps: readonly Step[]): Set<string> {
  const speakers = new Set(
    steps.flatMap((step) => (step.span.reading === 'llm' ? [step.agents.at(-1) ?? ''] : [])),
  );
  return new Set(
    steps
      .filter((step) => step.span.reading === 'agent' && step.agents.some((agent) => speakers.has(agent)))
      .map((step) => step.span.spanId),
  );
}

/** Steps read at a time. */
export const BATCH = 40;
/** Steps shown before the one that somebody goes to. */
const LEAD = 8;

/** The steps that are read: from (inclusive) to; those before `seen` came in later than the others. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly seen: number;
}

/** The stretch that holds a step: the one before when it does, grown when it nearly does, else a new one. */
export function stretchTo(before: Stretch | undefined, at: number): Stretch {
  const from = Math.max(0, at - LEAD);
  if (before && at >= before.from && at < before.to) return before;
  if (before && at >= before.to && at < before.to + BATCH) return { ...before, to: at + BATCH };
  if (before && at < before.from && at >= before.from - BATCH) return { ...before, from, seen: before.from };
  return { from, to: from + BATCH, seen: from };
}

/** Index of the step that a span is, or else of the last one before it; 0 without one. */
export function stepAt(steps: readonly Step[], tree: SpanTree, spanId: string | undefined): number {
  const position = spanId === undefined ? undefined : tree.positionOf.get(spanId);
  if (position === undefined) return 0;
  const at = steps.findLastIndex((step) => (tree.positionOf.get(step.span.spanId) ?? 0) <= position);
  return Math.max(0, at);
}

/** The agents that a step runs in, outermost first. */
export function aroundStep(steps: readonly Step[], at: number): Step[] {
  const around = new Set(steps[at]?.agents ?? []);
  return steps.slice(0, at).filter((step) => around.has(step.span.spanId));
}

/** How far back a model call may stand that tells what was said before. */
const MOST_BACK = 10;

/**
 * The model calls before a step that tell what its threads and those of the next ones have said so far: the last call
 * of each and, of the last few, the one that was told most. A short call about something else (a title, a check) may
 * stand between two of the conversation.
 */
export function toldBefore(steps: readonly Step[], from: number): Step[] {
  const lately = new Map<string, Step[]>();
  for (let at = from - 1; at >= 0; at -= 1) {
    const step = steps[at] as Step;
    if (step.span.reading !== 'llm') continue;
    const thread = step.agents.at(-1) ?? '';
    const calls = lately.get(thread) ?? [];
    if (calls.length < MOST_BACK) lately.set(thread, [...calls, step]);
  }
  const around = new Set(['', ...(steps[from]?.agents ?? [])]);
  const told: Step[] = [];
  for (const [thread, calls] of lately) {
    // An agent that has ended says nothing more.
    if (!around.has(thread)) continue;
    const most = calls.reduce((one, other) => (heard(other) > heard(one) ? other : one));
    told.push(...(most === calls[0] ? [most] : [most, calls[0] as Step]));
  }
  return told;
}

const heard = (step: Step): number => step.span.light.inputTokens ?? 0;

/** Steps inside each agent, by its span id. */
export function stepsInside(steps: readonly Step[]): ReadonlyMap<string, number> {
  const inside = new Map<string, number>();
  for (const { agents } of steps) for (const agent of agents) inside.set(agent, (inside.get(agent) ?? 0) + 1);
  return inside;
}

/**
 * Reads the steps as one conversation. A model call repeats the whole history before it, so only what its thread (the
 * agent it runs in) has not said yet is shown; a tool call stands once, with its result, whether a span ran it or only
 * the next call reports it. It ends before the first step that is `open`, not read yet: what stands there moves no more
 * when that one comes. Steps that are `told` are not shown; they only tell what was said before the first that is.
 */
export function buildTranscript(
  steps: readonly Step[],
  conversations: ReadonlyMap<string, Conversation>,
  folded: ReadonlySet<string>,
  open: ReadonlySet<string> = new Set(),
  told: ReadonlySet<string> = new Set(),
  inside: ReadonlyMap<string, number> = stepsInside(steps),
): Entry[] {
  const idsOf = idsOfCalls(steps, conversations);
  const results = resultsById(steps, conversations, idsOf);
  const entries: Entry[] = [];
  const said = new Map<string, Set<string>>();
  const calls = new Set<string>();
  for (const { span, agents } of steps) {
    if (agents.some((agent) => folded.has(agent))) continue;
    if (open.has(span.spanId)) break;
    const depth = agents.length;
    if (span.reading === 'agent') {
      const within = inside.get(span.spanId) ?? 0;
      if (within > 0) {
        entries.push({ kind: 'agent', key: span.spanId, span, depth, steps: within });
        continue;
      }
    }
    const conversation = conversations.get(span.spanId);
    if (!conversation) continue;
    if (conversation.toolExecution && span.reading === 'tool') {
      const { callId } = conversation.toolExecution;
      if (callId !== '' && calls.has(callId)) continue;
      const ran = {
        kind: 'tool' as const,
        key: span.spanId,
        span,
        ran: true,
        depth,
        id: callId,
        name: span.light.tool ?? span.light.name,
        arguments: conversation.toolExecution.arguments,
        result: conversation.toolExecution.result,
        failed: span.failed,
      };
      // A span that does not say which call it runs runs the first of its name and arguments without a result.
      const asked = callId === '' ? entries.findIndex((entry) => isOpen(entry, ran)) : -1;
      const call = entries[asked];
      if (call?.kind === 'tool') entries[asked] = { ...ran, key: call.key, depth: call.depth, id: call.id };
      else entries.push(ran);
      continue;
    }
    const thread = agents.at(-1) ?? '';
    const idOf = idsOf.get(span.spanId) ?? sentId;
    const known = said.get(thread) ?? new Set<string>();
    said.set(thread, known);
    for (const side of ['input', 'output'] as const) {
      conversation[side].forEach((message, index) => {
        const identity = identityOf(message);
        if (known.has(identity)) return;
        known.add(identity);
        if (told.has(span.spanId)) return;
        const spoken = message.parts.filter(
          (part) => part.type !== 'tool_call' && !(part.type === 'tool_result' && results.has(idOf(part))),
        );
        if (spoken.length > 0)
          entries.push({
            kind: 'message',
            key: `${span.spanId} ${side} ${index}`,
            span,
            depth,
            side,
            index,
            message: { ...message, parts: spoken },
          });
        for (const [at, part] of message.parts.entries()) {
          if (part.type !== 'tool_call') continue;
          if (part.id !== '' && calls.has(part.id)) continue;
          calls.add(part.id);
          const answer = results.get(idOf(part));
          entries.push({
            kind: 'tool',
            key: `${span.spanId} ${side} ${index} call ${at}`,
            span: answer?.span ?? span,
            ran: answer?.span !== undefined,
            depth,
            id: part.id,
            name: part.name,
            arguments: part.arguments,
            result: answer?.result,
            failed: answer?.failed ?? false,
          });
        }
      });
    }
    if (span.failed && !told.has(span.spanId))
      entries.push({ kind: 'failure', key: `${span.spanId} failure`, span, depth });
  }
  return entries;
}

/** True of a call without a result that asks for what was run. */
const isOpen = (entry: Entry, ran: Extract<Entry, { kind: 'tool' }>): boolean =>
  entry.kind === 'tool' &&
  entry.result === undefined &&
  entry.name === ran.name &&
  entry.arguments === ran.arguments;

const sentId: CallIdOf = callIds([]);

/** Ids of the tool calls in the conversation of each span. */
function idsOfCalls(steps: readonly Step[], conversations: ReadonlyMap<string, Conversation>) {
  const ids = new Map<string, CallIdOf>();
  for (const { span, agents } of steps) {
    const conversation = conversations.get(span.spanId);
    if (!conversation) continue;
    ids.set(span.spanId, callIds([...conversation.input, ...conversation.output], agents.at(-1)));
  }
  return ids;
}

/** The result of every tool call that anybody reported; the span that ran it wins. */
function resultsById(
  steps: readonly Step[],
  conversations: ReadonlyMap<string, Conversation>,
  idsOf: ReadonlyMap<string, CallIdOf>,
) {
  const results = new Map<string, { result: string; failed: boolean; span: TraceSpan | undefined }>();
  for (const { span } of steps) {
    const conversation = conversations.get(span.spanId);
    if (!conversation) continue;
    const idOf = idsOf.get(span.spanId) ?? sentId;
    for (const message of conversation.input)
      for (const part of message.parts) {
        const id = idOf(part);
        if (part.type === 'tool_result' && id !== '' && !results.has(id))
          results.set(id, { result: part.result, failed: part.failed === true, span: undefined });
      }
    const run = conversation.toolExecution;
    if (run && run.callId !== '') results.set(run.callId, { result: run.result, failed: span.failed, span });
  }
  return results;
}
