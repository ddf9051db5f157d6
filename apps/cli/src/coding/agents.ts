import { AGENTS, agentNamed, type CodingAgent, foldersIn, lineFor } from '@candela/coding-agents';
import { UsageError } from '../command.ts';
import type { Paths } from './settings.ts';

/** The agents that words name; `all` or none: every one. @throws UsageError */
export function agentsOf(names: readonly string[]): readonly CodingAgent[] {
  if (names.length === 0 || names.includes('all')) return AGENTS;
  return names.map((name) => {
    const agent = agentNamed(name);
    if (agent !== undefined) return agent;
    throw new UsageError(
      `There is no coding agent "${name}". Known: ${AGENTS.map(({ id }) => id).join(', ')}.`,
    );
  });
}

/** The shell line of an agent's hooks on this machine. */
export function commandOf(agent: CodingAgent, { state }: Paths, program: readonly string[]) {
  return lineFor(agent.id, {
    spool: foldersIn(state).spool,
    drainer: [...program, 'coding', 'flush', '--background'],
  });
}
