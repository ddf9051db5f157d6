import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@candela/kernel';
import { type Kysely, PostgresAdapter, PostgresDriver, PostgresIntrospector, sql } from 'kysely';
import pg from 'pg';
import Cursor from 'pg-cursor';
import type { MetadataDialect } from '../dialect.ts';
import { CodePointCompiler } from './compiler.ts';
import { explain, isBadNumber, isBadText, isFull, isUnavailable, isUniqueViolation } from './errors.ts';
import { announcement } from './announcement.ts';
import { CHANNEL, watchPostgres } from './watch.ts';
import { aloneOnPostgres } from './alone.ts';

/** Connections of one replica, besides the one that listens. */
const MAX_CONNECTIONS = 10;
const CONNECT_MS = 5_000;
const IDLE_MS = 30_000;
/** No statement of the metadata store is long. */
const STATEMENT_MS = 10_000;
const LOCK_MS = 5_000;
/** A replica that died in the middle of a change lets the others go on. */
const IDLE_IN_TRANSACTION_MS = 15_000;
/** A server that does not answer at all (a cut cable) cannot keep to its own bounds. */
const ANSWER_MS = STATEMENT_MS + LOCK_MS;
/** How long a replica waits while another one migrates, and how often it asks. */
const MIGRATION_MS = 300_000;
const MIGRATION_ASK_MS = 200;
/** Keys of the advisory locks: the letters of "candela", then which one. */
const LOCK_SPACE = 0x63_61_6e_64;
const MIGRATION_LOCK = 1;
const CHANGE_LOCK = 2;
const INT8: number = pg.types.builtins.INT8;

/** The database cannot be used as it is; the message is for a person. */
class Unusable extends Error {}

/** A PostgreSQL database by its address. Several replicas may work on one. */
export function postgresDialect(url: string, logger: Logger): MetadataDialect {
  const connection: pg.ClientConfig = {
    connectionString: url,
    application_name: 'candela',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  };
  const instance = crypto.randomUUID();
  const where = placeOf(url);
  return {
    name: 'postgres',
    kysely: {
      createDriver: () =>
        new PostgresDriver({ pool: async () => poolOf(connection, logger), cursor: Cursor }),
      createQueryCompiler: () => new CodePointCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (database) => new PostgresIntrospector(database),
    },
    isUniqueViolation,
    isUnavailable,
    isFull,
    isBadText,
    isBadNumber,
    explain: (thrown) => (thrown instanceof Unusable ? thrown.message : explain(thrown, where)),
    whileMigrating: (database, work) =>
      database.connection().execute(async (held) => {
        await takeMigrationLock(held, where);
        try {
          await demandUtf8(held, where);
          await makeClock(held);
          return await work(held);
        } finally {
          // A connection that is gone has let go of everything by itself.
          await sql`select pg_advisory_unlock(${LOCK_SPACE}::int, ${MIGRATION_LOCK}::int)`
            .execute(held)
            .catch(() => undefined);
        }
      }),
    async takeTurn(transaction) {
      await sql`select pg_advisory_xact_lock(${LOCK_SPACE}::int, ${CHANGE_LOCK}::int)`.execute(transaction);
    },
    // A connection of its own: work may take hours, and those of the pool are few.
    alone: (name, work) =>
      aloneOnPostgres({ ...connection, query_timeout: ANSWER_MS }, name, { logger, work }),
    async announce(database, written) {
      // The clock is moved and the notification sent by one statement: both or neither.
      await sql`with moved as (update change_clock set version = version + 1 returning version)
        select pg_notify(${CHANNEL}, version::text || ' ' || ${instance}::text || ' ' || ${announcement(written)}::text)
        from moved`.execute(database);
    },
    watch: (_database, onWritten) => watchPostgres(connection, { logger, instance, onWritten }),
  };
}

function poolOf(connection: pg.ClientConfig, logger: Logger): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: ANSWER_MS,
  });
  // The pool drops the connection and opens another when it is needed; without a listener the process would end.
  pool.on('error', (error) => logger.warn({ err: error }, 'a connection to the metadata store was lost'));
  // Of one that is in use the pool hears nothing, and whoever uses it is told by the failure of what it asked.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Whole numbers of 64 bits as numbers: none of ours passes 2^53. */
function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  return oid === INT8 ? Number : (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown);
}

async function takeMigrationLock(database: Kysely<never>, where: string): Promise<void> {
  for (let left = MIGRATION_MS; left > 0; left -= MIGRATION_ASK_MS) {
    const { rows } = await sql<{
      taken: boolean;
    }>`select pg_try_advisory_lock(${LOCK_SPACE}::int, ${MIGRATION_LOCK}::int) as taken`.execute(database);
    if (rows[0]?.taken === true) return;
    await sleep(MIGRATION_ASK_MS);
  }
  throw new Unusable(
    `Another replica has been migrating the database of PostgreSQL at ${where} for ${MIGRATION_MS / 60_000} minutes. Look at it, or at what it waits for in pg_stat_activity.`,
  );
}

async function demandUtf8(database: Kysely<never>, where: string): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(database);
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new Unusable(
    `The database of PostgreSQL at ${where} keeps text as ${encoding}. Make one with: create database … encoding 'UTF8' template template0.`,
  );
}

async function makeClock(database: Kysely<never>): Promise<void> {
  await sql`create table if not exists change_clock (id integer primary key, version bigint not null)`.execute(
    database,
  );
  await sql`insert into change_clock values (1, 0) on conflict do nothing`.execute(database);
}

/** Server and database for a message; never user or password. */
function placeOf(url: string): string {
  const { host, port, database } = new pg.Client({ connectionString: url });
  return `${host.startsWith('/') ? host : `${host}:${port}`}, database ${database ?? 'of the user'}`;
}
