import { addDatasetItems, addExperimentOutputs, addScore, createExperiment, } from './evaluations.js';
import { checkBudget } from './budgets.js';
import { Flights } from './flights.js';
import { PromptCache } from './prompt-cache.js';
import { getPrompt } from './prompts.js';
import { evaluateRule } from './rules.js';
import { getSecrets } from './secrets.js';
import { resolveSettings } from './settings.js';
/** @throws CandelaError of code `configuration` for a missing or impossible setting */
export function createClient(options = {}) {
    const settings = resolveSettings(options);
    const prompts = { settings, cache: new PromptCache(settings.cache), flights: new Flights() };
    const secrets = { settings, flights: new Flights() };
    const rules = { settings, flights: new Flights() };
    const budgets = { settings, flights: new Flights() };
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
