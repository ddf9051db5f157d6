import type { Clock, Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { createLogQueries, StoreRoutes } from '@candela/telemetry-store';
import type { Envelope } from '@candela/vault';
import type { Config } from '../config.ts';
import type { Endpoint, Page, SocketEndpoint } from '../http/request-handler.ts';
import type { Handlers } from '../http/handlers.ts';
import type { SharedAnswers } from '../http/shared-answers.ts';
import type { Ingest } from '../ingest/index.ts';
import type { IngestLogs } from '../ingest/logs.ts';
import type { Job } from '../jobs/job.ts';
import type { JobRunner } from '../jobs/runner.ts';
import type { ModelCalls } from '../llm/service.ts';
import type { PlatformMetrics } from '../metrics.ts';
import type { Stores } from '../stores.ts';
import type { Phase } from './health/routes.ts';
import type { People } from './identity/feature.ts';
import type { Identity } from './identity/service.ts';
import type { OauthFeature } from './oauth/feature.ts';
import type { PromptService } from './prompts/service.ts';
import type { RetentionChoices } from './retention/service.ts';
import type { Notifier } from './tail/notifier.ts';
import type { Vault } from './vault/service.ts';

type QueryLimits = Parameters<typeof createLogQueries>[1];

/** Everything a feature may use: what the platform opened, and the services that features share. */
export interface FeatureParts {
  readonly version: string;
  readonly phase: () => Phase;
  readonly config: Config;
  /** Names this process, also after a restart. */
  readonly instance: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: PlatformMetrics;
  readonly metadata: MetadataStore;
  readonly envelope: Envelope;
  readonly stores: Stores;
  /** Where reads of telemetry find what a context may see, and what one read may cost. */
  readonly reads: StoreRoutes;
  readonly limits: QueryLimits;
  readonly logs: IngestLogs;
  readonly ingest: Ingest;
  readonly identity: Identity;
  readonly people: People;
  readonly oauth: OauthFeature;
  readonly vault: Vault;
  readonly prompts: PromptService;
  /** Asks configured models; the only way that features do. See `llm/README.md`. */
  readonly models: ModelCalls;
  readonly retention: RetentionChoices;
  /** Runs the jobs of all features, and what they are triggered by. */
  readonly jobs: JobRunner;
  /** The handlers of all features, once they are made: tools call them. */
  readonly handlers: () => Handlers;
  /** Rings when rows of a table were stored. */
  readonly notifier: Notifier;
  /** Makes one answer of the same question that several ask at once. */
  readonly answers: SharedAnswers;
}

/** One part of the product. `features/index.ts` lists them all. */
export interface Feature<H extends Partial<Handlers> = Partial<Handlers>> {
  /** Unique; names it in the log. */
  readonly name: string;
  /** Of its routes in the contract. */
  readonly handlers: H;
  /** Work of the platform itself; see `jobs/README.md`. */
  readonly jobs?: readonly Job[];
  /** Documents outside the API. */
  readonly pages?: readonly Page[];
  /** Paths that another library answers. */
  readonly endpoints?: readonly Endpoint[];
  /** Paths at which connections become WebSockets. */
  readonly sockets?: readonly SocketEndpoint[];
  /** Ends what it runs. Called once, when no request is under way and the stores are still open. */
  stop?(): Promise<void>;
}
