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

/** What a scripted model answers once: a text, a call of a tool, or a failure. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly toolCall?: { readonly name: string; readonly arguments: string };
  /** 401, 429, 5xx: the call fails with it. */
  readonly status?: number;
  /** The connection is lost in the middle of the answer. */
  readonly cut?: true;
}

/** One question, in no API's shape. */
export interface Question {
  readonly model: string;
  readonly prompt: string;
  readonly toolNames: readonly string[];
  readonly hasToolResult: boolean;
}

/** `hi` is answered with `Hello Ada`; with tools and no result yet, the first tool is called for Paris. */
export function answer(question: Question, scripted?: ScriptedAnswer): Answer {
  const usage = usageOf(question.model);
  if (scripted !== undefined) {
    const called = scripted.toolCall;
    const toolCall = called === undefined ? undefined : { id: `call_${crypto.randomUUID()}`, ...called };
    return { text: scripted.text ?? '', toolCall, usage };
  }
  const tool = question.hasToolResult ? undefined : question.toolNames[0];
  return {
    text: question.prompt === 'hi' ? 'Hello Ada' : `You said: ${question.prompt.slice(0, 2000)}`,
    toolCall: tool === undefined ? undefined : { id: 'call_1', name: tool, arguments: '{"city":"Paris"}' },
    usage,
  };
}

const usageOf = (model: string): Answer['usage'] => ({
  input: 120,
  cached: 64,
  cacheWrite: model.includes('cache-write') ? 16 : 0,
  output: 30,
  reasoning: /^(o\d|gpt-5|gemini-2\.5)/.test(model) ? 8 : 0,
});

/** This model refuses every call. */
export const FAILING_MODEL = 'boom';
/** Models that misbehave: never answer, lose the connection in the middle, never end, or are not there. */
export const SILENT_MODEL = 'silent';
export const CUT_MODEL = 'cut';
export const ENDLESS_MODEL = 'endless';
export const ABSENT_MODEL = 'absent';
/** Refused as a key; the refusal repeats it, as vendors do. */
export const WRONG_KEY = 'wrong-key-e41c6d0a';
