import type { AgentId } from '../agent.ts';

/** A recorded session in the shapes that the real program sent, with invented values. */
export interface Recorded {
  readonly agent: AgentId;
  readonly events: readonly (readonly [event: string, payload: object])[];
  /** Lines of its transcript and the folder below the home folder that it lies in. */
  readonly transcript?: { readonly path: string; readonly lines: readonly object[] };
  readonly expect: {
    readonly tools: readonly string[];
    readonly added: number;
    readonly removed: number;
    readonly decisions: readonly string[];
    readonly commits: number;
    /** Input, cache read, cache write, output, reasoning. */
    readonly tokens?: readonly [number, number, number, number, number];
    readonly ends: boolean;
  };
}

const COMMIT = 'git add -A && git -c user.name=t -c user.email=t@example.invalid commit -m "add hello"';
const OUTPUT = '[main 1a2b3c4] add hello\n 1 file changed, 2 insertions(+)';
const HELLO = 'print("hello")\nprint("world")\n';
const claudeUsage = {
  input_tokens: 11,
  cache_creation_input_tokens: 200,
  cache_read_input_tokens: 3000,
  cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: 50 },
  output_tokens: 42,
};
const claude = { session_id: 's-claude', cwd: '/w', prompt_id: 'p1', permission_mode: 'acceptEdits' };
const claudeLine = (n: number, at: number, content: object, usage: object = claudeUsage) => ({
  type: 'assistant',
  sessionId: 's-claude',
  requestId: `req_${n}`,
  timestamp: new Date(1_790_000_000_000 + at).toISOString(),
  message: { id: `msg_${n}`, model: 'claude-opus-5-5', content: [content], stop_reason: 'end_turn', usage },
});
const codex = {
  session_id: 's-codex',
  cwd: '/w',
  turn_id: 't1',
  model: 'gpt-5.6',
  permission_mode: 'bypassPermissions',
};
const gemini = { session_id: 's-gemini', cwd: '/w', timestamp: '2026-11-28T10:00:00Z' };
const copilot = { sessionId: 's-copilot', cwd: '/w', timestamp: 1_790_000_000_000 };
const cursor = {
  conversation_id: 's-cursor',
  generation_id: 'g1',
  workspace_roots: ['/w'],
  model: 'composer-2',
  user_email: 'ann@example.invalid',
};
const windsurf = { trajectory_id: 's-windsurf', execution_id: 'e1' };
const opencode = { sessionID: 's-opencode', cwd: '/w' };

export const SESSIONS: readonly Recorded[] = [
  {
    agent: 'claude-code',
    events: [
      ['SessionStart', { session_id: 's-claude', cwd: '/w', source: 'startup' }],
      ['UserPromptSubmit', { ...claude, prompt: 'write hello' }],
      [
        'PreToolUse',
        {
          ...claude,
          tool_name: 'Write',
          tool_use_id: 'c1',
          tool_input: { file_path: '/w/hello.py', content: HELLO },
        },
      ],
      [
        'PostToolUse',
        {
          ...claude,
          tool_name: 'Write',
          tool_use_id: 'c1',
          duration_ms: 12,
          tool_input: { file_path: '/w/hello.py', content: HELLO },
          tool_response: {
            type: 'create',
            filePath: '/w/hello.py',
            content: HELLO,
            structuredPatch: [],
            originalFile: null,
            userModified: false,
          },
        },
      ],
      ['PreToolUse', { ...claude, tool_name: 'Bash', tool_use_id: 'c2', tool_input: { command: COMMIT } }],
      [
        'PostToolUse',
        {
          ...claude,
          tool_name: 'Bash',
          tool_use_id: 'c2',
          duration_ms: 30,
          tool_input: { command: COMMIT },
          tool_response: {
            stdout: OUTPUT,
            stderr: '',
            gitOperation: { commit: { sha: '1a2b3c4', kind: 'committed', branch: 'main' } },
          },
        },
      ],
      [
        'PreToolUse',
        { ...claude, tool_name: 'Edit', tool_use_id: 'c3', tool_input: { file_path: '/w/hello.py' } },
      ],
      ['PermissionRequest', { ...claude, tool_name: 'Edit', tool_input: {} }],
      [
        'PostToolBatch',
        {
          ...claude,
          tool_calls: [
            {
              tool_name: 'Edit',
              tool_use_id: 'c3',
              tool_input: { file_path: '/w/hello.py' },
              tool_response: 'Permission to use Edit was denied.',
            },
          ],
        },
      ],
      ['Stop', { ...claude, last_assistant_message: 'Done.' }],
      ['SessionEnd', { ...claude, reason: 'other' }],
    ],
    transcript: {
      path: '.claude/projects/-w/s-claude.jsonl',
      lines: [
        { type: 'user', timestamp: new Date(1_790_000_000_000).toISOString() },
        claudeLine(1, 100, { type: 'text', text: 'I will.' }, { ...claudeUsage, output_tokens: 1 }),
        claudeLine(1, 200, { type: 'tool_use', name: 'Write' }),
        { type: 'api-request-shape', blob: 'x'.repeat(1000) },
        claudeLine(2, 300, { type: 'text', text: 'Done.' }),
      ],
    },
    expect: {
      tools: ['Write', 'Bash', 'Edit'],
      added: 2,
      removed: 0,
      decisions: ['auto_accepted', 'reject'],
      commits: 1,
      tokens: [2 * 3211, 6000, 400, 84, 0],
      ends: true,
    },
  },
  {
    agent: 'codex',
    events: [
      ['SessionStart', { ...codex, source: 'startup' }],
      ['UserPromptSubmit', { ...codex, prompt: 'write hello' }],
      [
        'PostToolUse',
        {
          ...codex,
          tool_name: 'apply_patch',
          tool_use_id: 'c1',
          tool_input: {
            command:
              '*** Begin Patch\n*** Add File: hello.py\n+print("hello")\n+print("world")\n*** End Patch\n',
          },
          tool_response: 'Success.',
        },
      ],
      ['PreToolUse', { ...codex, tool_name: 'Bash', tool_use_id: 'c2', tool_input: { command: COMMIT } }],
      [
        'PostToolUse',
        {
          ...codex,
          tool_name: 'Bash',
          tool_use_id: 'c2',
          tool_input: { command: COMMIT },
          tool_response: OUTPUT,
        },
      ],
      ['Stop', { ...codex, last_assistant_message: 'Done.' }],
      ['SessionEnd', { session_id: 's-codex', cwd: '/w', reason: 'other' }],
    ],
    transcript: {
      path: '.codex/sessions/2026/11/28/rollout-x.jsonl',
      lines: [
        {
          type: 'turn_context',
          timestamp: '2026-11-28T10:00:00Z',
          payload: { turn_id: 't1', model: 'gpt-5.6' },
        },
        ...[1, 1, 2].map((n) => ({
          type: 'event_msg',
          timestamp: '2026-11-28T10:00:01Z',
          payload: {
            type: 'token_usage_record',
            response_id: `resp_${n}`,
            turn_id: 't1',
            usage: {
              input_tokens: 5000,
              cached_input_tokens: 3000,
              output_tokens: 70,
              reasoning_output_tokens: 20,
            },
          },
        })),
      ],
    },
    expect: {
      tools: ['apply_patch', 'Bash'],
      added: 2,
      removed: 0,
      decisions: ['auto_accepted'],
      commits: 1,
      tokens: [10_000, 6000, 0, 140, 40],
      ends: true,
    },
  },
  {
    agent: 'gemini-cli',
    events: [
      ['SessionStart', { ...gemini, source: 'startup' }],
      ['BeforeAgent', { ...gemini, prompt: 'write hello' }],
      ['PreCompress', { ...gemini, trigger: 'auto' }],
      [
        'BeforeTool',
        { ...gemini, tool_name: 'write_file', tool_input: { file_path: 'hello.py', content: HELLO } },
      ],
      [
        'AfterTool',
        {
          ...gemini,
          tool_name: 'write_file',
          tool_input: { file_path: 'hello.py', content: HELLO },
          tool_response: {
            llmContent: 'ok',
            returnDisplay: {
              filePath: '/w/hello.py',
              originalContent: 'print("hello")\nold\n',
              newContent: HELLO,
            },
          },
        },
      ],
      ['BeforeTool', { ...gemini, tool_name: 'run_shell_command', tool_input: { command: COMMIT } }],
      [
        'AfterTool',
        {
          ...gemini,
          tool_name: 'run_shell_command',
          tool_input: { command: COMMIT },
          tool_response: { llmContent: OUTPUT, returnDisplay: OUTPUT },
        },
      ],
      ['AfterAgent', { ...gemini, prompt_response: 'Done.' }],
      ['SessionEnd', { ...gemini, reason: 'exit' }],
    ],
    transcript: {
      path: '.gemini/tmp/w/chats/session-1.jsonl',
      lines: [1, 2].map((n) => ({
        id: `m${n}`,
        type: 'gemini',
        model: 'gemini-2.5-flash',
        timestamp: '2026-11-28T10:00:01Z',
        tokens: { input: 5000, output: 50, cached: 3000, thoughts: 20, tool: 0, total: 5070 },
      })),
    },
    expect: {
      tools: ['write_file', 'run_shell_command'],
      added: 1,
      removed: 1,
      decisions: ['auto_accepted'],
      commits: 1,
      tokens: [10_000, 6000, 0, 140, 40],
      ends: true,
    },
  },
  {
    agent: 'copilot-cli',
    events: [
      ['sessionStart', { ...copilot, source: 'new' }],
      ['userPromptSubmitted', { ...copilot, prompt: 'write hello' }],
      ['preToolUse', { ...copilot, toolName: 'create', toolArgs: { path: '/w/hello.py', file_text: HELLO } }],
      [
        'postToolUse',
        {
          ...copilot,
          toolName: 'create',
          toolArgs: { path: '/w/hello.py', file_text: HELLO },
          toolResult: { resultType: 'success', textResultForLlm: 'ok' },
        },
      ],
      ['preToolUse', { ...copilot, toolName: 'bash', toolArgs: { command: COMMIT } }],
      [
        'postToolUse',
        {
          ...copilot,
          toolName: 'bash',
          toolArgs: { command: COMMIT },
          toolResult: { resultType: 'success', textResultForLlm: `${OUTPUT}\n<exited with exit code 0>` },
        },
      ],
      [
        'postToolUse',
        {
          ...copilot,
          toolName: 'bash',
          toolArgs: { command: 'git commit -m no' },
          toolResult: { resultType: 'success', textResultForLlm: 'nothing\n<exited with exit code 1>' },
        },
      ],
      ['agentStop', { ...copilot, stopReason: 'end_turn' }],
      ['sessionEnd', { ...copilot, reason: 'complete' }],
    ],
    transcript: {
      path: '.copilot/session-state/s-copilot/events.jsonl',
      lines: ['user', 'sub-agent'].map((initiator, n) => ({
        id: `u${n}`,
        type: 'session.usage_record',
        timestamp: '2026-11-28T10:00:01Z',
        data: {
          usage: {
            model: 'gpt-5.2',
            inputTokens: 4040,
            cacheReadTokens: 3035,
            cacheWriteTokens: 0,
            outputTokens: 75,
            reasoningTokens: 20,
            initiator,
            isByok: true,
            providerType: 'openai',
          },
        },
      })),
    },
    expect: {
      tools: ['create', 'bash', 'bash'],
      added: 2,
      removed: 0,
      decisions: ['auto_accepted'],
      commits: 1,
      tokens: [8080, 6070, 0, 150, 40],
      ends: true,
    },
  },
  {
    agent: 'cursor',
    events: [
      ['sessionStart', cursor],
      ['beforeSubmitPrompt', { ...cursor, prompt: 'write hello' }],
      [
        'afterFileEdit',
        {
          ...cursor,
          file_path: '/w/hello.py',
          edits: [{ old_string: 'a\nb\n', new_string: 'a\nprint(1)\nd\n' }],
        },
      ],
      [
        'postToolUse',
        {
          ...cursor,
          tool_name: 'Shell',
          tool_use_id: 'c1',
          tool_input: { command: COMMIT },
          tool_output: OUTPUT,
          duration: 20,
        },
      ],
      ['afterShellExecution', { ...cursor, command: COMMIT, output: OUTPUT, duration: 20 }],
      [
        'stop',
        {
          ...cursor,
          status: 'completed',
          input_tokens: 5000,
          output_tokens: 70,
          cache_read_tokens: 3000,
          cache_write_tokens: 0,
        },
      ],
      ['sessionEnd', { ...cursor, reason: 'completed' }],
    ],
    expect: {
      tools: ['edit', 'Shell'],
      added: 2,
      removed: 1,
      decisions: ['auto_accepted'],
      commits: 1,
      tokens: [5000, 3000, 0, 70, 0],
      ends: true,
    },
  },
  {
    agent: 'windsurf',
    events: [
      ['pre_user_prompt', { ...windsurf, timestamp: '1', tool_info: { user_prompt: 'write hello' } }],
      [
        'post_write_code',
        {
          ...windsurf,
          timestamp: '2',
          tool_info: { file_path: '/w/hello.py', edits: [{ old_string: '', new_string: HELLO }] },
        },
      ],
      [
        'post_run_command',
        {
          ...windsurf,
          timestamp: '3',
          tool_info: { command_line: COMMIT, cwd: '/w', exit_code: 0, output: OUTPUT },
        },
      ],
      ['post_cascade_response', { ...windsurf, timestamp: '4', tool_info: { response: 'Done.' } }],
    ],
    expect: {
      tools: ['write_code', 'run_command'],
      added: 2,
      removed: 0,
      decisions: ['auto_accepted'],
      commits: 1,
      ends: false,
    },
  },
  {
    agent: 'opencode',
    events: [
      ['session.created', opencode],
      ['chat.message', { ...opencode, text: 'write hello' }],
      [
        'tool.execute.before',
        { ...opencode, tool: 'write', callID: 'c1', args: { filePath: '/w/hello.py', content: HELLO } },
      ],
      [
        'tool.execute.after',
        {
          ...opencode,
          tool: 'write',
          callID: 'c1',
          args: { filePath: '/w/hello.py', content: HELLO },
          output: 'ok',
          metadata: {},
        },
      ],
      [
        'tool.execute.after',
        {
          ...opencode,
          tool: 'bash',
          callID: 'c2',
          args: { command: COMMIT },
          output: OUTPUT,
          metadata: { exit: 0 },
        },
      ],
      [
        'message.completed',
        {
          ...opencode,
          id: 'm1',
          modelID: 'fake',
          providerID: 'lab',
          tokens: { input: 2000, output: 50, reasoning: 20, cache: { read: 3000, write: 0 } },
          time: { created: 1, completed: 2 },
        },
      ],
      ['session.idle', opencode],
    ],
    expect: {
      tools: ['write', 'bash'],
      added: 2,
      removed: 0,
      decisions: ['auto_accepted'],
      commits: 1,
      tokens: [5000, 3000, 0, 70, 20],
      ends: false,
    },
  },
];
