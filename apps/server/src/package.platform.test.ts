import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NODE_BINARY } from '@candela/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'candela-package-test-'));
const modules = join(scratch, 'node_modules');
const home = join(scratch, 'home');
const candela = join(modules, 'candela/bin/candela.js');
const env = { HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin' };
let platform: ChildProcess | undefined;

/** Installed as npm would, but for packages that are here already: those are linked. */
beforeAll(() => {
  execFileSync(NODE_BINARY, ['--no-warnings', 'tools/release/src/main.ts', '--platform', '--out', scratch], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  mkdirSync(join(modules, 'candela'), { recursive: true });
  mkdirSync(home);
  const archive = readdirSync(scratch).find((file) => file.endsWith('.tgz')) ?? '';
  execFileSync('tar', [
    '-xzf',
    join(scratch, archive),
    '-C',
    join(modules, 'candela'),
    '--strip-components=1',
  ]);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && name !== '@candela')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
});
afterAll(async () => {
  if (platform !== undefined && platform.exitCode === null) {
    platform.kill('SIGKILL');
    await once(platform, 'exit');
  }
  rmSync(scratch, { recursive: true, force: true });
});

it('names every package that it needs, by exact versions, and none that is ours', () => {
  const manifest = JSON.parse(readFileSync(join(modules, 'candela/package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    expect(name).not.toMatch(/^@candela\//);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(existsSync(join(modules, name))).toBe(true);
  }
});

it('names Node for each platform, of which npm installs one without running a script', () => {
  const { optionalDependencies = {} } = JSON.parse(
    readFileSync(join(modules, 'candela/package.json'), 'utf8'),
  ) as { optionalDependencies?: Record<string, string> };
  const names = Object.keys(optionalDependencies);
  const versions = Object.values(optionalDependencies);
  expect(versions).toEqual(names.map(() => process.version.slice(1)));
  expect(names.filter((name) => existsSync(join(modules, name, 'bin')))).toHaveLength(1);
});

it('starts in an empty folder with an empty environment, takes a span, ends at a signal; the command line answers', async () => {
  platform = spawn(process.execPath, [candela, 'start', '--json'], {
    cwd: home,
    env: { ...env, PLATFORM_PORT: '0', PLATFORM_OTLP_HTTP_PORT: '0', PLATFORM_OTLP_GRPC_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: platform.stdout ?? process.stdin });
  let ready: { http: string; otlpHttp: string; dataDir: string } | undefined;
  for await (const line of lines) {
    const told = JSON.parse(line) as { event?: string };
    if (told.event !== 'ready') continue;
    ready = told as unknown as typeof ready;
    break;
  }
  expect(ready?.dataDir).toBe(join(home, 'data'));
  const page = await fetch(`${ready?.http}/traces`, { headers: { accept: 'text/html' } });
  expect(await page.text()).toMatch(/<!doctype html>/i);
  const span = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    name: 'packed',
    kind: 1,
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 5}000000`,
  };
  const sent = await fetch(`${ready?.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ spans: [span] }] }] }),
  });
  expect(sent.status).toBe(200);
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, [candela, ...args], { cwd: home, env, encoding: 'utf8' });
  expect(run('--help')).toMatch(/candela <command>/);
  expect(run('demo', '--help')).toMatch(/^candela demo \[options\][^]*--endpoint/);
  const ended = once(platform, 'exit');
  platform.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
