/**
 * Claude Code's own traces: `claude_code.interaction`, `.llm_request`, `.tool` and what lies below them. Its usage is
 * named without a prefix, and its tools too.
 */
import { claudeCodeConversation } from '../content/claude-code.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { textOf } from '../facts/values.ts';
import type { Convention } from '../types.ts';

const readFields = compileFields(
  {
    inputTokens: ['input_tokens'],
    outputTokens: ['output_tokens'],
    cacheReadTokens: ['cache_read_tokens'],
    cacheWriteTokens: ['cache_creation_tokens'],
    firstTokenMs: ['ttft_ms'],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  GENERAL,
  {
    requestModel: ['model'],
    toolName: ['tool_name'],
    finishReason: ['stop_reason'],
    responseId: ['request_id'],
  },
);

const PREFIX = 'claude_code.';
const AGENT = 'claude-code';
const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['claude_code.interaction', 'invoke_agent'],
  ['claude_code.llm_request', 'chat'],
  ['claude_code.tool', 'execute_tool'],
]);

export const claudeCode: Convention = {
  id: 'claude-code',
  triggers: ['span.type'],
  detect: (span) => span.name.startsWith(PREFIX),
  facts(span) {
    const { attributes } = span;
    const fields = readFields(attributes);
    const operation = OPERATIONS.get(span.name);
    // Told only where tools are: which agent the tool that starts one was asked for.
    const started = operation === 'execute_tool' ? textOf(attributes.get('subagent_type')) : '';
    const error = errorTypeOf(span, fields);
    const failed = textOf(attributes.get('success')) === 'false';
    return buildFacts(
      fields,
      {
        convention: 'claude-code',
        operation:
          started === ''
            ? (operation ?? span.name.slice(PREFIX.length, PREFIX.length + 100))
            : 'invoke_agent',
        isModelCall: operation === 'chat',
        errorType: error === '' && failed ? '_OTHER' : error,
        inputIncludesCache: false,
        // What a tool waited for and its hooks are parts of its call, and no doings of the agent by themselves.
        agentName: started || textOf(fields.get('agentName')) || (operation === undefined ? '' : AGENT),
      },
      span,
    );
  },
  conversation: claudeCodeConversation,
};
