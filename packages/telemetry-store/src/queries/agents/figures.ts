import { type AgentFigures, type Filter, printFilter } from '@candela/contract';
import { MODEL_OPERATIONS } from '@candela/semconv';
import { DURATION_BASE } from '../../rollups/agent-figures.ts';
import { usdOf } from '../activity/figures.ts';

/** What an agent does, and the operations of the spans that say so. */
const KINDS = {
  run: ['invoke_agent'],
  call: MODEL_OPERATIONS,
  tool: ['execute_tool'],
} as const satisfies Record<string, readonly string[]>;
export type Kind = keyof typeof KINDS;

const among = (operations: readonly string[]) =>
  `GenAiOperation IN (${operations.map((name) => `'${name}'`).join(', ')})`;

/** The kind of a row of the rollup, '' for others. */
export const KIND_SQL = `multiIf(${Object.entries(KINDS)
  .map(([kind, operations]) => `${among(operations)}, '${kind}'`)
  .join(', ')}, '')`;

/** Joins rows of the rollup. */
export const JOINED = `sum(Spans) AS N, sum(Errors) AS Failed, sum(Counting) AS Counted, sum(InTokens) AS TokensIn,
  sum(OutTokens) AS TokensOut, sum(Priced) AS PricedCount, sum(Cost) AS CostUnits, sumMap(Durations) AS Steps,
  toString(min(FirstNs)) AS First, toString(max(LastNs)) AS Last`;

/** Of what has ended: what still runs counts in `N` and has no step. */
const quantile = (share: number) =>
  `if(empty(Steps.2), NULL, pow(${DURATION_BASE}, (Steps.1)[arrayFirstIndex(c -> c >= ${share} * arraySum(Steps.2), arrayCumSum(Steps.2))]) / 1e6)`;

/** Of joined rows: figures as they are shown. */
export const SHOWN = `N, Failed, Counted, TokensIn, TokensOut, PricedCount, CostUnits, First, Last,
  ${quantile(0.5)} AS P50, ${quantile(0.95)} AS P95`;

export interface RawAgentFigures {
  readonly N: number;
  readonly Failed: number;
  readonly Counted: number;
  readonly TokensIn: number;
  readonly TokensOut: number;
  readonly PricedCount: number;
  readonly CostUnits: number;
  readonly First: string;
  readonly Last: string;
  readonly P50: number | null;
  readonly P95: number | null;
}

/** @param filter gives the same spans again */
export function toFigures(raw: RawAgentFigures | undefined, filter: Filter): AgentFigures {
  const q = printFilter(filter);
  if (raw === undefined)
    return {
      count: 0,
      errors: 0,
      p50Ms: null,
      p95Ms: null,
      inputTokens: null,
      outputTokens: null,
      costUsd: null,
      q,
    };
  const counted = raw.Counted > 0;
  return {
    count: raw.N,
    errors: raw.Failed,
    p50Ms: raw.P50,
    p95Ms: raw.P95,
    inputTokens: counted ? raw.TokensIn : null,
    outputTokens: counted ? raw.TokensOut : null,
    costUsd: usdOf(raw.CostUnits, raw.PricedCount),
    q,
  };
}

/** The spans of an agent of one kind, and further conditions. */
export const spansOf = (agent: string, kind: Kind, ...more: readonly Filter[]): Filter => ({
  and: [
    { field: 'agent', op: '=', value: agent },
    { field: 'operation', op: 'in', value: [...KINDS[kind]] },
    ...more,
  ],
});
