import type { CodingAgent } from '../../agent.ts';
import { editBetween } from '../../facts/lines.ts';
import { countAt, defined, field, listOf, parseJson, textAt, timeAt } from '../../facts/read.ts';
import type { Fact, FileEdit, Mapped, ModelResponse } from '../../facts/types.ts';

const EVENTS = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'AfterAgent',
  'PreCompress',
  'SessionEnd',
];

function map(event: string, payload: unknown): Mapped | undefined {
  const sessionId = textAt(payload, 'session_id');
  if (sessionId === undefined) return undefined;
  const envelope = defined({
    sessionId,
    cwd: textAt(payload, 'cwd'),
    transcriptPath: textAt(payload, 'transcript_path'),
  });
  return { envelope, facts: factsOf(event, payload) };
}

function factsOf(event: string, payload: unknown): Fact[] {
  const tool = textAt(payload, 'tool_name') ?? 'unknown';
  const args = field(payload, 'tool_input');
  switch (event) {
    case 'SessionStart':
      return [defined({ kind: 'session-start' as const, source: textAt(payload, 'source') })];
    case 'SessionEnd':
      return [defined({ kind: 'session-end' as const, reason: textAt(payload, 'reason') })];
    case 'BeforeAgent':
      return [defined({ kind: 'prompt' as const, text: textAt(payload, 'prompt') })];
    case 'AfterAgent':
      return [defined({ kind: 'turn-end' as const, text: textAt(payload, 'prompt_response') })];
    case 'PreCompress': {
      // Automatic ones come before every call, whether there is something to compress or not.
      const trigger = textAt(payload, 'trigger');
      return trigger === 'manual' ? [{ kind: 'compaction', trigger }] : [];
    }
    // Calls have no id: the two events of one agree in what was asked.
    case 'BeforeTool':
      return [{ kind: 'tool-start', callId: '', tool, args }];
    case 'AfterTool': {
      const response = field(payload, 'tool_response');
      const shown = field(response, 'returnDisplay');
      const text = textAt(response, 'llmContent') ?? '';
      const exit = /^Exit Code: (\d{1,3})/m.exec(text)?.[1];
      const error =
        textAt(field(response, 'error'), 'message') ??
        (exit !== undefined && exit !== '0' ? `exit code ${exit}` : undefined);
      return [
        defined({
          kind: 'tool-end' as const,
          callId: '',
          tool,
          args,
          result: text || undefined,
          error,
          edits: error === undefined ? editsOf(shown) : undefined,
          shell:
            tool === 'run_shell_command'
              ? {
                  command: textAt(args, 'command') ?? '',
                  output: text,
                  exitCode: Number(exit ?? (error === undefined ? 0 : 1)),
                }
              : undefined,
        }),
      ];
    }
    default:
      return [{ kind: 'unknown', name: event }];
  }
}

function editsOf(shown: unknown): FileEdit[] | undefined {
  const path = textAt(shown, 'filePath', 'fileName');
  const after = field(shown, 'newContent');
  if (path === undefined || typeof after !== 'string') return undefined;
  return [editBetween(path, textAt(shown, 'originalContent') ?? '', after)];
}

/** `~/.gemini/tmp/<project>/chats/session-*.jsonl`: the counts that the hooks leave out. Input holds the cached ones, thoughts are beside output. */
function read(lines: readonly string[]): ModelResponse[] {
  return lines.flatMap((line): ModelResponse[] => {
    const row = parseJson(line);
    const tokens = field(row, 'tokens');
    const messageId = textAt(row, 'id');
    if (messageId === undefined || tokens === undefined) return [];
    const reasoning = countAt(tokens, 'thoughts');
    return [
      {
        kind: 'response',
        messageId,
        model: textAt(row, 'model') ?? 'unknown',
        provider: 'gcp.gemini',
        input: countAt(tokens, 'input') + countAt(tokens, 'tool'),
        cacheRead: countAt(tokens, 'cached'),
        cacheWrite: 0,
        cacheWrite1h: 0,
        output: countAt(tokens, 'output') + reasoning,
        reasoning,
        endedAt: timeAt(row, 'timestamp') ?? 0,
        ...(listOf(field(row, 'toolCalls')).length > 0 ? { stopReason: 'tool_use' } : {}),
        source: 'main',
      },
    ];
  });
}

export const geminiCli: CodingAgent = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  aliases: ['gemini'],
  program: 'gemini',
  map,
  transcript: {
    roots: ['.gemini/tmp'],
    marks: ['"tokens"'],
    read: (lines, state) => ({ responses: read(lines), state }),
    finish: () => undefined,
  },
  install: {
    path: '.gemini/settings.json',
    kind: 'json',
    entries: (command) =>
      EVENTS.map((event) => ({
        path: ['hooks', event],
        // Its timeouts are milliseconds.
        value: {
          hooks: [{ type: 'command', name: 'candela', command: command(event, '{}'), timeout: 5000 }],
        },
      })),
  },
};
