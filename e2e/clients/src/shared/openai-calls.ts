/** The same calls for every client that instruments OpenAI's SDK: plain, with a tool, streamed, failing, embeddings. */
import type { OpenAI } from 'openai';
import { MODEL, WEATHER_TOOL } from './client-env.ts';

const HI = { model: MODEL, messages: [{ role: 'user', content: 'hi' }] } as const;

/** The one plain call every client makes. */
export async function sayHi(client: OpenAI): Promise<string> {
  const answer = await client.chat.completions.create({ ...HI, messages: [...HI.messages] });
  return answer.choices[0]?.message.content ?? '';
}

export async function askForTool(client: OpenAI): Promise<void> {
  await client.chat.completions.create({ ...HI, messages: [...HI.messages], tools: [WEATHER_TOOL] });
}

export async function streamHi(client: OpenAI): Promise<void> {
  const stream = await client.chat.completions.create({
    ...HI,
    messages: [...HI.messages],
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) void chunk;
}

export async function failingCall(client: OpenAI): Promise<void> {
  await client.chat.completions
    .create({ ...HI, messages: [...HI.messages], model: 'boom' })
    .catch(() => undefined);
}

export async function embed(client: OpenAI): Promise<void> {
  await client.embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] });
}
