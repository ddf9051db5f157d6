import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { type EmbeddedEngine, startEmbeddedEngine, type TelemetryStore } from '@candela/telemetry-store';
import { type ClickHouseProxy, openClickHouseProxy } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';

const PASSWORD = 'sealed-Sentinel-4711';
const SIGNALS = ['traces', 'logs', 'metrics'] as const;
const PATIENCE = { timeout: 60_000, interval: 200 };

let place: Installation;
let owner: Browser;
let dir: string;
/** Stands for a ClickHouse server: an engine of its own behind a TCP port that asks for a password. */
let server: EmbeddedEngine;
let endpoint: ClickHouseProxy;
let second: { id: string; key: string };
const ids = { side: '', big: '' };

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'candela-server-'));
  server = await startEmbeddedEngine({ dataDir: dir, logger: silentLogger });
  endpoint = await openClickHouseProxy({
    socketPath: server.socketPath,
    username: 'candela',
    password: PASSWORD,
  });
  place = await openInstallation();
  owner = await place.own();
  const project = (await owner.call('POST', '/api/projects', { name: 'Second' })).data;
  const key = (await owner.call('POST', '/api/api-key', { name: 'sender', projectId: project.id })).data;
  second = { id: String(project.id), key: String(key.apiKey) };
});
afterAll(async () => {
  await place.close();
  await endpoint.close();
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const connect = (changes: object = {}) =>
  owner.call('POST', '/api/connectors', {
    kind: 'clickhouse',
    name: 'Big',
    url: endpoint.url,
    username: 'candela',
    password: PASSWORD,
    database: 'telemetry',
    ...changes,
  });
const bind = (changes: readonly object[], headers: Record<string, string> = {}) =>
  owner.call('PUT', '/api/routing', { changes }, headers);
const inSecond = () => ({ 'x-platform-project-id': second.id });

/** One request of each signal; a resource for each environment, all marked. */
async function send(mark: string, environments: readonly string[], key?: string): Promise<number[]> {
  const now = `${BigInt(Date.now()) * 1_000_000n}`;
  const attribute = (name: string, value: string) => ({ key: name, value: { stringValue: value } });
  const resources = (records: string, list: (own: string) => object) =>
    environments.map((environment) => ({
      resource: {
        attributes: [
          attribute('service.name', `${mark}-${environment}`),
          attribute('deployment.environment.name', environment),
        ],
      },
      [`scope${records}`]: [{ scope: { name: 'test' }, ...list(`${mark}-${environment}`) }],
    }));
  const hex = (text: string, digits: number) =>
    Buffer.from(text).toString('hex').padEnd(digits, '0').slice(0, digits);
  const bodies = {
    traces: {
      resourceSpans: resources('Spans', (own) => ({
        spans: [
          {
            traceId: hex(own, 32),
            spanId: hex(own.split('').reverse().join(''), 16),
            name: `span ${own}`,
            startTimeUnixNano: now,
            endTimeUnixNano: now,
          },
        ],
      })),
    },
    logs: {
      resourceLogs: resources('Logs', (own) => ({
        logRecords: [{ timeUnixNano: now, body: { stringValue: `log ${own}` } }],
      })),
    },
    metrics: {
      resourceMetrics: resources('Metrics', (own) => ({
        metrics: [{ name: `metric.${own}`, gauge: { dataPoints: [{ timeUnixNano: now, asDouble: 1 }] } }],
      })),
    },
  };
  const statuses: number[] = [];
  for (const signal of SIGNALS) {
    const answer = await fetch(`${place.platform.otlpHttp}/v1/${signal}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(bodies[signal]),
    });
    statuses.push(answer.status);
  }
  return statuses;
}

/** What each signal's list shows. */
async function shown(headers: Record<string, string>): Promise<{ status: number; text: string }[]> {
  const answers = [
    await owner.call('POST', '/api/telemetry/spans/search', { from: '-1h' }, headers),
    await owner.call('POST', '/api/telemetry/logs/search', { from: '-1h' }, headers),
    await owner.call('GET', '/api/telemetry/metrics?from=-1h', undefined, headers),
  ];
  return answers.map(({ status, text }) => ({ status, text }));
}

/** Services that a database holds rows of, by table. */
async function servicesIn(store: TelemetryStore): Promise<string[]> {
  const tables = ['otel_traces', 'otel_logs', 'otel_metrics_gauge'];
  const rows = await Promise.all(
    tables.map((table) =>
      store.select<{ S: string }>(`SELECT DISTINCT concat(ServiceName, '@', ProjectId) AS S FROM ${table}`),
    ),
  );
  return [...new Set(rows.flat().map(({ S }) => S))].sort();
}

describe('connectors', () => {
  it('are kept with sealed secrets that nothing gives back', async () => {
    const made = await connect();
    expect([made.status, made.data]).toMatchObject([
      201,
      { name: 'Big', kind: 'clickhouse', url: endpoint.url, hasPassword: true, version: 1, boundTo: 0 },
    ]);
    ids.big = String(made.data.id);
    const side = await owner.call('POST', '/api/connectors', { kind: 'embedded', name: 'Side' });
    ids.side = String(side.data.id);
    const list = await owner.call('GET', '/api/connectors');
    expect(list.data.map(({ name }: { name: string }) => name)).toEqual(['Embedded', 'Big', 'Side']);
    const audit = await owner.call('GET', '/api/audit');
    expect(audit.text).toContain('connector.create');
    for (const text of [made.text, list.text, audit.text]) expect(text).not.toContain(PASSWORD);
    for (const file of ['metadata.sqlite', 'metadata.sqlite-wal']) {
      expect(readFileSync(join(place.dir, file)).includes(PASSWORD)).toBe(false);
    }
  });

  it('change by the version that was read, and a password goes to no other server', async () => {
    const path = `/api/connectors/${ids.big}`;
    expect((await owner.call('PATCH', path, { version: 1, name: 'Bigger' })).data).toMatchObject({
      version: 2,
    });
    expect((await owner.call('PATCH', path, { version: 1, name: 'Late' })).status).toBe(409);
    const moved = await owner.call('PATCH', path, { version: 2, url: 'https://elsewhere.example.com' });
    expect([moved.status, moved.text]).toEqual([422, expect.stringContaining('Enter the password again')]);
    expect((await owner.call('PATCH', path, { version: 2, name: 'side' })).status).toBe(409);
    expect((await owner.call('DELETE', '/api/connectors/embedded')).status).toBe(422);
    expect((await owner.call('GET', '/api/connectors/nobody')).status).toBe(404);
    expect((await connect({ name: 'Foreign', projectId: 'nobody' })).status).toBe(404);
  });

  it.each([
    'ftp://127.0.0.1',
    'http://169.254.169.254',
    'http://[::ffff:169.254.169.254]:80',
    'http://2852039166',
    'http://user:secret@127.0.0.1',
    'http://127.0.0.1/path',
    'http://127.0.0.1?a=b',
    'http://clickhouse.example.com:8123',
    'nonsense',
  ])('%s is refused', async (url) => {
    expect((await connect({ name: url.slice(0, 90), url })).status).toBe(422);
  });

  it('are looked at step by step, and migrated when that is asked for', async () => {
    const check = async (id: string) => (await owner.call('POST', `/api/connectors/${id}/check`)).data;
    const before = await check(ids.big);
    expect(before).toMatchObject({ ok: true, schema: { applied: 0 } });
    expect(before.steps.map(({ what }: { what: string }) => what)).toEqual([
      'reach',
      'sign_in',
      'version',
      'functions',
      'privileges',
      'schema',
    ]);
    const { data } = await connect({ name: 'Wrong', password: 'wrong' });
    const wrong = await check(String(data.id));
    expect([wrong.ok, wrong.steps.at(-1)]).toMatchObject([false, { what: 'sign_in', ok: false }]);
    const refused = await bind([{ environment: null, signal: 'logs', connectorId: data.id }], inSecond());
    expect([refused.status, refused.code]).toEqual([503, 'connector_unavailable']);
    expect((await owner.call('DELETE', `/api/connectors/${data.id}`)).status).toBe(200);
    const migrated = (await owner.call('POST', `/api/connectors/${ids.big}/migrate`)).data;
    expect(migrated.schema.applied).toBe(migrated.schema.needed);
    expect(await check('embedded')).toMatchObject({ ok: true });
  });
});

/** A certificate of its own authority for 127.0.0.1; undefined where there is no openssl. */
function certificate(): { key: string; cert: string } | undefined {
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  try {
    execFileSync('openssl', ['req', '-x509', ...made, ...names], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

it('over TLS a server is believed by its authority, or when it is said that this is not wanted', async (test) => {
  const tls = certificate();
  if (tls === undefined) {
    test.skip('no openssl to make a certificate with');
    return;
  }
  const { socketPath } = server;
  const secure = await openClickHouseProxy({ socketPath, username: 'candela', password: PASSWORD, tls });
  try {
    const look = async (name: string, changes: object) => {
      const { data } = await connect({ name, url: secure.url, ...changes });
      return (await owner.call('POST', `/api/connectors/${data.id}/check`)).data;
    };
    expect(await look('Trusted', { ca: tls.cert })).toMatchObject({ ok: true });
    expect(await look('Unknown', {})).toMatchObject({
      ok: false,
      steps: [{ what: 'reach', ok: false, detail: expect.stringContaining('The TLS connection failed') }],
    });
    expect(await look('Unverified', { allowInsecure: true })).toMatchObject({ ok: true });
    expect((await connect({ name: 'Half', url: secure.url, clientCertificate: tls.cert })).status).toBe(422);
  } finally {
    await secure.close();
  }
});

describe('routing', () => {
  it('binds what the project may use, and nothing of others', async () => {
    const own = await owner.call('POST', '/api/connectors', {
      kind: 'embedded',
      name: 'Of the first alone',
      projectId: 'default',
    });
    const change = (connectorId: unknown) => [{ environment: null, signal: 'logs', connectorId }];
    expect((await bind(change(own.data.id), inSecond())).status).toBe(404);
    expect((await bind(change('nobody'), inSecond())).status).toBe(404);
    expect((await bind([{ environment: 'staging', signal: 'logs', connectorId: null }])).status).toBe(422);
    const bound = await bind(
      SIGNALS.map((signal) => ({ environment: 'staging', signal, connectorId: ids.side })),
    );
    expect(bound.data.bindings).toHaveLength(3);
    await bind(
      SIGNALS.map((signal) => ({ environment: null, signal, connectorId: ids.big })),
      inSecond(),
    );
    expect((await owner.call('GET', '/api/connectors')).text).not.toContain(PASSWORD);
    const inUse = await owner.call('DELETE', `/api/connectors/${ids.big}`);
    expect([inUse.status, inUse.text]).toEqual([409, expect.stringContaining('3 binding(s)')]);
    const config = await owner.call('GET', '/api/db-config', undefined, inSecond());
    expect(config.data.map(({ id }: { id: string }) => id).sort()).toEqual([ids.big, 'embedded'].sort());
  });

  it('records go to the database of their project and environment, from one request too, and to no other', async () => {
    expect(await send('one', ['production', 'staging'])).toEqual([200, 200, 200]);
    expect(await send('two', ['production', 'staging'], second.key)).toEqual([200, 200, 200]);
    const big = await server.open('telemetry');
    await expect
      .poll(() => servicesIn(big), PATIENCE)
      .toEqual([`two-production@${second.id}`, `two-staging@${second.id}`]);
    await big.close();
    await expect.poll(() => servicesIn(place.platform.store), PATIENCE).toEqual(['one-production@default']);
    const staging = { 'x-platform-environment': 'staging' };
    await expect
      .poll(async () => (await shown(staging)).map(({ text }) => text.includes('one-staging')), PATIENCE)
      .toEqual([true, true, true]);
  });

  it('each read shows its own and nothing of the others', async () => {
    const marks = ['one-production', 'one-staging', 'two-production', 'two-staging'];
    const cases: [Record<string, string>, string[]][] = [
      [{ 'x-platform-environment': 'production' }, ['one-production']],
      [{ 'x-platform-environment': 'staging' }, ['one-staging']],
      [inSecond(), ['two-production', 'two-staging']],
      [{ ...inSecond(), 'x-platform-environment': 'staging' }, ['two-staging']],
    ];
    for (const [headers, own] of cases) {
      for (const { status, text } of await shown(headers)) {
        expect(status, text).toBe(200);
        expect(
          marks.filter((mark) => text.includes(mark)),
          text,
        ).toEqual(own);
      }
    }
    for (const { status } of await shown({})) expect(status).toBe(422);
    const all = await owner.call('POST', '/api/telemetry/spans/search', { from: '-1h' });
    expect([all.code, all.text]).toEqual(['choose_environment', expect.stringContaining('Choose one')]);
  });

  it('a database that is away is an error for its own project alone; what was taken meanwhile arrives there', async () => {
    const { port } = new URL(endpoint.url);
    await endpoint.close();
    expect(await send('late', ['production'], second.key)).toEqual([200, 200, 200]);
    // What others asked within the last second is still answered.
    await expect
      .poll(async () => (await shown(inSecond())).map(({ status }) => status), PATIENCE)
      .toEqual([503, 503, 503]);
    for (const { status } of await shown({ 'x-platform-environment': 'production' }))
      expect(status).toBe(200);
    endpoint = await openClickHouseProxy({
      socketPath: server.socketPath,
      username: 'candela',
      password: PASSWORD,
      port: Number(port),
    });
    await expect
      .poll(
        async () => (await shown(inSecond())).map(({ text }) => text.includes('late-production')),
        PATIENCE,
      )
      .toEqual([true, true, true]);
    expect((await servicesIn(place.platform.store)).join()).not.toContain('late');
  });

  it('what is bound to nothing is refused, in and out', async () => {
    expect((await bind([{ environment: null, signal: 'logs', connectorId: null }], inSecond())).status).toBe(
      200,
    );
    expect(await send('lost', ['production'], second.key)).toEqual([200, 503, 200]);
    const read = await owner.call('POST', '/api/telemetry/logs/search', { from: '-1h' }, inSecond());
    expect([read.status, read.code]).toEqual([503, 'signal_unbound']);
    // Taken away again: the built-in one counts, which never had anything of this project.
    await bind([{ environment: null, signal: 'logs' }], inSecond());
    const again = await owner.call('POST', '/api/telemetry/logs/search', { from: '-1h' }, inSecond());
    expect([again.status, again.data]).toEqual([200, []]);
  });

  it('a connector that nothing is bound to any more is deleted, and its id leads nowhere', async () => {
    await bind(SIGNALS.map((signal) => ({ environment: 'staging', signal })));
    expect((await owner.call('DELETE', `/api/connectors/${ids.side}`)).status).toBe(200);
    expect((await owner.call('GET', `/api/connectors/${ids.side}`)).status).toBe(404);
    const audit = (await owner.call('GET', '/api/audit')).text;
    for (const action of ['connector.delete', 'connector.update', 'connector.migrate', 'routing.update']) {
      expect(audit).toContain(action);
    }
  });
});

describe('retention', () => {
  it('is chosen by project and signal within its bounds, and counts for what arrives', async () => {
    const put = (body: object) => owner.call('PUT', '/api/retention', body);
    for (const logs of [0, 3_651, 1.5, 'a week']) expect((await put({ logs })).status).toBe(400);
    expect((await put({ logs: 3 })).data).toMatchObject({
      logs: { days: 3, own: true, default: 30 },
      traces: { own: false },
    });
    expect((await owner.call('GET', '/api/retention', undefined, inSecond())).data.logs).toMatchObject({
      own: false,
    });
    expect(await send('short', ['production'])).toEqual([200, 200, 200]);
    const kept = () =>
      place.platform.store.select(
        "SELECT RetentionDays AS days FROM otel_logs WHERE ServiceName = 'short-production'",
      );
    await expect.poll(kept, PATIENCE).toEqual([{ days: 3 }]);
    expect((await put({ logs: null })).data.logs).toMatchObject({ days: 30, own: false });
    expect((await owner.call('GET', '/api/audit')).text).toContain('retention.update');
  });
});
