import { createClient } from './client.js';
import { resolveSettings } from './settings.js';
/** Clients made by the functions below; the least recently used one goes first. */
const MAX_CLIENTS = 16;
const clients = new Map();
/** One client for each place that is asked, so that prompts are held between calls. */
function clientOf({ url, apiKey, environment, projectId, databaseConfigId }) {
    const target = { url, apiKey, environment, projectId, databaseConfigId };
    const settings = resolveSettings(target);
    const place = JSON.stringify([settings.url, settings.apiKey, settings.contextHeaders]);
    const client = clients.get(place) ?? createClient(target);
    clients.delete(place);
    clients.set(place, client);
    const oldest = clients.keys().next();
    if (clients.size > MAX_CLIENTS && !oldest.done)
        clients.delete(oldest.value);
    return client;
}
/** As `getPrompt` of a client, for one call. */
export async function getPrompt(request) {
    return clientOf(request).getPrompt(request);
}
/** As `getSecrets` of a client, for one call. */
export async function getSecrets(request = {}) {
    return clientOf(request).getSecrets(request);
}
/** As `evaluateRule` of a client, for one call. */
export async function evaluateRule(request) {
    return clientOf(request).evaluateRule(request);
}
/** As `checkBudget` of a client, for one call. */
export async function checkBudget(request = {}) {
    return clientOf(request).checkBudget(request);
}
