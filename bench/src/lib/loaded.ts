import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TelemetryStore } from '@candela/telemetry-store';
import { startPlatform } from '@candela/testkit';
import { BENCH_SIGNALS } from '../data/batch.ts';
import { BENCH_HOSTS } from '../data/points.ts';
import { drained } from '../ingest/drained.ts';
import { fill } from '../load.ts';
import { openStoreOf } from './store.ts';
import { thousands } from './table.ts';
import { sleep, withTempDir } from './temp.ts';

export interface Loaded {
  /** What was loaded and how fast, a sentence a signal. */
  readonly rates: readonly string[];
  readonly traceIds: readonly string[];
  /** Where the times of the points end, epoch milliseconds: what is current is asked as of then. */
  readonly pointsUntilMs?: number;
}

export interface Load {
  readonly folder: string;
  readonly hours: number;
  readonly hosts: number;
  readonly settleMs: number;
  readonly items: Readonly<Record<(typeof BENCH_SIGNALS)[number], number>>;
  readonly env: Readonly<Record<string, string>>;
}

/** Fills a data folder through the OTLP receivers and lets its merges finish; the platform is stopped afterwards. */
async function load({ folder, hours, hosts, settleMs, items, env }: Load): Promise<Loaded> {
  const platform = await startPlatform({ dataDir: folder, env });
  const rates: string[] = [];
  let traceIds: readonly string[] = [];
  let pointsUntilMs = Date.now();
  for (const signal of BENCH_SIGNALS) {
    if (items[signal] === 0) continue;
    if (signal === 'points') pointsUntilMs = Date.now();
    const filled = await fill({
      endpoint: platform.otlpHttp,
      signal,
      items: items[signal],
      hosts,
      spreadMs: hours * 3_600_000,
      connections: 8,
    });
    if (Object.keys(filled.failures).length > 0) {
      throw new Error(`Refused requests with ${signal}: ${JSON.stringify(filled.failures)}`);
    }
    if (signal === 'spans') traceIds = filled.traceIds;
    rates.push(
      `${thousands(filled.acknowledgedSpans)} ${signal} at ${thousands(filled.acknowledgedSpans / filled.seconds)} a second`,
    );
    if (!(await drained(platform))) throw new Error('the backlog did not empty');
  }
  // A running system is read between loads, not only right after ten million rows.
  await sleep(settleMs);
  await platform.stop();
  return { rates, traceIds, pointsUntilMs };
}

/** With `--data` the folder stays, and a later run asks it without loading again. */
export async function withData<T>(
  kept: string | undefined,
  body: (folder: string) => Promise<T>,
): Promise<T> {
  if (kept === undefined) return withTempDir(body);
  mkdirSync(kept, { recursive: true });
  return body(resolve(kept));
}

export async function loadOnce(request: Load): Promise<Loaded> {
  const note = join(request.folder, 'bench-read.json');
  if (existsSync(note)) return JSON.parse(readFileSync(note, 'utf8')) as Loaded;
  const loaded = await load(request);
  writeFileSync(note, JSON.stringify(loaded));
  return loaded;
}

/** The store is at rest when nothing was merged for so long: half a minute after it was opened it merges what is left. */
const REST_MS = 45_000;

/** Waits for the merges that loading left: they take a core for about a minute, which is a figure of its own (while spans come in). */
export async function mergesDone(store: TelemetryStore): Promise<void> {
  let busyAt = performance.now();
  while (performance.now() - busyAt < REST_MS) {
    const [merges] = await store.select<{ n: number }>('SELECT count() AS n FROM system.merges');
    if (merges?.n !== 0) busyAt = performance.now();
    await sleep(500);
  }
}

/** A folder of so many spans, all merges done, for a bench that asks about them in its own way. */
export async function spansIn(folder: string, spans: number, hours: number): Promise<void> {
  await loadOnce({
    folder,
    hours,
    hosts: BENCH_HOSTS,
    settleMs: 10_000,
    items: { spans, logs: 0, points: 0 },
    env: { PLATFORM_RATE_LIMIT: '1000000' },
  });
  const store = await openStoreOf(folder, { textIndex: true });
  await mergesDone(store);
  await store.close();
}
