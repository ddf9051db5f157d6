import type { BudgetRequest, BudgetResult } from './budgets.js';
import type { PromptRequest, PromptResult } from './prompts.js';
import type { RuleRequest, RuleResult } from './rules.js';
import type { Secrets, SecretsRequest } from './secrets.js';
import { type Target } from './settings.js';
/** As `getPrompt` of a client, for one call. */
export declare function getPrompt(request: PromptRequest & Target): Promise<PromptResult>;
/** As `getSecrets` of a client, for one call. */
export declare function getSecrets(request?: SecretsRequest & Target): Promise<Secrets>;
/** As `evaluateRule` of a client, for one call. */
export declare function evaluateRule(request: RuleRequest & Target): Promise<RuleResult>;
/** As `checkBudget` of a client, for one call. */
export declare function checkBudget(request?: BudgetRequest & Target): Promise<BudgetResult>;
