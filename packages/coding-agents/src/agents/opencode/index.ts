import type { CodingAgent } from '../../agent.ts';
import { editOfDiff, lineCount } from '../../facts/lines.ts';
import { countAt, defined, field, numberAt, textAt } from '../../facts/read.ts';
import type { Fact, FileEdit, Mapped } from '../../facts/types.ts';
import { pluginSource } from './plugin.ts';

/** What the plugin hands over: `{sessionID, cwd, ...}`, its own events as OpenCode's plugin interface has them. */
function map(event: string, payload: unknown): Mapped | undefined {
  const sessionId = textAt(payload, 'sessionID');
  if (sessionId === undefined) return undefined;
  const envelope = defined({ sessionId, cwd: textAt(payload, 'cwd'), agentId: textAt(payload, 'agentID') });
  return { envelope, facts: factsOf(event, payload) };
}

function factsOf(event: string, payload: unknown): Fact[] {
  const tool = textAt(payload, 'tool') ?? 'unknown';
  const callId = textAt(payload, 'callID') ?? '';
  const args = field(payload, 'args');
  switch (event) {
    case 'session.created':
      return [{ kind: 'session-start' }];
    case 'chat.message':
      return [defined({ kind: 'prompt' as const, text: textAt(payload, 'text') })];
    case 'session.idle':
      return [{ kind: 'turn-end' }];
    case 'subagent.created':
    case 'subagent.idle': {
      const agent = {
        agentId: textAt(payload, 'agentID') ?? '',
        agentType: /@([\w-]{1,64}) subagent/.exec(textAt(payload, 'title') ?? '')?.[1] ?? 'task',
      };
      return [{ kind: event === 'subagent.created' ? 'subagent-start' : 'subagent-end', ...agent }];
    }
    case 'session.compacted':
      return [{ kind: 'compaction', trigger: 'auto' }];
    case 'tool.execute.before':
      return [{ kind: 'tool-start', callId, tool, args }];
    case 'tool.execute.after': {
      const metadata = field(payload, 'metadata');
      const exitCode = numberAt(metadata, 'exit');
      const output = textAt(payload, 'output') ?? '';
      return [
        defined({
          kind: 'tool-end' as const,
          callId,
          tool,
          args,
          result: output || undefined,
          error: exitCode !== undefined && exitCode !== 0 ? `exit code ${exitCode}` : undefined,
          edits: editsOf(tool, args, metadata),
          shell:
            tool === 'bash'
              ? defined({ command: textAt(args, 'command') ?? '', output, exitCode })
              : undefined,
        }),
      ];
    }
    case 'message.completed': {
      const tokens = field(payload, 'tokens');
      const cache = field(tokens, 'cache');
      const cacheRead = countAt(cache, 'read');
      const cacheWrite = countAt(cache, 'write');
      const reasoning = countAt(tokens, 'reasoning');
      const messageId = textAt(payload, 'id') ?? '';
      const agentId = textAt(payload, 'agentID');
      // Its classes are disjoint.
      return [
        defined({
          kind: 'response' as const,
          messageId,
          requestId: messageId,
          model: textAt(payload, 'modelID') ?? 'unknown',
          provider: textAt(payload, 'providerID') ?? 'unknown',
          input: countAt(tokens, 'input') + cacheRead + cacheWrite,
          cacheRead,
          cacheWrite,
          cacheWrite1h: 0,
          output: countAt(tokens, 'output') + reasoning,
          reasoning,
          startedAt: numberAt(field(payload, 'time'), 'created'),
          endedAt: numberAt(field(payload, 'time'), 'completed') ?? 0,
          stopReason: textAt(payload, 'finish'),
          source: agentId === undefined ? ('main' as const) : ('subagent' as const),
          agentId,
        }),
      ];
    }
    default:
      return [{ kind: 'unknown', name: event }];
  }
}

function editsOf(tool: string, args: unknown, metadata: unknown): FileEdit[] | undefined {
  const path = textAt(args, 'filePath');
  const diff = textAt(metadata, 'diff');
  if (path === undefined) return undefined;
  if (diff !== undefined) return [editOfDiff(path, diff)];
  const content = tool === 'write' ? textAt(args, 'content') : undefined;
  return content === undefined ? undefined : [{ path, added: lineCount(content), removed: 0 }];
}

export const opencode: CodingAgent = {
  id: 'opencode',
  title: 'OpenCode',
  aliases: ['open-code'],
  program: 'opencode',
  endsWithTurn: true,
  map,
  install: {
    path: '.config/opencode/plugin/candela.js',
    kind: 'own',
    entries: () => [],
    whole: (command) => pluginSource(command('EVENT')),
  },
};
