/** What the fake models say: the same to the same question, whoever asks through whatever API. */

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Answer {
  readonly text: string;
  readonly toolCall: ToolCall | undefined;
  readonly usage: {
    readonly input: number;
    readonly cached: number;
    readonly cacheWrite: number;
    readonly output: number;
    readonly reasoning: number;
  };
}

/** One question, in no API's shape. */
export interface Question {
  readonly model: string;
  readonly prompt: string;
  readonly toolNames: readonly string[];
  readonly hasToolResult: boolean;
}

/** `hi` is answered with `Hello Ada`; with tools and no result yet, the first tool is called for Paris. */
export function answer(question: Question): Answer {
  const tool = question.hasToolResult ? undefined : question.toolNames[0];
  return {
    text: question.prompt === 'hi' ? 'Hello Ada' : `You said: ${question.prompt.slice(0, 2000)}`,
    toolCall: tool === undefined ? undefined : { id: 'call_1', name: tool, arguments: '{"city":"Paris"}' },
    usage: {
      input: 120,
      cached: 64,
      cacheWrite: question.model.includes('cache-write') ? 16 : 0,
      output: 30,
      reasoning: /^(o\d|gpt-5|gemini-2\.5)/.test(question.model) ? 8 : 0,
    },
  };
}

/** This model refuses every call. */
export const FAILING_MODEL = 'boom';
/** Models that misbehave: never answer, lose the connection in the middle, never end, or are not there. */
export const SILENT_MODEL = 'silent';
export const CUT_MODEL = 'cut';
export const ENDLESS_MODEL = 'endless';
export const ABSENT_MODEL = 'absent';
/** Refused as a key; the refusal repeats it, as vendors do. */
export const WRONG_KEY = 'wrong-key-e41c6d0a';
