import { z } from 'zod';
import type { LlmMessage } from './types.ts';

/** What an answer must look like, in the words of the prompt: many servers ignore a response format. */
export function schemaInstruction(schema: z.ZodType): LlmMessage {
  const text = JSON.stringify(z.toJSONSchema(schema));
  return {
    role: 'system',
    text: `Answer with one JSON value and nothing else: no prose, no code fence. It must match this JSON Schema:\n${text}`,
  };
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** The value in an answer: the first balanced object or list, also within a code fence or prose. */
export function parseStructured<T>(schema: z.ZodType<T>, answer: string): Parsed<T> {
  const text = firstJson(answer);
  if (text === undefined) return { ok: false, problem: 'There is no complete JSON value in the answer.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { ok: false, problem: `The JSON cannot be read: ${(thrown as Error).message.slice(0, 200)}` };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, problem: z.prettifyError(parsed.error).slice(0, 1_000) };
}

/** Finds where the first object or list ends, without being misled by brackets in texts. One pass. */
function firstJson(answer: string): string | undefined {
  const start = answer.search(/[[{]/);
  if (start < 0) return undefined;
  let depth = 0;
  let inText = false;
  for (let at = start; at < answer.length; at++) {
    const char = answer[at];
    if (inText) {
      if (char === '\\') at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return answer.slice(start, at + 1);
    }
  }
  return undefined;
}

/** What a model is told whose answer did not fit. */
export function repairMessages(answer: string, problem: string): LlmMessage[] {
  return [
    { role: 'assistant', text: answer.slice(0, 20_000) || '(no answer)' },
    { role: 'user', text: `That answer does not fit. ${problem}\nAnswer again, with the JSON value only.` },
  ];
}
