import { join } from 'node:path';
import { sqliteDialect } from './dialects/sqlite/index.ts';
import { type MetadataOptions, type MetadataStore, openMetadata } from './store.ts';

export type { MetadataChanges } from './changes.ts';
export type {
  AuditDetails,
  AuditEvent,
  AuditFilter,
  AuditPlace,
  NewAuditEvent,
} from './repositories/audit.ts';
export type {
  NewOauthClient,
  OauthClientChanges,
  OauthClientPlace,
  OauthEntry,
  StoredOauthClient,
} from './repositories/oauth.ts';
export type {
  ConnectorChanges,
  NewConnector,
  StoredConnector,
} from './repositories/connectors.ts';
export type {
  AlertDocument,
  DestinationDocument,
  StoredAlert,
  StoredAlertEvent,
  StoredAlertState,
  StoredDelivery,
  StoredDestination,
} from './repositories/alerts/types.ts';
export type { MediaUseOf, StoredMedia } from './repositories/media.ts';
export type {
  BoardDocument,
  BoardReader,
  StoredBoard,
  StoredBoardHead,
} from './repositories/boards.ts';
export type {
  ContextDocument,
  ContextPlace,
  ContextSummary,
  ContextVersionSummary,
  StoredContext,
  StoredContextVersion,
} from './repositories/contexts.ts';
export type {
  ActiveStatus,
  LinkedKind,
  RuleDocument,
  RulePlace,
  StoredRule,
  StoredRuleLink,
} from './repositories/rules/types.ts';
export type {
  PromptContent,
  PromptDownloads,
  PromptIndex,
  Prompts,
  PublishedSummary,
  StoredPrompt,
  StoredPromptLabel,
  StoredPromptSummary,
  StoredPromptVersion,
  VersionNumber,
} from './repositories/prompts/types.ts';
export type {
  ControllerFeature,
  ControllerScope,
  DesiredState,
  StoredController,
  StoredControllerAction,
  StoredControllerToken,
} from './repositories/controller-rows.ts';
export type { StoredCollector, StoredFleetConfig } from './repositories/fleet.ts';
export type { StoredDispute } from './repositories/coding-disputes.ts';
export type { StoredTriage } from './repositories/exception-triage.ts';
export type { NewPrice, StoredPrice } from './repositories/custom-prices.ts';
export type { JobStats, JobTrigger, StoredJobRun } from './repositories/jobs.ts';
export type { NewWork, WorkItem, WorkQueue } from './repositories/work-queue.ts';
export type { LlmUsage, UsageRow } from './repositories/llm-usage.ts';
export type { StoredAnalysis } from './repositories/chat-analyses.ts';
export type { StoredChatSettings } from './repositories/chat-settings.ts';
export type { ChatOwner, StoredApproval, StoredChat, StoredChatMessage } from './repositories/chats.ts';
export type {
  JudgeDocument,
  JudgeItem,
  JudgeKind,
  JudgeScope,
  NewJudgeItem,
} from './repositories/judging.ts';
export type {
  FindingSelection,
  JobEnd,
  ScannerScope,
  SeenFinding,
  StoredFinding,
  StoredScanner,
  StoredScannerJob,
} from './repositories/scanners.ts';
export type { StorageScope } from './repositories/storage-scope.ts';
export type { NewModel, StoredModel } from './repositories/models.ts';
export type { BindingChange, StoredBinding } from './repositories/routing.ts';
export { SEALED_COLUMNS, type SealedColumn, type SealedText } from './repositories/sealed.ts';
export {
  type NewSecret,
  type SecretChanges,
  type StoredSecret,
  type StoredSecretVersion,
  versionId,
} from './repositories/vault-secrets.ts';
export type { Call } from './repositories/idempotency.ts';
export type { StoredInvitation } from './repositories/identity/invitations.ts';
export type { KeyChanges, StoredKey } from './repositories/identity/keys.ts';
export type { StoredMember, StoredUser } from './repositories/identity/people.ts';
export type { StoredEnvironment, StoredProject } from './repositories/identity/projects.ts';
export type { SignInAttempt, StoredSession } from './repositories/identity/sessions.ts';
export type { Repositories } from './repositories/index.ts';
export type {
  NewView,
  SavedViews,
  StoredView,
  ViewChanges,
  ViewPlace,
} from './repositories/saved-views.ts';
export { type MetadataStore, MetadataStoreError } from './store.ts';

/**
 * Opens the database of that address, or without one `metadata.sqlite` in that directory.
 * @throws MetadataStoreError with a sentence for a person
 */
export async function openMetadataStore(
  options: Omit<MetadataOptions, 'dialect'> & {
    readonly dataDir: string;
    /** `postgres://user:password@host:5432/database`. */
    readonly databaseUrl?: string | undefined;
  },
): Promise<MetadataStore> {
  const { dataDir, databaseUrl, ...rest } = options;
  return openMetadata({ ...rest, dialect: await dialectOf(dataDir, databaseUrl, options) });
}

async function dialectOf(
  dataDir: string,
  url: string | undefined,
  { logger }: Pick<MetadataOptions, 'logger'>,
) {
  if (url === undefined) return sqliteDialect(join(dataDir, 'metadata.sqlite'));
  // Loaded only where it is used: most installations have no server.
  const { postgresDialect } = await import('./dialects/postgres/index.ts');
  return postgresDialect(url, logger);
}
