import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/**
 * The agent of this machine beside the platform. Real processes: what is asked of them is what `ps` and the hosts page
 * would say.
 */
describe('the collector of this machine', () => {
  let dataDir: string;
  let platform: PlatformProcess | undefined;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'candela-local-'));
  });
  afterEach(async () => {
    await platform?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (env: Record<string, string>) =>
    startPlatform({ dataDir, env: { PLATFORM_LOCAL_COLLECTOR: 'true', ...env } });
  /** As a user or a supervisor does, without installing and building first. */
  const npmStart = () =>
    startPlatform({
      dataDir,
      launcher: 'npm',
      env: { PLATFORM_LOCAL_COLLECTOR: 'true', npm_config_ignore_scripts: 'true' },
    });
  const agents = (running: PlatformProcess) =>
    running.children().filter(({ command }) => command.includes('collector/src/main.ts'));
  const agent = async (running: PlatformProcess, not?: number): Promise<number> =>
    await vi.waitFor(
      () => {
        const [found] = agents(running).filter(({ pid }) => pid !== not);
        if (found === undefined) throw new Error('no agent runs');
        return found.pid;
      },
      { timeout: 30_000, interval: 100 },
    );
  const alive = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  const hosts = async (running: PlatformProcess, key?: string) => {
    const answer = await fetch(`${running.http}/api/telemetry/hosts`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: { hosts: { name: string }[] } };
    return data.hosts.map(({ name }) => name);
  };

  it('shows this machine among the hosts, is started again when it ends, and ends with the platform', async () => {
    platform = await start({ OTEL_METRIC_EXPORT_INTERVAL: '1000' });
    const running = platform;
    await vi.waitFor(async () => expect(await hosts(running)).toContain(hostname()), {
      timeout: 60_000,
      interval: 500,
    });

    const first = await agent(running);
    process.kill(first, 'SIGKILL');
    const second = await agent(running, first);
    expect(running.output().join('\n')).toContain('the collector of this machine ended');

    await running.stop();
    expect(alive(second)).toBe(false);
  });

  it('ends in order when Ctrl-C reaches it and the platform at the same time', async () => {
    platform = await start({ OTEL_LOG_LEVEL: 'info' });
    const pid = await agent(platform);
    const said = () => platform?.output().join('\n') ?? '';
    await vi.waitFor(() => expect(said()).toContain('opentelemetry-gpu-collector runs'), { timeout: 30_000 });
    // As a terminal does it: to every process in front of it.
    process.kill(pid, 'SIGINT');
    process.kill(platform.pid, 'SIGINT');
    expect((await platform.exited).code).toBe(0);
    expect(alive(pid)).toBe(false);
    expect(said()).toContain('stopping reason=disconnect');
    expect(said()).not.toContain('stopping at once');
  });

  it.each([
    ['SIGTERM of a supervisor, to npm alone', 'SIGTERM', 'npm'],
    ['Ctrl-C of a terminal, to npm and the server', 'SIGINT', 'npm and server'],
  ] as const)('npm start ends in order with everything below it: %s', async (_by, signal, to) => {
    platform = await npmStart();
    const { launcherPid, pid: server, enginePid: engine, http, otlpHttp, otlpGrpc } = platform;
    expect(server).not.toBe(launcherPid);
    if (engine === undefined) throw new Error('no engine runs');
    const below = [server, engine, await agent(platform)];
    try {
      process.kill(launcherPid, signal);
      if (to !== 'npm') process.kill(server, signal);
      expect(await platform.exited).toEqual({ code: 0, signal: null });
      // At the moment npm ends: a supervisor starts the next one then, on the same ports.
      expect(below.filter(alive)).toEqual([]);
      for (const address of [http, otlpHttp, `http://${otlpGrpc}`]) {
        const port = Number(new URL(address).port);
        const next = createServer().listen(port, '127.0.0.1');
        await once(next, 'listening');
        next.close();
      }
    } finally {
      for (const pid of below.filter(alive)) process.kill(pid, 'SIGKILL');
    }
  });

  it('ends by itself when the platform is killed', async () => {
    platform = await start({});
    const pid = await agent(platform);
    await platform.kill();
    await vi.waitFor(() => expect(alive(pid)).toBe(false), { timeout: 20_000, interval: 100 });
  });

  it('sends with the API key when there is one, and takes nothing else of the environment', async () => {
    const key = 'a-key-of-sixteen-or-more';
    platform = await start({
      PLATFORM_BOOTSTRAP_API_KEY: key,
      PLATFORM_INGEST_ANONYMOUS: 'false',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_RESOURCE_ATTRIBUTES: 'host.name=named-here',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    });
    const running = platform;
    await vi.waitFor(async () => expect(await hosts(running, key)).toContain('named-here'), {
      timeout: 60_000,
      interval: 500,
    });
  });

  it('is left out, with the reason told, when nothing it sends would be taken', async () => {
    platform = await start({ PLATFORM_INGEST_ANONYMOUS: 'false' });
    expect(agents(platform)).toEqual([]);
    expect(platform.output().join('\n')).toContain('the metrics of this machine are left out');
  });
});
