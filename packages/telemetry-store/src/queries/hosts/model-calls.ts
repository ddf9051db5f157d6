import type { HostCalls } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { CALL_BUCKET_SECONDS, CALL_DURATION_BASE, HOST_CALLS } from '../../rollups/host-calls.ts';
import { pricedFrom } from '../core/repriced.ts';
import type { Runner } from '../core/run.ts';
import type { Scope, Window } from '../core/scope.ts';
import { bucketsOf } from './buckets.ts';
import { calls, type HostKey, isoOf, ofHost, ofName } from './sources.ts';

const MINUTE = BigInt(CALL_BUCKET_SECONDS) * 1_000_000_000n;
const MAX_MODELS = 200;
const COST_UNIT = 1e10;

interface Figures {
  readonly Calls: string;
  readonly Errors: string;
  readonly Counting: string;
  readonly InTokens: string;
  readonly OutTokens: string;
  readonly Priced: string;
  readonly Cost: string;
  readonly Durations: readonly [readonly number[], readonly (string | number)[]];
}

const FIGURES = `toString(sum(Calls)) AS Calls, toString(sum(Errors)) AS Errors, toString(sum(Counting)) AS Counting,
  toString(sum(InTokens)) AS InTokens, toString(sum(OutTokens)) AS OutTokens, toString(sum(Priced)) AS Priced,
  toString(sum(Cost)) AS Cost, sumMap(Durations) AS Durations`;

/**
 * Model calls of a host's programs, by model and by time. The window is widened to whole minutes. Programs of several
 * environments may run on one machine, and what measures it has an environment of its own: where there is but one host of
 * the name, all that the name is said of ran on it.
 */
export async function readHostCalls(
  run: Runner,
  context: RequestContext,
  input: { readonly window: Window; readonly host: HostKey; readonly isAlone: boolean },
): Promise<HostCalls> {
  const window = {
    from: (input.window.from / MINUTE) * MINUTE,
    to: ((input.window.to + MINUTE - 1n) / MINUTE) * MINUTE,
  };
  const buckets = bucketsOf(window, CALL_BUCKET_SECONDS);
  const scope = (): Scope => {
    const during = calls(context).during(window);
    return input.isAlone ? ofName(during, input.host.host) : ofHost(during, input.host);
  };
  const total = scope();
  const byModel = scope();
  const byTime = scope();
  const [sums, models, steps] = await Promise.all([
    run.run<Figures>(total, `SELECT ${FIGURES} ${pricedFrom(total, HOST_CALLS, window)}`),
    run.run<Figures & { ServiceName: string; GenAiProvider: string; Model: string }>(
      byModel,
      `SELECT ServiceName, GenAiProvider, Model, ${FIGURES} ${pricedFrom(byModel, HOST_CALLS, window)}
       GROUP BY ServiceName, GenAiProvider, Model ORDER BY toUInt64(Calls) DESC, ServiceName, GenAiProvider, Model
       LIMIT ${MAX_MODELS}`,
    ),
    run.run<Figures & { B: number }>(
      byTime,
      `SELECT toInt32(intDiv(toUnixTimestamp(Bucket), ${buckets.seconds}) - ${buckets.first}) AS B, ${FIGURES} ${byTime.from} GROUP BY B`,
    ),
  ]);
  const [all] = sums;
  const at = new Map(steps.map((step) => [step.B, step]));
  const column = (figure: (step: Figures) => number | null) =>
    buckets.times.map((_, index) => {
      const step = at.get(index);
      return step === undefined ? null : figure(step);
    });
  return {
    from: isoOf(window.from),
    to: isoOf(window.to),
    bucketSeconds: buckets.seconds,
    total: all === undefined ? NONE : figuresOf(all),
    byModel: models.map((row) => ({
      service: row.ServiceName,
      provider: row.GenAiProvider || null,
      model: row.Model || null,
      ...figuresOf(row),
    })),
    times: [...buckets.times],
    callsPerSecond: column((step) => Number(step.Calls) / buckets.seconds),
    errorsPerSecond: column((step) => Number(step.Errors) / buckets.seconds),
    outputTokensPerSecond: column((step) =>
      Number(step.Counting) === 0 ? null : Number(step.OutTokens) / buckets.seconds,
    ),
    p50Ms: column((step) => quantileMs(step.Durations, 0.5)),
    p95Ms: column((step) => quantileMs(step.Durations, 0.95)),
  };
}

const NONE = {
  calls: 0,
  errors: 0,
  p50Ms: null,
  p95Ms: null,
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
};

function figuresOf(row: Figures) {
  const counts = Number(row.Counting) > 0;
  return {
    calls: Number(row.Calls),
    errors: Number(row.Errors),
    p50Ms: quantileMs(row.Durations, 0.5),
    p95Ms: quantileMs(row.Durations, 0.95),
    inputTokens: counts ? Number(row.InTokens) : null,
    outputTokens: counts ? Number(row.OutTokens) : null,
    costUsd: Number(row.Priced) > 0 ? Number(row.Cost) / COST_UNIT : null,
  };
}

/** A quantile of durations counted by logarithmic steps: within one percent. */
function quantileMs([steps, counts]: Figures['Durations'], quantile: number): number | null {
  const pairs = steps
    .map((step, index) => [step, Number(counts[index] ?? 0)] as const)
    .sort((a, b) => a[0] - b[0]);
  const total = pairs.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.max(1, Math.ceil(quantile * total));
  for (const [step, count] of pairs) {
    left -= count;
    if (left <= 0) return CALL_DURATION_BASE ** step / 1e6;
  }
  return null;
}
