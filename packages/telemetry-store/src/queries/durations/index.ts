import { DURATION_MAX_BUCKETS, type Filter } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { withSnapshot } from '../core/snapshot.ts';
import type { ReadStores } from '../core/stores.ts';
import { UNFINISHED_FLAG } from '../../schema/tables.ts';
import { WEIGHT_SQL } from '../../schema/weight.ts';
import { isSampled } from '../core/sampled.ts';
import { estimated, type Looked, lookedAt, shareOf } from '../aggregate/estimate.ts';
import { sampleFor } from '../aggregate/sample-for.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { Sample } from '../core/sample.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';

export interface DurationsInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly bucketSeconds: number;
  /** Where looking at all spans takes long: what a sample of them says. */
  readonly early?: boolean;
}

interface DurationCell {
  readonly startMs: number;
  readonly lowMs: number;
  readonly highMs: number;
  readonly count: number;
  readonly errors: number;
}

export interface Durations {
  readonly cells: readonly DurationCell[];
  /** Spans without an end. */
  readonly running: number;
  /** The part of the spans that was looked at, where numbers are estimated from that; null where they are exact. */
  readonly sample: number | null;
}

/** Reads how long things took. @throws bad_query, query_too_expensive, store_unavailable */
export interface DurationQueries {
  durations(context: RequestContext, input: DurationsInput, signal?: AbortSignal): Promise<Durations>;
}

/** Two buckets a doubling: one is 41% wider than the one below. */
const PER_DOUBLING = 2;
/** Everything below a microsecond is one bucket; everything above 2^50 ns (13 days) another. */
const LOWEST = 10 * PER_DOUBLING;
const HIGHEST = 50 * PER_DOUBLING;
const NANOS = 1e6;

const edge = (bucket: number): number => 2 ** (bucket / PER_DOUBLING) / NANOS;

export function createDurationQueries(stores: ReadStores, limits: QueryLimits): DurationQueries {
  return {
    async durations(context, input, signal) {
      const stepMs = input.bucketSeconds * 1_000;
      const buckets = Number(input.window.to - input.window.from) / NANOS / stepMs;
      if (buckets > DURATION_MAX_BUCKETS) {
        throw fail('bad_query', {
          detail: `That makes ${Math.ceil(buckets)} buckets. At most ${DURATION_MAX_BUCKETS} are possible: take wider ones.`,
        });
      }
      return withSnapshot(stores, context, 'traces', async (seen) => {
        const asks = runner(stores, limits, 'chart', signal);
        const sample = input.early === true ? await sampleFor(asks, seen, SPANS, input) : undefined;
        const scope = Scope.of(seen, SPANS).during(input.window).matching(input.filter).sampled(sample);
        const step = scope.params.bind(stepMs, 'Int64');
        const [count, errors] = isSampled(context.projectId)
          ? [`sum(${WEIGHT_SQL})`, `sumIf(${WEIGHT_SQL}, StatusCode = 'Error')`]
          : ['count()', "countIf(StatusCode = 'Error')"];
        const found = asks.run<Row>(
          scope,
          `SELECT toFloat64(intDiv(toUnixTimestamp64Milli(Timestamp), ${step})) AS T,
          if(Flags >= ${UNFINISHED_FLAG}, -1, least(greatest(toInt16(floor(log2(Duration + 1) * ${PER_DOUBLING})), ${LOWEST - 1}), ${HIGHEST})) AS D,
          toFloat64(${count}) AS C, toFloat64(${errors}) AS E
        ${scope.from} GROUP BY T, D ORDER BY T, D`,
        );
        const { rows, share }: OfAll =
          sample === undefined
            ? { rows: await found, share: null }
            : await ofAll(
                found,
                lookedAt(asks, seen, SPANS, { ...input, shift: 0n, sample }),
                stepMs,
                sample,
              );
        const cells = rows
          .filter(({ D }) => D >= 0)
          .map(({ T, D, C, E }) => ({
            startMs: T * stepMs,
            lowMs: D < LOWEST ? 0 : edge(D),
            highMs: edge(D + 1),
            count: C,
            errors: E,
          }));
        return { cells, running: rows.reduce((sum, { D, C }) => sum + (D < 0 ? C : 0), 0), sample: share };
      });
    },
  };
}

interface Row {
  /** Number of the bucket of time, and of that of the duration. */
  readonly T: number;
  readonly D: number;
  readonly C: number;
  readonly E: number;
}

/** Rows of all spans, and the part of these that was looked at, null for all. */
interface OfAll {
  readonly rows: readonly Row[];
  readonly share: number | null;
}

/** What the rows of a sample say. */
async function ofAll(
  sampled: Promise<readonly Row[]>,
  lookedAtSpans: Promise<readonly Looked[]>,
  stepMs: number,
  sample: Sample,
): Promise<OfAll> {
  const [rows, looked] = await Promise.all([sampled, lookedAtSpans]);
  const told = rows.map(({ T, D, C, E }) => ({
    time: new Date(T * stepMs).toISOString(),
    group: [String(D)],
    values: [C, E],
  }));
  return {
    rows: estimated(told, looked, ['whole', 'whole'], sample).map(({ time, group, values: [C, E] }) => ({
      T: Date.parse(time ?? '') / stepMs,
      D: Number(group[0]),
      C: C ?? 0,
      E: E ?? 0,
    })),
    share: shareOf(looked),
  };
}
