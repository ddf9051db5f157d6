/** The models of the demo with what is needed to make their calls look right. Prices are USD per million tokens. */
export interface Model {
  readonly provider: string;
  readonly name: string;
  /** What the provider answers with: usually a dated snapshot. */
  readonly responseName: string;
  readonly server: string;
  /** Milliseconds to the first token, and a token from then on. */
  readonly firstTokenMs: number;
  readonly tokenMs: number;
  readonly inputPrice: number;
  readonly cachedPrice: number;
  readonly outputPrice: number;
  readonly contextTokens: number;
  readonly reasoning: boolean;
  /** Answers come from GPUs of our own: the program that serves them is traced too. */
  readonly selfHosted?: true;
}

const model = (
  provider: string,
  name: string,
  responseName: string,
  server: string,
  [firstTokenMs, tokenMs]: readonly [number, number],
  [inputPrice, cachedPrice, outputPrice]: readonly [number, number, number],
  contextTokens: number,
  reasoning = false,
): Model => ({
  provider,
  name,
  responseName,
  server,
  firstTokenMs,
  tokenMs,
  inputPrice,
  cachedPrice,
  outputPrice,
  contextTokens,
  reasoning,
});

const OPENAI = 'api.openai.com';
const ANTHROPIC = 'api.anthropic.com';
const GOOGLE = 'generativelanguage.googleapis.com';

export const MODELS = {
  gpt4oMini: model(
    'openai',
    'gpt-4o-mini',
    'gpt-4o-mini-2024-07-18',
    OPENAI,
    [340, 9],
    [0.15, 0.075, 0.6],
    128_000,
  ),
  gpt4o: model('openai', 'gpt-4o', 'gpt-4o-2024-11-20', OPENAI, [480, 13], [2.5, 1.25, 10], 128_000),
  gpt4: model('openai', 'gpt-4', 'gpt-4-0613', OPENAI, [620, 24], [30, 30, 60], 8_192),
  gpt5: model('openai', 'gpt-5', 'gpt-5-2025-08-07', OPENAI, [1400, 12], [1.25, 0.125, 10], 400_000, true),
  sonnet: model(
    'anthropic',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    ANTHROPIC,
    [780, 15],
    [3, 0.3, 15],
    200_000,
  ),
  haiku: model(
    'anthropic',
    'claude-haiku-4-5',
    'claude-haiku-4-5-20251001',
    ANTHROPIC,
    [410, 7],
    [1, 0.1, 5],
    200_000,
  ),
  flash: model(
    'gcp.gemini',
    'gemini-2.5-flash',
    'gemini-2.5-flash',
    GOOGLE,
    [390, 6],
    [0.3, 0.075, 2.5],
    1_048_576,
    true,
  ),
  mistral: model(
    'mistral_ai',
    'mistral-large-latest',
    'mistral-large-2411',
    'api.mistral.ai',
    [520, 16],
    [2, 2, 6],
    128_000,
  ),
  llama: model(
    'groq',
    'llama-3.3-70b-versatile',
    'llama-3.3-70b-versatile',
    'api.groq.com',
    [160, 3],
    [0.59, 0.59, 0.79],
    131_072,
  ),
  ownLlama: {
    ...model(
      'vllm',
      'meta-llama/Llama-3.3-70B-Instruct',
      'meta-llama/Llama-3.3-70B-Instruct',
      'llama-70b.inference.svc',
      [210, 14],
      [0, 0, 0],
      131_072,
    ),
    selfHosted: true,
  },
  ownQwen: {
    ...model(
      'vllm',
      'Qwen/Qwen3-32B',
      'Qwen/Qwen3-32B',
      'qwen3-32b.inference.svc',
      [180, 9],
      [0, 0, 0],
      40_960,
      true,
    ),
    selfHosted: true,
  },
  embeddingSmall: model(
    'openai',
    'text-embedding-3-small',
    'text-embedding-3-small',
    OPENAI,
    [90, 0],
    [0.02, 0.02, 0],
    8_191,
  ),
  rerank: model('cohere', 'rerank-v3.5', 'rerank-v3.5', 'api.cohere.com', [140, 0], [0, 0, 0], 4_096),
} as const satisfies Record<string, Model>;

/** About four characters a token, as English runs. */
export function countTokens(text: string): number {
  return Math.max(1, Math.round(text.length / 4.1));
}
