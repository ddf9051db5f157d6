import type {
  AlertDeliveryTable,
  AlertDestinationTable,
  AlertEventTable,
  AlertSilenceTable,
  AlertStateTable,
  AlertTable,
} from './alerts.ts';
import type { AuditTable } from './audit.ts';
import type {
  ConnectorTable,
  ProjectRetentionTable,
  SignalBindingTable,
  VaultKeyTable,
} from './connectors.ts';
import type { ContextTable, ContextVersionTable } from './contexts.ts';
import type { BoardFolderTable, BoardPinTable, BoardTable } from './boards.ts';
import type {
  ChatAnalysisTable,
  ChatApprovalTable,
  ChatMessageTable,
  ChatSettingsTable,
  ChatTable,
} from './chats.ts';
import type {
  ControllerActionTable,
  ControllerConfigTable,
  ControllerDesiredTable,
  ControllerInstanceTable,
  ControllerTokenTable,
} from './controllers.ts';
import type { FleetCollectorTable, FleetConfigTable } from './fleet.ts';
import type { CodingDisputeTable } from './coding-disputes.ts';
import type { CustomPriceTable } from './custom-prices.ts';
import type { ExceptionTriageTable } from './exception-triage.ts';
import type { IdempotencyTable } from './idempotency.ts';
import type {
  ApiKeyTable,
  EnvironmentTable,
  InvitationTable,
  MembershipTable,
  OrganisationTable,
  ProjectMemberTable,
  ProjectTable,
  SessionTable,
  SetupLinkTable,
  SignInAttemptTable,
  UserIdentityTable,
  UserTable,
} from './identity.ts';
import type { JobRunTable, JobStateTable, WorkItemTable } from './jobs.ts';
import type { JudgeDocumentTable, JudgeItemTable } from './judging.ts';
import type { LlmUsageTable } from './llm-usage.ts';
import type { MediaChunkTable, MediaTable, MediaUseTable } from './media.ts';
import type { ModelConfigTable } from './models.ts';
import type { OauthClientTable, OauthEntryTable, ServerKeyTable } from './oauth.ts';
import type {
  PromptDownloadTable,
  PromptDownloadWriterTable,
  PromptLabelTable,
  PromptProtectedLabelTable,
  PromptTable,
  PromptTagTable,
  PromptVersionTable,
} from './prompts.ts';
import type { RuleLinkTable, RuleTable } from './rules.ts';
import type { SavedViewTable } from './saved-views.ts';
import type { ScannerFindingTable, ScannerJobTable, ScannerTable } from './scanners.ts';
import type { VaultSecretTable, VaultVersionTable } from './vault.ts';

/**
 * Every table of the metadata store, as its newest migration leaves it; the registry.
 *
 * Columns that every dialect keeps alike: `text` (ids, names, JSON; compared by code point, no NUL), `bigint` (epoch
 * milliseconds, counts; a number below 2^53), `integer` (small numbers; 0 and 1 for yes and no), bytes (of media). Unique indexes count
 * two nulls as different. After a statement failed inside a change the change is over: no dialect goes on with it.
 */
export interface Tables {
  readonly saved_views: SavedViewTable;
  readonly idempotency: IdempotencyTable;
  readonly audit_log: AuditTable;
  readonly organisations: OrganisationTable;
  readonly users: UserTable;
  readonly memberships: MembershipTable;
  readonly user_identities: UserIdentityTable;
  readonly sessions: SessionTable;
  readonly sign_in_attempts: SignInAttemptTable;
  readonly invitations: InvitationTable;
  readonly setup_links: SetupLinkTable;
  readonly projects: ProjectTable;
  readonly project_members: ProjectMemberTable;
  readonly environments: EnvironmentTable;
  readonly api_keys: ApiKeyTable;
  readonly oauth_clients: OauthClientTable;
  readonly oauth_entries: OauthEntryTable;
  readonly server_keys: ServerKeyTable;
  readonly connectors: ConnectorTable;
  readonly signal_bindings: SignalBindingTable;
  readonly project_retention: ProjectRetentionTable;
  readonly vault_keys: VaultKeyTable;
  readonly vault_secrets: VaultSecretTable;
  readonly vault_versions: VaultVersionTable;
  readonly prompts: PromptTable;
  readonly prompt_versions: PromptVersionTable;
  readonly prompt_tags: PromptTagTable;
  readonly prompt_labels: PromptLabelTable;
  readonly prompt_protected_labels: PromptProtectedLabelTable;
  readonly prompt_downloads: PromptDownloadTable;
  readonly prompt_download_writers: PromptDownloadWriterTable;
  readonly rules: RuleTable;
  readonly rule_links: RuleLinkTable;
  readonly contexts: ContextTable;
  readonly context_versions: ContextVersionTable;
  readonly model_configs: ModelConfigTable;
  readonly llm_usage: LlmUsageTable;
  readonly job_states: JobStateTable;
  readonly job_runs: JobRunTable;
  readonly work_items: WorkItemTable;
  readonly boards: BoardTable;
  readonly board_folders: BoardFolderTable;
  readonly board_pins: BoardPinTable;
  readonly chat_settings: ChatSettingsTable;
  readonly chats: ChatTable;
  readonly chat_messages: ChatMessageTable;
  readonly chat_approvals: ChatApprovalTable;
  readonly chat_analyses: ChatAnalysisTable;
  readonly custom_prices: CustomPriceTable;
  readonly coding_disputes: CodingDisputeTable;
  readonly exception_triage: ExceptionTriageTable;
  readonly controller_instances: ControllerInstanceTable;
  readonly controller_tokens: ControllerTokenTable;
  readonly controller_desired: ControllerDesiredTable;
  readonly controller_actions: ControllerActionTable;
  readonly controller_config: ControllerConfigTable;
  readonly fleet_collectors: FleetCollectorTable;
  readonly fleet_configs: FleetConfigTable;
  readonly media: MediaTable;
  readonly media_chunks: MediaChunkTable;
  readonly media_uses: MediaUseTable;
  readonly scanners: ScannerTable;
  readonly scanner_jobs: ScannerJobTable;
  readonly scanner_findings: ScannerFindingTable;
  readonly judge_documents: JudgeDocumentTable;
  readonly judge_items: JudgeItemTable;
  readonly alerts: AlertTable;
  readonly alert_states: AlertStateTable;
  readonly alert_events: AlertEventTable;
  readonly alert_silences: AlertSilenceTable;
  readonly alert_destinations: AlertDestinationTable;
  readonly alert_deliveries: AlertDeliveryTable;
}
