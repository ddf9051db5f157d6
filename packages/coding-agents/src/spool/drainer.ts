import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { namesIn, writeWhole } from './files.ts';
import type { Folders } from './folders.ts';
import { alone } from './lock.ts';
import { type Sent, send, type Target } from './send.ts';
import { type DrainSettings, readCounted, recover, step, take } from './step.ts';

/** More than that is not kept for a platform that is away. */
const SPOOL_BYTES = 64 << 20;
const KEEP_MS = 7 * 86_400_000;
const IDLE_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;

export interface Backlog {
  readonly files: number;
  readonly bytes: number;
  /** Age of the oldest, in milliseconds; 0 where there is none. */
  readonly oldestMs: number;
}

/** What waits to be sent. */
export function backlogOf(folders: Folders, now = Date.now()): Backlog {
  let [files, bytes, oldest] = [0, 0, now];
  for (const folder of [folders.spool, folders.taken, folders.outbox]) {
    for (const name of namesIn(folder)) {
      try {
        const { size, mtimeMs } = statSync(join(folder, name));
        if (name === 'full') continue;
        files += 1;
        bytes += size;
        oldest = Math.min(oldest, mtimeMs);
      } catch {
        // Taken away meanwhile.
      }
    }
  }
  return { files, bytes, oldestMs: Math.max(0, now - oldest) };
}

/** How many payloads lie aside that could not be used; the last twenty are kept. */
export const setAsideIn = (folders: Folders): number => namesIn(folders.bad).length;

/** Works off all events that are there and sends what can be sent. */
export async function drain(
  folders: Folders,
  settings: DrainSettings,
  target: Target,
  counted: Set<string>,
): Promise<Sent & { events: number }> {
  let events = 0;
  for (let more = true; more; ) {
    const took = take(folders);
    const done = step(folders, settings, counted);
    events += done;
    more = took > 0 || done > 0;
  }
  return { ...(await send(folders, target)), events };
}

/** Drains until nothing has come for a minute. Keeps within the spool's bounds while the platform is away. */
export async function runDrainer(
  folders: Folders,
  settings: () => Promise<{ settings: DrainSettings; target: Target }>,
  idleMs = IDLE_MS,
): Promise<void> {
  await alone(folders.lock, async () => {
    recover(folders);
    const counted = readCounted(folders);
    let [lastWork, pause] = [Date.now(), 250];
    while (Date.now() - lastWork < idleMs) {
      const now = await settings();
      const { events, sent, failure } = await drain(folders, now.settings, now.target, counted);
      if (events > 0 || sent > 0) lastWork = Date.now();
      bound(folders);
      if (failure !== undefined)
        writeWhole(folders.status, JSON.stringify({ failure, at: new Date().toISOString() }));
      else rmSync(folders.status, { force: true });
      pause = failure === undefined ? 250 : Math.min(pause * 2, LONGEST_PAUSE_MS);
      await wait(pause);
    }
  });
}

/** Drops what is too old; past the bytes hooks stop to write until there is room. Returns how many were dropped. */
function bound(folders: Folders, now = Date.now()): number {
  let dropped = 0;
  for (const folder of [folders.outbox, folders.sessions]) {
    for (const name of namesIn(folder)) {
      const file = join(folder, name);
      if (now - statSync(file).mtimeMs < KEEP_MS) continue;
      rmSync(file, { force: true });
      if (folder === folders.outbox) dropped += 1;
    }
  }
  if (backlogOf(folders).bytes > SPOOL_BYTES) writeFileSync(folders.full, '', { mode: 0o600 });
  else rmSync(folders.full, { force: true });
  return dropped;
}
