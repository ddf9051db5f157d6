export type { BudgetRequest, BudgetResult, ExceededBudget } from './budgets.ts';
export type { CandelaClient } from './client.ts';
export { createClient } from './client.ts';
export type { CandelaErrorCode } from './errors.ts';
export { CandelaError } from './errors.ts';
export type {
  DatasetItemInput,
  DatasetItemsRequest,
  ExperimentOutputs,
  ExperimentRequest,
  ScoreRequest,
} from './evaluations.ts';
export type {
  CompiledPrompt,
  PromptMessage,
  PromptModelSettings,
  PromptRequest,
  PromptResponseFormat,
  PromptResult,
  PromptSpanAttributes,
  PromptTool,
  PromptVariables,
} from './prompts.ts';
export type { ContextRecord, EntityType, LinkedEntity, RuleRequest, RuleResult } from './rules.ts';
export type { Secrets, SecretsRequest } from './secrets.ts';
export type { ClientOptions, PromptCacheOptions, Target } from './settings.ts';
export { checkBudget, evaluateRule, getPrompt, getSecrets } from './shared-clients.ts';
