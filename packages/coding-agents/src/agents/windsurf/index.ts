import type { CodingAgent } from '../../agent.ts';
import { editBetween } from '../../facts/lines.ts';
import { defined, field, listOf, numberAt, textAt } from '../../facts/read.ts';
import type { Fact, Mapped } from '../../facts/types.ts';

/** What was done, and the prompt; no other hook that can block. */
const EVENTS = [
  'pre_user_prompt',
  'post_cascade_response',
  'post_read_code',
  'post_write_code',
  'post_run_command',
  'post_mcp_tool_use',
];

function map(event: string, payload: unknown): Mapped | undefined {
  const sessionId = textAt(payload, 'trajectory_id');
  if (sessionId === undefined) return undefined;
  const info = field(payload, 'tool_info');
  const envelope = defined({
    sessionId,
    cwd: textAt(info, 'cwd'),
    turnId: textAt(payload, 'execution_id'),
    model: textAt(payload, 'model_name'),
  });
  return { envelope, facts: factsOf(event, payload, info) };
}

function factsOf(event: string, payload: unknown, info: unknown): Fact[] {
  // It names no calls: what it says makes one.
  const at = textAt(payload, 'timestamp') ?? '';
  const call = (tool: string) => ({
    callId: `${textAt(payload, 'execution_id') ?? ''}:${event}:${at}`,
    tool,
    args: info,
  });
  switch (event) {
    case 'pre_user_prompt':
      return [defined({ kind: 'prompt' as const, text: textAt(info, 'user_prompt') })];
    case 'post_cascade_response':
      return [defined({ kind: 'turn-end' as const, text: textAt(info, 'response') })];
    case 'post_read_code':
      return [{ kind: 'tool-end', ...call('read_code') }];
    case 'post_write_code': {
      const path = textAt(info, 'file_path') ?? '';
      const edits = listOf(field(info, 'edits')).map((edit) =>
        editBetween(path, textAt(edit, 'old_string') ?? '', textAt(edit, 'new_string') ?? ''),
      );
      return [{ kind: 'tool-end', ...call('write_code'), edits }];
    }
    case 'post_run_command': {
      const exitCode = numberAt(info, 'exit_code');
      const output = textAt(info, 'output') ?? '';
      return [
        defined({
          kind: 'tool-end' as const,
          ...call('run_command'),
          result: output || undefined,
          error: exitCode !== undefined && exitCode !== 0 ? `exit code ${exitCode}` : undefined,
          shell: defined({ command: textAt(info, 'command_line') ?? '', output, exitCode }),
        }),
      ];
    }
    case 'post_mcp_tool_use':
      return [
        defined({
          kind: 'tool-end' as const,
          ...call(textAt(info, 'mcp_tool_name') ?? 'mcp'),
          result: field(info, 'mcp_result'),
          mcpServer: textAt(info, 'mcp_server_name'),
        }),
      ];
    default:
      return [{ kind: 'unknown', name: event }];
  }
}

export const windsurf: CodingAgent = {
  id: 'windsurf',
  title: 'Windsurf',
  aliases: ['cascade'],
  program: 'windsurf',
  endsWithTurn: true,
  map,
  install: {
    path: '.codeium/windsurf/hooks.json',
    kind: 'json',
    entries: (command) =>
      EVENTS.map((event) => ({
        path: ['hooks', event],
        value: {
          command: command(event),
          powershell: command(event, undefined, 'powershell'),
          show_output: false,
        },
      })),
  },
};
