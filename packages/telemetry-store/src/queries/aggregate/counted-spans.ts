import { SPAN_COUNTS } from '../../rollups/span-counts.ts';
import { ENDED } from '../../schema/tables.ts';
import { INPUT_TOKENS_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';
import { COUNTED_SPANS_SOURCE } from '../spans/counted-spans-source.ts';
import { SPANS } from '../spans/span-fields.ts';
import type { Counted, Measured } from './counted.ts';

const figure =
  (name: string): Measured =>
  (of) =>
    of(name);
const counted = (sql: string): string => `sumIf(${sql}, CountsUsage = 1)`;
/** The first eight bits of a number are kept of a quantile: the middle of all that begin so is within 0.4 percent of each. */
const near = (sql: string): string =>
  `if(${sql} = 0, 0, reinterpretAsFloat32(toUInt32(reinterpretAsUInt32(toFloat32(${sql})) + 32768)))`;
const duration =
  (place: number): Measured =>
  (of) =>
    `${near(`${of('durations')}[${place}]`)} / 1e6`;
const firstToken =
  (place: number): Measured =>
  (of) =>
    near(`${of('firstTokens')}[${place}]`);

const COUNT = { rows: 'count()', counts: 'sum(Spans)' };

/** Spans as charts and facets count them. */
export const COUNTED_SPANS: Counted = {
  rows: SPANS,
  counts: COUNTED_SPANS_SOURCE,
  rollup: SPAN_COUNTS,
  count: COUNT,
  figures: {
    spans: COUNT,
    errors: { rows: "countIf(StatusCode = 'Error')", counts: "sumIf(Spans, StatusCode = 'Error')" },
    calls: { rows: 'sum(CountsUsage = 1)', counts: 'sum(Counting)' },
    input: {
      rows: counted(INPUT_TOKENS_SQL),
      counts: 'sum(InputTokens + CacheReadTokens + CacheWriteTokens)',
    },
    output: { rows: counted(OUTPUT_TOKENS_SQL), counts: 'sum(OutputTokens + ReasoningTokens)' },
    cacheRead: { rows: counted('CacheReadTokens'), counts: 'sum(CacheReadTokens)' },
    cacheWrite: { rows: counted('CacheWriteTokens'), counts: 'sum(CacheWriteTokens)' },
    reasoning: { rows: counted('ReasoningTokens'), counts: 'sum(ReasoningTokens)' },
    priced: { rows: 'countIf(CountsUsage = 1 AND isNotNull(CostUsd))', counts: 'sum(Priced)' },
    cost: { rows: counted('ifNull(CostUsd, 0)'), counts: 'sum(CostUsd)' },
    traces: { rows: 'uniq(TraceHash)' },
    // To count numbers takes a quarter of what texts take.
    sessions: { rows: "uniqIf(SessionHash, SessionHash != cityHash64(''))" },
    users: { rows: "uniqIf(UserHash, UserHash != cityHash64(''))" },
    // The rollup sums durations, but does not count how many spans have one.
    duration: { rows: `avgIf(Duration, ${ENDED})` },
    // All quantiles of one figure, so that it is worked out once.
    durations: { rows: `quantilesBFloat16If(0.5, 0.9, 0.95, 0.99)(Duration, ${ENDED})` },
    firstTokens: { rows: 'quantilesBFloat16(0.5, 0.95)(TimeToFirstTokenMs)' },
  },
  measures: {
    count: figure('spans'),
    errors: figure('errors'),
    error_rate: (of) => `${of('errors')} / ${of('spans')}`,
    traces: figure('traces'),
    sessions: figure('sessions'),
    users: figure('users'),
    duration_avg: (of) => `${of('duration')} / 1e6`,
    duration_p50: duration(1),
    duration_p90: duration(2),
    duration_p95: duration(3),
    duration_p99: duration(4),
    ttft_p50: firstToken(1),
    ttft_p95: firstToken(2),
    model_calls: figure('calls'),
    input_tokens: figure('input'),
    output_tokens: figure('output'),
    cache_read_tokens: figure('cacheRead'),
    cache_write_tokens: figure('cacheWrite'),
    reasoning_tokens: figure('reasoning'),
    total_tokens: (of) => `${of('input')} + ${of('output')}`,
    cost: (of) => `if(${of('priced')} = 0, NULL, ${of('cost')})`,
  },
};
