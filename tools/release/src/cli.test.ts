import { execFile, execFileSync } from 'node:child_process';
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
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'candela-cli-test-'));
const [out, home, empty] = ['out', 'home', 'empty'].map((name) => join(scratch, name)) as [
  string,
  string,
  string,
];
const bun = `bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
const buildable = existsSync(join(ROOT, 'node_modules/@oven', bun));
if (!buildable) console.warn(`SKIPPED, the command line as one file: @oven/${bun} is not installed.`);

/** In an empty folder, with nothing in the environment but what is given. */
function run(file: string, args: readonly string[], env: Record<string, string> = {}) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; stdout: string; stderr: string }>();
  execFile(file, [...args], { cwd: empty, env: { HOME: home, ...env } }, (error, stdout, stderr) =>
    resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
  );
  return promise;
}
const candela = (args: readonly string[], env?: Record<string, string>) =>
  run(process.execPath, [join(out, 'candela.mjs'), ...args], env);

beforeAll(() => {
  for (const folder of [out, home, empty]) mkdirSync(folder);
  if (!buildable) return;
  execFileSync(process.execPath, ['--no-warnings', 'tools/release/src/main.ts', '--cli', '--out', out], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.runIf(buildable)('the command line as one file', () => {
  it('answers with an empty environment in an empty folder, and names the package of what it does not hold', async () => {
    const help = await candela(['--help']);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('coding install')]);
    expect(readdirSync(empty)).toEqual([]);
    for (const command of [
      ['backup', 'list', '--target', join(scratch, 'backups')],
      ['project', 'export', 'default', '--to', join(scratch, 'exports')],
    ]) {
      const { code, stderr } = await candela(command);
      expect([code, stderr]).toEqual([1, expect.stringContaining('package of the platform')]);
    }
  });

  it('scans a folder', async () => {
    writeFileSync(join(home, 'a.py'), 'import pickle\npickle.loads(request.body)\n');
    const { code, stdout } = await candela(['scan', home]);
    expect([code, stdout]).toEqual([1, expect.stringContaining('a.py:2')]);
  });

  it('records a coding agent: its hooks start a copy that stays where it is', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.url === '/v1/traces') bodies.push(body);
        // As other receivers of OTLP, which have no policy to ask for.
        response.statusCode = request.url?.startsWith('/v1/') === true ? 200 : 404;
        response.end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { PLATFORM_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    try {
      expect(await candela(['coding', 'install', 'claude-code'])).toMatchObject({ code: 0, stderr: '' });
      const own = join(home, '.local/state/candela/coding/candela.mjs');
      expect(readFileSync(own)).toEqual(readFileSync(join(out, 'candela.mjs')));
      const settings = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8')) as {
        hooks: Record<string, { hooks: { command: string }[] }[]>;
      };
      const line = (event: string) => settings.hooks[event]?.[0]?.hooks[0]?.command ?? '';
      expect(line('Stop')).toContain(own);
      execFileSync('/bin/sh', ['-c', line('PostToolUse')], {
        env: { CLAUDECODE: '1', PATH: '/usr/bin:/bin', HOME: home },
        input: JSON.stringify({ session_id: 's', tool_name: 'Read', tool_use_id: 'c', tool_response: 'x' }),
      });
      const flush = async () => {
        await run(process.execPath, [own, 'coding', 'flush'], env);
        return bodies.join('');
      };
      await expect.poll(flush, { timeout: 20_000 }).toContain('coding_agent.tool.call');
      expect(await candela(['coding', 'uninstall', 'claude-code'])).toMatchObject({ code: 0 });
    } finally {
      server.close();
    }
  });

  it('runs by npx from its package, with no other package to fetch', async () => {
    const archive = readdirSync(out).find((file) => file.endsWith('.tgz')) ?? '';
    const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
    const { code, stdout, stderr } = await run(
      'npx',
      ['--offline', '--yes', `file:${join(out, archive)}`, '--help'],
      {
        PATH: path.join(':'),
      },
    );
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining('coding install')]);
    expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toContain(`  ${archive}\n`);
  });
});
