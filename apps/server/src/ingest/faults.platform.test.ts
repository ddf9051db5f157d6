import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLogger } from '@candela/kernel';
import { openTelemetryStore } from '@candela/telemetry-store';
import { killRounds, startAckLoad, startPlatform } from '@candela/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { say } from './testing/say.ts';
import { post } from './testing/client.ts';
import { openReceivers } from './testing/harness.ts';
import { traceBody } from './testing/spans.ts';
import { faultSite, portOf, sleep, unhandled, until } from './testing/fault-site.ts';

const site = faultSite();

describe('case 15: SIGKILL under 50 clients', () => {
  it('every acknowledged span is there exactly once after each blow', async () => {
    const report = await killRounds({
      dataDir: site.dataDir,
      rounds: 6,
      clients: 50,
      service: 'case15',
      // Segments of 2 MiB, so that blows also fall between two of them.
      env: { PLATFORM_LOG_CAP_BYTES: '16MiB' },
      calmMs: [300, 1_500],
    });
    const result = await site.compare(report.load, 'case15');
    say(
      `case 15: ${report.rounds.map((round) => round.blow).join(', ')}; ${result.acknowledged} requests acknowledged, slowest start ${Math.round(report.slowestStartMs)} ms`,
    );
    expect(result).toMatchObject({ lost: [], doubled: [], unknown: [] });
    expect(result.acknowledged).toBeGreaterThan(200);
    expect(report.exitCode).toBe(0);
    expect(report.load.refusalsWithoutRetryAfter).toBe(0);
  });
});

describe('case 16: SIGKILL inside a migration and inside a merge', () => {
  it('killed at five moments of the very first start: the next start finishes it', async () => {
    for (const ms of [250, 400, 600, 800, 1_100]) {
      const attempt = startPlatform({ dataDir: site.dataDir, readyTimeoutMs: ms }).then(
        (platform) => platform.kill(),
        () => undefined,
      );
      await attempt;
    }
    const platform = await site.start();
    expect((await post(portOf(platform.otlpHttp), traceBody('after migrations'))).status).toBe(200);
    expect((await platform.stop()).code).toBe(0);
  });

  it('engine killed while it merges: no row lost, none doubled', async () => {
    const receivers = await openReceivers();
    try {
      for (let n = 0; n < 20; n += 1) {
        expect((await post(receivers.port, traceBody(`merge ${n}`, 500))).status).toBe(200);
        await receivers.log.flush(5_000);
      }
      const merging = receivers.store.command('OPTIMIZE TABLE otel_traces FINAL').catch(() => undefined);
      await sleep(15);
      const pid = engineOf(process.pid);
      expect(pid).toBeDefined();
      process.kill(pid ?? 0, 'SIGKILL');
      await merging;
      expect((await post(receivers.port, traceBody('after the merge', 500))).status).toBe(200);
      const [row] = await receivers.rows<{ n: string; ids: string }>(
        'SELECT count() AS n, uniqExact(TraceId, SpanId) AS ids FROM otel_traces',
      );
      expect([Number(row?.n), Number(row?.ids)]).toEqual([10_500, 10_500]);
    } finally {
      await receivers.close();
    }
  });
});

function engineOf(pid: number): number | undefined {
  const list = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' });
  for (const line of list.split('\n')) {
    const [own, parent, ...args] = line.trim().split(/\s+/);
    if (Number(parent) === pid && args.join(' ').includes('engine-host')) return Number(own);
  }
  return undefined;
}

describe('case 17: the disk of the data directory is full', () => {
  let mounted: string | undefined;
  afterEach(async () => {
    if (mounted === undefined) return;
    execFileSync('umount', ['-l', mounted]);
    await rmdir(mounted);
    mounted = undefined;
  });

  async function smallDisk(mib: number): Promise<string | undefined> {
    const place = await mkdtemp(join(tmpdir(), 'candela-small-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', place], { stdio: 'pipe' });
    } catch {
      await rmdir(place);
      say('SKIPPED: case 17 needs the right to mount a small tmpfs');
      return undefined;
    }
    mounted = place;
    return place;
  }

  it.each([
    ['the guard', '10'],
    ['the disk itself', '0'],
  ])(
    'stopped by %s: 503, reads work, nothing lost; free space is noticed without a restart',
    async (_who, percent) => {
      const place = await smallDisk(256);
      if (place === undefined) return;
      site.dataDir = join(place, 'data');
      const platform = await site.start({ env: { PLATFORM_MIN_FREE_DISK_PERCENT: percent } });
      const load = startAckLoad({
        endpoint: () => platform.otlpHttp,
        clients: 8,
        service: 'case17',
        spansPerRequest: 100,
      });
      try {
        await until(() => load.acknowledged.size > 20);
        const ballast = join(place, 'ballast');
        // Fills what is left, in one go.
        await promisify(execFile)('sh', ['-c', `head -c 300000000 /dev/zero > ${ballast} || true`]);
        await until(() => (load.statuses.get(503) ?? 0) >= 5);
        const during = load.acknowledged.size;
        const health = await fetch(`${platform.http}/api/health`);
        expect(health.status).toBe(200);
        // What the engine could not write whole is given up first, which may take a start of it.
        await vi.waitFor(
          async () => {
            const search = await fetch(`${platform.http}/api/telemetry/traces/search`, {
              method: 'POST',
              body: JSON.stringify({ from: '-1h' }),
            });
            expect(search.status).toBe(200);
          },
          { timeout: 30_000, interval: 200 },
        );
        await rm(ballast);
        await until(() => load.acknowledged.size > during + 20);
      } finally {
        await load.stop();
      }
      expect(unhandled(platform)).toEqual([]);
      expect((await platform.stop()).code).toBe(0);
      const result = await site.compare(load, 'case17');
      expect(result).toMatchObject({ lost: [], doubled: [] });
      expect(load.refusalsWithoutRetryAfter).toBe(0);
      expect([...load.statuses.keys()].toSorted()).toEqual([200, 503]);
    },
  );
});

describe('case 18: damaged files of the log', () => {
  it('the start sets the segment aside, says so once, reports degraded, and keeps the other requests', async () => {
    const first = await site.start();
    const engine = first.enginePid;
    // The engine stands still, so that the log keeps what it is given.
    process.kill(engine ?? 0, 'SIGSTOP');
    for (let n = 0; n < 6; n += 1) {
      expect((await post(portOf(first.otlpHttp), traceBody(`damage ${n}`, 3))).status).toBe(200);
    }
    process.kill(engine ?? 0, 'SIGKILL');
    await first.kill();
    const log = join(site.dataDir, 'ingest-log');
    const segment =
      (await readdir(log))
        .filter((name) => name.endsWith('.wal'))
        .toSorted()
        .at(-1) ?? '';
    const bytes = await readFile(join(log, segment));
    const third = Math.floor(bytes.length / 3);
    bytes[third] = (bytes[third] ?? 0) ^ 0xff;
    await writeFile(join(log, segment), bytes);
    const second = await site.start();
    const health = (await (await fetch(`${second.http}/api/health`)).json()) as {
      state: string;
      reasons: string[];
    };
    expect(health.state).toBe('degraded');
    expect((await readdir(log)).filter((name) => name.endsWith('.quarantine'))).toHaveLength(1);
    const said = second.output().filter((line) => line.includes('damaged segment'));
    expect(said).toHaveLength(1);
    expect((await second.stop()).code).toBe(0);
    const store = await openTelemetryStore({
      kind: 'embedded',
      dataDir: join(site.dataDir, 'telemetry'),
      logger: silentLogger,
    });
    const [row] = await store.select<{ n: string }>('SELECT count() AS n FROM otel_traces');
    await store.close();
    expect(Number(row?.n)).toBe(15);
  });
});
