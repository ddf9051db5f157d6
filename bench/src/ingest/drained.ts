import type { PlatformProcess } from '@candela/testkit';
import { Scrape } from '../lib/scrape.ts';
import { sleep } from '../lib/temp.ts';

const DRAIN_TIMEOUT_MS = 120_000;

/** Waits until nothing acknowledged is missing in the store; returns false when that takes too long. */
export async function drained(platform: PlatformProcess): Promise<boolean> {
  const endsAt = performance.now() + DRAIN_TIMEOUT_MS;
  while (performance.now() < endsAt) {
    const scrape = await Scrape.of(platform.http);
    if (scrape.sum('candela_ingest_backlog_requests') === 0) return true;
    await sleep(50);
  }
  return false;
}
