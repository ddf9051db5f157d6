import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeMetrics, type MetricsRequest } from '@candela/otlp';
import { type OtlpRecorder, startOtlpRecorder, startPlatform } from '@candela/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { VERSION } from './about.ts';
import { AgentProcess, eventually } from './fixtures/agent-process.ts';
import { fakeHost, hostEnv } from './fixtures/fake-host.ts';
import type { FileTree } from './fixtures/source-run.ts';

const linux = process.platform === 'linux';
const GOLDEN = fileURLToPath(new URL('fixtures/golden/once.txt', import.meta.url));

const cleaning: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleaning.splice(0).reverse()) await clean();
});

function host(): FileTree {
  const tree = fakeHost();
  cleaning.push(() => tree.remove());
  return tree;
}

async function recorder(): Promise<OtlpRecorder> {
  const made = await startOtlpRecorder();
  cleaning.push(() => made.close());
  return made;
}

function start(env: Record<string, string> = {}, ...args: string[]): AgentProcess {
  const agent = new AgentProcess({ env, args });
  cleaning.push(() => agent.stop('SIGKILL'));
  return agent;
}

const attributesOf = (of: unknown): Record<string, unknown> =>
  Object.fromEntries(of instanceof Map ? of : Object.entries((of ?? {}) as object));

/** What the machine that runs the test decides; the rest is the fake host's. */
const VOLATILE = /^(process|nodejs|v8js|platform\.collector|system\.filesystem)\./;

/** The golden file; of a released binary without what only Node counts. */
function golden(): string[] {
  const all = readFileSync(GOLDEN, 'utf8').trim().split('\n');
  if (process.env['COLLECTOR_BINARY'] === undefined) return all;
  return all.filter((line) => !/^(nodejs|v8js)\.|source=runtime\}/.test(line));
}

/** A request as lines: `system.memory.usage updown By {system.memory.state=free} 11008290816`. */
function lines(request: MetricsRequest): string[] {
  const found = new Set<string>();
  for (const { resource, scopeMetrics = [] } of request.resourceMetrics ?? []) {
    for (const [key, value] of Object.entries(attributesOf(resource?.attributes))) {
      found.add(`resource ${key}=${/\.(version|arch)$/.test(key) ? '~' : value}`);
    }
    for (const { scope, metrics = [] } of scopeMetrics) {
      found.add(`scope ${scope?.name}`);
      for (const { name = '', unit, gauge, sum } of metrics) {
        const instrument = gauge ? 'gauge' : sum?.isMonotonic === true ? 'counter' : 'updown';
        for (const { attributes, asInt, asDouble } of (gauge ?? sum)?.dataPoints ?? []) {
          // Names of V8's heap spaces change with its version.
          const shown = Object.entries(attributesOf(attributes))
            .map(([key, value]) => `${key}=${key.startsWith('v8js.') ? '~' : value}`)
            .sort()
            .join(',');
          const value = VOLATILE.test(name) ? '~' : String(asInt ?? asDouble);
          found.add(`${name} ${instrument} ${unit} {${shown}} ${value}`);
        }
      }
    }
  }
  return [...found].sort();
}

describe.runIf(linux)('a fake host', () => {
  it('is told as the golden file has it (--once)', async () => {
    const { code, stdout, stderr } = await start(hostEnv(host()), '--once').ended;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const shown = lines(decodeMetrics(Buffer.from(stdout), 'json'));
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, `${shown.join('\n')}\n`);
    expect(shown).toEqual(golden());
  });

  it.each([
    ['grpc', 'grpc', '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export'],
    ['http/protobuf', 'http', '/base/v1/metrics'],
  ] as const)(
    'reaches a receiver over %s, with its headers, again and again, and once more at the end',
    async (protocol, transport, path) => {
      const receiver = await recorder();
      const agent = start({
        ...hostEnv(host()),
        OTEL_EXPORTER_OTLP_ENDPOINT:
          protocol === 'grpc' ? `http://${receiver.grpc}` : `${receiver.http}/base/`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc%3D%3D',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_METRIC_EXPORT_INTERVAL: '400',
      });
      await eventually(
        () => (receiver.requests.length >= 3 ? true : undefined),
        () => agent.stderr,
      );
      const before = receiver.requests.length;
      const { code } = await agent.stop();
      expect(code).toBe(0);
      expect(receiver.requests.length).toBeGreaterThan(before);
      for (const request of receiver.requests) {
        expect(request).toMatchObject({ transport, path, signal: 'metrics', format: 'protobuf' });
        expect(request.headers['authorization']).toBe('Bearer abc==');
        expect(request.headers['user-agent']).toContain(`opentelemetry-gpu-collector/${VERSION}`);
      }
      // The one before the end: shares of time need some time to be shares of.
      const last = receiver.requests[before - 1];
      const sent = lines(decodeMetrics(last?.body ?? Buffer.alloc(0), 'protobuf'));
      // Beyond one collection there are the agent's own sums; all else is the same.
      expect(sent).toEqual(expect.arrayContaining(golden().filter((line) => !line.startsWith('v8js.'))));
    },
  );

  it('sends what was measured up to the end, though the interval is an hour', async () => {
    const receiver = await recorder();
    const tree = host();
    const agent = start({
      ...hostEnv(tree),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${receiver.grpc}`,
      OTEL_METRIC_EXPORT_INTERVAL: '3600000',
    });
    await eventually(
      () => (receiver.requests.length === 1 ? true : undefined),
      () => agent.stderr,
    );
    tree.write({ 'sys/kernel/debug/kvm/halt_exits': 31, 'sys/kernel/debug/kvm/exits': 101 });
    await agent.stop('SIGINT');
    expect(receiver.requests).toHaveLength(2);
    const halted = (index: number) =>
      lines(decodeMetrics(receiver.requests[index]?.body ?? Buffer.alloc(0), 'protobuf')).filter((line) =>
        line.includes('exit.type=halt'),
      );
    expect(halted(0)).toEqual(['system.kvm.exits counter {exit} {system.kvm.exit.type=halt} 30']);
    expect(halted(1)).toEqual(['system.kvm.exits counter {exit} {system.kvm.exit.type=halt} 31']);
  });

  it('is served to Prometheus', async () => {
    const agent = start({ ...hostEnv(host()), OTEL_GPU_PROMETHEUS_ADDR: '127.0.0.1:0' });
    const [, base] = await agent.said(/prometheus=(http:\S+)/);
    const answer = await fetch(`${base}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    const families = new Map<string, string>();
    for (const line of text.trim().split('\n')) {
      const type = /^# TYPE (\S+) (counter|gauge)$/.exec(line);
      if (type !== null) {
        // A family is one block with one type, or a scrape is refused.
        expect(families.has(type[1] ?? '')).toBe(false);
        families.set(type[1] ?? '', type[2] ?? '');
      } else if (!line.startsWith('# HELP ')) {
        const sample =
          /^([a-z_][a-z0-9_]*)(\{([a-z_][a-z0-9_]*="([^"\\\n]|\\[\\"n])*",?)+\})? -?[0-9.e+-]+$/.exec(line);
        expect(sample, line).not.toBeNull();
        expect([...families.keys()].at(-1)).toBe(sample?.[1]);
      }
    }
    expect(families.get('system_memory_usage_bytes')).toBe('gauge');
    expect(families.get('hw_network_io_bytes_total')).toBe('counter');
    expect(text).toContain('hw_network_io_bytes_total{hw_id="eth0",hw_name="eth0",hw_type="network"');
    expect(text).toMatch(/^target_info\{.*host_name="fake-host".*team="blue team".*\} 1$/m);
    expect((await fetch(`${base}/`)).status).toBe(404);
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(405);
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      get(`${base}/metrics`, { headers: { host: 'pages.example.com' } }, (answered) => {
        resolve(answered.resume().statusCode);
      }).once('error', reject);
    });
    expect(rebound).toBe(403);
  });

  it('answers at the control API', async () => {
    const agent = start({ ...hostEnv(host()), OTEL_GPU_CONTROL_ADDR: '127.0.0.1:0' });
    const [, base] = await agent.said(/control=(http:\S+)/);
    expect(await (await fetch(`${base}/v1/version`)).text()).toBe(VERSION);
    expect(await (await fetch(`${base}/v1/status`)).json()).toMatchObject({ status: 1, highres_cpu: true });
    const ring = await eventually(
      async () => {
        const read = (await (await fetch(`${base}/v1/cpu/highres`)).json()) as {
          count: number;
          samples: { times: { cpu: string }[] }[];
        };
        return read.count >= 2 ? read : undefined;
      },
      () => agent.stderr,
    );
    expect(ring.samples[0]?.times.map(({ cpu }) => cpu)).toEqual(['cpu0', 'cpu1']);
  });
});

describe('an endpoint', () => {
  it('that is missing is warned of, and the agent runs', async () => {
    const agent = start();
    await agent.said(/warn {2}OTEL_EXPORTER_OTLP_ENDPOINT is not set: nothing is exported/);
    await agent.said(/opentelemetry-gpu-collector runs/);
    expect((await agent.stop()).code).toBe(0);
  });

  it('that does not answer costs a warning an outage, and no end', async () => {
    const agent = start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_GPU_PROMETHEUS_ADDR: '127.0.0.1:0',
    });
    await agent.said(/export failed/);
    const [, base] = await agent.said(/prometheus=(http:\S+)/);
    const failures = await eventually(
      async () => {
        const text = await (await fetch(`${base}/metrics`)).text();
        const count = Number(/^platform_collector_export_failures_total (\d+)$/m.exec(text)?.[1] ?? 0);
        return count >= 3 ? count : undefined;
      },
      () => agent.stderr,
    );
    expect(failures).toBeGreaterThanOrEqual(3);
    const { code, stderr } = await agent.stop();
    expect(code).toBe(0);
    expect(stderr.match(/export failed/g)).toHaveLength(1);
  });

  it('comes back, and the agent with it', async () => {
    const first = await startOtlpRecorder();
    const { port } = new URL(first.http);
    await first.close();
    const agent = start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    });
    await agent.said(/export failed/);
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.end());
    });
    cleaning.push(() => {
      server.closeAllConnections();
      server.close();
    });
    server.listen(Number(port), '127.0.0.1');
    await agent.said(/export works again/);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://x' }, /error OTEL_EXPORTER_OTLP_ENDPOINT is .*grpc takes a URL/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://x:1', OTEL_EXPORTER_OTLP_CERTIFICATE: '/none.pem' },
      /error OTEL_EXPORTER_OTLP_CERTIFICATE names .*ENOENT/,
    ],
    [{ OTEL_GPU_CONTROL_ADDR: 'nonsense' }, /error OTEL_GPU_CONTROL_ADDR is "nonsense"/],
    [
      { OTEL_GPU_CONTROL_ADDR: '0.0.0.0:0' },
      /error OTEL_GPU_CONTROL_ADDR .*needs OTEL_GPU_CONTROL_ALLOW_REMOTE/,
    ],
    [{ OTEL_GPU_PROMETHEUS_ADDR: '127.0.0.1' }, /error OTEL_GPU_PROMETHEUS_ADDR is/],
    [
      {
        OTEL_GPU_CONTROL_ADDR: '192.0.2.1:1',
        OTEL_GPU_CONTROL_ALLOW_REMOTE: '1',
        OTEL_GPU_CONTROL_TOKEN: 't',
      },
      /error Cannot listen on 192\.0\.2\.1:1/,
    ],
  ])('or address that cannot be is a fault: %j', async (env, line) => {
    const { code, stderr } = await start(env).ended;
    expect(code).toBe(1);
    expect(stderr.match(/ error /g)).toHaveLength(1);
    expect(stderr).toMatch(line);
  });
});

describe('the command line', () => {
  it('knows its arguments', async () => {
    const [help, version, unknown, two] = await Promise.all([
      start({}, '--help').ended,
      start({}, '--version').ended,
      start({}, '--bogus\n').ended,
      start({}, '--once', '--check').ended,
    ]);
    expect([help.code, version.code, unknown.code, two.code]).toEqual([0, 0, 2, 2]);
    expect(help.stdout).toContain('--once');
    expect(version.stdout).toBe(`${VERSION}\n`);
    expect(unknown.stderr).toBe('Unknown argument: "--bogus\\n". --help lists what there is.\n');
  });

  it('tells the configuration, the sources and the identity (--check), and no secret', async () => {
    const { code, stdout } = await start(
      {
        OTEL_GPU_COLLECTOR_MODE: 'light',
        OTEL_GPU_CONTROL_TOKEN: 'sesame',
        OTEL_HOST_KVM_ENABLED: 'yes please',
        OTEL_RESOURCE_ATTRIBUTES: 'host.name=checked',
        'OTEL_GPU_\u001b[31mRED': '1',
      },
      '--check',
    ).ended;
    expect(code).toBe(0);
    // oxlint-disable-next-line eslint/no-control-regex -- names of variables come from outside
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const [, settings = ''] = /^ Export over OTLP\n(.*?)\n\n/ms.exec(stdout) ?? [];
    const columns = settings.split('\n').map((row) => row.indexOf(' default'));
    expect(columns.length).toBeGreaterThan(5);
    expect(new Set(columns).size).toBe(1);
    expect(stdout).toContain('Configuration (mode light)');
    expect(stdout).toMatch(/OTEL_GPU_COLLECTOR_MODE +light +set/);
    expect(stdout).toContain('OTEL_HOST_KVM_ENABLED is "yes please", but takes true or false');
    expect(stdout).toMatch(/^ {2}interrupts +off +OTEL_HOST_INTERRUPTS_ENABLED is false/m);
    expect(stdout).toMatch(/^ {2}host\.name +checked +configuration/m);
    expect(stdout).not.toContain('sesame');
  });
});

it.each([
  ['OTEL_GPU_CONTROL_ADDR', '0.0.0.0:1919'],
  ['OTEL_GPU_PROMETHEUS_ADDR', 'nowhere'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://localhost'],
])('--check fails where the start would: %s=%s', async (name, value) => {
  const { code, stderr } = await start({ [name]: value }, '--check').ended;
  expect(code).toBe(1);
  expect(stderr).toContain(name);
});

it.runIf(linux)('ends at once at a second signal', async () => {
  // Takes the connection and never answers: the last export hangs.
  const { createServer } = await import('node:net');
  const sockets = new Set<import('node:net').Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  cleaning.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const agent = start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  await agent.said(/runs/);
  agent.child.kill('SIGTERM');
  await agent.said(/stopping reason=SIGTERM/);
  const { code, stderr } = await agent.stop('SIGINT');
  expect(code).toBe(1);
  expect(stderr).toContain('stopping at once');
});

it.runIf(linux)('appears in the platform that it sends to', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'candela-collector-'));
  cleaning.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const platform = await startPlatform({ dataDir, newStore: true });
  cleaning.push(() => platform.stop());
  const agent = start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${platform.otlpGrpc}`,
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    OTEL_RESOURCE_ATTRIBUTES: 'host.name=this-very-machine',
  });
  const figures = ['cpuUtilization', 'memoryUsedBytes', 'memoryTotalBytes', 'cpuCount'];
  const found = await eventually(
    async () => {
      const answer = await fetch(`${platform.http}/api/telemetry/hosts`);
      const { data } = (await answer.json()) as { data: { hosts: Record<string, unknown>[] } };
      const [first] = data.hosts;
      return figures.every((figure) => typeof first?.[figure] === 'number') ? first : undefined;
    },
    () => `the platform does not know all of ${figures.join(', ')}:\n${agent.stderr}`,
  );
  expect(found).toMatchObject({
    name: 'this-very-machine',
    environment: 'default',
    os: 'linux',
    agents: ['opentelemetry-gpu-collector'],
    stale: false,
  });
  for (const figure of figures.slice(1)) expect(found[figure], figure).toBeGreaterThan(0);
});
