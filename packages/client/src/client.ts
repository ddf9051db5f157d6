import {
  addDatasetItems,
  addExperimentOutputs,
  addScore,
  createExperiment,
  type DatasetItemsRequest,
  type ExperimentOutputs,
  type ExperimentRequest,
  type ScoreRequest,
} from './evaluations.ts';
import { type BudgetParts, type BudgetRequest, type BudgetResult, checkBudget } from './budgets.ts';
import { Flights } from './flights.ts';
import { PromptCache } from './prompt-cache.ts';
import { getPrompt, type PromptParts, type PromptRequest, type PromptResult } from './prompts.ts';
import { evaluateRule, type RuleParts, type RuleRequest, type RuleResult } from './rules.ts';
import { getSecrets, type SecretParts, type Secrets, type SecretsRequest } from './secrets.ts';
import { type ClientOptions, resolveSettings } from './settings.ts';

/** Everything rejects with a `CandelaError`, but an abort, which rejects with the reason of its signal. */
export interface CandelaClient {
  /** A published version of a prompt, on request with its variables filled in. Held in memory for a while. */
  getPrompt(request: PromptRequest): Promise<PromptResult>;
  /** Secrets by name or tags. Never held. */
  getSecrets(request?: SecretsRequest): Promise<Secrets>;
  /** The rules that match, and what they are linked to. */
  evaluateRule(request: RuleRequest): Promise<RuleResult>;
  /** Records a score or the feedback of a user. */
  addScore(request: ScoreRequest): Promise<{ id: string }>;
  /** Adds items to a dataset. */
  addDatasetItems(request: DatasetItemsRequest): Promise<{ ids: readonly string[] }>;
  /** Begins an experiment of which this application makes the outputs. */
  createExperiment(request: ExperimentRequest): Promise<{ id: string }>;
  addExperimentOutputs(request: ExperimentOutputs): Promise<void>;
  /** Whether budgets allow the next call of a model. */
  checkBudget(request?: BudgetRequest): Promise<BudgetResult>;
  /** Forgets every prompt held: the next call asks the platform. */
  clearPromptCache(): void;
}

/** @throws CandelaError of code `configuration` for a missing or impossible setting */
export function createClient(options: ClientOptions = {}): CandelaClient {
  const settings = resolveSettings(options);
  const prompts: PromptParts = { settings, cache: new PromptCache(settings.cache), flights: new Flights() };
  const secrets: SecretParts = { settings, flights: new Flights() };
  const rules: RuleParts = { settings, flights: new Flights() };
  const budgets: BudgetParts = { settings, flights: new Flights() };
  return {
    getPrompt: async (request) => getPrompt(prompts, request),
    getSecrets: async (request = {}) => getSecrets(secrets, request),
    evaluateRule: async (request) => evaluateRule(rules, request),
    addScore: async (request) => addScore(settings, request),
    addDatasetItems: async (request) => addDatasetItems(settings, request),
    createExperiment: async (request) => createExperiment(settings, request),
    addExperimentOutputs: async (request) => addExperimentOutputs(settings, request),
    checkBudget: async (request = {}) => checkBudget(budgets, request),
    clearPromptCache: () => {
      prompts.cache.clear();
    },
  };
}
