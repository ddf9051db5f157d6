import type { Dialect } from 'kysely';

/**
 * A database the metadata store can live in. Repositories and migrations are written once, in SQL that all of them
 * speak; what differs is here.
 */
export interface MetadataDialect {
  readonly name: string;
  readonly kysely: Dialect;
  /** True when a statement failed because a value that must be unique is there already. */
  isUniqueViolation(thrown: unknown): boolean;
  /** What a failure at opening means to a person; undefined when nothing better than its message is known. */
  explain(thrown: unknown): string | undefined;
}
