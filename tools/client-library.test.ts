/** What is published of the client library, as somebody gets it who has none of our tools. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ROOT } from './run.ts';

const project = mkdtempSync(join(tmpdir(), 'candela-installed-'));
afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

/** The oldest Node that is there: the machine's own if it has one, else that of the house. */
function plainNode(): string {
  for (const folder of (process.env['PATH'] ?? '').split(':')) {
    const node = join(folder, 'node');
    if (folder.includes('node_modules')) continue;
    try {
      execFileSync(node, ['--version'], { stdio: 'ignore' });
      return node;
    } catch {
      // None in this folder.
    }
  }
  return process.execPath;
}

it('installs from its folder with npm alone, and runs and type checks there', {
  timeout: 120_000,
}, async () => {
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--offline', '--no-audit', '--no-fund'], {
      cwd: project,
      encoding: 'utf8',
    });
  writeFileSync(join(project, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  // A tarball is what a registry would hold: nothing but what `files` names.
  const tarball = npm('pack', '--silent', join(ROOT, 'packages/client')).trim();
  npm('install', `./${tarball}`);
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@candela',
  ]);
  expect(readdirSync(join(project, 'node_modules/@candela/client')).toSorted()).toEqual([
    'README.md',
    'dist',
    'package.json',
  ]);

  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"err":null,"res":{"A_B":"c"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    join(project, 'app.mjs'),
    `import { createClient } from '@candela/client';
const client = createClient({ url: '${url}', apiKey: 'k' });
client.getSecrets({ shouldSetEnv: true }).then((secrets) => console.log(secrets.A_B, process.env.A_B));`,
  );
  try {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const { execFile } = await import('node:child_process');
    execFile(plainNode(), [join(project, 'app.mjs')], { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(stdout);
    });
    expect(await promise).toBe('c c\n');
  } finally {
    server.close();
    server.closeAllConnections();
  }

  writeFileSync(
    join(project, 'app.ts'),
    `import { createClient, CandelaError, type PromptResult } from '@candela/client';
export const name: Promise<string> = createClient().getPrompt({ name: 'a' }).then((p: PromptResult) => p.name);
export const code = (error: CandelaError): string => error.code;
// @ts-expect-error a prompt is asked for by a text
createClient().getPrompt({ name: 5 });
`,
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
  execFileSync(process.execPath, [tsc, ...flags, '--types', '', 'app.ts'], {
    cwd: project,
    encoding: 'utf8',
  });
});
