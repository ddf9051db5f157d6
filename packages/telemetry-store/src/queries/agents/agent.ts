import {
  type AgentVersion,
  type Filter,
  MAX_AGENT_PARTS,
  type ResponseOf,
  type ROUTES,
} from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { AGENT_FIGURES } from '../../rollups/agent-figures.ts';
import { rolledRows, rolledSource } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { iso } from '../spans/span-row.ts';
import { JOINED, type Kind, KIND_SQL, type RawAgentFigures, SHOWN, spansOf, toFigures } from './figures.ts';
import { readVersionNames } from './version-names.ts';
import { bucketSql, readFacts, timeOf, trendSeconds } from './list.ts';

export type AgentDetail = ResponseOf<typeof ROUTES.getAgent>['data'];
export type AgentPart = AgentDetail['byModel'][number];

export interface OfAgent {
  readonly agent: string;
  readonly window: Window;
}

/** One agent. @throws not_found when it has no span in the window */
export async function readAgent(
  runner: Runner,
  context: RequestContext,
  input: OfAgent,
): Promise<AgentDetail> {
  const facts = (await readFacts(runner, context, input.window, [input.agent])).get(input.agent);
  if (facts === undefined) throw fail('not_found', { what: 'The agent in this time range' });
  const bucketSeconds = trendSeconds(input.window);
  const [byModel, byTool, byVersion] = await Promise.all([
    readParts(runner, context, input, 'call'),
    readParts(runner, context, input, 'tool'),
    readVersions(runner, context, input, bucketSeconds),
  ]);
  return {
    ...facts,
    bucketSeconds,
    byModel: byModel.parts,
    modelCount: byModel.total,
    byTool: byTool.parts,
    toolCount: byTool.total,
    byVersion,
  };
}

const PARTS = {
  call: { column: 'Model', field: 'model' },
  tool: { column: 'ToolName', field: 'tool' },
} as const;

export interface AgentParts {
  readonly parts: AgentPart[];
  /** How many there are, shown or not. */
  readonly total: number;
}

/** The figures of an agent by model (its calls) or by tool, the busiest first. */
export async function readParts(
  runner: Runner,
  context: RequestContext,
  input: OfAgent,
  kind: keyof typeof PARTS,
): Promise<AgentParts> {
  const { column, field } = PARTS[kind];
  const rows = await readBy(runner, context, input, { kind, column, order: 'N DESC, Part' });
  return {
    parts: rows.map((row) => ({
      name: row.Part,
      figures: toFigures(row, spansOf(input.agent, kind, valueIs(field, row.Part))),
    })),
    total: rows[0]?.Total ?? 0,
  };
}

/** A column that is empty has no such field: the parts without a name are found as those that lack it. */
const valueIs = (field: 'model' | 'tool', value: string): Filter =>
  value === '' ? { field, op: 'not_exists' } : { field, op: '=', value };

interface RawPart extends RawAgentFigures {
  readonly Part: string;
  readonly Total: number;
}

function readBy(
  runner: Runner,
  context: RequestContext,
  input: OfAgent,
  by: { kind: Kind; column: string; order: string },
): Promise<RawPart[]> {
  const scope = Scope.of(context, rolledSource(AGENT_FIGURES));
  const agent = scope.params.bind(input.agent, 'String');
  return runner.run<RawPart>(
    scope,
    `SELECT Part, count() OVER () AS Total, ${SHOWN} FROM (
       SELECT toString(${by.column}) AS Part, ${JOINED} FROM ${rolledRows(scope, AGENT_FIGURES, input.window)}
       WHERE AgentName = ${agent} AND ${KIND_SQL} = '${by.kind}' GROUP BY Part
     ) ORDER BY ${by.order} LIMIT ${MAX_AGENT_PARTS}`,
  );
}

/** The versions of an agent, the one seen last first. */
async function readVersions(
  runner: Runner,
  context: RequestContext,
  input: OfAgent,
  bucketSeconds: number,
): Promise<AgentVersion[]> {
  const scope = Scope.of(context, rolledSource(AGENT_FIGURES));
  const agent = scope.params.bind(input.agent, 'String');
  const rows = await runner.run<RawAgentFigures & { Version: string; Model: string }>(
    scope,
    `SELECT Version, Model, ${SHOWN} FROM (
       SELECT toString(AgentVersion) AS Version, argMax(toString(Model), LastNs) AS Model, ${JOINED}
       FROM ${rolledRows(scope, AGENT_FIGURES, input.window, { only: `AgentName = ${agent} AND AgentVersion != ''` })}
       GROUP BY Version
     ) ORDER BY Last DESC, Version LIMIT ${MAX_AGENT_PARTS}`,
  );
  const [trends, names] = await Promise.all([
    readVersionTrends(runner, context, input, { versions: rows.map((row) => row.Version), bucketSeconds }),
    readVersionNames(
      runner,
      context,
      input.agent,
      rows.map((row) => ({ version: row.Version, last: BigInt(row.Last) })),
    ),
  ]);
  return rows.map((row) => ({
    version: row.Version,
    name: names.get(row.Version) ?? null,
    model: row.Model,
    firstSeen: iso(BigInt(row.First)),
    lastSeen: iso(BigInt(row.Last)),
    figures: toFigures(row, {
      and: [
        { field: 'agent', op: '=', value: input.agent },
        { field: 'agent_version', op: '=', value: row.Version },
      ],
    }),
    trend: trends.get(row.Version) ?? [],
  }));
}

async function readVersionTrends(
  runner: Runner,
  context: RequestContext,
  input: OfAgent,
  of: { versions: readonly string[]; bucketSeconds: number },
): Promise<Map<string, AgentVersion['trend']>> {
  if (of.versions.length === 0) return new Map();
  const scope = Scope.of(context, rolledSource(AGENT_FIGURES));
  const agent = scope.params.bind(input.agent, 'String');
  const among = scope.params.bind(of.versions, 'Array(String)');
  const rows = await runner.run<{ Version: string; T: number; N: number }>(
    scope,
    `SELECT toString(AgentVersion) AS Version, ${bucketSql(of.bucketSeconds)} AS T, sum(Spans) AS N
     FROM ${rolledRows(scope, AGENT_FIGURES, input.window)}
     WHERE AgentName = ${agent} AND AgentVersion IN ${among} GROUP BY Version, T ORDER BY T`,
  );
  const byVersion = Map.groupBy(rows, (row) => row.Version);
  return new Map(
    [...byVersion].map(([version, own]) => [
      version,
      own.map((row) => ({ time: timeOf(row.T), count: row.N })),
    ]),
  );
}
