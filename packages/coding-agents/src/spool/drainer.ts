import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseJson, textAt } from '../facts/read.ts';
import { namesIn, readText, writeWhole } from './files.ts';
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

/** What hindered the last attempt to send; `coding status` shows it. */
export function noteFailure(folders: Folders, failure: string | undefined): void {
  try {
    if (failure === undefined) rmSync(folders.status, { force: true });
    else writeWhole(folders.status, JSON.stringify({ failure, at: new Date().toISOString() }));
  } catch {
    // A full disk: there is no room for the note either.
  }
}

/** The failure that was noted last; undefined where the last attempt succeeded. */
export function failureIn(folders: Folders): { readonly failure: string; readonly at: string } | undefined {
  const noted = parseJson(readText(folders.status) ?? '');
  const [failure, at] = [textAt(noted, 'failure'), textAt(noted, 'at')];
  return failure === undefined || at === undefined ? undefined : { failure, at };
}

/**
 * Drains until nothing has come for a minute. Keeps within the spool's bounds while the platform is away, the settings
 * cannot be had, or the disk is full.
 */
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
      let failure: string | undefined;
      try {
        const now = await settings();
        const done = await drain(folders, now.settings, now.target, counted);
        if (done.events > 0 || done.sent > 0) lastWork = Date.now();
        failure = done.failure;
      } catch (thrown) {
        failure = thrown instanceof Error ? thrown.message : String(thrown);
      }
      bound(folders);
      noteFailure(folders, failure);
      pause = failure === undefined ? 250 : Math.min(pause * 2, LONGEST_PAUSE_MS);
      await wait(pause);
    }
  });
}

/** Drops what is too old; past the bytes hooks stop to write until there is room. Returns how many were dropped. */
function bound(folders: Folders, now = Date.now()): number {
  let dropped = 0;
  for (const folder of [folders.spool, folders.taken, folders.outbox, folders.sessions]) {
    for (const name of namesIn(folder)) {
      const file = join(folder, name);
      if (now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) < KEEP_MS) continue;
      rmSync(file, { force: true, recursive: true });
      if (folder !== folders.sessions) dropped += 1;
    }
  }
  if (backlogOf(folders).bytes > SPOOL_BYTES) writeFileSync(folders.full, '', { mode: 0o600 });
  else rmSync(folders.full, { force: true });
  return dropped;
}
