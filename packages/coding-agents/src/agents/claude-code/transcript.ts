import { countAt, defined, field, listOf, parseJson, textAt, timeAt } from '../../facts/read.ts';
import type { ModelResponse } from '../../facts/types.ts';
import type { Transcript, TranscriptState } from '../../agent.ts';

/**
 * `~/.claude/projects/<folder>/<session>.jsonl`, sub-agents in files of their own. Every content block is a line that
 * repeats the whole usage of its response, so a response is what the lines with its id say together.
 */
export const transcript: Transcript = {
  roots: ['.claude/projects'],
  marks: ['"type":"assistant"', '"type":"user"'],
  read(lines, from) {
    let state: TranscriptState = from;
    const responses: ModelResponse[] = [];
    for (const line of lines) {
      const row = parseJson(line);
      const type = textAt(row, 'type');
      const at = timeAt(row, 'timestamp');
      if (type === 'user') state = defined({ ...state, before: at ?? state.before });
      if (type !== 'assistant') continue;
      const next = responseOf(row, at ?? state.before ?? 0, state.before);
      if (next === undefined) continue;
      const { open } = state;
      if (open !== undefined && open.messageId === next.messageId && open.requestId === next.requestId) {
        state = { ...state, open: together(open, next) };
      } else {
        if (open !== undefined) responses.push(open);
        state = { ...state, open: next };
      }
    }
    return { responses, state };
  },
  finish: (state) => state.open,
};

/** The same response in a later line: streaming wrote less of it before. */
function together(open: ModelResponse, next: ModelResponse): ModelResponse {
  const more = next.output >= open.output ? next : open;
  return defined({
    ...more,
    startedAt: open.startedAt ?? next.startedAt,
    endedAt: Math.max(open.endedAt, next.endedAt),
    text: [open.text, next.text].filter((text) => text !== undefined && text !== '').join('\n') || undefined,
    stopReason: next.stopReason ?? open.stopReason,
  });
}

function responseOf(row: unknown, endedAt: number, before: number | undefined): ModelResponse | undefined {
  const message = field(row, 'message');
  const usage = field(message, 'usage');
  const messageId = textAt(message, 'id');
  const model = textAt(message, 'model');
  // The program's own notices have a model of this name and cost nothing.
  if (messageId === undefined || model === undefined || model === '<synthetic>' || typeof usage !== 'object')
    return undefined;
  const creation = field(usage, 'cache_creation');
  const cacheWrite1h = countAt(creation, 'ephemeral_1h_input_tokens');
  const cacheWrite = Math.max(
    countAt(usage, 'cache_creation_input_tokens'),
    cacheWrite1h + countAt(creation, 'ephemeral_5m_input_tokens'),
  );
  const cacheRead = countAt(usage, 'cache_read_input_tokens');
  const side = field(row, 'isSidechain') === true;
  return defined({
    kind: 'response' as const,
    messageId,
    requestId: textAt(row, 'requestId'),
    model,
    provider: 'anthropic',
    input: countAt(usage, 'input_tokens') + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWrite1h,
    output: countAt(usage, 'output_tokens'),
    reasoning:
      countAt(field(usage, 'output_tokens_details'), 'thinking_tokens') || countAt(usage, 'thinking_tokens'),
    startedAt: before,
    endedAt,
    text:
      listOf(field(message, 'content'))
        .flatMap((block) => (textAt(block, 'type') === 'text' ? [textAt(block, 'text') ?? ''] : []))
        .join('\n') || undefined,
    stopReason: textAt(message, 'stop_reason'),
    source: side ? ('subagent' as const) : ('main' as const),
    agentId: textAt(row, 'agentId'),
    serviceTier: textAt(usage, 'service_tier'),
  });
}
