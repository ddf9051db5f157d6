import type { LlmProvider } from '../types.ts';

export const openai: LlmProvider = {
  id: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  priceProvider: 'openai',
  async open({ model, baseUrl, apiKey, fetch }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).responses(model);
  },
  // What is tried here is not kept there: the API would keep it for thirty days otherwise.
  options: { openai: { store: false } },
};
