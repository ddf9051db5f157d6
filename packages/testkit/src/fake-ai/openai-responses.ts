/** OpenAI's Responses API, whole and streamed. */
import { answer } from './answer.ts';
import { type Json, lastPrompt, recordsOf, textOf } from './json.ts';
import { resolved } from './openai-chat.ts';
import { nextId, type Reply } from './reply.ts';

export function modelResponse(body: Json): Reply {
  const items = recordsOf(body['input']);
  const model = textOf(body['model']);
  const given = answer({
    model,
    prompt: typeof body['input'] === 'string' ? body['input'] : lastPrompt(items),
    toolNames: recordsOf(body['tools']).map((tool) => textOf(tool['name'])),
    hasToolResult: items.some((item) => item['type'] === 'function_call_output'),
  });
  const { usage } = given;
  const item =
    given.toolCall === undefined
      ? {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: given.text, annotations: [], logprobs: [] }],
        }
      : {
          type: 'function_call',
          id: 'fc_1',
          status: 'completed',
          call_id: given.toolCall.id,
          name: given.toolCall.name,
          arguments: given.toolCall.arguments,
        };
  const response = {
    id: nextId('resp'),
    object: 'response',
    created_at: 1_760_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    model: resolved(model),
    output: [item],
    parallel_tool_calls: true,
    temperature: body['temperature'] ?? 1,
    top_p: 1,
    tool_choice: 'auto',
    tools: body['tools'] ?? [],
    service_tier: 'default',
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  };
  if (body['stream'] !== true) return { kind: 'json', status: 200, body: response };
  const started = { ...response, status: 'in_progress', output: [], usage: null };
  const events: object[] = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
  ];
  if (given.toolCall === undefined) {
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    events.push(
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      },
      {
        type: 'response.content_part.added',
        ...place,
        part: { type: 'output_text', text: '', annotations: [] },
      },
      ...given.text
        .split(/(?<= )/)
        .map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...place, text: given.text, logprobs: [] },
      {
        type: 'response.content_part.done',
        ...place,
        part: { type: 'output_text', text: given.text, annotations: [] },
      },
    );
  } else {
    const place = { item_id: 'fc_1', output_index: 0 };
    events.push(
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item, status: 'in_progress', arguments: '' },
      },
      { type: 'response.function_call_arguments.delta', ...place, delta: given.toolCall.arguments },
      { type: 'response.function_call_arguments.done', ...place, arguments: given.toolCall.arguments },
    );
  }
  events.push(
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  );
  return {
    kind: 'events',
    events: events.map((event, index) => ({
      event: String(Reflect.get(event, 'type')),
      data: { ...event, sequence_number: index },
    })),
  };
}
