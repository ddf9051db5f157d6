import type { CodingAgent } from '../../agent.ts';
import { editBetween } from '../../facts/lines.ts';
import { countAt, defined, field, objectOf, parseJson, textAt, timeAt } from '../../facts/read.ts';
import type { Fact, FileEdit, Mapped, ModelResponse } from '../../facts/types.ts';

const EVENTS = [
  'sessionStart',
  'sessionEnd',
  'userPromptSubmitted',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'agentStop',
  'subagentStart',
  'subagentStop',
];

function map(event: string, payload: unknown): Mapped | undefined {
  const sessionId = textAt(payload, 'sessionId');
  if (sessionId === undefined) return undefined;
  // A sub-agent works under an id of its own, and is a part of the session that started it.
  const envelope = defined({
    sessionId: textAt(payload, 'parentAgentId') ?? sessionId,
    agentId: event.startsWith('subagent') ? undefined : textAt(payload, 'agentId'),
    cwd: textAt(payload, 'cwd'),
    transcriptPath: textAt(payload, 'transcriptPath'),
    traceparent: textAt(payload, 'traceparent'),
  });
  return { envelope, facts: factsOf(event, payload) };
}

function factsOf(event: string, payload: unknown): Fact[] {
  const tool = textAt(payload, 'toolName') ?? 'unknown';
  const given = field(payload, 'toolArgs');
  const args = typeof given === 'string' ? (parseJson(given) ?? given) : given;
  const agentId = textAt(payload, 'agentId');
  switch (event) {
    case 'subagentStart':
    case 'subagentStop': {
      const agent = {
        agentId: agentId ?? '',
        agentType: textAt(payload, 'agentType', 'agentName') ?? 'task',
      };
      if (event === 'subagentStart') return [{ kind: 'subagent-start', ...agent }];
      return [defined({ kind: 'subagent-end' as const, ...agent, text: textAt(payload, 'response') })];
    }
    case 'sessionStart':
      return [defined({ kind: 'session-start' as const, source: textAt(payload, 'source') })];
    case 'sessionEnd':
      return [defined({ kind: 'session-end' as const, reason: textAt(payload, 'reason') })];
    // What a sub-agent is asked and where it stops is no turn of the person.
    case 'userPromptSubmitted':
      return agentId !== undefined
        ? []
        : [defined({ kind: 'prompt' as const, text: textAt(payload, 'prompt') })];
    case 'agentStop':
      return agentId !== undefined ? [] : [{ kind: 'turn-end' }];
    case 'preToolUse':
      return [{ kind: 'tool-start', callId: '', tool, args }];
    case 'postToolUse':
    case 'postToolUseFailure': {
      const output = textAt(field(payload, 'toolResult'), 'textResultForLlm') ?? '';
      // It says success for a command that failed; the text does not.
      const exit = /exited with exit code (\d{1,3})/.exec(output.slice(-300))?.[1];
      const failed = event === 'postToolUseFailure' ? (textAt(payload, 'error') ?? 'failed') : undefined;
      const error = failed ?? (exit !== undefined && exit !== '0' ? `exit code ${exit}` : undefined);
      return [
        defined({
          kind: 'tool-end' as const,
          callId: '',
          tool,
          args,
          result: output || undefined,
          error,
          edits: error === undefined ? editsOf(tool, args) : undefined,
          shell:
            tool === 'bash'
              ? {
                  command: textAt(args, 'command') ?? '',
                  output,
                  exitCode: Number(exit ?? (failed === undefined ? 0 : 1)),
                }
              : undefined,
        }),
      ];
    }
    default:
      return [{ kind: 'unknown', name: event }];
  }
}

function editsOf(tool: string, args: unknown): FileEdit[] | undefined {
  const path = textAt(args, 'path');
  if (path === undefined) return undefined;
  const after = textAt(args, 'file_text', 'new_str');
  if (tool === 'create') return [editBetween(path, '', after ?? '')];
  if (tool !== 'edit' && tool !== 'str_replace') return undefined;
  return [editBetween(path, textAt(args, 'old_str') ?? '', after ?? '')];
}

/** `~/.copilot/session-state/<id>/events.jsonl`. */
function read(lines: readonly string[]): ModelResponse[] {
  return lines.flatMap((line): ModelResponse[] => {
    const row = parseJson(line);
    if (textAt(row, 'type') !== 'session.usage_record') return [];
    const data = objectOf(field(row, 'data'));
    const usage = field(data, 'usage') ?? data;
    const messageId = textAt(data, 'apiCallId', 'responseId', 'id') ?? textAt(row, 'id');
    if (messageId === undefined) return [];
    const cacheRead = countAt(usage, 'cacheReadTokens');
    return [
      {
        kind: 'response',
        messageId,
        model: textAt(usage, 'model') ?? textAt(data, 'model') ?? 'unknown',
        // With a key of the user's own that vendor is paid, not GitHub.
        provider: (field(usage, 'isByok') === true && textAt(usage, 'providerType')) || 'github',
        input: countAt(usage, 'inputTokens'),
        cacheRead,
        cacheWrite: countAt(usage, 'cacheWriteTokens'),
        cacheWrite1h: 0,
        output: countAt(usage, 'outputTokens'),
        reasoning: countAt(usage, 'reasoningTokens'),
        endedAt: timeAt(row, 'timestamp') ?? 0,
        source: textAt(usage, 'initiator') === 'sub-agent' ? 'subagent' : 'main',
      },
    ];
  });
}

export const copilotCli: CodingAgent = {
  id: 'copilot-cli',
  title: 'Copilot CLI',
  aliases: ['copilot', 'github-copilot'],
  program: 'copilot',
  map,
  transcript: {
    roots: ['.copilot/session-state'],
    marks: ['session.usage_record'],
    read: (lines, state) => ({ responses: read(lines), state }),
    finish: () => undefined,
  },
  install: {
    path: '.copilot/hooks/candela.json',
    kind: 'own',
    entries: () => [],
    whole: (command) =>
      `${JSON.stringify(
        {
          version: 1,
          hooks: Object.fromEntries(
            EVENTS.map((event) => [
              event,
              [
                {
                  type: 'command',
                  bash: command(event),
                  powershell: command(event, undefined, 'powershell'),
                  timeoutSec: 5,
                },
              ],
            ]),
          ),
        },
        null,
        2,
      )}\n`,
  },
};
