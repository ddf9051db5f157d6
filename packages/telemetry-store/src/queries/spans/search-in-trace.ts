import { MAX_TRACE_HITS, searchTerms, type TraceHit } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { escaped } from '../core/words.ts';
import { LOGS } from '../logs/log-fields.ts';
import { SPANS } from './span-fields.ts';
import { toldBefore } from './told-before.ts';
import { fold, foldedSql, upper } from '../core/fold.ts';

const HOUR = 3_600_000_000_000n;
const LAST_NANOS = 2n ** 63n - 1n;
const BEFORE = 60;
const EXCERPT = 200;

const SPAN_TEXTS = `arrayStringConcat(arrayConcat([SpanName, StatusMessage, SpanId, ServiceName], mapKeys(SpanAttributes),
  mapValues(SpanAttributes), mapValues(ContentAttributes), Events.Name,
  arrayFlatten(arrayMap(m -> mapValues(m), Events.Attributes))), '\\n')`;
const LOG_TEXTS = "concat(Body, '\\n', arrayStringConcat(mapValues(LogAttributes), '\\n'))";

interface Hit {
  readonly SpanId: string;
  readonly Excerpt: string;
}

/**
 * The spans of a trace that hold every term, and those with a log record that does: at most {@link MAX_TRACE_HITS}.
 * @throws not_found, also for a trace of another project
 */
export async function searchInTrace(
  runner: Runner,
  context: RequestContext,
  input: { readonly traceId: string; readonly q: string },
): Promise<{ hits: TraceHit[]; truncated: boolean }> {
  const traceId = input.traceId.toLowerCase();
  const open = Scope.of(context, SPANS);
  const own = open.and(`TraceId = ${open.params.bind(traceId, 'String')}`);
  const [bounds] = await runner.run<{ From: string; To: string; Spans: number }>(
    own,
    `SELECT toString(toUnixTimestamp64Nano(min(Timestamp))) AS From,
       toString(max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration))) AS To, count() AS Spans ${own.from}`,
  );
  if (bounds === undefined || bounds.Spans === 0) throw fail('not_found', { what: 'The trace' });
  const terms = searchTerms(input.q).map(spellings);
  if (terms.length === 0) return { hits: [], truncated: false };
  const during = {
    from: BigInt(bounds.From) > HOUR ? BigInt(bounds.From) - HOUR : 0n,
    to: BigInt(bounds.To) < LAST_NANOS - HOUR ? BigInt(bounds.To) + HOUR : LAST_NANOS,
  };
  const logs = Scope.of(context, LOGS).during(during);
  const named = logs.and(`TraceId = ${logs.params.bind(traceId, 'String')} AND SpanId != ''`);
  const [spans, records] = await Promise.all([
    hits(runner, own, SPAN_TEXTS, terms),
    hits(runner, named, LOG_TEXTS, terms),
  ]);
  const repeats = await toldBefore(
    runner,
    own,
    spans.map(({ SpanId }) => SpanId),
    terms,
  );
  const found = new Map<string, TraceHit>();
  for (const { SpanId: spanId, Excerpt: excerpt } of spans)
    found.set(spanId, { spanId, where: 'span', excerpt, repeats: repeats.has(spanId) });
  for (const { SpanId: spanId, Excerpt: excerpt } of records) {
    const inSpan = found.get(spanId);
    // A log record is no history: what it says is found at its span.
    if (inSpan === undefined || inSpan.repeats)
      found.set(spanId, { spanId, where: 'log', excerpt, repeats: false });
  }
  const all = [...found.values()];
  const truncated = all.length > MAX_TRACE_HITS || records.length > MAX_TRACE_HITS;
  return { hits: all.slice(0, MAX_TRACE_HITS), truncated };
}

function hits(
  runner: Runner,
  scope: Scope,
  texts: string,
  terms: readonly (readonly string[])[],
): Promise<Hit[]> {
  const { params } = scope;
  const bound = terms.map((needles) => params.bind(needles, 'Array(String)'));
  const text = foldedSql(texts, terms.flat().join(''));
  const matching = scope.and(bound.map((needles) => `multiSearchAny(${text}, ${needles})`).join(' AND '));
  const at = `multiSearchFirstPosition(${text}, ${bound[0]})`;
  return runner.run<Hit>(
    scope,
    `SELECT SpanId, toValidUTF8(substring(${texts}, greatest(1, toInt64(${at}) - ${BEFORE}), ${EXCERPT})) AS Excerpt
     ${matching.from} ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId LIMIT ${MAX_TRACE_HITS + 1}`,
  );
}

/**
 * How a term may be written in what was sent: as it is, and inside of JSON, where quotes are escaped and many senders
 * escape everything beyond ASCII. In one case ({@link fold}), because the text is.
 */
function spellings(term: string): string[] {
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const ascii = (text: string) => escaped(json(text));
  const folded = fold(term);
  return [...new Set([folded, json(folded), ascii(folded), ascii(term), ascii(upper(term)).toLowerCase()])];
}
