import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { lineFor } from '../install/line.ts';
import { backlogOf } from './drainer.ts';
import { foldersIn, makeFolders } from './folders.ts';

const root = mkdtempSync(join(tmpdir(), 'candela-drainer-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const newState = () => join(root, `st'ate ${count++}`);

const PROGRAM = join(import.meta.dirname, '../testing/drainer-main.ts');
const start = (state: string, endpoint: string): ChildProcess =>
  spawn(process.execPath, [PROGRAM, state, endpoint, '3000'], { stdio: 'ignore' });

it('delivers each event once though the drainer is killed at random', { timeout: 120_000 }, async () => {
  const state = newState();
  const { spool } = makeFolders(state);
  const total = 10_000;
  for (let n = 0; n < total; n++) {
    const body = {
      session_id: `s${n % 50}`,
      tool_name: 'Read',
      tool_use_id: `call${n}`,
      tool_input: {},
      tool_response: 'x',
      duration_ms: 1,
    };
    writeFileSync(join(spool, `claude-code.PostToolUse.${n}.1`), JSON.stringify(body));
  }
  const seen = new Map<string, number>();
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (request.url === '/v1/traces') {
        requests.set(body, (requests.get(body) ?? 0) + 1);
        for (const [, id] of body.matchAll(/"gen_ai.tool.call.id","value":\{"stringValue":"(call\d+)"/g)) {
          if (requests.get(body) === 1) seen.set(id ?? '', (seen.get(id ?? '') ?? 0) + 1);
        }
      }
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let kill = 0; kill < 8; kill++) {
    const child = start(state, endpoint);
    await wait(300 + Math.random() * 700);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  const last = start(state, endpoint);
  await new Promise((resolve) => last.once('exit', resolve));
  server.close();
  expect(backlogOf(foldersIn(state)).files).toBe(0);
  expect(seen.size).toBe(total);
  // A request that a kill kept from being noted is sent again, byte for byte; no event is in two requests.
  expect([...seen.values()].every((times) => times === 1)).toBe(true);
});

const CLAUDE = { CLAUDECODE: '1', PATH: process.env['PATH'] ?? '' };
const hook = (
  line: string,
  input: string | Buffer = '{"session_id":"s"}',
  env: Record<string, string> = CLAUDE,
) => spawnSync('/bin/sh', ['-c', line], { input, env, encoding: 'utf8' });

it('the hook writes one file of its input and says nothing', () => {
  const state = newState();
  const { spool } = makeFolders(state);
  const line = lineFor('claude-code', { spool, drainer: ['/no/such'] })('PostToolUse');
  const large = Buffer.alloc(3 << 20, 'é');
  for (const input of ['{"a":1}', '', 'not json \0', large]) {
    const { status, stdout, stderr } = hook(line, input);
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  }
  expect(readdirSync(spool)).toHaveLength(4);
  expect(readdirSync(spool)[0]).toMatch(/^claude-code\.PostToolUse\.\d+\.\d+$/);
  // Another agent that runs Claude Code's hooks.
  expect(hook(line, '{}', { PATH: CLAUDE.PATH }).status).toBe(0);
  expect(readdirSync(spool)).toHaveLength(4);
});

it.each([
  ['there is no spool', (state: string) => rmSync(state, { recursive: true })],
  ['the spool is full', (state: string) => writeFileSync(foldersIn(state).full, '')],
  [
    'the spool is a file',
    (state: string) => {
      rmSync(state, { recursive: true });
      mkdirSync(state);
      writeFileSync(foldersIn(state).spool, '');
    },
  ],
  ['the spool cannot be written', (state: string) => chmodSync(foldersIn(state).spool, 0o500)],
])('the hook ends with 0 and says nothing when %s', (_case, spoil) => {
  const state = newState();
  makeFolders(state);
  spoil(state);
  for (const event of ['PostToolUse', 'Stop']) {
    const { status, stdout, stderr } = hook(
      lineFor('claude-code', { spool: foldersIn(state).spool, drainer: ['/no/such'] })(event),
    );
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  }
});

it('answers where an agent waits for an answer', () => {
  const { spool } = makeFolders(newState());
  const line = lineFor('cursor', { spool, drainer: ['/no/such'] })('beforeSubmitPrompt', '{"continue":true}');
  expect(hook(line).stdout).toBe('{"continue":true}\n');
});

it('the hook of a turn starts the drainer, which outlives it', async () => {
  const state = newState();
  const { spool } = makeFolders(state);
  const mark = join(root, `started ${count}`);
  const line = lineFor('claude-code', { spool, drainer: ['/bin/sh', '-c', `sleep 0.3; echo x > '${mark}'`] })(
    'Stop',
  );
  expect(hook(line).status).toBe(0);
  for (let n = 0; n < 100 && !existsSync(mark); n++) await wait(50);
  expect(existsSync(mark)).toBe(true);
});

it.each(['/bin/sh', '/bin/bash'])('the drainer holds no stream of the hook open in %s', async (shell) => {
  const { spool } = makeFolders(newState());
  const line = lineFor('gemini-cli', { spool, drainer: ['/bin/sleep', '20'] })('SessionStart', '{}');
  const child = spawn(shell, ['-c', line], { stdio: 'pipe' });
  child.stdin.end('{}');
  const closed = new Promise((resolve) => child.once('close', () => resolve('closed')));
  expect(await Promise.race([closed, wait(15_000)])).toBe('closed');
});
