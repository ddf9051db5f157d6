import type { RequestContext } from '@candela/kernel';
import { AGENT_VERSION } from '../../schema/expressions.ts';
import { readKey } from '../core/map-key.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';

const NAME_KEY = 'gen_ai.agent.version';
/** Longer names are cut: they are shown, not read. */
const NAME_CHARACTERS = 100;
/** How far from a call the span of its agent may begin. */
const AROUND = 86_400_000_000_000n;

interface Version {
  readonly version: string;
  /** When its last call began. */
  readonly last: bigint;
}

/**
 * What the application calls versions of an agent. Clients say it in the model call or in the span of the agent that it
 * belongs to, so the last call leads to a trace, and that to the spans of the agent in it.
 */
export async function readVersionNames(
  runner: Runner,
  context: RequestContext,
  agent: string,
  versions: readonly Version[],
): Promise<ReadonlyMap<string, string>> {
  if (versions.length === 0) return new Map();
  const times = versions.map(({ last }) => last);
  const at = Scope.of(context, SPANS).at(times);
  const calls = at.and(
    `AgentName = ${at.params.bind(agent, 'String')} AND ${AGENT_VERSION} IN ${at.params.bind(
      versions.map(({ version }) => version),
      'Array(String)',
    )}`,
  );
  const traces = await runner.run<{ Version: string; Trace: string }>(
    calls,
    `SELECT ${AGENT_VERSION} AS Version, argMax(TraceId, Timestamp) AS Trace ${calls.from} GROUP BY Version`,
  );
  if (traces.length === 0) return new Map();
  const near = Scope.of(context, SPANS).during({
    from: times.reduce((a, b) => (a < b ? a : b)) - AROUND,
    to: times.reduce((a, b) => (a > b ? a : b)) + AROUND,
  });
  const { params } = near;
  const { value, has } = readKey(SPANS, 'attributes', NAME_KEY, params);
  const ids = params.bind([...new Set(traces.map(({ Trace }) => Trace))], 'Array(String)');
  const named = near.and(`TraceId IN ${ids} AND AgentName = ${params.bind(agent, 'String')} AND ${has}`);
  // Its own call says it best; without that, the span of the agent that began last.
  const rows = await runner.run<{ TraceId: string; Version: string; Name: string }>(
    named,
    `SELECT TraceId, ${AGENT_VERSION} AS Version, argMax(substringUTF8(${value}, 1, ${NAME_CHARACTERS}), Timestamp) AS Name
     ${named.from} GROUP BY TraceId, Version`,
  );
  return new Map(
    traces.flatMap(({ Version, Trace }) => {
      const own = rows.filter((row) => row.TraceId === Trace);
      const found = own.find((row) => row.Version === Version) ?? own.find((row) => row.Version === '');
      return found === undefined || found.Name === '' ? [] : [[Version, found.Name] as const];
    }),
  );
}
