import type { LlmProvider } from '../types.ts';

/** Ollama, vLLM, LM Studio, llama.cpp, LiteLLM and whatever else speaks OpenAI's chat completions. */
export const openaiCompatible: LlmProvider = {
  id: 'openai-compatible',
  baseUrl: null,
  // The same model has another price, or none, wherever it runs.
  priceProvider: null,
  async open({ model, baseUrl, apiKey, fetch }) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: baseUrl,
      apiKey,
      fetch,
      includeUsage: true,
    });
    return provider(model);
  },
};
