import type { LlmProvider } from '../types.ts';

export const google: LlmProvider = {
  id: 'google',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  priceProvider: 'google',
  async open({ model, baseUrl, apiKey, fetch }) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI({ baseURL: baseUrl, apiKey, fetch })(model);
  },
};
