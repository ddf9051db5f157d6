import type { Transcript, TranscriptState } from '../../agent.ts';
import { countAt, defined, field, parseJson, textAt, timeAt } from '../../facts/read.ts';
import type { ModelResponse } from '../../facts/types.ts';

/** `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`: one `token_usage_record` a response, in total counts with the cached ones in them. */
export const transcript: Transcript = {
  roots: ['.codex/sessions'],
  marks: ['token_usage_record', 'turn_context', 'session_meta'],
  read(lines, from) {
    let state: TranscriptState = from;
    const responses: ModelResponse[] = [];
    for (const line of lines) {
      const row = parseJson(line);
      const payload = field(row, 'payload');
      const at = timeAt(row, 'timestamp');
      const model = textAt(payload, 'model');
      if (model !== undefined) state = { ...state, model };
      const record = textAt(row, 'type') === 'token_usage_record' ? (payload ?? row) : payload;
      const kind = textAt(record, 'type');
      if (textAt(row, 'type') !== 'token_usage_record' && kind !== 'token_usage_record') continue;
      const usage = field(record, 'usage');
      const messageId = textAt(record, 'response_id');
      if (messageId === undefined || usage === undefined) continue;
      const input = countAt(usage, 'input_tokens');
      responses.push(
        defined({
          kind: 'response' as const,
          messageId,
          requestId: messageId,
          model: textAt(record, 'model') ?? state.model ?? 'unknown',
          provider: 'openai',
          input,
          cacheRead: countAt(usage, 'cached_input_tokens'),
          cacheWrite: countAt(usage, 'cache_write_input_tokens'),
          cacheWrite1h: 0,
          output: countAt(usage, 'output_tokens'),
          reasoning: countAt(usage, 'reasoning_output_tokens'),
          startedAt: state.before,
          endedAt: at ?? state.before ?? 0,
          source: 'main' as const,
        }),
      );
      state = defined({ ...state, before: at ?? state.before });
    }
    return { responses, state };
  },
  finish: () => undefined,
};
