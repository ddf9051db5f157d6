import type { CodingAgent } from '../agent.ts';
import { claudeCode } from './claude-code/index.ts';
import { codex } from './codex/index.ts';
import { copilotCli } from './copilot-cli/index.ts';
import { cursor } from './cursor/index.ts';
import { geminiCli } from './gemini-cli/index.ts';
import { opencode } from './opencode/index.ts';
import { windsurf } from './windsurf/index.ts';

/** Every coding agent; the registry. */
export const AGENTS: readonly CodingAgent[] = [
  claudeCode,
  cursor,
  codex,
  windsurf,
  geminiCli,
  copilotCli,
  opencode,
];

/** The agent of an id or another name that people type. */
export function agentNamed(name: string): CodingAgent | undefined {
  const asked = name.toLowerCase();
  return AGENTS.find(({ id, aliases }) => id === asked || aliases.includes(asked));
}
