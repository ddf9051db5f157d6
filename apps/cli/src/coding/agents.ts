import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
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

/** The command line as one file. */
const SINGLE_FILE = /[\\/]candela\.mjs$/;

/**
 * Words that start the drainer. The single file is copied beside the spool: what npx unpacked is gone some day, a download is moved, and
 * an agent that trusts a line by its text asks again when it changes.
 */
export function drainerOf({ state }: Paths, program: readonly string[], write: boolean): readonly string[] {
  const [node = '', file = ''] = program;
  if (!SINGLE_FILE.test(file)) return program;
  const own = join(state, 'candela.mjs');
  if (write && own !== file) {
    const beside = `${own}.${process.pid}`;
    copyFileSync(file, beside);
    renameSync(beside, own);
  }
  return [node, own];
}

/** The shell line of an agent's hooks on this machine. */
export function commandOf(agent: CodingAgent, { state }: Paths, program: readonly string[]) {
  return lineFor(agent.id, {
    spool: foldersIn(state).spool,
    drainer: [...program, 'coding', 'flush', '--background'],
  });
}
