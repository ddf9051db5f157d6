import type { Clock } from '@candela/kernel';
import type { Kysely } from 'kysely';
import type { MetadataDialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables/index.ts';
import type { StorageScope } from './storage-scope.ts';

/** How much may be kept. */
export interface MetadataLimits {
  /** Saved views one project may have. */
  readonly viewsPerProject: number;
  /** Applications (OAuth clients) an organisation may have. */
  readonly oauthClients: number;
  /** Connectors an organisation may have. */
  readonly connectorsPerOrganisation: number;
  /** Secrets of one project in one database configuration. */
  readonly secretsPerPlace: number;
  /** Versions that are kept of a secret: the newest. */
  readonly versionsPerSecret: number;
  /** Rules, and contexts, of one project in one database configuration. */
  readonly rulesPerPlace: number;
  readonly contextsPerPlace: number;
  readonly linksPerRule: number;
  /** Versions that are kept of a context: the newest. */
  readonly versionsPerContext: number;
  /** Prompts of one project in one database configuration. */
  readonly promptsPerPlace: number;
  /** Published versions, and labels, of one prompt. */
  readonly versionsPerPrompt: number;
  readonly labelsPerPrompt: number;
  /** Configured language models of one project and database configuration. */
  readonly modelsPerPlace: number;
  readonly scannersPerProject: number;
  /** Prices that people set, of one project and of one organisation. */
  readonly pricesPerScope: number;
}

export const DEFAULT_LIMITS: MetadataLimits = {
  viewsPerProject: 1_000,
  oauthClients: 500,
  connectorsPerOrganisation: 100,
  secretsPerPlace: 5_000,
  versionsPerSecret: 50,
  rulesPerPlace: 2_000,
  contextsPerPlace: 2_000,
  linksPerRule: 100,
  versionsPerContext: 200,
  promptsPerPlace: 10_000,
  versionsPerPrompt: 10_000,
  labelsPerPrompt: 50,
  modelsPerPlace: 100,
  scannersPerProject: 100,
  // Each is a condition of every statement that reads a cost.
  pricesPerScope: 50,
};

/** What a repository works with: the database, or one transaction on it. */
export interface Access {
  readonly database: Kysely<Tables>;
  /** The same, for writes that belong to one place: what is cached of other places stays. Where in doubt `database`. */
  at(place: StorageScope): Kysely<Tables>;
  /** The same, for writes that no cache has to hear of: when a key was last used. */
  readonly quiet: Kysely<Tables>;
  readonly dialect: MetadataDialect;
  readonly clock: Clock;
  readonly limits: MetadataLimits;
}
