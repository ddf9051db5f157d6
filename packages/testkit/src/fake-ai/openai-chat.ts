/** OpenAI's chat completions, whole and streamed. */
import { type Answer, answer, type ScriptedAnswer } from './answer.ts';
import { isJson, type Json, lastPrompt, recordsOf, textOf } from './json.ts';
import { nextId, type Reply } from './reply.ts';

const CREATED = 1_760_000_000;

export function chatCompletion(body: Json, scripted?: ScriptedAnswer): Reply {
  const messages = recordsOf(body['messages']);
  const model = textOf(body['model']);
  const given = answer(
    {
      model,
      prompt: lastPrompt(messages),
      toolNames: recordsOf(body['tools']).map((tool) =>
        isJson(tool['function']) ? textOf(tool['function']['name']) : '',
      ),
      hasToolResult: messages.some((message) => message['role'] === 'tool'),
    },
    scripted,
  );
  const head = {
    id: nextId('chatcmpl'),
    created: CREATED,
    model: resolved(model),
    system_fingerprint: 'fp_1',
    service_tier: 'default',
  };
  const message = messageOf(given);
  const finish = given.toolCall === undefined ? 'stop' : 'tool_calls';
  if (body['stream'] !== true) {
    return {
      kind: 'json',
      status: 200,
      body: {
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
        usage: usageOf(given),
      },
    };
  }
  const chunk = (delta: object, reason: string | null = null): object => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const options = body['stream_options'];
  const wantsUsage = isJson(options) && options['include_usage'] === true;
  // Mistral says it with the end, without being asked.
  const saysUsage = model.startsWith('mistral-') ? { usage: usageOf(given) } : {};
  return {
    kind: 'events',
    events: [
      { data: chunk({ role: 'assistant', content: '' }) },
      ...(given.toolCall === undefined
        ? given.text.split(/(?<= )/).map((content) => ({ data: chunk({ content }) }))
        : [{ data: chunk({ tool_calls: [{ index: 0, ...callOf(given.toolCall) }] }) }]),
      { data: { ...chunk({}, finish), ...saysUsage } },
      ...(wantsUsage
        ? [{ data: { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(given) } }]
        : []),
      { data: '[DONE]' },
    ],
  };
}

/** OpenAI answers an alias with the dated model behind it. */
export const resolved = (model: string): string =>
  ({ 'gpt-4o-mini': 'gpt-4o-mini-2024-07-18', 'gpt-4o': 'gpt-4o-2024-08-06' })[model] ?? model;

const callOf = (call: NonNullable<Answer['toolCall']>): object => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
});

const messageOf = (given: Answer): object =>
  given.toolCall === undefined
    ? { role: 'assistant', content: given.text, refusal: null }
    : { role: 'assistant', content: null, refusal: null, tool_calls: [callOf(given.toolCall)] };

const usageOf = ({ usage }: Answer): object => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
});
