import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@candela/kernel';
import pg from 'pg';
import type { Watcher, Written } from '../dialect.ts';
import { announcementOf } from './announcement.ts';

export const CHANNEL = 'candela_metadata';
/** How often the clock of changes is read: a pooler in between, or a lost connection, swallows notifications. */
const POLL_MS = 500;
/** A poll that takes longer is a lost connection. */
const POLL_TIMEOUT_MS = 2_000;

/**
 * Listens on a connection of its own. Every announcement moves the clock by one, so that a gap is noticed; while there
 * is no connection everything counts as written, again and again: what cannot be watched is not to be trusted.
 */
export function watchPostgres(options: pg.ClientConfig, to: Omit<Watch, 'stopping'>): Watcher {
  const stopping = new AbortController();
  const running = watch(options, { ...to, stopping: stopping.signal });
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

interface Watch {
  readonly logger: Logger;
  /** Who we are in announcements: our own were told when they were made. */
  readonly instance: string;
  readonly onWritten: (written: Written) => void;
  readonly stopping: AbortSignal;
}

async function watch(
  options: pg.ClientConfig,
  { logger, instance, onWritten, stopping }: Watch,
): Promise<void> {
  let connected: boolean | undefined;
  while (!stopping.aborted) {
    const client = new pg.Client({ ...options, query_timeout: POLL_TIMEOUT_MS });
    const end = () => void client.end().catch(() => undefined);
    stopping.addEventListener('abort', end, { once: true });
    // The failure of the next query says the same.
    client.on('error', () => undefined);
    let seen: number | undefined;
    client.on('notification', ({ payload }) => {
      const { version, by, written } = announcementOf(payload);
      const gap = seen !== undefined && version > seen + 1;
      seen = Math.max(seen ?? version, version);
      if (gap) onWritten('everything');
      else if (by !== instance) onWritten(written);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      seen = await clockOf(client);
      // Whatever happened while nobody listened, at the start too.
      onWritten('everything');
      if (connected === false) logger.info({}, 'changes of the metadata store are watched again');
      connected = true;
      while (!stopping.aborted) {
        await pause(stopping);
        const version = await clockOf(client);
        if (version !== seen) onWritten('everything');
        seen = version;
      }
    } catch (error) {
      if (stopping.aborted) return;
      if (connected !== false) logger.warn({ err: error }, 'changes of the metadata store are not watched');
      connected = false;
      onWritten('everything');
      await pause(stopping);
    } finally {
      stopping.removeEventListener('abort', end);
      await client.end().catch(() => undefined);
    }
  }
}

async function clockOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: string }>('select version::text from change_clock');
  return Number(rows[0]?.version ?? -1);
}

async function pause(stopping: AbortSignal): Promise<void> {
  await sleep(POLL_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
}
