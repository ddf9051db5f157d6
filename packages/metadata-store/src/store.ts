import { asCandelaError, CandelaError, type Clock, fail, type Logger, systemClock } from '@candela/kernel';
import { Kysely } from 'kysely';
import { announcing, ChangeBoard, type MetadataChanges, Writes } from './changes.ts';
import type { MetadataDialect } from './dialects/dialect.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { migrateMetadata, MetadataMigrationError } from './migrations/migrate.ts';
import { type Access, DEFAULT_LIMITS, type MetadataLimits } from './repositories/access.ts';
import { type Call, recall, remember } from './repositories/idempotency.ts';
import { REPOSITORIES, type Repositories } from './repositories/index.ts';
import type { StorageScope } from './repositories/storage-scope.ts';
import type { Tables } from './tables/index.ts';

export interface MetadataOptions {
  readonly dialect: MetadataDialect;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly limits?: Partial<MetadataLimits>;
}

/** What people make and keep: transactional, small, and never telemetry. */
export interface MetadataStore extends Repositories {
  /**
   * Runs the work in one transaction: all of it is kept, or nothing. Changes follow one another, in all replicas: what
   * one reads no other changes before it is done. With a call, its answer is kept with it, and the same call again is
   * given that answer without the work being done twice. The answer must be JSON. Inside, only the repositories that
   * are handed in may be used: the store's own would wait for this change to end.
   */
  change<T>(call: Call | undefined, work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /**
   * Runs work on something else than this database while no other replica, and nobody else in this one, does work of that
   * name. A process that dies lets go.
   */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** What caches listen to. */
  readonly changes: MetadataChanges;
  close(): Promise<void>;
}

/** The metadata store cannot be opened. The message says why and what to do. */
export class MetadataStoreError extends Error {
  override readonly name = 'MetadataStoreError';
}

/** Opens the store and brings its schema up to date. @throws MetadataStoreError with a sentence for a person */
export async function openMetadata(options: MetadataOptions): Promise<MetadataStore> {
  const { dialect, logger } = options;
  const clock = options.clock ?? systemClock;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const database = new Kysely<Tables>({ dialect: dialect.kysely });
  const untyped = database as unknown as Kysely<never>;
  try {
    await migrateMetadata(untyped, { dialect, migrations: MIGRATIONS, logger });
  } catch (thrown) {
    await database.destroy().catch(() => undefined);
    const sentence = thrown instanceof MetadataMigrationError ? thrown.message : dialect.explain(thrown);
    if (sentence === undefined) throw thrown;
    throw new MetadataStoreError(sentence, { cause: thrown });
  }

  const board = new ChangeBoard((onWritten) => dialect.watch(untyped, onWritten));
  const access = (
    heard: (place: StorageScope | undefined) => Kysely<Tables>,
    quiet: Kysely<Tables>,
  ): Access => ({
    database: heard(undefined),
    at: heard,
    quiet,
    dialect,
    clock,
    limits,
  });

  return {
    ...repositories(access(announcing(database, dialect, board), database), (work) =>
      translated(dialect, work),
    ),
    alone: (name, work) => dialect.alone(name, work),
    changes: board,
    change: (call, work) =>
      translated(dialect, async () => {
        const writes = new Writes();
        const tell = () => writes.written !== undefined && board.tell(writes.written);
        const making = database.transaction().execute(async (quiet) => {
          const raw = quiet as unknown as Kysely<never>;
          await dialect.takeTurn(raw);
          const on = access((place) => quiet.withPlugin(writes.noting(place)), quiet);
          const known = call === undefined ? undefined : await recall(on, call);
          // The caller's own answer, read back: the same call asked for the same type.
          if (known !== undefined) return known.answer as Awaited<ReturnType<typeof work>>;
          const made = await work(repositories(on, (step) => step()));
          if (call !== undefined) await remember(on, call, made);
          if (writes.written !== undefined) await dialect.announce(raw, writes.written);
          return made;
        });
        const answer = await making.catch((thrown: unknown) => {
          // Of a commit whose answer was lost nobody knows that it was not made.
          if (dialect.isUnavailable(thrown)) tell();
          throw thrown;
        });
        tell();
        return answer;
      }),
    async close() {
      await board.stop();
      await database.destroy();
    },
  };
}

type Around = <T>(work: () => Promise<T>) => Promise<T>;

/** All repositories on one database or transaction, with something around each of their calls. */
function repositories(access: Access, around: Around): Repositories {
  const made = Object.entries(REPOSITORIES).map(([name, make]) => [name, wrapped(make(access), around)]);
  return Object.fromEntries(made) as Repositories;
}

/** The same object with something around each of its functions, all of which return promises. */
function wrapped<R extends object>(repository: R, around: Around): R {
  const functions = Object.entries(repository).map(([name, call]) => [
    name,
    (...given: unknown[]) => around(() => (call as (...given: unknown[]) => Promise<unknown>)(...given)),
  ]);
  return Object.fromEntries(functions) as R;
}

/** Failures of the database itself (full disk, a lost connection) become a row of the error table. */
async function translated<T>(dialect: MetadataDialect, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof CandelaError) throw thrown;
    if (dialect.isBadText(thrown)) {
      throw fail('bad_request', { detail: 'A text holds a NUL character. Leave it out.' }, { cause: thrown });
    }
    if (dialect.isBadNumber(thrown)) {
      throw fail('bad_request', { detail: 'A number is too large, or not whole.' }, { cause: thrown });
    }
    throw dialect.isUnavailable(thrown)
      ? fail(
          'metadata_unavailable',
          { seconds: 5, why: dialect.isFull(thrown) ? ': the disk is full, make room on it' : '' },
          { cause: thrown },
        )
      : asCandelaError(thrown);
  }
}
