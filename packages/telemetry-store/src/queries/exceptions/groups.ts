import type { ExceptionGroup } from '@candela/contract';
import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { EXCEPTION_GROUPS, EXCEPTIONS, fingerprintOf } from './exception-fields.ts';
import { toTrend, trendGrid } from './trend.ts';

const MAX_MODELS = 8;

interface RawGroup {
  readonly F: string;
  readonly GroupType: string;
  readonly LastMessage: string;
  readonly Service: string;
  readonly Count: number;
  readonly Traces: number;
  readonly Users: number;
  readonly Services: number;
  readonly Models: string[];
  readonly LastNs: string;
  readonly Sample: [string, string];
}

export interface GroupsInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Points of the trend. */
  readonly points: number;
}

/** The rows of these groups (stored fingerprints) in the same order; groups without a row in the window are left out. */
export async function readGroups(
  runner: Runner,
  context: RequestContext,
  fingerprints: readonly string[],
  input: GroupsInput,
): Promise<ExceptionGroup[]> {
  if (fingerprints.length === 0) return [];
  const [raws, trends, first] = await Promise.all([
    figures(runner, context, fingerprints, input),
    trendsOf(runner, context, fingerprints, input),
    firstSeen(runner, context, fingerprints),
  ]);
  const byFingerprint = new Map(raws.map((raw) => [raw.F, raw]));
  const grid = trendGrid(input.window, input.points);
  return fingerprints.flatMap((fingerprint) => {
    const raw = byFingerprint.get(fingerprint);
    if (raw === undefined) return [];
    const last = BigInt(raw.LastNs);
    const seen = first.get(fingerprint)?.first ?? last;
    return [
      {
        fingerprint: fingerprintOf(fingerprint),
        type: raw.GroupType,
        message: raw.LastMessage,
        service: raw.Service,
        count: raw.Count,
        traces: raw.Traces,
        users: raw.Users,
        services: raw.Services,
        models: raw.Models.slice(0, MAX_MODELS),
        firstSeen: iso(seen),
        lastSeen: iso(last),
        isNew: seen >= input.window.from,
        sampleTraceId: orNull(raw.Sample[0]),
        sampleSpanId: orNull(raw.Sample[1]),
        trend: toTrend(grid, trends.get(fingerprint) ?? []),
      },
    ];
  });
}

const among = (scope: Scope, fingerprints: readonly string[]): Scope =>
  scope.and(`Fingerprint IN ${scope.params.bind(fingerprints.map(BigInt), 'Array(UInt64)')}`);

function figures(
  runner: Runner,
  context: RequestContext,
  fingerprints: readonly string[],
  { window, filter }: GroupsInput,
): Promise<RawGroup[]> {
  const scope = among(Scope.of(context, EXCEPTIONS).during(window).matching(filter), fingerprints);
  return runner.run<RawGroup>(
    scope,
    `SELECT toString(Fingerprint) AS F, any(Type) AS GroupType, argMax(Message, Timestamp) AS LastMessage,
       argMax(ServiceName, Timestamp) AS Service, uniqExact(Occurrence) AS Count,
       uniqExactIf(TraceId, TraceId != '') AS Traces, uniqExactIf(UserId, UserId != '') AS Users,
       uniqExact(ServiceName) AS Services, arraySort(groupUniqArrayIf(${MAX_MODELS + 1})(Model, Model != '')) AS Models,
       toString(toUnixTimestamp64Nano(max(Timestamp))) AS LastNs,
       argMax((TraceId, SpanId), (TraceId != '', Timestamp)) AS Sample
     ${scope.from} GROUP BY Fingerprint`,
  );
}

async function trendsOf(
  runner: Runner,
  context: RequestContext,
  fingerprints: readonly string[],
  { window, filter, points }: GroupsInput,
): Promise<Map<string, [number, number][]>> {
  const scope = among(Scope.of(context, EXCEPTIONS).during(window).matching(filter), fingerprints);
  const { params } = scope;
  const grid = trendGrid(window, points);
  const rows = await runner.run<{ F: string; B: number; C: number }>(
    scope,
    `SELECT toString(Fingerprint) AS F,
       toInt32(intDiv(toUnixTimestamp64Nano(Timestamp) - ${params.bind(grid.from, 'Int64')}, ${params.bind(grid.width, 'Int64')})) AS B,
       uniqExact(Occurrence) AS C
     ${scope.from} GROUP BY Fingerprint, B`,
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
