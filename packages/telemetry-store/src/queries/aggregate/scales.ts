import type { Measure } from '@candela/contract';
import type { Scale } from './estimate.ts';

/**
 * What a measure of a sample says of all rows. Of different things there is no telling: half of the spans are of any part of all
 * traces from half on.
 */
const SCALES: Readonly<Record<Measure, Scale | 'untold'>> = {
  count: 'whole',
  errors: 'whole',
  error_rate: 'stays',
  traces: 'untold',
  sessions: 'untold',
  users: 'untold',
  duration_avg: 'stays',
  duration_p50: 'stays',
  duration_p90: 'stays',
  duration_p95: 'stays',
  duration_p99: 'stays',
  ttft_p50: 'stays',
  ttft_p95: 'stays',
  model_calls: 'whole',
  input_tokens: 'whole',
  output_tokens: 'whole',
  cache_read_tokens: 'whole',
  cache_write_tokens: 'whole',
  reasoning_tokens: 'whole',
  total_tokens: 'whole',
  cost: 'amount',
};

/** How each of these is told from a sample; undefined where one of them cannot be. */
export function scalesOf(measures: readonly Measure[]): readonly Scale[] | undefined {
  const scales = measures.map((measure) => SCALES[measure]);
  return scales.every((scale) => scale !== 'untold') ? scales : undefined;
}
