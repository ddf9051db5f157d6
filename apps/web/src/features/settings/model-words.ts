import type { ModelProvider } from '@candela/contract';

export const PROVIDER_WORDS: Readonly<Record<ModelProvider, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  mistral: 'Mistral',
  'openai-compatible': 'OpenAI-compatible server',
};

export const PROVIDERS = Object.keys(PROVIDER_WORDS) as ModelProvider[];
