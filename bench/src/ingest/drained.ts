import type { PlatformProcess } from '@candela/testkit';
import { Scrape } from '../lib/scrape.ts';
import { sleep } from '../lib/temp.ts';

/** Without any progress for so long it is given up. */
const STILL_MS = 120_000;

/** Waits until nothing acknowledged is missing in the store; returns false when that makes no progress. */
export async function drained(platform: PlatformProcess): Promise<boolean> {
  let least = Number.POSITIVE_INFINITY;
  let progressAt = performance.now();
  while (performance.now() - progressAt < STILL_MS) {
    const backlog = (await Scrape.of(platform.http)).sum('candela_ingest_backlog_requests');
    if (backlog === 0) return true;
    if (backlog < least) {
      least = backlog;
      progressAt = performance.now();
    }
    await sleep(50);
  }
  return false;
}
