import type { Clock } from '@candela/kernel';
import type { Kysely } from 'kysely';
import type { MetadataDialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables/index.ts';

/** What a repository works with: the database, or one transaction on it. */
export interface Access {
  readonly database: Kysely<Tables>;
  readonly dialect: MetadataDialect;
  readonly clock: Clock;
}
