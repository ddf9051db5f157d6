import type { CodingAgent } from '../../agent.ts';
import { editBetween } from '../../facts/lines.ts';
import { countAt, defined, field, listOf, numberAt, parseJson, textAt } from '../../facts/read.ts';
import type { Fact, Mapped } from '../../facts/types.ts';
import { digest } from '../../session/ids.ts';

/** Only names that Cursor knows: one that it does not makes it refuse the whole file. No hook that can block but the prompt's. */
const EVENTS = [
  'sessionStart',
  'sessionEnd',
  'beforeSubmitPrompt',
  'afterAgentResponse',
  'postToolUse',
  'postToolUseFailure',
  'afterShellExecution',
  'afterFileEdit',
  'subagentStart',
  'subagentStop',
  'preCompact',
  'stop',
];

function map(event: string, payload: unknown): Mapped | undefined {
  const sessionId = textAt(payload, 'conversation_id', 'session_id');
  if (sessionId === undefined) return undefined;
  const roots = listOf(field(payload, 'workspace_roots'));
  const envelope = defined({
    sessionId,
    cwd: textAt(payload, 'cwd') ?? (typeof roots[0] === 'string' ? roots[0] : undefined),
    turnId: textAt(payload, 'generation_id'),
    permissionMode: textAt(payload, 'composer_mode'),
    model: textAt(payload, 'model'),
    user: textAt(payload, 'user_email'),
    version: textAt(payload, 'cursor_version'),
  });
  return { envelope, facts: factsOf(event, payload) };
}

function factsOf(event: string, payload: unknown): Fact[] {
  const callId = textAt(payload, 'tool_use_id') ?? '';
  const tool = textAt(payload, 'tool_name') ?? 'unknown';
  const args = field(payload, 'tool_input');
  switch (event) {
    case 'sessionStart':
      return [{ kind: 'session-start' }];
    case 'sessionEnd':
      return [defined({ kind: 'session-end' as const, reason: textAt(payload, 'reason', 'final_status') })];
    case 'beforeSubmitPrompt':
      return [defined({ kind: 'prompt' as const, text: textAt(payload, 'prompt') })];
    case 'stop':
    case 'afterAgentResponse':
      return [...responseOf(event, payload), ...(event === 'stop' ? [turnEnd(payload)] : [])];
    case 'postToolUse':
    case 'postToolUseFailure': {
      const failure = textAt(payload, 'error_message', 'failure_type') ?? 'failed';
      const command = /^(?:shell|bash|run_terminal_cmd|terminal)$/i.test(tool)
        ? textAt(args, 'command')
        : undefined;
      const output = textAt(payload, 'tool_output') ?? '';
      const exit = numberAt(parseJson(output), 'exitCode', 'exit_code');
      return [
        defined({
          kind: 'tool-end' as const,
          callId,
          tool,
          args,
          result: field(payload, 'tool_output'),
          error: event === 'postToolUse' ? undefined : failure,
          interrupted: field(payload, 'is_interrupt') === true ? true : undefined,
          durationMs: numberAt(payload, 'duration'),
          shell:
            command === undefined
              ? undefined
              : defined({ command, output, exitCode: event === 'postToolUse' ? (exit ?? 0) : 1 }),
          mcpServer: /^MCP:(.{1,100})/.exec(tool)?.[1],
        }),
      ];
    }
    // Tells of a call that `postToolUse` counts.
    case 'afterShellExecution':
      return [];
    case 'afterFileEdit': {
      const path = textAt(payload, 'file_path') ?? '';
      const edits = listOf(field(payload, 'edits')).map((edit) =>
        editBetween(path, textAt(edit, 'old_string') ?? '', textAt(edit, 'new_string') ?? ''),
      );
      // It names no call. The id holds no path: ids are sent in every mode.
      const id = digest(
        'edit',
        textAt(payload, 'generation_id') ?? '',
        path,
        JSON.stringify(field(payload, 'edits') ?? ''),
      ).slice(0, 32);
      return [{ kind: 'tool-end', callId: id, tool: 'edit', edits }];
    }
    case 'subagentStart':
    case 'subagentStop': {
      const agent = {
        agentId: textAt(payload, 'subagent_id') ?? '',
        agentType: textAt(payload, 'subagent_type') ?? 'agent',
      };
      if (event === 'subagentStart')
        return [
          defined({ kind: 'subagent-start' as const, ...agent, callId: textAt(payload, 'tool_call_id') }),
        ];
      return [defined({ kind: 'subagent-end' as const, ...agent, text: textAt(payload, 'summary') })];
    }
    case 'preCompact':
      return [{ kind: 'compaction', trigger: textAt(payload, 'trigger') ?? 'auto' }];
    default:
      return [{ kind: 'unknown', name: event }];
  }
}

function turnEnd(payload: unknown): Fact {
  const status = textAt(payload, 'status');
  return status === 'error' ? { kind: 'turn-end', error: 'error' } : { kind: 'turn-end' };
}

/** `stop` has the counts of the whole turn; other events of the turn that have them too say the same again. */
function responseOf(event: string, payload: unknown): Fact[] {
  const input = numberAt(payload, 'input_tokens');
  const turn = textAt(payload, 'generation_id');
  if (event !== 'stop' || input === undefined || turn === undefined) return [];
  return [
    {
      kind: 'response',
      messageId: turn,
      requestId: turn,
      model: textAt(payload, 'model') ?? 'unknown',
      provider: textAt(payload, 'provider') ?? 'cursor',
      input: Math.round(input),
      cacheRead: countAt(payload, 'cache_read_tokens'),
      cacheWrite: countAt(payload, 'cache_write_tokens'),
      cacheWrite1h: 0,
      output: countAt(payload, 'output_tokens'),
      reasoning: 0,
      endedAt: 0,
      source: 'main',
    },
  ];
}

export const cursor: CodingAgent = {
  id: 'cursor',
  title: 'Cursor',
  aliases: ['cursor-agent'],
  program: 'cursor',
  map,
  install: {
    path: '.cursor/hooks.json',
    kind: 'json',
    entries: (command) => [
      { path: ['version'], value: 1, set: true },
      ...EVENTS.map((event) => ({
        path: ['hooks', event],
        value: {
          command: command(event, event === 'beforeSubmitPrompt' ? '{"continue":true}' : undefined),
          timeout: 5,
        },
      })),
    ],
  },
};
