import type { LlmProvider } from '../types.ts';

export const mistral: LlmProvider = {
  id: 'mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  priceProvider: 'mistral',
  async open({ model, baseUrl, apiKey, fetch }) {
    const { createMistral } = await import('@ai-sdk/mistral');
    return createMistral({ baseURL: baseUrl, apiKey, fetch })(model);
  },
};
