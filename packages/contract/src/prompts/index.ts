export type { PromptChat, PromptModelSettings } from './chat.ts';
export type { CompiledPrompt, CompiledPromptRequest } from './compiled.ts';
export { type PromptMessage, textOfMessages } from './messages.ts';
export { PROMPT_ROUTES } from './routes.ts';
export {
  PROMPT_LIMITS,
  type Prompt,
  type PromptDiff,
  type PromptSummary,
  type PromptUsage,
  type PromptVersionSummary,
  type PromptVersionView,
} from './schemas.ts';
export * from './template.ts';
export * from './version.ts';
