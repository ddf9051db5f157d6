import { ENDED } from '../../schema/tables.ts';
import { ONE_IN, WEIGHT_SQL } from '../../schema/weight.ts';
import { INPUT_TOKENS_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';
import type { Counted, Figure } from './counted.ts';
import { COUNTED_SPANS } from './counted-spans.ts';

const counted = (sql: string): string => `sumIf((${sql}) * ${WEIGHT_SQL}, CountsUsage = 1)`;
const COUNT = { ...COUNTED_SPANS.count, rows: `sum(${WEIGHT_SQL})` };

/** Figures that add up, each span by its weight. */
const SUMS: Readonly<Record<string, string>> = {
  spans: COUNT.rows,
  errors: `sumIf(${WEIGHT_SQL}, StatusCode = 'Error')`,
  calls: `sum((CountsUsage = 1) * ${WEIGHT_SQL})`,
  input: counted(INPUT_TOKENS_SQL),
  output: counted(OUTPUT_TOKENS_SQL),
  cacheRead: counted('CacheReadTokens'),
  cacheWrite: counted('CacheWriteTokens'),
  reasoning: counted('ReasoningTokens'),
  priced: `sumIf(${WEIGHT_SQL}, CountsUsage = 1 AND isNotNull(CostUsd))`,
  cost: counted('ifNull(CostUsd, 0)'),
};

const tracesOf = (oneIn: number): string => `tracesOf${oneIn}`;
/** All spans of a trace have one weight: traces of each are counted, and stand for so many. */
const TRACES: Readonly<Record<string, Figure>> = Object.fromEntries(
  ONE_IN.map((oneIn) => [tracesOf(oneIn), { rows: `uniqIf(TraceHash, ExtraCount = ${oneIn - 1})` }]),
);

/**
 * Spans of a project whose traces are sampled, as charts and facets count them. Sessions and users are those of the spans that
 * were kept: of others there is no telling.
 */
export const WEIGHED_SPANS: Counted = {
  ...COUNTED_SPANS,
  count: COUNT,
  figures: {
    ...COUNTED_SPANS.figures,
    ...Object.fromEntries(
      Object.entries(SUMS).map(([name, rows]) => [name, { ...COUNTED_SPANS.figures[name], rows }]),
    ),
    ...TRACES,
    duration: { rows: `avgWeightedIf(Duration, ${WEIGHT_SQL}, ${ENDED})` },
    durations: {
      rows: `quantilesBFloat16WeightedIf(0.5, 0.9, 0.95, 0.99)(Duration, ${WEIGHT_SQL}, ${ENDED})`,
    },
    firstTokens: { rows: `quantilesBFloat16Weighted(0.5, 0.95)(TimeToFirstTokenMs, ${WEIGHT_SQL})` },
  },
  measures: {
    ...COUNTED_SPANS.measures,
    traces: (of) => ONE_IN.map((oneIn) => `${oneIn} * ${of(tracesOf(oneIn))}`).join(' + '),
  },
};
