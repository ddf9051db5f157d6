/** Anthropic's messages, whole and streamed. Its input count leaves the cached part out. */
import { answer, type ScriptedAnswer } from './answer.ts';
import { type Json, lastPrompt, recordsOf, textOf } from './json.ts';
import { nextId, type Reply } from './reply.ts';

export function anthropicMessage(body: Json, scripted?: ScriptedAnswer): Reply {
  const messages = recordsOf(body['messages']);
  const model = textOf(body['model']);
  const given = answer(
    {
      model,
      prompt: lastPrompt(messages),
      toolNames: recordsOf(body['tools']).map((tool) => textOf(tool['name'])),
      hasToolResult: messages.some((message) =>
        recordsOf(message['content']).some((block) => block['type'] === 'tool_result'),
      ),
    },
    scripted,
  );
  const { usage, toolCall } = given;
  const block =
    toolCall === undefined
      ? { type: 'text', text: given.text }
      : {
          type: 'tool_use',
          id: toolCall.id,
          name: toolCall.name,
          input: JSON.parse(toolCall.arguments) as unknown,
        };
  const stop = toolCall === undefined ? 'end_turn' : 'tool_use';
  const input = {
    input_tokens: usage.input - usage.cached - usage.cacheWrite,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: usage.cacheWrite,
    service_tier: 'standard',
  };
  const message = { id: nextId('msg'), type: 'message', role: 'assistant', model, stop_sequence: null };
  if (body['stream'] !== true) {
    return {
      kind: 'json',
      status: 200,
      body: {
        ...message,
        content: [block],
        stop_reason: stop,
        usage: { ...input, output_tokens: usage.output },
      },
    };
  }
  const deltas =
    toolCall === undefined
      ? given.text.split(/(?<= )/).map((text) => ({ type: 'text_delta', text }))
      : [{ type: 'input_json_delta', partial_json: toolCall.arguments }];
  const opened = toolCall === undefined ? { ...block, text: '' } : { ...block, input: {} };
  const events: (Json & { type: string })[] = [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: opened },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: usage.output },
    },
    { type: 'message_stop' },
  ];
  return { kind: 'events', events: events.map((data) => ({ event: data.type, data })) };
}
