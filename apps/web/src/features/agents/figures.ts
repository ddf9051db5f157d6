import type { AgentFigures, AgentRow } from '@candela/contract';

/** What an agent is judged by: its runs, or its model calls when no span stands for it as a whole. */
export const mainFigures = (agent: Pick<AgentRow, 'runs' | 'calls'>): AgentFigures =>
  agent.runs.count > 0 ? agent.runs : agent.calls;

/** Share of failed spans, 0 to 1; null of none. */
export const errorRate = (figures: Pick<AgentFigures, 'count' | 'errors'>): number | null =>
  figures.count === 0 ? null : figures.errors / figures.count;

/** `0 %`, `1.2 %`, `<0.1 %`. */
export function formatRate(rate: number | null): string {
  if (rate === null) return '–';
  if (rate === 0) return '0 %';
  if (rate < 0.001) return '<0.1 %';
  return `${Number((rate * 100).toPrecision(3))} %`;
}
