import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { type EmbeddedEngine, startEmbeddedEngine } from '@candela/telemetry-store';
import {
  type ClickHouseProxy,
  openClickHouseProxy,
  type PlatformProcess,
  startPlatform,
  startPostgres,
} from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEY = 'replica-roles-bootstrap-key-0123456789';
const ROLES = ['ingest', 'query', 'jobs'] as const;
const postgres = await startPostgres();
afterAll(async () => {
  await postgres?.stop();
});

/** One installation whose work is divided: one PostgreSQL, one server of ClickHouse, three processes. */
describe.skipIf(postgres === undefined)('replicas with roles', () => {
  const dir = mkdtempSync(join(tmpdir(), 'candela-roles-'));
  const replicas = new Map<string, PlatformProcess>();
  let engine: EmbeddedEngine;
  let clickhouse: ClickHouseProxy;
  let metadata: MetadataStore;

  beforeAll(async () => {
    engine = await startEmbeddedEngine({ dataDir: join(dir, 'engine'), logger: silentLogger });
    clickhouse = await openClickHouseProxy({
      socketPath: engine.socketPath,
      username: 'candela',
      password: 'pw',
    });
    const url = new URL(clickhouse.url);
    const databaseUrl = (await postgres?.createDatabase()) ?? '';
    const env = {
      PLATFORM_DATABASE_URL: databaseUrl,
      PLATFORM_CLICKHOUSE_URL: `http://candela:pw@${url.host}/candela`,
      PLATFORM_VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
      PLATFORM_BOOTSTRAP_API_KEY: KEY,
    };
    for (const role of ROLES) {
      const dataDir = join(dir, role);
      mkdirSync(dataDir);
      replicas.set(role, await startPlatform({ dataDir, env: { ...env, PLATFORM_ROLE: role } }));
    }
    metadata = await openMetadataStore({ dataDir: dir, databaseUrl, logger: silentLogger });
  });
  afterAll(async () => {
    await metadata.close();
    for (const replica of replicas.values()) await replica.stop();
    await clickhouse.close();
    await engine.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const at = (role: (typeof ROLES)[number]): PlatformProcess => {
    const replica = replicas.get(role);
    if (replica === undefined) throw new Error(role);
    return replica;
  };
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const ask = async (role: (typeof ROLES)[number], path: string, method = 'GET', body?: object) => {
    const answer = await fetch(`${at(role).http}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const send = (base: string) =>
    fetch(`${base}/v1/traces`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: '0af7651916cd43dd8448eb211c80319c',
                    spanId: 'b7ad6b7169203331',
                    name: 'divided',
                    kind: 1,
                    startTimeUnixNano: `${Date.now()}000000`,
                    endTimeUnixNano: `${Date.now() + 5}000000`,
                  },
                ],
              },
            ],
          },
        ],
      }),
    });

  it('what one takes another answers', async () => {
    expect((await send(at('ingest').otlpHttp)).status).toBe(200);
    const found = async () =>
      (await ask('query', '/api/telemetry/traces/0af7651916cd43dd8448eb211c80319c')).status;
    await expect.poll(found, { timeout: 60_000, interval: 300 }).toBe(200);
  });

  it('each refuses what is another one’s, so that it may be sent again, and says where', async () => {
    for (const base of [at('query').otlpHttp, at('query').http, at('jobs').otlpHttp])
      expect((await send(base)).status).toBe(503);
    for (const role of ['ingest', 'jobs'] as const) {
      expect(await ask(role, '/api/jobs')).toMatchObject({
        status: 503,
        body: { err: expect.stringMatching(/role "\w+".*query or all/) },
      });
      expect((await ask(role, '/api/health')).status).toBe(200);
    }
    expect(at('query').otlpGrpc).toBe('');
  });

  it('jobs run where they belong, also those that are triggered elsewhere', async () => {
    const states = await metadata.jobs.states();
    expect(states.length).toBeGreaterThan(3);
    for (const { jobId } of states) await metadata.jobs.trigger(jobId, 'event');
    const ran = async () =>
      (await Promise.all(states.map(({ jobId }) => metadata.jobs.runs(jobId, 5)))).flat();
    await expect
      .poll(async () => (await ran()).length, { timeout: 60_000, interval: 500 })
      .toBeGreaterThanOrEqual(3);
    for (const { owner } of await ran()) expect(owner.split(' ')[1]).toBe(String(at('jobs').pid));
  });
});
