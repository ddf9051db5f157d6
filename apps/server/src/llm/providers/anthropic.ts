import type { LlmProvider } from '../types.ts';

export const anthropic: LlmProvider = {
  id: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  priceProvider: 'anthropic',
  async open({ model, baseUrl, apiKey, fetch }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: baseUrl, apiKey, fetch })(model);
  },
};
