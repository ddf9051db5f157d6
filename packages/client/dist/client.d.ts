import { type DatasetItemsRequest, type ExperimentOutputs, type ExperimentRequest, type ScoreRequest } from './evaluations.js';
import { type BudgetRequest, type BudgetResult } from './budgets.js';
import { type PromptRequest, type PromptResult } from './prompts.js';
import { type RuleRequest, type RuleResult } from './rules.js';
import { type Secrets, type SecretsRequest } from './secrets.js';
import { type ClientOptions } from './settings.js';
/** Everything rejects with a `CandelaError`, but an abort, which rejects with the reason of its signal. */
export interface CandelaClient {
    /** A published version of a prompt, on request with its variables filled in. Held in memory for a while. */
    getPrompt(request: PromptRequest): Promise<PromptResult>;
    /** Secrets by name or tags. Never held. */
    getSecrets(request?: SecretsRequest): Promise<Secrets>;
    /** The rules that match, and what they are linked to. */
    evaluateRule(request: RuleRequest): Promise<RuleResult>;
    /** Records a score or the feedback of a user. */
    addScore(request: ScoreRequest): Promise<{
        id: string;
    }>;
    /** Adds items to a dataset. */
    addDatasetItems(request: DatasetItemsRequest): Promise<{
        ids: readonly string[];
    }>;
    /** Begins an experiment of which this application makes the outputs. */
    createExperiment(request: ExperimentRequest): Promise<{
        id: string;
    }>;
    addExperimentOutputs(request: ExperimentOutputs): Promise<void>;
    /** Whether budgets allow the next call of a model. */
    checkBudget(request?: BudgetRequest): Promise<BudgetResult>;
    /** Forgets every prompt held: the next call asks the platform. */
    clearPromptCache(): void;
}
/** @throws CandelaError of code `configuration` for a missing or impossible setting */
export declare function createClient(options?: ClientOptions): CandelaClient;
