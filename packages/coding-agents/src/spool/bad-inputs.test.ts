import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lineFor } from '../install/line.ts';
import { backlogOf, failureIn, runDrainer } from './drainer.ts';
import { type Folders, makeFolders } from './folders.ts';
import { send } from './send.ts';
import { recover, step, take } from './step.ts';

const root = mkdtempSync(join(tmpdir(), 'candela-bad-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** A spool in a home of its own. */
function place() {
  const home = join(root, `home ${count++}`);
  mkdirSync(home);
  const folders = makeFolders(join(home, 'state'));
  const settings = {
    home,
    capture: 'full',
    repositories: [],
    host: 'h',
    environment: 'default',
    version: '0',
  } as const;
  let event = 0;
  return {
    home,
    folders,
    /** A file of a hook, written `agoMs` before now. */
    put(name: string, body: string | Buffer, agoMs = 10_000) {
      event += 1;
      const file = join(folders.spool, `claude-code.${name}.${event}.1`);
      writeFileSync(file, body);
      const at = (Date.now() - agoMs) / 1000;
      utimesSync(file, at, at);
    },
    /** What the platform would be sent of all that lies in the spool. */
    drain(repositories: readonly (readonly string[])[] = []): string {
      while (take(folders) > 0);
      while (step(folders, { ...settings, repositories }, new Set()) > 0);
      return readdirSync(folders.outbox)
        .map((file) => readFileSync(join(folders.outbox, file), 'utf8'))
        .join('\n');
    },
  };
}
const left = ({ spool, taken }: Folders) => [...readdirSync(spool), ...readdirSync(taken)];
const tool = (more: object) =>
  JSON.stringify({
    session_id: 's',
    tool_name: 'Read',
    tool_use_id: 'c1',
    tool_input: {},
    tool_response: 'x',
    ...more,
  });

describe('payloads that are none', () => {
  it.each([
    ['empty', ''],
    ['no JSON', 'not json'],
    ['cut in the middle', '{"session_id":"s","tool'],
    ['with a NUL', '{"session_id":"s\0"}'],
    ['of 50 MB', Buffer.alloc(50 << 20, 'a')],
  ])('are set aside and stop nothing: %s', (_case, body) => {
    const { put, drain, folders } = place();
    put('PostToolUse', body);
    put('PostToolUse', tool({}));
    expect(drain()).toContain('coding_agent.tool.call');
    expect(readdirSync(folders.bad)).toHaveLength(1);
    expect(left(folders)).toEqual([]);
  });

  it('are kept for a person to look at, twenty of them', () => {
    const { put, drain, folders } = place();
    for (let n = 0; n < 30; n += 1) put('PostToolUse', 'x');
    drain();
    expect(readdirSync(folders.bad)).toHaveLength(20);
  });

  it('are waited for while they may still be written', () => {
    const { put, drain, folders } = place();
    put('PostToolUse', '{"session_id":', 500);
    drain();
    expect([readdirSync(folders.bad), readdirSync(folders.spool).length]).toEqual([[], 1]);
  });

  it.each([
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"session_id":"s","x":"'), 0xff, 0xfe, 0x22, 0x7d])],
    ['an array', '[]'],
    ['a number', '1'],
    ['no session', '{}'],
    ['a session that is no text', '{"session_id":{"a":1}}'],
  ])('that are JSON all the same are dropped or taken, never tried again: %s', (_case, body) => {
    const { put, drain, folders } = place();
    put('PostToolUse', body);
    drain();
    expect(left(folders)).toEqual([]);
  });
});

it('an unknown event is told by its name, cut', () => {
  const { put, drain } = place();
  const name = `New${'x'.repeat(180)}`;
  put(name, '{"session_id":"s"}');
  const sent = drain();
  expect(sent).toContain('coding_agent.hook.unknown_event');
  expect(sent).toContain(name.slice(0, 100));
  expect(sent).not.toContain(name.slice(0, 101));
});

it.each([
  ['a way out', '../../../../etc/passwd'],
  ['10 kB', 'x'.repeat(10_000)],
  ['emoji', '🙂'.repeat(40)],
])('the id of a session names no file: %s', (_case, id) => {
  const { put, drain, folders } = place();
  put('PostToolUse', tool({ session_id: id }));
  const sent = drain();
  expect(sent).toContain(id.slice(0, 40));
  // As an attribute it is kept, up to 256 characters.
  for (const [, told = ''] of sent.matchAll(/"coding_agent\.session\.id","value":\{"stringValue":"([^"]*)"/g))
    expect(told).toBe(id.slice(0, 256));
  const names = readdirSync(folders.sessions);
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(/^[A-Za-z0-9_.-]{1,100}$/);
});

describe('a transcript', () => {
  const SECRET = JSON.stringify({
    type: 'assistant',
    requestId: 'r',
    message: { id: 'm', model: 'SECRET', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
  });
  const projects = (home: string) => {
    const folder = join(home, '.claude/projects/x');
    mkdirSync(folder, { recursive: true });
    return folder;
  };

  it.each([
    [
      'elsewhere',
      (home: string) => {
        projects(home);
        const file = join(home, 'shadow');
        writeFileSync(file, `${SECRET}\n`);
        return file;
      },
    ],
    [
      'a link to elsewhere',
      (home: string) => {
        writeFileSync(join(home, 'shadow'), `${SECRET}\n`);
        symlinkSync(join(home, 'shadow'), join(projects(home), 't.jsonl'));
        return join(projects(home), 't.jsonl');
      },
    ],
    [
      'a pipe that nobody writes',
      (home: string) => {
        const file = join(projects(home), 't.jsonl');
        spawnSync('mkfifo', [file]);
        return file;
      },
    ],
    ['a folder', (home: string) => projects(home)],
    ['that is not there', (home: string) => join(projects(home), 'none.jsonl')],
    [
      'of 5 GB',
      (home: string) => {
        const file = join(projects(home), 't.jsonl');
        writeFileSync(file, '');
        truncateSync(file, 5 * 2 ** 30);
        return file;
      },
    ],
  ])('is not read, and the event is not lost: %s', (_case, make) => {
    const { put, drain, home } = place();
    const path = make(home);
    put('PostToolUse', tool({ transcript_path: path }));
    put('SessionEnd', JSON.stringify({ session_id: 's', transcript_path: path, reason: 'other' }), 9_000);
    const sent = drain();
    expect(sent).toContain('coding_agent.tool.call');
    expect(sent).not.toContain('SECRET');
  });
});

it('a transcript in the folder of the agent is read', () => {
  const { put, drain, home } = place();
  const folder = join(home, '.claude/projects/x');
  mkdirSync(folder, { recursive: true });
  const usage = { input_tokens: 1, output_tokens: 1 };
  const line = { type: 'assistant', requestId: 'r', message: { id: 'm', model: 'SEEN', content: [], usage } };
  writeFileSync(join(folder, 't.jsonl'), `${JSON.stringify(line)}\n`);
  put(
    'SessionEnd',
    JSON.stringify({ session_id: 's', transcript_path: join(folder, 't.jsonl'), reason: 'other' }),
  );
  expect(drain()).toContain('SEEN');
});

describe('what lies in the state folder', () => {
  it.each(['[]', '{}', 'null', '{"turns":5}', '{"agent":"claude-code","turns":[],"totals":null}', 'cut'])(
    'begins the session anew where its file holds something else: %s',
    (text) => {
      const { put, drain, folders } = place();
      put('PostToolUse', tool({}));
      drain();
      const [name = ''] = readdirSync(folders.sessions);
      writeFileSync(join(folders.sessions, name), text);
      put('UserPromptSubmit', JSON.stringify({ session_id: 's', prompt: 'next' }), 9_000);
      put('Stop', JSON.stringify({ session_id: 's' }), 8_000);
      expect(drain()).toContain('coding_agent.turn');
      expect(left(folders)).toEqual([]);
    },
  );

  it.each(['{}', '[]', '{"taken":[],"sessions":[],"responses":[]}', 'cut'])(
    'is no step that was begun, and hinders none: %s',
    (text) => {
      const { put, drain, folders } = place();
      writeFileSync(join(folders.commits, 'x.json'), text);
      recover(folders);
      expect(readdirSync(folders.commits)).toEqual([]);
      put('PostToolUse', tool({}));
      expect(drain()).toContain('coding_agent.tool.call');
    },
  );

  it('is sent of repositories that are on every list', () => {
    const { put, drain, home } = place();
    for (const name of ['both', 'own']) {
      const git = join(home, name, '.git');
      mkdirSync(git, { recursive: true });
      writeFileSync(join(git, 'config'), `[remote "origin"]\n\turl = https://github.com/acme/${name}.git\n`);
      writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
      put('PostToolUse', tool({ session_id: name, cwd: join(home, name) }));
    }
    const sent = drain([['github.com/acme'], ['github.com/acme/both']]);
    expect(sent).toContain('acme/both');
    expect(sent).not.toContain('acme/own');
  });
});

it('a drainer whose settings cannot be had stops hooks at the bound, and says why', async () => {
  const { put, folders } = place();
  put('PostToolUse', Buffer.alloc(65 << 20, 'a'));
  await runDrainer(folders, () => Promise.reject(new Error('coding.json is not valid JSON')), 500);
  expect(existsSync(folders.full)).toBe(true);
  expect(failureIn(folders)?.failure).toBe('coding.json is not valid JSON');
});

describe('order and time', () => {
  it('an end without its beginning has the duration that the agent tells, or none', () => {
    const { put, drain } = place();
    put('PostToolUse', tool({ tool_use_id: 'told', duration_ms: 70 }));
    put('PostToolUse', tool({ tool_use_id: 'untold' }), 9_000);
    const spans = JSON.parse(
      drain()
        .split('\n')
        .find((text) => text.includes('resourceSpans')) ?? '{}',
    ) as {
      resourceSpans: { scopeSpans: { spans: { attributes: { key: string; value: object }[] }[] }[] }[];
    };
    const durations = spans.resourceSpans
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans)
      .map(({ attributes }) => attributes.find(({ key }) => key === 'coding_agent.tool.duration_ms')?.value);
    expect(durations).toEqual([{ intValue: '70' }, undefined]);
  });

  it('a clock that went back gives no negative time', () => {
    const { put, drain } = place();
    put('PreToolUse', JSON.stringify({ session_id: 's', tool_name: 'Read', tool_use_id: 'c1' }), 5_000);
    put('PostToolUse', tool({}), 60_000);
    for (const [, start, end] of drain().matchAll(/"startTimeUnixNano":"(\d+)","endTimeUnixNano":"(\d+)"/g))
      expect(BigInt(end ?? 0) >= BigInt(start ?? 0)).toBe(true);
  });

  it('events are taken in the order of their arrival, whatever the order of their files', () => {
    const { put, drain } = place();
    put('PostToolUse', tool({}), 5_000);
    put('PreToolUse', JSON.stringify({ session_id: 's', tool_name: 'Read', tool_use_id: 'c1' }), 8_000);
    const spans = drain().match(/"coding_agent\.tool\.duration_ms","value":\{"intValue":"\d+"/g);
    expect(spans).toEqual([expect.stringMatching(/"(?:2999|3000|3001)"$/)]);
  });

  it('two agents with the same session id are two sessions', () => {
    const { put, drain, folders } = place();
    put('PostToolUse', tool({}));
    const file = join(folders.spool, 'codex.PostToolUse.900.1');
    writeFileSync(file, tool({ model: 'gpt-5', turn_id: 't' }));
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    drain();
    expect(readdirSync(folders.sessions)).toHaveLength(2);
  });
});

it('a tool of any name is told, its name cut', () => {
  const { put, drain } = place();
  put('PostToolUse', tool({ tool_name: `mcp__x__${'y'.repeat(10_000)}` }));
  const sent = drain();
  expect(sent).toContain('mcp__x__yyy');
  expect(Math.max(...[...sent.matchAll(/y+/g)].map(([run]) => run.length))).toBeLessThan(1_100);
});

it('what a platform that was away for a day did not take is sent then, once', async () => {
  const { put, folders, drain } = place();
  const day = 86_400_000;
  for (let n = 0; n < 20; n += 1) put('PostToolUse', tool({ tool_use_id: `c${n}` }), day);
  drain();
  const requests = readdirSync(folders.outbox);
  for (const name of requests) {
    const then = (Date.now() - day) / 1000;
    utimesSync(join(folders.outbox, name), then, then);
  }
  // Nothing listens there.
  const away = await send(folders, { endpoint: 'http://127.0.0.1:9' });
  expect(away).toMatchObject({ sent: 0, failure: expect.stringContaining('cannot be reached') as string });
  const { files, oldestMs } = backlogOf(folders);
  expect(files).toBe(requests.length);
  expect(oldestMs).toBeGreaterThan(day - 60_000);
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await send(folders, { endpoint })).toEqual({ sent: requests.length });
  expect(await send(folders, { endpoint })).toEqual({ sent: 0 });
  server.close();
  const ids = bodies.join('').match(/"gen_ai\.tool\.call\.id","value":\{"stringValue":"c\d+"/g) ?? [];
  expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
});

describe('a disk', () => {
  const disk = mkdtempSync(join(tmpdir(), 'candela-disk-'));
  const mount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=64k,${options}`, 'none', disk]).status === 0;
  const isMounted = mount('rw');
  if (!isMounted) process.stderr.write('\nSKIPPED, hooks on a full disk: no tmpfs can be mounted here.\n\n');
  afterAll(() => {
    spawnSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  it.runIf(isMounted)('that is full, or can only be read, costs an agent nothing', () => {
    const { spool } = makeFolders(join(disk, 'state'));
    const line = lineFor('claude-code', { spool, drainer: ['/no/such'] })('PostToolUse');
    const hook = (input: string | Buffer) => {
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
        input,
        env: { CLAUDECODE: '1', PATH: '/usr/bin:/bin' },
        encoding: 'utf8',
      });
      return [status, stdout, stderr];
    };
    expect(hook(Buffer.alloc(1 << 20, 'a'))).toEqual([0, '', '']);
    expect(hook('{"session_id":"s"}')).toEqual([0, '', '']);
    expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0);
    expect(hook('{"session_id":"s"}')).toEqual([0, '', '']);
  });
});
