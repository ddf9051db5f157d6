import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { type EmbeddedEngine, startEmbeddedEngine } from '@candela/telemetry-store';
import {
  type ClickHouseProxy,
  compareWithStore,
  freePorts,
  hasNginx,
  type NginxProcess,
  openClickHouseProxy,
  type PlatformProcess,
  startAckLoad,
  startNginx,
  startPlatform,
  startPostgres,
} from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './features/identity/testing/browser.ts';

const KEY = 'replica-roles-bootstrap-key-0123456789';
const ROLES = ['ingest', 'query', 'jobs'] as const;
const NGINX_CONF = join(import.meta.dirname, '../../../deploy/compose/nginx.conf');
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
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

/** Three replicas that do everything, behind the nginx that is shipped: one PostgreSQL, one server of ClickHouse. */
describe.skipIf(postgres === undefined || !hasNginx())('three replicas behind nginx', () => {
  const dir = mkdtempSync(join(tmpdir(), 'candela-nginx-replicas-'));
  const NAMES = ['one', 'two', 'three'] as const;
  const replicas = new Map<string, PlatformProcess>();
  let engine: EmbeddedEngine;
  let clickhouse: ClickHouseProxy;
  let nginx: NginxProcess;
  let start: (name: string) => Promise<PlatformProcess>;
  const http = () => nginx.addressOf(3000);
  const otlp = () => nginx.addressOf(4318);

  beforeAll(async () => {
    engine = await startEmbeddedEngine({ dataDir: join(dir, 'engine'), logger: silentLogger });
    clickhouse = await openClickHouseProxy({
      socketPath: engine.socketPath,
      username: 'candela',
      password: 'pw',
    });
    const [web = 0, receiver = 0, grpc = 0, ...own] = await freePorts(3 + NAMES.length * 2);
    const placeOf = (name: string) => NAMES.findIndex((one) => one === name) * 2;
    const env = {
      PLATFORM_DATABASE_URL: (await postgres?.createDatabase()) ?? '',
      PLATFORM_CLICKHOUSE_URL: `http://candela:pw@${new URL(clickhouse.url).host}/candela`,
      PLATFORM_VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
      PLATFORM_ADMIN_EMAIL: OWNER.email,
      PLATFORM_ADMIN_PASSWORD: OWNER.password,
      PLATFORM_BOOTSTRAP_API_KEY: KEY,
      PLATFORM_PUBLIC_URL: `http://127.0.0.1:${web}`,
      PLATFORM_TRUSTED_PROXIES: '127.0.0.1',
    };
    start = async (name) => {
      const dataDir = join(dir, name);
      mkdirSync(dataDir, { recursive: true });
      const replica = await startPlatform({
        dataDir,
        env: {
          ...env,
          PLATFORM_PORT: String(own[placeOf(name)]),
          PLATFORM_OTLP_HTTP_PORT: String(own[placeOf(name) + 1]),
        },
      });
      replicas.set(name, replica);
      return replica;
    };
    // The first makes the tables.
    await start('one');
    await Promise.all(NAMES.slice(1).map((name) => start(name)));
    nginx = await startNginx({
      config: readFileSync(NGINX_CONF, 'utf8'),
      ports: { 3000: web, 4318: receiver, 4317: grpc },
      upstreams: {
        platform: NAMES.map((name) => `127.0.0.1:${own[placeOf(name)]}`),
        otlp: NAMES.map((name) => `127.0.0.1:${own[placeOf(name) + 1]}`),
        otlpgrpc: [...replicas.values()].map(({ otlpGrpc }) => otlpGrpc),
      },
      readTimeout: '3s',
    });
  });
  afterAll(async () => {
    await nginx.stop();
    for (const replica of replicas.values()) await replica.stop();
    await clickhouse.close();
    await engine.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Requests that a replica took. */
  const takenBy = async (name: string): Promise<number> => {
    const answer = await fetch(`${replicas.get(name)?.http}/metrics`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    const counts = (await answer.text()).matchAll(/^candela_ingest_requests_total\{[^}]*\} (\d+)/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  it('one is killed under load and one stands still: nothing that was acknowledged is lost, and reads go on', async () => {
    const owner = openBrowser(http());
    const signIn = async () => (await owner.call('POST', '/api/auth/sign-in', OWNER)).status;
    // Passwords take long on a busy machine, and the proxy here is impatient.
    await expect.poll(signIn, { timeout: 60_000, interval: 500 }).toBe(200);
    const load = startAckLoad({ endpoint: otlp, clients: 6, service: 'behind-nginx', thinkMs: 20, key: KEY });
    const more = (count: number) =>
      expect.poll(() => load.acknowledged.size, { timeout: 60_000, interval: 20 }).toBeGreaterThan(count);
    const read = async () =>
      (await owner.call('POST', '/api/telemetry/aggregate', { from: '-1h', measures: ['count'] })).status;
    const account = async () => (await owner.call('GET', '/api/account')).status;
    await more(60);
    const [one, two] = NAMES.map((name) => replicas.get(name));
    // Round robin: each took some.
    for (const name of NAMES) expect(await takenBy(name), name).toBeGreaterThan(0);
    await one?.kill();
    const atKill = load.acknowledged.size;
    await more(atKill + 40);
    // Whoever is signed in stays so, on whichever replica answers.
    for (let turn = 0; turn < 6; turn += 1) expect(await account()).toBe(200);
    process.kill(two?.pid ?? 0, 'SIGSTOP');
    try {
      const atFreeze = load.acknowledged.size;
      await more(atFreeze + 40);
      for (let turn = 0; turn < 4; turn += 1) expect(await account()).toBe(200);
      // What is sent by POST is not asked again by nginx: who asks does, and gets an answer.
      await expect.poll(read, { timeout: 30_000, interval: 50 }).toBe(200);
    } finally {
      process.kill(two?.pid ?? 0, 'SIGCONT');
    }
    // Where it was acknowledged it lies in a log: the replica that is started again stores it.
    await start('one');
    const atEnd = load.acknowledged.size;
    await more(atEnd + 40);
    await load.stop();
    const store = await engine.open('candela');
    try {
      const rows = () =>
        store.select<{ traceId: string; spans: number; distinctSpans: number }>(
          `SELECT TraceId AS traceId, toUInt32(count()) AS spans, toUInt32(uniqExact(SpanId)) AS distinctSpans
           FROM otel_traces WHERE ServiceName = 'behind-nginx' GROUP BY TraceId`,
        );
      await expect
        .poll(async () => compareWithStore(load, await rows()).lost.length, {
          timeout: 60_000,
          interval: 200,
        })
        .toBe(0);
      expect(compareWithStore(load, await rows()).unknown).toEqual([]);
    } finally {
      await store.close();
    }
    expect(load.acknowledged.size).toBeGreaterThan(150);
  }, 180_000);
});
