import type { BudgetRequest, BudgetResult } from './budgets.ts';
import { type CandelaClient, createClient } from './client.ts';
import type { PromptRequest, PromptResult } from './prompts.ts';
import type { RuleRequest, RuleResult } from './rules.ts';
import type { Secrets, SecretsRequest } from './secrets.ts';
import { resolveSettings, type Target } from './settings.ts';

/** Clients made by the functions below; the least recently used one goes first. */
const MAX_CLIENTS = 16;
const clients = new Map<string, CandelaClient>();

/** One client for each place that is asked, so that prompts are held between calls. */
function clientOf({ url, apiKey, environment, projectId, databaseConfigId }: Target): CandelaClient {
  const target = { url, apiKey, environment, projectId, databaseConfigId };
  const settings = resolveSettings(target);
  const place = JSON.stringify([settings.url, settings.apiKey, settings.contextHeaders]);
  const client = clients.get(place) ?? createClient(target);
  clients.delete(place);
  clients.set(place, client);
  const oldest = clients.keys().next();
  if (clients.size > MAX_CLIENTS && !oldest.done) clients.delete(oldest.value);
  return client;
}

/** As `getPrompt` of a client, for one call. */
export async function getPrompt(request: PromptRequest & Target): Promise<PromptResult> {
  return clientOf(request).getPrompt(request);
}

/** As `getSecrets` of a client, for one call. */
export async function getSecrets(request: SecretsRequest & Target = {}): Promise<Secrets> {
  return clientOf(request).getSecrets(request);
}

/** As `evaluateRule` of a client, for one call. */
export async function evaluateRule(request: RuleRequest & Target): Promise<RuleResult> {
  return clientOf(request).evaluateRule(request);
}

/** As `checkBudget` of a client, for one call. */
export async function checkBudget(request: BudgetRequest & Target = {}): Promise<BudgetResult> {
  return clientOf(request).checkBudget(request);
}
