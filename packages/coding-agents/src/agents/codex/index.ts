import type { CodingAgent } from '../../agent.ts';
import { editsOfPatch } from '../../facts/lines.ts';
import { defined, field, textAt } from '../../facts/read.ts';
import type { Fact, Mapped } from '../../facts/types.ts';
import { transcript } from './transcript.ts';

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'];

function map(event: string, payload: unknown): Mapped | undefined {
  const sessionId = textAt(payload, 'session_id');
  if (sessionId === undefined) return undefined;
  const envelope = defined({
    sessionId,
    cwd: textAt(payload, 'cwd'),
    transcriptPath: textAt(payload, 'agent_transcript_path', 'transcript_path'),
    turnId: textAt(payload, 'turn_id'),
    permissionMode: textAt(payload, 'permission_mode', 'approval_mode'),
    model: textAt(payload, 'model'),
    agentId: textAt(payload, 'agent_id'),
  });
  return { envelope, facts: factsOf(event, payload) };
}

function factsOf(event: string, payload: unknown): Fact[] {
  const callId = textAt(payload, 'tool_use_id') ?? '';
  const tool = textAt(payload, 'tool_name') ?? 'unknown';
  const args = field(payload, 'tool_input');
  switch (event) {
    case 'SessionStart':
      return [defined({ kind: 'session-start' as const, source: textAt(payload, 'source') })];
    case 'SessionEnd':
      return [defined({ kind: 'session-end' as const, reason: textAt(payload, 'reason') })];
    case 'UserPromptSubmit':
      return [defined({ kind: 'prompt' as const, text: textAt(payload, 'prompt') })];
    case 'Stop':
      return [defined({ kind: 'turn-end' as const, text: textAt(payload, 'last_assistant_message') })];
    case 'PreToolUse':
      return [{ kind: 'tool-start', callId, tool, args }];
    case 'PostToolUse': {
      const result = field(payload, 'tool_response');
      const output = typeof result === 'string' ? result : JSON.stringify(result ?? '');
      const command = textAt(args, 'command') ?? '';
      const exit = /(?:exit code|exited with code)[: ]+(\d{1,3})/i.exec(output.slice(0, 2000))?.[1];
      const isPatch = tool === 'apply_patch';
      return [
        defined({
          kind: 'tool-end' as const,
          callId,
          tool,
          args,
          result,
          error: exit !== undefined && exit !== '0' ? `exit code ${exit}` : undefined,
          edits: isPatch ? editsOfPatch(textAt(args, 'command', 'input', 'patch') ?? '') : undefined,
          shell:
            tool === 'Bash' && command !== ''
              ? defined({ command, output, exitCode: exit === undefined ? undefined : Number(exit) })
              : undefined,
          mcpServer: /^mcp__(.{1,100}?)__/.exec(tool)?.[1],
        }),
      ];
    }
    default:
      return [{ kind: 'unknown', name: event }];
  }
}

export const codex: CodingAgent = {
  id: 'codex',
  title: 'Codex',
  aliases: ['codex-cli'],
  program: 'codex',
  map,
  transcript,
  install: {
    path: '.codex/hooks.json',
    kind: 'json',
    entries: (command) =>
      EVENTS.map((event) => ({
        path: ['hooks', event],
        // Codex holds a SessionEnd to three seconds and says so when more is asked for.
        value: { hooks: [{ type: 'command', command: command(event), timeout: 3 }] },
      })),
    afterwards: 'Codex skips hooks until you trust them: open /hooks in Codex and review them once.',
  },
};
