import type { LightSpan } from '@candela/contract';
import { searchTerms } from '@candela/contract/filter';
import { failureWords } from '../../lib/failure-words.ts';
import { formatCount } from '../../lib/format.ts';
import { type ReadingKind, readingKind } from '../../lib/span-kind.ts';
import type { SpanTree, TreeSpan } from './tree.ts';
import type { Jump } from './use-reveal.ts';

/** A span of the open trace, as the tree, the map and the search read it. `startMs` counts from the trace's start. */
export interface TraceSpan extends TreeSpan {
  readonly light: LightSpan;
  readonly reading: ReadingKind;
}

const converted = new WeakMap<readonly LightSpan[], readonly TraceSpan[]>();

/** The spans of all pages, in the order they came; each page is converted once. */
export function traceSpans(pages: readonly (readonly LightSpan[])[]): TraceSpan[] {
  const all: TraceSpan[] = [];
  for (const page of pages) {
    let spans = converted.get(page);
    if (!spans) {
      spans = page.map(toTraceSpan);
      converted.set(page, spans);
    }
    for (const span of spans) all.push(span);
  }
  return all;
}

const toTraceSpan = (light: LightSpan): TraceSpan => ({
  spanId: light.spanId,
  parentSpanId: light.parentSpanId ?? '',
  startMs: light.offsetMs,
  durationMs: light.durationMs,
  failed: light.status === 'error',
  light,
  reading: readingKind(light),
});

/** The root as lists of traces have it: the first span without a parent, else the first of all. Undefined when there is none. */
export const rootOf = (spans: readonly TraceSpan[], { order }: SpanTree): TraceSpan | undefined =>
  spans[order.find((index) => spans[index]?.parentSpanId === '') ?? order[0] ?? -1];

/**
 * The position of the span with that id. Spans may share one: the one that was jumped to, wherever it is by now, else the
 * first. Undefined when none has.
 */
export function positionNear(
  spans: readonly TraceSpan[],
  tree: SpanTree,
  spanId: string,
  jump: Jump,
): number | undefined {
  const first = tree.positionOf.get(spanId);
  if (first === undefined || jump.position === -1 || jump.spanId !== spanId) return first;
  const isIt = (position: number): boolean => {
    const span = spans[tree.order[position] ?? -1];
    return span?.spanId === spanId && span.light.startTime === jump.startTime;
  };
  if (isIt(jump.position)) return jump.position;
  const moved = tree.order.findIndex((_, position) => isIt(position));
  return moved === -1 ? first : moved;
}

/** The span to read first: the first model call, else the first agent, else the root. */
export function firstToRead(spans: readonly TraceSpan[], tree: SpanTree): TraceSpan | undefined {
  let agent: TraceSpan | undefined;
  for (const index of tree.order) {
    const span = spans[index];
    if (span?.reading === 'llm') return span;
    if (span?.reading === 'agent') agent ??= span;
  }
  return agent ?? rootOf(spans, tree);
}

/** Positions in the tree whose span has every term in its name, service, model, agent, tool or error, or that id. */
export function findPositions(spans: readonly TraceSpan[], tree: SpanTree, text: string): number[] {
  const words = searchTerms(text);
  if (words.length === 0) return [];
  const found: number[] = [];
  for (let position = 0; position < tree.order.length; position += 1) {
    const span = spans[tree.order[position] as number] as TraceSpan;
    const hay = searchable(span);
    if (span.spanId === words[0] || words.every((word) => hay.includes(word))) found.push(position);
  }
  return found;
}

const haystacks = new WeakMap<TraceSpan, string>();

/** What a search looks at, in lower case; made once a span. */
function searchable(span: TraceSpan): string {
  let hay = haystacks.get(span);
  if (hay === undefined) {
    const { name, service, model, agent, tool, errorType, statusMessage } = span.light;
    hay = [name, service, model, agent, tool, errorType, statusMessage].join('\n').toLowerCase();
    haystacks.set(span, hay);
  }
  return hay;
}

/** Positions of failed spans, top to bottom. */
export function failedPositions(spans: readonly TraceSpan[], tree: SpanTree): number[] {
  const found: number[] = [];
  tree.order.forEach((index, position) => {
    if (spans[index]?.failed) found.push(position);
  });
  return found;
}

/**
 * The failure that a failed span passed on: below it, along the failed spans that ended last, the deepest that says why in
 * words of its own. Undefined when there is none.
 */
export function reasonBelow(
  spans: readonly TraceSpan[],
  tree: SpanTree,
  span: TraceSpan,
): TraceSpan | undefined {
  const own = failureWords(span.light);
  let reason: TraceSpan | undefined;
  let at = span.failed ? tree.positionOf.get(span.spanId) : undefined;
  while (at !== undefined && (tree.failedBelow[at] ?? 0) > 0) {
    let last: { at: number; endMs: number } | undefined;
    const end = at + (tree.descendants[at] ?? 0);
    // A child is followed by what is below it: from one child to the next in one step.
    for (let child: number = at + 1; child <= end; child += 1 + (tree.descendants[child] ?? 0)) {
      const one = spans[tree.order[child] ?? -1];
      if (one === undefined || !(one.failed || (tree.failedBelow[child] ?? 0) > 0)) continue;
      const endMs = one.startMs + one.durationMs;
      if (last === undefined || endMs >= last.endMs) last = { at: child, endMs };
    }
    at = last?.at;
    const next = at === undefined ? undefined : spans[tree.order[at] ?? -1];
    if (next?.failed === true && failureWords(next.light) !== undefined) reason = next;
  }
  return reason === undefined || failureWords(reason.light) === own ? undefined : reason;
}

/** The next of `positions` after (before) `at`, wrapping around; undefined when there is none. */
export function nextOf(positions: readonly number[], at: number, step: 1 | -1): number | undefined {
  if (positions.length === 0) return undefined;
  if (step === 1) return positions.find((position) => position > at) ?? positions[0];
  return positions.findLast((position) => position < at) ?? positions.at(-1);
}

/** What is said of a span that a key led to: its name, and whether it failed; of `failed` ones, which it is. */
export function spanNews({ light, failed: isFailed }: TraceSpan, nth = -1, failed = 0): string {
  const name = light.name || light.spanId;
  return [
    name,
    isFailed ? 'failed' : '',
    nth === -1 ? '' : `${formatCount(nth + 1)} of ${formatCount(failed)} failed spans`,
  ]
    .filter(Boolean)
    .join(', ');
}
