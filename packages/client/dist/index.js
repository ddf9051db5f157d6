export { createClient } from './client.js';
export { CandelaError } from './errors.js';
export { checkBudget, evaluateRule, getPrompt, getSecrets } from './shared-clients.js';
