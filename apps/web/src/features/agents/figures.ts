import type { AgentFigures, AgentRow } from '@candela/contract';

/** What an agent is judged by: its runs, or its model calls when no span stands for it as a whole. */
export const mainFigures = (agent: Pick<AgentRow, 'runs' | 'calls'>): AgentFigures =>
  agent.runs.count > 0 ? agent.runs : agent.calls;

/** A number of spans that name the agent; of none it is not known whether there are others, which do not name it. */
export const namedCount = ({ count }: Pick<AgentFigures, 'count'>): number | null =>
  count === 0 ? null : count;

/** Share of failed spans, 0 to 1; null of none. */
export const errorRate = (figures: Pick<AgentFigures, 'count' | 'errors'>): number | null =>
  figures.count === 0 ? null : figures.errors / figures.count;
