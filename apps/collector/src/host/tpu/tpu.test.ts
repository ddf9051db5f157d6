import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type RecordedPoint, SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import { chipPoints, FAMILIES, wantedNames } from './chips.ts';
import { tpu, waitAfter } from './index.ts';
import { parsePrometheusText } from './prometheus-text.ts';
import { MAX_BODY_BYTES } from './scrape.ts';

const CHIP = 'make="cloud-tpu",model="tpu-v6e-slice",tpu_topology="2x4"';
const HOLDER = 'container="serve",namespace="ml",pod="serve-0"';

/** As the device plugin of GKE writes it: chip 0 is held by a container, chip 1 by nobody. */
const ANSWER = `# HELP duty_cycle Percent of time when the accelerator was actively processing
# TYPE duty_cycle gauge
duty_cycle{accelerator_id="42-0",${HOLDER},${CHIP}} 0.4
memory_total{accelerator_id="42-0",${HOLDER},${CHIP}} 3.2e10
memory_used{accelerator_id="42-0",${HOLDER},${CHIP}} 8e9
duty_cycle_node{accelerator_id="42-0",${CHIP}} 99
memory_total_node{accelerator_id="42-0",${CHIP}} 3.2e10
memory_used_node{accelerator_id="42-0",${CHIP}} 1e9
tensorcore_utilization_node{accelerator_id="42-0",${CHIP}} 1
memory_bandwidth_utilization_node{accelerator_id="42-0",${CHIP}} 42.5
duty_cycle_node{accelerator_id="42-1",${CHIP}} 0
memory_total_node{accelerator_id="42-1",${CHIP}} 3.2e10
memory_used_node{accelerator_id="42-1",${CHIP}} 0
tensorcore_utilization_node{accelerator_id="42-1",${CHIP}} NaN
go_goroutines 34
`;

const pointsOf = (text: string, allowed: readonly string[] = FAMILIES): RecordedPoint[] =>
  chipPoints(parsePrometheusText(text, wantedNames(allowed))).map(({ metric, value, attributes }) => ({
    metric: metric.name,
    value,
    attributes,
  }));

describe('chipPoints', () => {
  it('prefers what containers report and divides every percentage', () => {
    const points = pointsOf(ANSWER);
    const by = ['hw.id', 'k8s.pod.name'] as const;
    expect(valuesBy(points, 'hw.tpu.utilization', ...by)).toEqual({
      'tpu:42-0/serve-0': 0.004,
      'tpu:42-1/': 0,
    });
    expect(valuesBy(points, 'hw.tpu.tensorcore.utilization', ...by)).toEqual({ 'tpu:42-0/': 0.01 });
    expect(valuesBy(points, 'hw.tpu.memory.bandwidth.utilization', ...by)).toEqual({ 'tpu:42-0/': 0.425 });
    expect(valuesBy(points, 'hw.tpu.memory.limit', ...by)).toEqual({
      'tpu:42-0/serve-0': 3.2e10,
      'tpu:42-1/': 3.2e10,
    });
    expect(valuesBy(points, 'hw.tpu.memory.usage', ...by)).toEqual({
      'tpu:42-0/serve-0': 8e9,
      'tpu:42-1/': 0,
    });
    expect(valuesBy(points, 'hw.tpu.memory.utilization', ...by)).toEqual({
      'tpu:42-0/serve-0': 0.25,
      'tpu:42-1/': 0,
    });
    expect(points[0]?.attributes).toEqual({
      'hw.id': 'tpu:42-0',
      'hw.type': 'tpu',
      'hw.tpu.accelerator_id': '42-0',
      'hw.model': 'tpu-v6e-slice',
      'hw.vendor': 'cloud-tpu',
      'tpu.topology': '2x4',
      'k8s.namespace.name': 'ml',
      'k8s.pod.name': 'serve-0',
      'k8s.container.name': 'serve',
    });
  });

  it('takes exact names only, and only those allowed', () => {
    expect(
      pointsOf('duty_cycle_nodes{accelerator_id="1-0"} 5\nduty_cycle_x{accelerator_id="1-0"} 5\n'),
    ).toEqual([]);
    const points = pointsOf(ANSWER, ['memory_used', 'tensorcore_utilization_node', 'unknown']);
    expect(new Set(points.map(({ metric }) => metric))).toEqual(
      new Set(['hw.tpu.memory.usage', 'hw.tpu.tensorcore.utilization']),
    );
  });

  it('drops what is no percentage, no amount and of no chip, and the second telling of a series', () => {
    const points = pointsOf(
      `duty_cycle_node{accelerator_id="1-0"} 250\nmemory_used_node{accelerator_id="1-0"} -1\nduty_cycle_node 5\n` +
        `duty_cycle_node{accelerator_id="2-0"} 100.4\nduty_cycle_node{accelerator_id="2-0"} 7\n` +
        `memory_total_node{accelerator_id="3-0"} 0\nmemory_used_node{accelerator_id="3-0"} 1\n`,
    );
    expect(valuesBy(points, 'hw.tpu.utilization', 'hw.id')).toEqual({ 'tpu:2-0': 1 });
    expect(valuesBy(points, 'hw.tpu.memory.usage', 'hw.id')).toEqual({ 'tpu:3-0': 1 });
    expect(valuesBy(points, 'hw.tpu.memory.utilization')).toEqual({});
  });

  it('bounds the chips', () => {
    const many = Array.from({ length: 3_000 }, (_, i) => `duty_cycle_node{accelerator_id="1-${i}"} 1`).join(
      '\n',
    );
    expect(pointsOf(many)).toHaveLength(1_024);
  });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

async function started(endpoint: string, env: Record<string, string> = {}): Promise<SourceRun> {
  const run = new SourceRun(tpu, undefined, { OTEL_TPU_ENDPOINT: endpoint, ...env });
  expect(await run.source.start()).toEqual({ state: 'ready' });
  return run;
}

const errorsOf = (points: readonly RecordedPoint[]) =>
  valuesBy(points, 'platform.collector.tpu.scrape.errors', 'error.type');

describe('the source, with a real server', () => {
  it('reads the endpoint at every tick', async () => {
    let asked = 0;
    const run = await started(
      await serve((request, response) => {
        asked += 1;
        expect(request.headers['accept-encoding']).toBe('identity');
        response.end(ANSWER);
      }),
    );
    expect(Object.keys(valuesBy(await run.observe(), 'hw.tpu.utilization', 'hw.id'))).toEqual([
      'tpu:42-0',
      'tpu:42-1',
    ]);
    expect((await run.observe()).length).toBeGreaterThan(5);
    expect(asked).toBe(2);
  });

  it.each<[string, RequestListener, string]>([
    ['says nothing', () => undefined, 'timeout'],
    ['begins and goes silent', (_, response) => void response.write('duty_cycle_node{'), 'timeout'],
    ['fails', (_, response) => void response.writeHead(500).end('no'), 'status'],
    [
      'sends elsewhere',
      (_, response) => void response.writeHead(302, { location: '/other' }).end(),
      'redirect',
    ],
    [
      'packs its answer though not asked to',
      (_, response) =>
        void response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(50_000_000, 'a'))),
      'encoding',
    ],
    [
      'never ends',
      (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a 1\n')));
        };
        response.on('drain', more);
        more();
      },
      'too_large',
    ],
    ['hangs up', (request) => void request.socket.destroy(), 'connection'],
    ['does not speak HTTP', (request) => void request.socket.end('garbage\r\n\r\n'), 'connection'],
  ])('counts an error when the server %s', async (_, listener, type) => {
    const run = await started(await serve(listener), {
      OTEL_TPU_SCRAPE_TIMEOUT_MS: type === 'timeout' ? '500' : '4000',
    });
    const points = await run.observe();
    expect(errorsOf(points)).toEqual({ [type]: 1 });
    expect(points).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    let elsewhere = 0;
    const other = await serve((_, response) => {
      elsewhere += 1;
      response.end(ANSWER);
    });
    const run = await started(
      await serve((_, response) => void response.writeHead(307, { location: other }).end()),
    );
    expect(errorsOf(await run.observe())).toEqual({ redirect: 1 });
    expect(elsewhere).toBe(0);
  });

  it('takes garbage for nothing at all', async () => {
    const run = await started(
      await serve((_, response) => void response.end(Buffer.from([0xff, 0xfe, 0, 10, 123]))),
    );
    expect(await run.observe()).toEqual([]);
  });

  it('backs off and comes back, however often it failed', async () => {
    let broken = true;
    let asked = 0;
    const run = await started(
      await serve((_, response) => {
        asked += 1;
        if (broken) response.writeHead(503).end();
        else response.end(ANSWER);
      }),
    );
    for (let i = 0; i < 6; i += 1) {
      await run.observe();
      run.now += 1_000;
    }
    expect(asked).toBe(6);
    run.now -= 1_000;
    await run.observe();
    expect(asked).toBe(6);
    broken = false;
    run.now += 1_000;
    const points = await run.observe();
    expect(valuesBy(points, 'hw.tpu.utilization', 'hw.id')).toHaveProperty('tpu:42-1');
    expect(errorsOf(points)).toEqual({ status: 6 });
    await run.observe();
    expect(asked).toBe(8);
  });

  it('calls it no error that nothing listens, until something once did', async () => {
    const endpoint = await serve((_, response) => void response.end(ANSWER));
    const port = Number(new URL(endpoint).port);
    const [server] = servers.splice(0);
    server?.close();
    const run = await started(endpoint);
    expect(await run.observe()).toEqual([]);
    expect(run.logged.join('')).toContain('nothing answers');
    const again = createServer((_, response) => void response.end(ANSWER));
    servers.push(again);
    await new Promise<void>((resolve) => again.listen(port, '127.0.0.1', resolve));
    run.now += 1_000;
    expect((await run.observe()).length).toBeGreaterThan(5);
    again.closeAllConnections();
    await new Promise((resolve) => again.close(resolve));
    expect(errorsOf(await run.observe())).toEqual({ connection_refused: 1 });
  });

  it('waits longer from failure to failure, up to a most', () => {
    expect([0, 1, 2, 3, 20].map(waitAfter)).toEqual([0, 10, 20, 40, 300]);
    expect(MAX_BODY_BYTES).toBe(8_388_608);
  });

  it('is unavailable when nothing is to be read', async () => {
    const run = new SourceRun(tpu, undefined, { OTEL_TPU_METRIC_ALLOWLIST: 'nothing' });
    expect((await run.source.start()).state).toBe('unavailable');
  });
});
