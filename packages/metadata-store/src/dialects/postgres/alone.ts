import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@candela/kernel';
import pg from 'pg';

/** Keys of these locks: the letters of "alon", then a number made of the name. Equal numbers only wait for each other. */
const LOCK_SPACE = 0x61_6c_6f_6e;
const ASK_MS = 200;
/** A machine that is gone without a word lets go after a minute, not after the two hours of most systems. */
const KEEP_ALIVE =
  'set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3';

/**
 * Runs the work while no other session of the database does work of that name: a lock of a connection that is held until
 * the end. The server frees it with the connection, whatever ends the process.
 */
export async function aloneOnPostgres<T>(
  connection: pg.ClientConfig,
  name: string,
  { logger, work }: { readonly logger: Logger; readonly work: () => Promise<T> },
): Promise<T> {
  const client = new pg.Client(connection);
  // The work goes on: there is no way back from the middle of it.
  client.on('error', (err) => logger.warn({ err, work: name }, 'the lock on what is done alone was lost'));
  try {
    await client.connect();
    await client.query(KEEP_ALIVE);
    const keys = [LOCK_SPACE, createHash('sha256').update(name).digest().readInt32BE(0)];
    for (let told = false; ; told = true) {
      const { rows } = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock($1::int, $2::int) as taken',
        keys,
      );
      if (rows[0]?.taken === true) break;
      if (!told) logger.info({ work: name }, 'waiting for another replica that does the same');
      await sleep(ASK_MS);
    }
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}
