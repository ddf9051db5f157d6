import type { Access } from './access.ts';
import { alertDeliveries, alertDestinations, alerts, alertSilences } from './alerts/index.ts';
import { auditLog } from './audit.ts';
import { boards } from './boards.ts';
import { chatAnalyses } from './chat-analyses.ts';
import { chatSettings } from './chat-settings.ts';
import { chats } from './chats.ts';
import { codingDisputes } from './coding-disputes.ts';
import { customPrices } from './custom-prices.ts';
import { connectors } from './connectors.ts';
import { controllers } from './controllers.ts';
import { fleet } from './fleet.ts';
import { exceptionTriage } from './exception-triage.ts';
import { jobs } from './jobs.ts';
import { judging } from './judging.ts';
import { llmUsage } from './llm-usage.ts';
import { media } from './media.ts';
import { models } from './models.ts';
import { oauthClients, oauthEntries, serverKeys } from './oauth.ts';
import { retention } from './retention.ts';
import { routing } from './routing.ts';
import { invitations } from './identity/invitations.ts';
import { apiKeys } from './identity/keys.ts';
import { people } from './identity/people.ts';
import { projects } from './identity/projects.ts';
import { sessions } from './identity/sessions.ts';
import { contexts } from './contexts.ts';
import { prompts } from './prompts/index.ts';
import { rules } from './rules/index.ts';
import { scanners } from './scanners.ts';
import { savedViews } from './saved-views.ts';
import { kept } from './kept.ts';
import { sealed } from './sealed.ts';
import { vaultKeys } from './vault-keys.ts';
import { vaultSecrets } from './vault-secrets.ts';
import { workQueue } from './work-queue.ts';

/** A repository for each thing that is kept; the registry. */
export const REPOSITORIES = {
  views: savedViews,
  audit: auditLog,
  people,
  sessions,
  invitations,
  projects,
  keys: apiKeys,
  oauthClients,
  oauthEntries,
  serverKeys,
  connectors,
  routing,
  retention,
  vaultKeys,
  vaultSecrets,
  sealed,
  kept,
  prompts,
  rules,
  contexts,
  models,
  llmUsage,
  jobs,
  work: workQueue,
  boards,
  scanners,
  chats,
  chatSettings,
  chatAnalyses,
  prices: customPrices,
  codingDisputes,
  exceptionTriage,
  controllers,
  fleet,
  judging,
  media,
  alerts,
  alertSilences,
  alertDestinations,
  alertDeliveries,
} as const satisfies Record<string, (access: Access) => object>;

/** Everything that is kept, by its repository. */
export type Repositories = {
  readonly [Name in keyof typeof REPOSITORIES]: ReturnType<(typeof REPOSITORIES)[Name]>;
};
