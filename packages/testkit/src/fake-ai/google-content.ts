/** Google's generateContent, whole and streamed. Its output count leaves reasoning out. */
import { answer } from './answer.ts';
import { type Json, recordsOf, textOf } from './json.ts';
import { nextId, type Reply } from './reply.ts';

export function googleContent(body: Json): Reply {
  const contents = recordsOf(body['contents']);
  const model = textOf(body['model']);
  const asked = contents.filter(({ role }) => role === 'user').at(-1);
  const given = answer({
    model,
    prompt: recordsOf(asked?.['parts'])
      .map((part) => textOf(part['text']))
      .join('\n'),
    toolNames: [],
    hasToolResult: false,
  });
  const { usage } = given;
  const usageMetadata = {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.input + usage.output,
  };
  const responseId = nextId('resp');
  const part = (text: string, finishReason?: string) => ({
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [{ text }] },
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    modelVersion: model,
    responseId,
  });
  if (body['stream'] !== true) {
    return { kind: 'json', status: 200, body: { ...part(given.text, 'STOP'), usageMetadata } };
  }
  return {
    kind: 'events',
    events: [
      ...given.text.split(/(?<= )/).map((text) => ({ data: part(text) })),
      { data: { ...part('', 'STOP'), usageMetadata } },
    ],
  };
}
