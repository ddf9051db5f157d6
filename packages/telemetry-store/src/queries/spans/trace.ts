import { HOLDER_OPERATIONS } from '../core/gen-ai.ts';
import type { HierarchyNode, LightSpan, Trace } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { SEPARATE_OPERATIONS } from '@candela/semconv';
import { damagedCursor, decodeCursor, encodeCursor, listName, nanos } from '../core/cursor.ts';
import { buildHierarchy } from './hierarchy.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { slices } from '../core/slices.ts';
import { iso, ms, orNull, type RawSpan, SPAN_COLUMNS, toLightSpan } from './span-row.ts';
import { usageOf } from './trace-rows.ts';
import {
  CHECKED_TOTALS,
  type CheckedTotals,
  EACH_ONCE,
  exactTotals,
  MOST_EXACT,
  type RawTotals,
  TRACE_TOTALS,
} from './trace-totals.ts';
import { SPANS } from './span-fields.ts';

const TRACE_PAGE = 5_000;
/** Spans above one that are looked up one by one. */
const MAX_PATH = 64;

/** One trace, its spans oldest first. @throws not_found, also for a trace of another project */
export async function readTrace(
  runner: Runner,
  context: RequestContext,
  input: { traceId: string; limit: number; cursor: string | undefined },
): Promise<{ data: Trace; nextCursor: string | null }> {
  const traceId = input.traceId.toLowerCase();
  const list = listName('trace', context, traceId);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 3);
  const read = await readSpans(runner, context, traceId, input.limit + 1, cursor?.after);
  const spans = usageOnce(read);
  const whole = cursor === undefined && spans.length <= input.limit;
  const page = withoutRenamed(spans.slice(0, input.limit));
  const scope = traceScope(context, traceId);
  const [totals, counts] = whole
    ? ([totalsOf(page), 'once'] as const)
    : await readTotals(runner, scope, cursor?.after[2]);
  if (totals === undefined) throw fail('not_found', { what: 'The trace' });
  const last = spans[input.limit - 1];
  const more = spans.length > input.limit && last !== undefined;
  const start = BigInt(totals.StartNs);
  return {
    data: {
      traceId,
      rootName: totals.RootName,
      rootService: totals.RootService,
      environment: totals.RootEnvironment,
      startTime: iso(start),
      durationMs: ms(BigInt(totals.EndNs) - start),
      spanCount: totals.Spans,
      errorCount: totals.Errors,
      services: totals.Services,
      models: totals.Models,
      ...usageOf(totals),
      sessionId: orNull(totals.Session),
      userId: orNull(totals.User),
      truncated: more || cursor !== undefined,
      spans: page.map((raw) => toLightSpan(raw, start)),
    },
    nextCursor: more
      ? encodeCursor({ list, from: 0n, to: 0n, after: [last.StartNs, last.SpanId, counts] })
      : null,
  };
}

/**
 * The figures of a trace that is not at hand whole, as lists of traces have them, and what they count: each span once, or
 * of a huge trace what was sent. `counts` is what those of the page before counted: only the first one has to find out
 * whether anything was sent twice, which takes most of the time.
 */
async function readTotals(
  runner: Runner,
  scope: Scope,
  counts: string | undefined,
): Promise<readonly [RawTotals | undefined, 'once' | 'sent']> {
  if (counts === 'sent') {
    const [sent] = await runner.run<RawTotals>(
      scope,
      `SELECT ${TRACE_TOTALS} ${scope.from} GROUP BY TraceId`,
    );
    return [sent, 'sent'];
  }
  if (counts === undefined) {
    const [all] = await runner.run<CheckedTotals>(
      scope,
      `SELECT ${CHECKED_TOTALS} ${scope.from} GROUP BY TraceId`,
    );
    if (all?.Repeats !== 1 || all.Spans > MOST_EXACT) return [all, 'sent'];
  }
  return [(await exactTotals(runner, scope))[0], 'once'];
}

type Totals = Omit<RawTotals, 'TraceId' | 'RootStatus' | 'RootUnfinished' | 'SpeakerId' | 'SpeakerNs'>;

/**
 * A parent that arrived before its child could not know that it repeats the child's usage; with both at hand it is
 * plain, and such a parent counts nothing.
 */
function usageOnce(spans: readonly RawSpan[]): readonly RawSpan[] {
  const repeated = new Set<string>();
  for (const span of spans) {
    const isUsed = span.CountsUsage === 1 && span.Input + span.Output > 0;
    const isCall = !HOLDER_OPERATIONS.includes(span.GenAiOperation);
    if (isUsed && isCall && span.ParentSpanId !== span.SpanId)
      repeated.add(`${kindOf(span)} ${span.ParentSpanId}`);
  }
  return spans.map((span) =>
    repeated.has(`${kindOf(span)} ${span.SpanId}`) ? { ...span, CountsUsage: 0 } : span,
  );
}

/**
 * A span that was sent while it ran, and got another name by its end, was stored under both. The one with its end stays; two
 * finished ones of one id are two spans.
 */
function withoutRenamed(spans: readonly RawSpan[]): readonly RawSpan[] {
  if (spans.every(({ Unfinished }) => Unfinished === 0)) return spans;
  const place = ({ StartNs, SpanId }: RawSpan) => `${StartNs} ${SpanId}`;
  const ended = new Set(spans.filter(({ Unfinished }) => Unfinished === 0).map(place));
  return spans.filter((span) => span.Unfinished === 0 || !ended.has(place(span)));
}

/** As `CALL_KIND_SQL`. */
const kindOf = ({ GenAiOperation }: RawSpan): string =>
  SEPARATE_OPERATIONS.includes(GenAiOperation) ? GenAiOperation : '';

/** The same figures from all spans at hand, oldest first: most traces are small, and one statement is enough. */
function totalsOf(spans: readonly RawSpan[]): Totals | undefined {
  const root = spans.find((span) => span.ParentSpanId === '') ?? spans[0];
  if (root === undefined) return undefined;
  const counting = spans.filter((span) => span.CountsUsage === 1);
  const costs = counting.flatMap((span) => (span.CostUsd === null ? [] : [span.CostUsd]));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const distinct = (values: readonly string[]) =>
    [...new Set(values.filter((value) => value !== ''))].slice(0, 20).sort();
  const end = (span: RawSpan) => BigInt(span.StartNs) + BigInt(span.DurationNs);
  return {
    StartNs: spans[0]?.StartNs ?? '0',
    EndNs: spans
      .map(end)
      .reduce((a, b) => (a > b ? a : b))
      .toString(),
    Spans: spans.length,
    Errors: spans.filter((span) => span.StatusCode === 'Error').length,
    RootName: root.SpanName,
    RootService: root.ServiceName,
    RootEnvironment: root.Environment,
    Services: distinct(spans.map((span) => span.ServiceName)),
    Models: distinct(spans.map((span) => span.Model)),
    Counting: counting.length,
    Input: sum(counting.map((span) => span.Input)),
    Output: sum(counting.map((span) => span.Output)),
    Cost: costs.length === 0 ? null : sum(costs),
    Session: spans.find((span) => span.SessionId !== '')?.SessionId ?? '',
    User: spans.find((span) => span.UserId !== '')?.UserId ?? '',
  };
}

/**
 * The tree of the trace that a span belongs to. Of a large trace the first spans, with that span and those it lies below.
 * @throws not_found
 */
export async function readHierarchy(
  runner: Runner,
  context: RequestContext,
  spanId: string,
): Promise<{ traceId: string; roots: HierarchyNode[]; orphans: number; truncated: boolean }> {
  const own = spanId.toLowerCase();
  const found = await traceOf(runner, context, own);
  if (found === undefined) throw fail('not_found', { what: 'The span' });
  const raw = await readSpans(runner, context, found.TraceId, TRACE_PAGE + 1, undefined);
  const truncated = raw.length > TRACE_PAGE;
  const first = withoutRenamed(raw.slice(0, TRACE_PAGE));
  const path = truncated ? await pathTo(runner, context, found.TraceId, own, first) : [];
  const page = usageOnce([...first, ...path]);
  const start = BigInt(page[0]?.StartNs ?? '0');
  const spans: LightSpan[] = page.map((span) => toLightSpan(span, start));
  return { traceId: found.TraceId, ...buildHierarchy(spans), truncated };
}

/** A span and those above it up to one of the known, oldest first; of a deeper path its lower end. */
async function pathTo(
  runner: Runner,
  context: RequestContext,
  traceId: string,
  spanId: string,
  known: readonly RawSpan[],
): Promise<RawSpan[]> {
  const ids = new Set(known.map(({ SpanId }) => SpanId));
  const path: RawSpan[] = [];
  for (let next = spanId; next !== '' && !ids.has(next) && path.length < MAX_PATH; ) {
    ids.add(next);
    const scope = traceScope(context, traceId);
    const one = scope.and(`SpanId = ${scope.params.bind(next, 'String')}`);
    const [span] = await runner.run<RawSpan>(one, `SELECT ${SPAN_COLUMNS} ${one.from} ${EACH_ONCE} LIMIT 1`);
    if (span === undefined) break;
    path.push(span);
    next = span.ParentSpanId;
  }
  return path.sort((a, b) => (BigInt(a.StartNs) < BigInt(b.StartNs) ? -1 : 1));
}

const LAST_NANOS = 2n ** 63n - 1n;

/** The newest spans first: ids of spans have no index, and who asks has mostly just seen the span. */
async function traceOf(
  runner: Runner,
  context: RequestContext,
  spanId: string,
): Promise<{ TraceId: string } | undefined> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const ahead = { from: now, to: LAST_NANOS };
  for (const slice of [...slices({ from: 0n, to: now }, true), ahead]) {
    const scope = Scope.of(context, SPANS).during(slice);
    const own = scope.and(`SpanId = ${scope.params.bind(spanId, 'String')}`);
    const [found] = await runner.run<{ TraceId: string }>(own, `SELECT TraceId ${own.from} LIMIT 1`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function traceScope(context: RequestContext, traceId: string): Scope {
  const scope = Scope.of(context, SPANS);
  return scope.and(`TraceId = ${scope.params.bind(traceId, 'String')}`);
}

function readSpans(
  runner: Runner,
  context: RequestContext,
  traceId: string,
  limit: number,
  after: readonly string[] | undefined,
): Promise<RawSpan[]> {
  const scope = traceScope(context, traceId);
  let rest = scope;
  if (after !== undefined) {
    const [time, spanId = ''] = after;
    const at = nanos(time, damagedCursor);
    const { params } = scope;
    rest = scope.and(`(Timestamp, SpanId) > (${params.time(at)}, ${params.bind(spanId, 'String')})`);
  }
  return runner.run<RawSpan>(
    rest,
    `SELECT ${SPAN_COLUMNS} ${rest.from}
     ${EACH_ONCE} LIMIT ${limit}`,
  );
}
