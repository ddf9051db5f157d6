import type { AgentRow } from '@candela/contract';
import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';
import { errorRate, mainFigures } from './figures.ts';

/** What the Agents page has in its URL. */
export interface AgentsSearch {
  /** Part of the name. */
  search?: string;
  sort?: string;
  row?: string;
}

const tokens = (agent: AgentRow) => (agent.calls.inputTokens ?? 0) + (agent.calls.outputTokens ?? 0);

/** By what the rows are put in order: all of them are here, so that the browser does it. */
const FIGURES: ReadonlyMap<string, (agent: AgentRow) => number | string> = new Map<
  string,
  (agent: AgentRow) => number | string
>([
  ['name', (agent) => agent.name.toLowerCase()],
  ['runs', (agent) => agent.runs.count],
  ['calls', (agent) => agent.calls.count],
  ['tools', (agent) => agent.tools.count],
  ['errors', (agent) => errorRate(mainFigures(agent)) ?? -1],
  ['p50', (agent) => mainFigures(agent).p50Ms ?? -1],
  ['p95', (agent) => mainFigures(agent).p95Ms ?? -1],
  ['tokens', tokens],
  ['cost', (agent) => agent.calls.costUsd ?? -1],
  ['versions', (agent) => agent.versions],
  ['last', (agent) => agent.lastSeen],
]);
const SORTS = [...FIGURES.keys()].flatMap((name) => [name, `-${name}`]);

export function validateAgentsSearch(raw: Record<string, unknown>): AgentsSearch {
  const search = textParam(raw, 'search', 200);
  const sort = choiceParam(raw, 'sort', SORTS);
  const row = textParam(raw, 'row', 3_000);
  return {
    ...(search === undefined ? {} : { search }),
    ...(sort === undefined ? {} : { sort }),
    ...(row === undefined ? {} : { row }),
  };
}

export const persistedAgents = persistedSearch(validateAgentsSearch);

/** The order of a first visit: the busiest first. */
export const DEFAULT_SORT = '-calls';

export function sortAgents(agents: readonly AgentRow[], sort = DEFAULT_SORT): readonly AgentRow[] {
  const figure = FIGURES.get(sort.replace('-', ''));
  if (figure === undefined) return agents;
  const sign = sort.startsWith('-') ? -1 : 1;
  return agents.toSorted((a, b) => {
    const [x, y] = [figure(a), figure(b)];
    return x === y ? a.name.localeCompare(b.name) : x < y ? -sign : sign;
  });
}

/** A value a bucket over the whole window, 0 where there is none. */
export function fillTrend(
  trend: readonly { readonly time: string; readonly count: number }[],
  window: { readonly fromMs: number; readonly toMs: number },
  stepSeconds: number,
): number[] {
  const stepMs = stepSeconds * 1_000;
  const first = Math.floor(window.fromMs / stepMs) * stepMs;
  const size = Math.min(500, Math.max(1, Math.ceil((window.toMs - first) / stepMs)));
  const counts = Array.from({ length: size }, () => 0);
  for (const { time, count } of trend) {
    const slot = Math.floor((Date.parse(time) - first) / stepMs);
    if (slot >= 0 && slot < size) counts[slot] = (counts[slot] ?? 0) + count;
  }
  return counts;
}
