import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeMetrics } from '@candela/otlp';
import { NODE_BINARY, startOtlpRecorder } from '@candela/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from './about.ts';
import { AgentProcess, eventually } from './fixtures/agent-process.ts';
import { fakeHost, hostEnv } from './fixtures/fake-host.ts';
import type { FileTree } from './fixtures/source-run.ts';
import { HangingMount } from './fixtures/hanging-mount.ts';
import { NO_LIBRARIES } from './gpu/fixtures/library.ts';
import { NvidiaHost } from './gpu/fixtures/nvidia-host.ts';
import { NO_EBPF } from './ebpf/fixtures/kernel.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TARGETS: Partial<Record<string, readonly [target: string, runtime: string]>> = {
  'linux-x64': ['linux-amd64', 'bun-linux-x64'],
  'linux-arm64': ['linux-arm64', 'bun-linux-aarch64'],
};
const [target = '', runtime = ''] = TARGETS[`${process.platform}-${process.arch}`] ?? [];
const buildable = runtime !== '' && existsSync(join(ROOT, 'node_modules/@oven', runtime));
if (!buildable) {
  process.stderr.write(
    `\nSKIPPED: the released binary was not tried: no @oven/bun for ${process.platform}-${process.arch} is installed\n\n`,
  );
}

const scratch = mkdtempSync(join(tmpdir(), 'candela-release-test-'));
const out = join(scratch, 'out');
const binary = join(out, `opentelemetry-gpu-collector-${target}`);
const empty = join(scratch, 'empty');
const cleaning: (() => unknown)[] = [];

beforeAll(() => {
  if (!buildable) return;
  execFileSync(NODE_BINARY, ['tools/release/src/main.ts', '--target', target, '--out', out], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  mkdirSync(empty);
});
afterEach(async () => {
  for (const clean of cleaning.splice(0).reverse()) await clean();
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** In an empty folder, with no environment but what is given. */
function start(env: Record<string, string>, ...args: string[]): AgentProcess {
  const agent = new AgentProcess({ binary, cwd: empty, env, args });
  cleaning.push(() => agent.stop('SIGKILL'));
  return agent;
}

const bare = (...args: string[]) =>
  execFileSync(binary, args, { cwd: empty, env: {}, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const namesIn = (body: Uint8Array, format: 'json' | 'protobuf'): Set<string> => {
  const found = new Set<string>();
  for (const { scopeMetrics = [] } of decodeMetrics(body, format).resourceMetrics ?? []) {
    for (const { metrics = [] } of scopeMetrics) for (const { name = '' } of metrics) found.add(name);
  }
  return found;
};

describe.runIf(buildable)('the released binary', () => {
  it('is vouched for by its checksum', () => {
    const digest = createHash('sha256').update(readFileSync(binary)).digest('hex');
    expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n')).toContain(
      `${digest}  opentelemetry-gpu-collector-${target}`,
    );
  });

  it('comes with the licences of what it holds', () => {
    const notices = readFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const part of ['@opentelemetry/sdk-metrics', '@grpc/grpc-js', 'koffi', 'Bun']) {
      expect(notices).toMatch(new RegExp(`^${part} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    }
    expect(notices).toContain('Permission is hereby granted, free of charge');
  });

  it('runs in an empty folder with an empty environment, and leaves nothing there', () => {
    expect(bare('--version')).toBe(`${VERSION}\n`);
    const names = namesIn(Buffer.from(bare('--once')), 'json');
    for (const name of ['cpu.time', 'memory.usage', 'filesystem.usage', 'disk.io', 'paging.faults']) {
      expect(names, `system.${name}`).toContain(`system.${name}`);
    }
    expect(names).toContain('process.memory.usage');
    // Node's figures of itself would be made up: it is not Node that runs.
    expect([...names].filter((name) => /^(v8js|nodejs)\./.test(name))).toEqual([]);
    expect(readdirSync(empty)).toEqual([]);
  });

  it('has the library of native calls within it', () => {
    const checked = bare('--check');
    expect(checked).toMatch(/^ {2}cpu +on /m);
    // Whether this kernel counts is another matter; the library was there to ask it.
    expect(checked).toMatch(/^ {2}pmu +(on|unavailable) /m);
    expect(checked).not.toContain('native part');
  });

  it.skipIf(NO_EBPF !== undefined)(
    'sees model calls of a program in its TLS library, and tells them',
    async () => {
      const options = { cwd: scratch, stdio: 'ignore' } as const;
      const made = 'req -x509 -newkey rsa:2048 -nodes -keyout tap-key.pem -out tap-cert.pem -subj /CN=test';
      execFileSync('openssl', made.split(' '), options);
      const vendor = createHttpsServer(
        {
          key: readFileSync(join(scratch, 'tap-key.pem')),
          cert: readFileSync(join(scratch, 'tap-cert.pem')),
        },
        (request, response) => {
          request.resume().on('end', () => response.end('{"usage":{"input_tokens":11,"output_tokens":42}}'));
        },
      );
      cleaning.push(() => vendor.close());
      await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
      const address = vendor.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const receiver = await startOtlpRecorder();
      cleaning.push(() => receiver.close());
      const script = `import ssl, sys, urllib.request
print("ready", flush=True); sys.stdin.readline()
urllib.request.urlopen("https://127.0.0.1:${port}/v1/messages", data=b'{"model":"claude-x"}', context=ssl._create_unverified_context()).read()
`;
      const program = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
      cleaning.push(() => program.kill('SIGKILL'));
      await once(program.stdout, 'data');
      const stat = readFileSync(`/proc/${program.pid}/stat`, 'latin1');
      const start0 = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
      const file = join(scratch, 'tap.json');
      const target = { pid: program.pid, start: start0, workload: 'w', service: 'shop', content: false };
      writeFileSync(file, JSON.stringify({ targets: [target] }));
      const agent = start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.http }, '--tap', file);
      await eventually(
        () =>
          (existsSync(`${file}.status`) && readFileSync(`${file}.status`, 'utf8').includes('"attached"')) ||
          undefined,
        () => agent.stderr,
      );
      program.stdin.write('go\n');
      const body = await eventually(
        () => receiver.requests.find(({ path }) => path === '/v1/traces')?.body,
        () => agent.stderr,
      );
      const told = Buffer.from(body).toString();
      for (const part of ['claude-x', '"shop"', '"intValue":"42"']) expect(told).toContain(part);
      // By the wall clock, not by one that begins with the program.
      const begun = Number(/"startTimeUnixNano":"(\d+)"/.exec(told)?.[1]) / 1e6;
      expect(Math.abs(Date.now() - begun)).toBeLessThan(300_000);
    },
  );

  it('reads a hostile tree as the source does: strange entries cost nothing else', async () => {
    const names = async (change: (tree: FileTree, files: readonly string[]) => void) => {
      const tree = fakeHost();
      cleaning.push(() => tree.remove());
      const files = readdirSync(join(tree.path, 'sys'), { recursive: true, withFileTypes: true });
      const inSys = files
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(tree.path.length + 1));
      change(tree, inSys);
      const { code, stdout, stderr } = await start(hostEnv(tree), '--once').ended;
      expect(code, stderr).toBe(0);
      return { names: namesIn(Buffer.from(stdout), 'json'), stderr };
    };
    const clean = await names(() => undefined);
    // A regular file among the directories of a class, as the module "bonding" has it; a driver that tells nonsense.
    const beside = await names((tree) => {
      for (const kind of ['net', 'infiniband', 'block', 'hwmon', 'thermal', 'drm']) {
        tree.write({ [`sys/class/${kind}/a_regular_file`]: 'bond0\n' });
      }
      tree.write({ 'sys/class/net/bonding_masters': 'bond0\n', 'sys/bus/pci/devices/a_regular_file': 'x' });
    });
    expect(beside.stderr).not.toMatch(/ENOTDIR|could not be read|failed/);
    expect([...beside.names].toSorted()).toEqual([...clean.names].toSorted());
    for (const text of ['', '\u0000\uFFFF nonsense -1 1e999\n'.repeat(50)]) {
      const strange = await names((tree, files) => {
        for (const file of files) tree.write({ [file]: text });
      });
      expect(strange.names).toContain('system.memory.usage');
    }
  });

  it.skipIf(NO_LIBRARIES !== undefined)(
    "reads GPUs through their driver's library in a thread of its own, and ends though that hangs",
    async () => {
      const host = new NvidiaHost();
      cleaning.push(() => host.tree.remove());
      const well = await start(host.env, '--once').ended;
      expect(namesIn(Buffer.from(well.stdout), 'json')).toContain('hw.gpu.interconnect.io');
      expect(await start(host.env, '--check').ended).toMatchObject({
        stdout: expect.stringMatching(/^ {2}gpu +on +NVIDIA: 2 × NVIDIA H100/m),
      });
      host.hang();
      const { code, stdout, stderr } = await start(host.env, '--once').ended;
      expect(stderr).toContain('a GPU does not answer');
      expect(code).toBe(0);
      expect(namesIn(Buffer.from(stdout), 'json')).toContain('hw.gpu.interconnect.io');
    },
  );

  it('takes no settings from the folder it is started in', () => {
    const folder = join(scratch, 'settings');
    mkdirSync(folder);
    writeFileSync(join(folder, '.env'), 'OTEL_GPU_COLLECTOR_MODE=light\n');
    writeFileSync(join(folder, 'preload.js'), 'console.log("preloaded");\n');
    writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./preload.js"]\n');
    const checked = execFileSync(binary, ['--check'], { cwd: folder, env: {}, encoding: 'utf8' });
    expect(checked).toContain('Configuration (mode all)');
    expect(checked).not.toContain('preloaded');
  });

  it.each(['grpc', 'http/protobuf'])(
    'sends over %s, and what was measured up to the end when it is told to end',
    async (protocol) => {
      const receiver = await startOtlpRecorder();
      cleaning.push(() => receiver.close());
      const tree = fakeHost();
      cleaning.push(() => tree.remove());
      const agent = start({
        ...hostEnv(tree),
        OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? `http://${receiver.grpc}` : receiver.http,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_METRIC_EXPORT_INTERVAL: '3600000',
      });
      await eventually(
        () => (receiver.requests.length === 1 ? true : undefined),
        () => agent.stderr,
      );
      const { code, stderr } = await agent.stop();
      expect(stderr).not.toMatch(/ (warn|error) /);
      expect(code).toBe(0);
      expect(receiver.requests).toHaveLength(2);
      for (const { body } of receiver.requests) {
        const names = namesIn(body, 'protobuf');
        for (const name of ['system.cpu.time', 'hw.network.io', 'system.kvm.exits']) {
          expect(names).toContain(name);
        }
      }
    },
  );

  it.each(['grpc', 'http/protobuf'])(
    'believes the authority that it is given, and no other, over %s',
    async (protocol) => {
      const certificate = join(scratch, 'cert.pem');
      const options = { cwd: scratch, stdio: 'ignore' } as const;
      const subject = '-subj /CN=test -addext subjectAltName=DNS:localhost,IP:127.0.0.1';
      const made = `req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem ${subject}`;
      execFileSync('openssl', made.split(' '), options);
      const pair = { key: readFileSync(join(scratch, 'key.pem')), cert: readFileSync(certificate) };
      let requests = 0;
      const server =
        protocol === 'grpc'
          ? createSecureServer(pair).on('stream', (stream) => {
              requests += 1;
              stream.on('error', () => undefined).close();
            })
          : createHttpsServer(pair, (request, response) => {
              requests += 1;
              request.resume().on('end', () => response.end());
            });
      server.on('sessionError', () => undefined);
      cleaning.push(() => server.close());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: `https://localhost:${typeof address === 'object' ? address?.port : 0}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_TIMEOUT: '900',
        OTEL_METRIC_EXPORT_INTERVAL: '3600000',
      };
      const strange = start(env);
      await strange.said(/export failed/);
      await strange.stop('SIGKILL');
      expect(requests).toBe(0);
      const told = start({ ...env, OTEL_EXPORTER_OTLP_CERTIFICATE: certificate });
      await eventually(
        () => (requests > 0 ? true : undefined),
        () => told.stderr,
      );
    },
  );

  const impossible = HangingMount.impossible();
  it.skipIf(impossible !== undefined)('ends though a file system hangs', async () => {
    const mount = new HangingMount();
    cleaning.push(() => mount.release());
    const { code, stdout, stderr } = await start({}, '--once').ended;
    expect(stderr).toContain('does not answer');
    expect(code).toBe(0);
    expect(namesIn(Buffer.from(stdout), 'json')).toContain('system.filesystem.usage');
  });
});

it.runIf(buildable)('the file for Node runs where nothing else is installed', () => {
  execFileSync(NODE_BINARY, ['tools/release/src/main.ts', '--target', 'portable', '--out', out], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const run = (argument: string) =>
    execFileSync(NODE_BINARY, [join(out, 'opentelemetry-gpu-collector.mjs'), argument], {
      cwd: empty,
      env: { PLATFORM_CLOUD_DETECT: 'false' },
      encoding: 'utf8',
    });
  expect(namesIn(Buffer.from(run('--once')), 'json')).toContain('v8js.memory.heap.used');
  expect(run('--check')).toMatch(/^ {2}pmu +unavailable .*koffi/m);
});

const QEMU = '/usr/bin/qemu-aarch64-static';
const SYSROOT = '/usr/aarch64-linux-gnu';
const emulates = buildable && target === 'linux-amd64' && existsSync(QEMU) && existsSync(SYSROOT);
if (buildable && !emulates) {
  process.stderr.write(
    `\nSKIPPED: the binary for 64-bit ARM was not tried: it needs ${QEMU} and the libraries in ${SYSROOT}\n\n`,
  );
}

it.runIf(emulates)('the released binary for 64-bit ARM runs, with its own native part', () => {
  execFileSync(NODE_BINARY, ['tools/release/src/main.ts', '--target', 'linux-arm64', '--out', out], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const arm = (argument: string) =>
    execFileSync(QEMU, ['-L', SYSROOT, join(out, 'opentelemetry-gpu-collector-linux-arm64'), argument], {
      cwd: empty,
      env: { PLATFORM_CLOUD_DETECT: 'false' },
      encoding: 'utf8',
    });
  expect(arm('--version')).toBe(`${VERSION}\n`);
  expect(namesIn(Buffer.from(arm('--once')), 'json')).toContain('system.memory.usage');
  const checked = arm('--check');
  expect(checked).toMatch(/^ {2}host\.arch +arm64 /m);
  expect(checked).not.toContain('native part');
});
