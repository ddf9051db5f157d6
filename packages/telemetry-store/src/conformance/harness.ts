import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { openTelemetryStore } from '../client/open.ts';
import type { TelemetryStore } from '../client/types.ts';
import { UnixAgent } from '../client/unix-agent.ts';
import { EngineSupervisor, type SupervisorOptions } from '../engine-host/supervisor.ts';

/** A kind of store the suite runs on. */
export interface Target {
  readonly name: string;
  readonly open: () => Promise<{ store: TelemetryStore; close: () => Promise<void> }>;
}

export const EMBEDDED: Target = {
  name: 'engine host',
  async open() {
    const dir = scratchDir();
    const store = await openTelemetryStore({ kind: 'embedded', dataDir: dir, logger: silentLogger });
    return {
      store,
      async close() {
        await store.close();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  },
};

/** A ClickHouse by its address, e.g. `http://user:password@host:8123`; a database of its own is made and dropped. */
export function serverTarget(address: string | undefined): Target | undefined {
  if (address === undefined || address === '') return undefined;
  return {
    name: 'ClickHouse server',
    async open() {
      const url = new URL(address);
      const database = `candela_test_${Date.now().toString(36)}`;
      const username = decodeURIComponent(url.username) || 'default';
      const password = decodeURIComponent(url.password);
      url.username = '';
      url.password = '';
      const store = await openTelemetryStore({
        kind: 'url',
        url: url.href,
        username,
        password,
        database,
        logger: silentLogger,
      });
      return {
        store,
        async close() {
          await store.command(`DROP DATABASE ${database}`);
          await store.close();
        },
      };
    },
  };
}

export function scratchDir(): string {
  return mkdtempSync(join(tmpdir(), 'candela-store-'));
}

/** A supervised engine with quick timings and the plain client on its socket. */
export async function startEngine(
  dataDir: string,
  options: Partial<SupervisorOptions> = {},
): Promise<{ supervisor: EngineSupervisor; client: ClickHouseClient; stop: () => Promise<void> }> {
  const supervisor = new EngineSupervisor({ dataDir, logger: silentLogger, ...options });
  await supervisor.start();
  const client = createClient({
    url: 'http://engine',
    http_agent: new UnixAgent(supervisor.socketPath, { keepAlive: true }),
    set_basic_auth_header: false,
    log: { level: ClickHouseLogLevel.OFF },
  });
  return {
    supervisor,
    client,
    async stop() {
      await client.close();
      await supervisor.close();
    },
  };
}

/** Polls until `condition` holds; rejects with `what` after `limitMs`. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const giveUp = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > giveUp) throw new Error(`Did not happen in ${limitMs} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 50));
  }
}
