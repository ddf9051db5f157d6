import type { ExceptionGroup } from '@candela/contract';
import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { iso, orNull } from '../spans/span-row.ts';
import {
  COUNT_SQL,
  EXCEPTION_GROUPS,
  EXCEPTIONS,
  fingerprintOf,
  RECORDINGS_SQL,
} from './exception-fields.ts';
import { toTrend, trendGrid } from './trend.ts';

const MAX_MODELS = 8;

export interface RawGroup {
  readonly F: string;
  readonly Count: number;
  /** As many as the exceptions, unless some were recorded several times. */
  readonly Recordings: number;
  readonly Traces: number;
  readonly Users: number;
  readonly Services: number;
  readonly Models: string[];
  readonly LastNs: string;
  /** Of the last one in a trace; 0 when none is. */
  readonly TracedNs: string;
}

/** What the last exception of a group says. */
interface RawLast {
  readonly F: string;
  readonly GroupType: string;
  readonly LastMessage: string;
  readonly Service: string;
  readonly Sample: readonly [traceId: string, spanId: string];
}

export interface GroupsInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Points of the trend. */
  readonly points: number;
}

/** A group (stored fingerprint) in the order of a page. */
export interface GroupKey {
  readonly F: string;
  /** Sort value. */
  readonly K: string;
}

type Counted = readonly [bucket: number, count: number];

/** Counts by bucket, by stored fingerprint. */
type Trends = ReadonlyMap<string, readonly Counted[]>;

interface KnownOfGroups {
  /** As {@link readFigures} reads them. */
  readonly figures?: readonly RawGroup[];
  /** As {@link readTrends} reads them. */
  readonly trends?: Trends | undefined;
}

/** Whether each exception of a group was recorded once. */
export const isOnce = ({ Count, Recordings }: RawGroup): boolean => Count === Recordings;

/**
 * The rows of these groups (stored fingerprints) in the same order; groups without a row in the window are left out.
 * @param known what was read of them before, and maybe of others
 */
export async function readGroups(
  runner: Runner,
  context: RequestContext,
  fingerprints: readonly string[],
  input: GroupsInput,
  known: KnownOfGroups = {},
): Promise<ExceptionGroup[]> {
  if (fingerprints.length === 0) return [];
  const raws = known.figures ?? (await readFigures(runner, context, fingerprints, input));
  const own = raws.filter(({ F }) => fingerprints.includes(F));
  const [trends, lasts, first] = await Promise.all([
    known.trends ?? readTrends(runner, context, fingerprints, input, { once: own.every(isOnce) }),
    lastOnes(runner, context, fingerprints, input, own),
    firstSeen(runner, context, fingerprints),
  ]);
  const byFingerprint = new Map(own.map((raw) => [raw.F, raw]));
  const lastOf = new Map(lasts.map((raw) => [raw.F, raw]));
  const grid = trendGrid(input.window, input.points);
  return fingerprints.flatMap((fingerprint) => {
    const raw = byFingerprint.get(fingerprint);
    const said = lastOf.get(fingerprint);
    if (raw === undefined || said === undefined) return [];
    const last = BigInt(raw.LastNs);
    const seen = first.get(fingerprint)?.first ?? last;
    return [
      {
        fingerprint: fingerprintOf(fingerprint),
        type: said.GroupType,
        message: said.LastMessage,
        service: said.Service,
        count: raw.Count,
        traces: raw.Traces,
        users: raw.Users,
        services: raw.Services,
        models: raw.Models.slice(0, MAX_MODELS),
        firstSeen: iso(seen),
        lastSeen: iso(last),
        isNew: seen >= input.window.from,
        sampleTraceId: orNull(said.Sample[0]),
        sampleSpanId: orNull(said.Sample[1]),
        trend: toTrend(grid, trends.get(fingerprint) ?? []),
      },
    ];
  });
}

const among = (scope: Scope, fingerprints: readonly string[]): Scope =>
  scope.and(`Fingerprint IN ${scope.params.hashes(fingerprints)}`);

/** What is counted of these groups in the window. Ids are by their hashes: telling texts apart costs twice as much. */
export async function readFigures(
  runner: Runner,
  context: RequestContext,
  fingerprints: readonly string[],
  { window, filter }: GroupsInput,
): Promise<RawGroup[]> {
  if (fingerprints.length === 0) return [];
  const scope = among(Scope.of(context, EXCEPTIONS).during(window).matching(filter), fingerprints);
  return runner.run<RawGroup>(
    scope,
    `SELECT toString(Fingerprint) AS F, ${COUNT_SQL} AS Count, ${RECORDINGS_SQL} AS Recordings,
       uniqExactIf(cityHash64(TraceId), TraceId != '') AS Traces, uniqExactIf(cityHash64(UserId), UserId != '') AS Users,
       uniqExact(cityHash64(ServiceName)) AS Services,
       arraySort(groupUniqArrayIf(${MAX_MODELS + 1})(Model, Model != '')) AS Models,
       toString(toUnixTimestamp64Nano(max(Timestamp))) AS LastNs,
       toString(toUnixTimestamp64Nano(maxIf(Timestamp, TraceId != ''))) AS TracedNs
     ${scope.from} GROUP BY Fingerprint`,
  );
}

/** What the last exceptions say, read at their times alone: messages are long. */
async function lastOnes(
  runner: Runner,
  context: RequestContext,
  fingerprints: readonly string[],
  { window, filter }: GroupsInput,
  raws: readonly RawGroup[],
): Promise<RawLast[]> {
  if (raws.length === 0) return [];
  const times = raws.flatMap(({ LastNs, TracedNs }) => [BigInt(LastNs), BigInt(TracedNs)]);
  const scope = among(Scope.of(context, EXCEPTIONS).during(window).at(times).matching(filter), fingerprints);
  return runner.run<RawLast>(
    scope,
    `SELECT toString(Fingerprint) AS F, any(Type) AS GroupType, argMax(Message, (Timestamp, Occurrence)) AS LastMessage,
       argMax(ServiceName, (Timestamp, Occurrence)) AS Service,
       argMax((TraceId, SpanId), (TraceId != '', Timestamp, Occurrence)) AS Sample
     ${scope.from} GROUP BY Fingerprint`,
  );
}

/** The bucket of {@link trendGrid} that a time lies in. */
const bucketOf = ({ params }: Scope, { window, points }: GroupsInput, time: string): string => {
  const grid = trendGrid(window, points);
  return `toInt32(intDiv(toUnixTimestamp64Nano(${time}) - ${params.bind(grid.from, 'Int64')}, ${params.bind(grid.width, 'Int64')}))`;
};

/**
 * The groups that were recorded most often, and when they were: where each exception was recorded once these are their trends, which
 * read the same rows once more when they are asked for later.
 */
export async function mostRecorded(
  runner: Runner,
  context: RequestContext,
  input: GroupsInput,
  limit: number,
): Promise<{ readonly keys: readonly GroupKey[]; readonly trends: Trends }> {
  const scope = Scope.of(context, EXCEPTIONS).during(input.window).matching(input.filter);
  const keys = await runner.run<GroupKey & { readonly Trend: readonly Counted[] }>(
    scope,
    `SELECT toString(Fingerprint) AS F, toString(Key) AS K, Trend FROM (
       SELECT Fingerprint, toInt64(sum(C)) AS Key, groupArray((B, C)) AS Trend FROM (
         SELECT Fingerprint, ${bucketOf(scope, input, 'Timestamp')} AS B, ${RECORDINGS_SQL} AS C ${scope.from} GROUP BY Fingerprint, B
       ) GROUP BY Fingerprint
     ) ORDER BY Key DESC, Fingerprint DESC LIMIT ${limit}`,
  );
  return { keys, trends: new Map(keys.map(({ F, Trend }) => [F, Trend])) };
}

/**
 * How many there were of these groups over time, each where it was recorded first in the window, so that they add up to the
 * count. @param once each was recorded once: nothing has to be told apart
 */
async function readTrends(
  runner: Runner,
  context: RequestContext,
  fingerprints: readonly string[],
  input: GroupsInput,
  { once }: { readonly once: boolean },
): Promise<Trends> {
  if (fingerprints.length === 0) return new Map();
  const { window, filter } = input;
  const scope = among(Scope.of(context, EXCEPTIONS).during(window).matching(filter), fingerprints);
  const exceptions = once
    ? `SELECT Fingerprint, Timestamp AS At, Records ${scope.from}`
    : `SELECT Fingerprint, min(Timestamp) AS At, sum(Records) AS Records ${scope.from} GROUP BY Fingerprint, Occurrence`;
  const rows = await runner.run<{ F: string; B: number; C: number }>(
    scope,
    `SELECT toString(Fingerprint) AS F, ${bucketOf(scope, input, 'At')} AS B, ${RECORDINGS_SQL} AS C
     FROM (${exceptions}) GROUP BY Fingerprint, B`,
  );
  const trends = new Map<string, [number, number][]>();
  for (const { F, B, C } of rows) {
    const known = trends.get(F);
    if (known === undefined) trends.set(F, [[B, C]]);
    else known.push([B, C]);
  }
  return trends;
}

/** When groups were first and last seen in all that is kept, by stored fingerprint. */
export async function firstSeen(
  runner: Runner,
  context: RequestContext,
  fingerprints: readonly string[],
): Promise<Map<string, { first: bigint; last: bigint }>> {
  const scope = among(Scope.of(context, EXCEPTION_GROUPS), fingerprints);
  const rows = await runner.run<{ F: string; First: string; Last: string }>(
    scope,
    `SELECT toString(Fingerprint) AS F, toString(min(FirstNs)) AS First, toString(max(LastNs)) AS Last
     ${scope.from} GROUP BY Fingerprint`,
  );
  return new Map(rows.map((row) => [row.F, { first: BigInt(row.First), last: BigInt(row.Last) }]));
}
