import { type AgentRow, MAX_AGENTS } from '@candela/contract';
import { entityKey, type RequestContext } from '@candela/kernel';
import { AGENT_FIGURES } from '../../rollups/agent-figures.ts';
import { ROLLUP_BUCKET_SECONDS } from '../../rollups/rollup.ts';
import { rolledRows, rolledSource } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { iso } from '../spans/span-row.ts';
import { JOINED, type Kind, KIND_SQL, type RawAgentFigures, SHOWN, spansOf, toFigures } from './figures.ts';
import { fold, foldedSql } from '../core/fold.ts';

export interface AgentsInput {
  readonly window: Window;
  /** Part of the name, case ignored. */
  readonly search: string | undefined;
}

export interface AgentsResult {
  readonly bucketSeconds: number;
  readonly agents: AgentRow[];
  readonly total: number;
}

interface RawKind extends RawAgentFigures {
  readonly AgentName: string;
  readonly Kind: Kind | '';
  readonly Frameworks: string[];
  readonly Services: string[];
  readonly Providers: string[];
  readonly Models: string[];
  readonly Versions: number;
}

/** What an agent is, without its course over time. */
export type AgentFacts = Omit<AgentRow, 'trend'>;

const WIDTHS = [1, 2, 3, 6, 12, 24, 36, 72, 144, 288, 2_016, 8_640].map(
  (buckets) => buckets * ROLLUP_BUCKET_SECONDS,
);

/** A bucket of whole rollup buckets, for about 40 of them over a window. */
export function trendSeconds(window: Window): number {
  const wanted = Number((window.to - window.from) / 1_000_000_000n) / 40;
  return WIDTHS.find((seconds) => seconds >= wanted) ?? 31_536_000;
}

/** The busiest agents of a window. */
export async function listAgents(
  runner: Runner,
  context: RequestContext,
  input: AgentsInput,
): Promise<AgentsResult> {
  const bucketSeconds = trendSeconds(input.window);
  const scope = Scope.of(context, rolledSource(AGENT_FIGURES));
  const search = fold(input.search?.trim() ?? '');
  const fits =
    search === ''
      ? '1'
      : `position(${foldedSql('AgentName', search)}, ${scope.params.bind(search, 'String')}) > 0`;
  const names = await runner.run<{ AgentName: string; Total: number }>(
    scope,
    `SELECT AgentName, count() OVER () AS Total FROM ${rolledRows(scope, AGENT_FIGURES, input.window)}
     WHERE ${fits} GROUP BY AgentName ORDER BY sum(Spans) DESC, AgentName LIMIT ${MAX_AGENTS}`,
  );
  if (names.length === 0) return { bucketSeconds, agents: [], total: 0 };
  const wanted = names.map((row) => row.AgentName);
  const [facts, trends] = await Promise.all([
    readFacts(runner, context, input.window, wanted),
    readTrends(runner, context, { ...input, agents: wanted, bucketSeconds }),
  ]);
  return {
    bucketSeconds,
    agents: wanted.flatMap((name) => {
      const fact = facts.get(name);
      return fact === undefined ? [] : [{ ...fact, trend: trends.get(name)?.(fact.runs.count > 0) ?? [] }];
    }),
    total: names[0]?.Total ?? 0,
  };
}

/** What these agents are and did in the window, by name. */
export async function readFacts(
  runner: Runner,
  context: RequestContext,
  window: Window,
  agents: readonly string[],
): Promise<Map<string, AgentFacts>> {
  const scope = Scope.of(context, rolledSource(AGENT_FIGURES));
  const among = scope.params.bind(agents, 'Array(String)');
  const rows = await runner.run<RawKind>(
    scope,
    `SELECT AgentName, Kind, Frameworks, Services, Providers, Models, Versions, ${SHOWN} FROM (
       SELECT AgentName, ${KIND_SQL} AS Kind,
         groupUniqArrayArray(20)(arrayFilter(x -> x != '', [toString(GenAiConvention), toString(ScopeName)])) AS Frameworks,
         groupUniqArray(20)(ServiceName) AS Services,
         groupUniqArrayIf(20)(GenAiProvider, GenAiProvider != '') AS Providers,
         groupUniqArrayIf(20)(Model, Model != '') AS Models,
         uniqExactIf(AgentVersion, AgentVersion != '') AS Versions, ${JOINED}
       FROM ${rolledRows(scope, AGENT_FIGURES, window, { only: `AgentName IN ${among}` })} GROUP BY AgentName, Kind
     )`,
  );
  const byAgent = Map.groupBy(rows, (row) => row.AgentName);
  return new Map([...byAgent].map(([name, own]) => [name, toFacts(name, own)]));
}

function toFacts(name: string, rows: readonly RawKind[]): AgentFacts {
  const all = (of: (row: RawKind) => readonly string[]) => [...new Set(rows.flatMap(of))].sort();
  const of = (kind: Kind) =>
    toFigures(
      rows.find((row) => row.Kind === kind),
      spansOf(name, kind),
    );
  const times = (pick: (row: RawKind) => string) => rows.map((row) => BigInt(pick(row)));
  return {
    name,
    key: entityKey(name),
    frameworks: all((row) => row.Frameworks),
    services: all((row) => row.Services),
    providers: all((row) => row.Providers),
    models: all((row) => row.Models),
    firstSeen: iso(times((row) => row.First).reduce((a, b) => (a < b ? a : b))),
    lastSeen: iso(times((row) => row.Last).reduce((a, b) => (a > b ? a : b))),
    runs: of('run'),
    calls: of('call'),
    tools: of('tool'),
    versions: rows.reduce((sum, row) => sum + row.Versions, 0),
  };
}

type Trend = AgentRow['trend'];

/** Course of each agent: of its runs, or of its calls when it has none. */
async function readTrends(
  runner: Runner,
  context: RequestContext,
  input: { window: Window; agents: readonly string[]; bucketSeconds: number },
): Promise<Map<string, (runs: boolean) => Trend>> {
  const scope = Scope.of(context, rolledSource(AGENT_FIGURES));
  const among = scope.params.bind(input.agents, 'Array(String)');
  const rows = await runner.run<{ AgentName: string; Kind: string; T: number; N: number; Failed: number }>(
    scope,
    `SELECT AgentName, ${KIND_SQL} AS Kind, ${bucketSql(input.bucketSeconds)} AS T, sum(Spans) AS N, sum(Errors) AS Failed
     FROM ${rolledRows(scope, AGENT_FIGURES, input.window)} WHERE AgentName IN ${among} AND Kind IN ('run', 'call')
     GROUP BY AgentName, Kind, T ORDER BY T`,
  );
  const byAgent = Map.groupBy(rows, (row) => row.AgentName);
  return new Map(
    [...byAgent].map(([name, own]) => [
      name,
      (runs) =>
        own
          .filter((row) => row.Kind === (runs ? 'run' : 'call'))
          .map((row) => ({ time: timeOf(row.T), count: row.N, errors: row.Failed })),
    ]),
  );
}

/** The start of a wider bucket, epoch seconds. */
export const bucketSql = (seconds: number): string =>
  `intDiv(toUnixTimestamp(Bucket), ${seconds}) * ${seconds}`;
export const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();
