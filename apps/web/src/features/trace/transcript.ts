import type { Conversation, Message } from '@candela/semconv';
import { callIdsOf, stretchesOf } from '@candela/semconv/call-ids';
import { asksForMore, CallResults, givesBack, sentIds, ShownCalls } from '@candela/semconv/call-results';
import { identityOf } from './conversation-memory.ts';
import type { TraceSpan } from './trace-spans.ts';
import type { SpanTree } from './tree.ts';

/** A span that belongs into the transcript, and how deep in sub-agents it sits. */
export interface Step {
  readonly span: TraceSpan;
  /** Its span id; of a span that is not the first with its id, also when it began. */
  readonly key: string;
  /** When it began, of a span that is not the first with its id. */
  readonly start: string | undefined;
  /** Where it stands in the tree. */
  readonly position: number;
  /** Keys of the agents around it, outermost first. */
  readonly agents: readonly string[];
  /** Whose conversation it belongs to: the nearest agent around it that is no mere wrapper; empty without one. */
  readonly thread: string;
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

/** Graphs run every node in one: the conversation goes through them all. */
const WRAPPERS: ReadonlySet<string> = new Set(['chain', 'invoke_workflow', 'workflow']);

/** Model calls, tools, retrievals and agents of a trace in the order they began. */
export function stepsOf(spans: readonly TraceSpan[], tree: SpanTree): Step[] {
  const steps: Step[] = [];
  const agents: { id: string; end: number; thread: string }[] = [];
  for (let position = 0; position < tree.order.length; position += 1) {
    while (agents.length > 0 && position > (agents.at(-1)?.end ?? 0)) agents.pop();
    const span = spans[tree.order[position] as number] as TraceSpan;
    if (span.reading === 'other' || span.reading === 'embedding') continue;
    const thread = agents.at(-1)?.thread ?? '';
    const start = tree.positionOf.get(span.spanId) === position ? undefined : span.light.startTime;
    const key = start === undefined ? span.spanId : `${span.spanId} ${start}`;
    steps.push({ span, key, start, position, agents: agents.map((agent) => agent.id), thread });
    const within = tree.descendants[position] ?? 0;
    if (span.reading === 'agent' && within > 0)
      agents.push({
        id: key,
        end: position + within,
        thread: WRAPPERS.has(span.light.operation ?? '') ? thread : key,
      });
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
      .map((step) => step.key),
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
  const at = steps.findLastIndex((step) => step.position <= position);
  return Math.max(0, at);
}

/** The agents that a step runs in, outermost first. */
export function aroundStep(steps: readonly Step[], at: number): Step[] {
  const around = new Set(steps[at]?.agents ?? []);
  return steps.slice(0, at).filter((step) => around.has(step.key));
}

/**
 * The steps whose contents a stretch needs: those that tell what was said before it, the agents around it that speak
 * for themselves (their answer comes after what they ran), and its own, as far as they are not folded away.
 */
export function stepsToRead(
  steps: readonly Step[],
  { from, to }: Stretch,
  told: readonly Step[],
  folded: ReadonlySet<string>,
  alone: ReadonlyMap<string, string>,
): Step[] {
  const around = aroundStep(steps, from).filter(({ key }) => alone.has(key));
  const visible = [...around, ...steps.slice(from, to)].filter(
    ({ agents }) => !agents.some((agent) => folded.has(agent)),
  );
  return [...new Set([...told, ...visible])];
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
    const { thread } = step;
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

/** Steps inside each agent, by its key. */
export function stepsInside(steps: readonly Step[]): ReadonlyMap<string, number> {
  const inside = new Map<string, number>();
  for (const { agents } of steps) for (const agent of agents) inside.set(agent, (inside.get(agent) ?? 0) + 1);
  return inside;
}

/**
 * Agents that have no model call inside, and so say themselves what was asked and answered: by key, with the last step
 * inside.
 */
export function speakingAlone(steps: readonly Step[]): ReadonlyMap<string, string> {
  const alone = new Map<string, string>();
  for (const { key, agents } of steps) for (const agent of agents) alone.set(agent, key);
  for (const { span, agents } of steps)
    if (span.reading === 'llm') for (const agent of agents) alone.delete(agent);
  return alone;
}

/**
 * Reads the steps as one conversation. A model call repeats the whole history before it, so only what its thread has not
 * said yet is shown; a tool call stands once, with its result, whether a span ran it or only the next call reports it. It
 * ends before the first step that is `open`, not read yet: what stands there moves no more when that one comes. Steps
 * that are `told` are not shown; they only tell what was said before the first that is. Steps are named by their keys.
 */
export function buildTranscript(
  steps: readonly Step[],
  conversations: ReadonlyMap<string, Conversation>,
  folded: ReadonlySet<string>,
  open: ReadonlySet<string> = new Set(),
  told: ReadonlySet<string> = new Set(),
  inside: ReadonlyMap<string, number> = stepsInside(steps),
  alone: ReadonlyMap<string, string> = speakingAlone(steps),
): Entry[] {
  const idsOf = idsOfCalls(steps, conversations);
  const results = resultsOf(steps, conversations, idsOf);
  const entries: Entry[] = [];
  const said = new Map<string, Map<string, number>>();
  const calls = new ShownCalls<TraceSpan>();
  /** Agents that answer when their steps are through. */
  const answering: Step[] = [];
  const say = (step: Step, sides: readonly ('input' | 'output')[], depth: number) => {
    const { span, key: stepKey, thread } = step;
    const conversation = conversations.get(stepKey);
    const ids = idsOf.get(stepKey);
    if (!conversation || !ids) return;
    const known = said.get(thread) ?? new Map<string, number>();
    said.set(thread, known);
    const given = new Map<string, number>();
    // What a graph gives back with its answer is not said again.
    const back = givesBack(conversation) ? new Map<string, number>() : given;
    let asks = false;
    for (const side of ['input', 'output'] as const) {
      // An answer that comes later is not known yet.
      if (side === 'output' && !sides.includes(side)) continue;
      const counts = side === 'input' ? given : back;
      conversation[side].forEach((message, index) => {
        const own = ids[side][index] ?? [];
        const identity = `${identityOf(message)}\u0000${sentIds(message, own)}`;
        const nth = (counts.get(identity) ?? 0) + 1;
        counts.set(identity, nth);
        if (!sides.includes(side) || (counts !== given && nth <= (given.get(identity) ?? 0))) return;
        // Whoever was asked something else and says the same has said it again; who only repeats a call has not.
        if (nth <= (known.get(identity) ?? 0) && !(side === 'output' && asks)) return;
        asks ||= side === 'input' && asksForMore(message);
        if (told.has(stepKey)) return;
        for (const stretch of stretchesOf(message, (at) => results.isAsked(own[at] ?? ''))) {
          const place = `${stepKey} ${side} ${index}`;
          if (stretch.kind === 'said') {
            const key = stretch.at === 0 ? place : `${place} from ${stretch.at}`;
            entries.push({ kind: 'message', key, span, depth, side, index, message: stretch.message });
            continue;
          }
          const { at, part } = stretch;
          const id = own[at] ?? '';
          if (calls.has(id, thread, part.arguments)) continue;
          const answer = results.of(thread, id);
          calls.add(id, thread, part.arguments, answer?.by);
          entries.push({
            kind: 'tool',
            key: `${place} call ${at}`,
            span: answer?.by ?? span,
            ran: answer?.by !== undefined,
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
    for (const [identity, times] of [...given, ...back])
      if (times > (known.get(identity) ?? 0)) known.set(identity, times);
  };
  const show = (step: Step) => {
    const { span, key } = step;
    const depth = step.agents.length;
    const conversation = conversations.get(key);
    const within = inside.get(key) ?? 0;
    const run = span.reading === 'tool' ? conversation?.toolExecution : undefined;
    if (span.reading === 'agent' && within > 0) {
      entries.push({ kind: 'agent', key, span, depth, steps: within });
      if (!alone.has(key) || folded.has(key)) return;
      say(step, ['input'], depth + 1);
      answering.push(step);
    } else if (run) addRun(step, run, depth);
    else if (conversation) {
      say(step, ['input', 'output'], depth);
      if (span.failed && !told.has(key))
        entries.push({ kind: 'failure', key: `${key} failure`, span, depth });
    }
  };
  for (const step of steps) {
    const { key } = step;
    if (!step.agents.some((agent) => folded.has(agent))) {
      if (open.has(key)) break;
      show(step);
    }
    for (let agent = answering.at(-1); agent && alone.get(agent.key) === key; agent = answering.at(-1)) {
      answering.pop();
      say(agent, ['output'], agent.agents.length + 1);
    }
  }
  return entries;

  function addRun(step: Step, run: NonNullable<Conversation['toolExecution']>, depth: number): void {
    const { span, thread } = step;
    const first = results.firstOf(span);
    if (calls.isRun(first)) return;
    calls.add(results.ranBy(first), thread, run.arguments, first);
    const ran = {
      kind: 'tool' as const,
      key: step.key,
      span,
      ran: true,
      depth,
      id: run.callId,
      name: span.light.tool ?? span.light.name,
      arguments: run.arguments,
      result: run.result,
      failed: span.failed,
    };
    // A span that does not say which call it runs runs the first of its name and arguments without a result.
    const asked = run.callId === '' ? entries.findIndex((entry) => isOpen(entry, ran)) : -1;
    const call = entries[asked];
    if (call?.kind === 'tool') entries[asked] = { ...ran, key: call.key, depth: call.depth, id: call.id };
    else entries.push(ran);
  }
}

/** True of a call without a result that asks for what was run. */
const isOpen = (entry: Entry, ran: Extract<Entry, { kind: 'tool' }>): boolean =>
  entry.kind === 'tool' &&
  entry.result === undefined &&
  entry.name === ran.name &&
  entry.arguments === ran.arguments;

/** Ids of the tool calls in the conversation of each span. */
function idsOfCalls(steps: readonly Step[], conversations: ReadonlyMap<string, Conversation>) {
  const ids = new Map<string, ReturnType<typeof callIdsOf>>();
  for (const { key, thread } of steps) {
    const conversation = conversations.get(key);
    if (conversation) ids.set(key, callIdsOf(conversation, thread));
  }
  return ids;
}

/** The result of every tool call that anybody reported. */
function resultsOf(
  steps: readonly Step[],
  conversations: ReadonlyMap<string, Conversation>,
  idsOf: ReadonlyMap<string, ReturnType<typeof callIdsOf>>,
): CallResults<TraceSpan> {
  const results = new CallResults<TraceSpan>();
  for (const { span, key, thread } of steps) {
    const conversation = conversations.get(key);
    const ids = idsOf.get(key);
    if (!conversation || !ids) continue;
    results.addTold(thread, conversation, ids);
    const run = conversation.toolExecution;
    if (run) results.addRun(thread, run, span.failed, span);
  }
  return results;
}
