export type { CandelaClient } from './client.js';
export { createClient } from './client.js';
export type { CandelaErrorCode } from './errors.js';
export { CandelaError } from './errors.js';
export type { CompiledPrompt, PromptRequest, PromptResult, PromptSpanAttributes, PromptVariables, } from './prompts.js';
export type { ContextRecord, EntityType, LinkedEntity, RuleRequest, RuleResult } from './rules.js';
export type { Secrets, SecretsRequest } from './secrets.js';
export type { ClientOptions, PromptCacheOptions, Target } from './settings.js';
export { evaluateRule, getPrompt, getSecrets } from './shared-clients.js';
