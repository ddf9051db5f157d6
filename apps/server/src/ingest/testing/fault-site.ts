import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { openIngestLog, openTelemetryStore } from '@candela/telemetry-store';
import {
  type AckLoad,
  type AckReport,
  compareWithStore,
  type PlatformOptions,
  type PlatformProcess,
  startPlatform,
} from '@candela/testkit';
import { afterEach, beforeEach, vi } from 'vitest';

/** Where a test of faults has its platforms: a folder of its own, in which none is left running. */
export interface FaultSite {
  dataDir: string;
  start(options?: Partial<PlatformOptions>): Promise<PlatformProcess>;
  /** Opens log and store of a stopped platform, lets the log empty, and holds the clients' memory against it. */
  compare(load: AckLoad, service: string): Promise<AckReport>;
}

/** Registers the hooks of the calling file. */
export function faultSite(): FaultSite {
  let base: string;
  let running: PlatformProcess[] = [];
  const site: FaultSite = {
    dataDir: '',
    async start(options = {}) {
      const platform = await startPlatform({ dataDir: site.dataDir, ...options });
      running.push(platform);
      return platform;
    },
    compare: (load, service) => compareIn(site.dataDir, load, service),
  };
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'candela-faults-'));
    site.dataDir = join(base, 'data');
  });
  afterEach(async () => {
    await Promise.all(running.map((platform) => platform.kill()));
    running = [];
    await rm(base, { recursive: true, force: true });
  });
  return site;
}

async function compareIn(dataDir: string, load: AckLoad, service: string): Promise<AckReport> {
  const store = await openTelemetryStore({
    kind: 'embedded',
    dataDir: join(dataDir, 'telemetry'),
    logger: silentLogger,
  });
  const log = await openIngestLog({
    dir: join(dataDir, 'ingest-log'),
    store,
    logger: silentLogger,
    capBytes: 2 ** 31,
    minFreeDiskPercent: 0,
  });
  try {
    if (!(await log.flush(30_000))) throw new Error('the log did not empty within 30 s');
    const rows = await store.select<{ traceId: string; spans: string; distinctSpans: string }>(
      'SELECT TraceId AS traceId, count() AS spans, uniqExact(SpanId) AS distinctSpans FROM otel_traces WHERE ServiceName = {service:String} GROUP BY TraceId',
      { service },
      { maxResultRows: 1_000_000, maxRowsToRead: 100_000_000 },
    );
    return compareWithStore(
      load,
      rows.map((row) => ({ ...row, spans: Number(row.spans), distinctSpans: Number(row.distinctSpans) })),
    );
  } finally {
    await log.close();
    await store.close();
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const until = (condition: () => boolean): Promise<boolean> =>
  vi.waitUntil(condition, { timeout: 30_000, interval: 50 });
export const portOf = (address: string): number => Number(new URL(address).port);

/** Resident memory of a process in MiB; 0 where there is none. */
export function residentMib(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const status = execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' });
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
}

/** Lines of a platform's output that tell of an error nobody handled. */
export const unhandled = (platform: { output(): readonly string[] }): string[] =>
  platform.output().filter((line) => /an error was not (handled|caught)/.test(line));
