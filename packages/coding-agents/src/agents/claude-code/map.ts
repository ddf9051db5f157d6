import { hunkText, lineCount } from '../../facts/lines.ts';
import { countAt, defined, field, listOf, numberAt, objectOf, textAt } from '../../facts/read.ts';
import type { Envelope, Fact, FileEdit, Mapped, ToolEnd } from '../../facts/types.ts';

const EDITS = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

/** Claude Code 2.1: hook payloads, told apart by the event's name. */
export function map(event: string, payload: unknown): Mapped | undefined {
  const sessionId = textAt(payload, 'session_id');
  if (sessionId === undefined) return undefined;
  return { envelope: envelopeOf(sessionId, payload), facts: factsOf(event, payload) };
}

function envelopeOf(sessionId: string, payload: unknown): Envelope {
  return defined({
    sessionId,
    cwd: textAt(payload, 'cwd'),
    // Sub-agents write a file of their own.
    transcriptPath: textAt(payload, 'agent_transcript_path', 'transcript_path'),
    turnId: textAt(payload, 'prompt_id'),
    permissionMode: textAt(payload, 'permission_mode'),
    model: textAt(payload, 'model'),
    agentId: textAt(payload, 'agent_id'),
  });
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
    case 'StopFailure':
      return [{ kind: 'turn-end', error: textAt(payload, 'error_type', 'error') ?? 'error' }];
    case 'PreToolUse':
      return [{ kind: 'tool-start', callId, tool, args }];
    case 'PermissionRequest':
      return [{ kind: 'permission-request', callId, tool }];
    case 'PermissionDenied':
      return [{ kind: 'tool-denied', callId, tool, args, source: 'user_interactive' }];
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return [toolEnd(event, payload)];
    case 'PostToolBatch':
      // A call that was refused is in the batch and has no event of its own.
      return listOf(field(payload, 'tool_calls')).flatMap((call): Fact[] => {
        const text = textAt(call, 'tool_response') ?? '';
        if (!/permission|denied|rejected|doesn't want to proceed/i.test(text.slice(0, 500))) return [];
        return [
          {
            kind: 'tool-denied',
            callId: textAt(call, 'tool_use_id') ?? '',
            tool: textAt(call, 'tool_name') ?? 'unknown',
            args: field(call, 'tool_input'),
            source: 'config',
          },
        ];
      });
    case 'SubagentStart':
    case 'SubagentStop': {
      const agent = {
        agentId: textAt(payload, 'agent_id') ?? '',
        agentType: textAt(payload, 'agent_type') ?? 'agent',
      };
      if (event === 'SubagentStart') return [{ kind: 'subagent-start', ...agent }];
      return [
        defined({ kind: 'subagent-end' as const, ...agent, text: textAt(payload, 'last_assistant_message') }),
      ];
    }
    case 'PreCompact':
      return [{ kind: 'compaction', trigger: textAt(payload, 'trigger') ?? 'auto' }];
    default:
      return [{ kind: 'unknown', name: event }];
  }
}

function toolEnd(event: string, payload: unknown): ToolEnd {
  const tool = textAt(payload, 'tool_name') ?? 'unknown';
  const args = field(payload, 'tool_input');
  const result = field(payload, 'tool_response');
  const failed = event === 'PostToolUseFailure';
  const error = failed ? (textAt(payload, 'error') ?? 'failed') : undefined;
  const command = tool === 'Bash' ? textAt(args, 'command') : undefined;
  const exitCode = Number(/^Exit code (\d{1,3})/.exec(error ?? '')?.[1] ?? (failed ? 1 : 0));
  const commit = field(field(result, 'gitOperation'), 'commit');
  const sha = textAt(commit, 'sha');
  return defined({
    kind: 'tool-end' as const,
    callId: textAt(payload, 'tool_use_id') ?? '',
    tool,
    args,
    result,
    error,
    interrupted: field(payload, 'is_interrupt') === true ? true : undefined,
    durationMs: numberAt(payload, 'duration_ms'),
    edits: !failed && EDITS.has(tool) ? editsOf(args, result) : undefined,
    shell:
      command === undefined
        ? undefined
        : {
            command,
            output: `${textAt(result, 'stdout') ?? ''}\n${textAt(result, 'stderr') ?? ''}`,
            exitCode,
          },
    commits:
      sha === undefined
        ? undefined
        : [
            defined({
              sha,
              amend: textAt(commit, 'kind') === 'amend' || textAt(commit, 'kind') === 'amended',
              branch: textAt(commit, 'branch'),
            }),
          ],
    mcpServer: /^mcp__(.{1,100}?)__/.exec(tool)?.[1],
  });
}

function editsOf(args: unknown, result: unknown): FileEdit[] | undefined {
  const path = textAt(result, 'filePath') ?? textAt(args, 'file_path', 'notebook_path');
  if (path === undefined) return undefined;
  const modified = field(result, 'userModified') === true;
  const hunks = listOf(field(result, 'structuredPatch')).map((hunk) => ({
    oldStart: countAt(hunk, 'oldStart'),
    oldLines: countAt(hunk, 'oldLines'),
    newStart: countAt(hunk, 'newStart'),
    newLines: countAt(hunk, 'newLines'),
    lines: listOf(field(objectOf(hunk), 'lines')).filter((line): line is string => typeof line === 'string'),
  }));
  if (hunks.length === 0 && textAt(result, 'type') === 'create') {
    const content = textAt(result, 'content') ?? textAt(args, 'content') ?? '';
    const lines = content.replace(/\n$/, '').split('\n');
    const diff = content === '' ? '' : lines.map((line) => `+${line}`).join('\n');
    return [{ path, added: lineCount(content), removed: 0, diff, modified }];
  }
  const all = hunks.flatMap(({ lines }) => lines);
  const added = all.filter((line) => line.startsWith('+')).length;
  const removed = all.filter((line) => line.startsWith('-')).length;
  return [{ path, added, removed, diff: hunks.map((hunk) => hunkText(hunk)).join('\n'), modified }];
}
