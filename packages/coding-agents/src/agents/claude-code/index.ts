import type { CodingAgent } from '../../agent.ts';
import { map } from './map.ts';
import { transcript } from './transcript.ts';

/** Never `WorktreeCreate`, whose output is an answer, nor `MessageDisplay`, one for each message as it streams. */
const EVENTS = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'PreCompact',
];

export const claudeCode: CodingAgent = {
  id: 'claude-code',
  title: 'Claude Code',
  aliases: ['claude', 'cc', 'claudecode', 'claude_code'],
  program: 'claude',
  map,
  transcript,
  install: {
    path: '.claude/settings.json',
    kind: 'json',
    entries: (command) =>
      EVENTS.map((event) => ({
        path: ['hooks', event],
        value: { hooks: [{ type: 'command', command: command(event), timeout: 5 }] },
      })),
  },
};
