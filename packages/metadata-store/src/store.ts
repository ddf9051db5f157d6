import { asCandelaError, CandelaError, type Clock, fail, type Logger, systemClock } from '@candela/kernel';
import { Kysely, type Transaction } from 'kysely';
import type { MetadataDialect } from './dialects/dialect.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { migrateMetadata, MetadataMigrationError } from './migrations/migrate.ts';
import { type Call, recall, remember } from './repositories/idempotency.ts';
import { type SavedViews, savedViews } from './repositories/saved-views.ts';
import type { Tables } from './tables/index.ts';

export interface MetadataOptions {
  readonly dialect: MetadataDialect;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Saved views one project may have. */
  readonly maxViewsPerProject?: number;
}

/** Everything that is kept, by its repository. */
export interface Repositories {
  readonly views: SavedViews;
}

/** What people make and keep: transactional, small, and never telemetry. */
export interface MetadataStore extends Repositories {
  /**
   * Runs the work in one transaction: all of it is kept, or nothing. With a call, its answer is kept with it, and the
   * same call again is given that answer without the work being done twice. The answer must be JSON.
   */
  change<T>(call: Call | undefined, work: (repositories: Repositories) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The metadata store cannot be opened. The message says why and what to do. */
export class MetadataStoreError extends Error {
  override readonly name = 'MetadataStoreError';
}

const MAX_VIEWS = 1_000;

/** Opens the store and brings its schema up to date. @throws MetadataStoreError with a sentence for a person */
export async function openMetadata(options: MetadataOptions): Promise<MetadataStore> {
  const { dialect, logger } = options;
  const clock = options.clock ?? systemClock;
  const database = new Kysely<Tables>({ dialect: dialect.kysely });
  try {
    await migrateMetadata(database as unknown as Kysely<never>, { migrations: MIGRATIONS, logger });
  } catch (thrown) {
    await database.destroy().catch(() => undefined);
    const sentence = thrown instanceof MetadataMigrationError ? thrown.message : dialect.explain(thrown);
    if (sentence === undefined) throw thrown;
    throw new MetadataStoreError(sentence, { cause: thrown });
  }

  const repositories = (on: Kysely<Tables> | Transaction<Tables>): Repositories => ({
    views: guarded(savedViews({ database: on, dialect, clock }, options.maxViewsPerProject ?? MAX_VIEWS)),
  });

  return {
    ...repositories(database),
    change: (call, work) =>
      translated(() =>
        database.transaction().execute(async (transaction) => {
          const access = { database: transaction, dialect, clock };
          const known = call === undefined ? undefined : await recall(access, call);
          // The caller's own answer, read back: the same call asked for the same type.
          if (known !== undefined) return known.answer as Awaited<ReturnType<typeof work>>;
          const answer = await work(repositories(transaction));
          if (call !== undefined) await remember(access, call, answer);
          return answer;
        }),
      ),
    close: () => database.destroy(),
  };
}

/** Failures of the database itself (full disk, a file gone) become a row of the error table. */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof CandelaError) throw thrown;
    const failed = thrown instanceof Error && 'errcode' in thrown;
    throw failed ? fail('metadata_unavailable', { seconds: 5 }, { cause: thrown }) : asCandelaError(thrown);
  }
}

function guarded(views: SavedViews): SavedViews {
  return {
    list: (projectId, input) => translated(() => views.list(projectId, input)),
    get: (projectId, id) => translated(() => views.get(projectId, id)),
    create: (projectId, view) => translated(() => views.create(projectId, view)),
    update: (projectId, id, changes) => translated(() => views.update(projectId, id, changes)),
    delete: (projectId, id) => translated(() => views.delete(projectId, id)),
  };
}
