import type { ModelProvider } from '@candela/contract';
import type { LlmProvider } from '../types.ts';
import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { mistral } from './mistral.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { openai } from './openai.ts';

/** Every provider; the registry. */
export const PROVIDERS: { readonly [Id in ModelProvider]: LlmProvider } = {
  openai,
  anthropic,
  google,
  mistral,
  'openai-compatible': openaiCompatible,
};
