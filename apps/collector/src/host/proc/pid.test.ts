import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileTree } from '../../fixtures/source-run.ts';
import {
  cutCharacters,
  parseCmdline,
  parsePidStat,
  parsePidStatus,
  Pid,
  readPids,
  secondsRunning,
} from './pid.ts';
import { REDACTED, redactArguments } from './redact.ts';

const FIELDS = 'S 1 2 3 0 -1 4194304 5 6 7 8 150 25 9 10 20 0 12 0 98765 1048576 256 18446744073709551615';
const REAL = { proc: '/proc', sys: '/sys', etc: '/etc', root: '/' };

describe('/proc/<pid>/stat', () => {
  test('the name may hold brackets, blanks, line feeds and escape codes', () => {
    for (const comm of ['python3', 'a) (b', ') R 1 2 3 (', 'x\ny', '\u001b[2J', '']) {
      expect(parsePidStat(`42 (${comm}) ${FIELDS}\n`)).toEqual({
        pid: 42,
        comm,
        state: 'S',
        parent: 1,
        userTicks: 150,
        systemTicks: 25,
        threads: 12,
        startTicks: 98_765,
        virtualBytes: 1_048_576,
        residentPages: 256,
      });
    }
  });

  test('what is cut or none is nothing', () => {
    for (const text of [
      '',
      '42 (x',
      `42 (x) ${FIELDS.slice(0, 60)}`,
      `(x) ${FIELDS}`,
      `42 (x) ${FIELDS.replace('98765', 'y')}`,
    ]) {
      expect(parsePidStat(text)).toBeUndefined();
    }
  });

  test('no text breaks the reading', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => void parsePidStat(`1 (${text}) ${FIELDS}`)),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => void [parsePidStat(text), parsePidStatus(text)]),
    );
  });
});

test('/proc/<pid>/status: the user, and the numbers in the namespaces', () => {
  expect(parsePidStatus('Name:\tx\nUid:\t1000\t0\t0\t0\nNSpid:\t4242\t17\t1\nThreads:\t1\n')).toEqual({
    uid: 1_000,
    namespacePids: [4_242, 17, 1],
  });
  expect(parsePidStatus('Name:\tUid:\t7\t\n')).toBeUndefined();
});

describe('command lines', () => {
  test('one line of so many characters, none cut in two', () => {
    expect(parseCmdline('python\0-c\0print(1)\nprint(2)\u001b[2J\0\0', 100)).toBe(
      'python -c print(1) print(2) [2J',
    );
    expect(parseCmdline(`x\0${'😀'.repeat(400)}`, 101)).toBe(`x ${'😀'.repeat(49)}`);
    expect(parseCmdline('rm\0\u202efdp.exe', 100)).toBe('rm  fdp.exe');
    expect(parseCmdline('', 10)).toBeUndefined();
    expect(parseCmdline('\0\0', 10)).toBeUndefined();
    expect(cutCharacters('a😀', 2)).toBe('a');
  });

  test.each([
    ['--api-key abc --port 80', `--api-key ${REDACTED} --port 80`],
    ['--api-key=abc', `--api-key=${REDACTED}`],
    ['--hf-token hf_x --model m', `--hf-token ${REDACTED} --model m`],
    ['-password hunter2', `-password ${REDACTED}`],
    ['--dbPassword=hunter2', `--dbPassword=${REDACTED}`],
    ['env OPENAI_API_KEY=abc HOME=/root run', `env OPENAI_API_KEY=${REDACTED} HOME=/root run`],
    ['--secret --verbose', '--secret --verbose'],
    ['--url https://user:pw@host/x', `--url https://${REDACTED}@host/x`],
    ['--header Authorization:xyz', `--header Authorization:${REDACTED}`],
    ['run sk-proj-abcdefghijklmnop', `run ${REDACTED}`],
    ['run ghp_abcdefghijklmnop', `run ${REDACTED}`],
    ['AKIAABCDEFGHIJKLMNOP', REDACTED],
  ])('hides the secret of %s', (line, shown) => {
    expect(redactArguments(line.split(' ')).join(' ')).toBe(shown);
  });

  test.each([
    'python3 -m vllm.entrypoints.openai.api_server --model meta-llama/Llama-3.3-70B --max-num-batched-tokens 8192',
    '--tokenizer mistral --tokenizer-mode auto --pad-token-id 0 --max-tokens=512',
    '--key-file /etc/tls/key.pem --ssl-keyfile k --auth-type none --cache-key-name x',
    'https://huggingface.co/x --monkey banana --sort-keyboard y',
  ])('leaves %s', (line) => {
    expect(redactArguments(line.split(' ')).join(' ')).toBe(line);
  });

  test('hides them in a command within an argument, and a value with blanks as a whole', () => {
    expect(
      redactArguments([
        'sh',
        '-c',
        "exec x --token 'abc'  --port 80 && curl -H 'Authorization: Bearer abcdefghij'",
      ])[2],
    ).toBe(`exec x --token ${REDACTED}  --port 80 && curl -H 'Authorization: Bearer ${REDACTED}'`);
    expect(redactArguments(['x', '--password', 'two words'])).toEqual(['x', '--password', REDACTED]);
  });

  test('a secret is hidden before the line is cut', () => {
    expect(parseCmdline('x\0--token\0abcdefghijkl', 14)).toBe(`x --token ${REDACTED}`.slice(0, 14));
  });

  test('a megabyte of any kind takes no long time', () => {
    for (const piece of ['a', 'https://', '--key ', 'eyJ', '\'"', '=', 'sk-', '@', ':']) {
      expect(parseCmdline(piece.repeat(65_536 / piece.length), 512)?.length).toBeLessThanOrEqual(512);
    }
  });

  test('no text breaks the reading', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 1, max: 64 }),
        (text, max) => {
          expect(parseCmdline(text, max)?.length ?? 0).toBeLessThanOrEqual(max);
        },
      ),
    );
  });
});

test.skipIf(process.platform !== 'linux')('a real process', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  expect(readPids(REAL)).toContain(pid);
  const one = new Pid(REAL, pid);
  // Between fork and exec it still has the name of its parent.
  for (let tries = 0; one.commandLine(512) !== 'sleep 60' && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(one.commandLine(512)).toBe('sleep 60');
  expect(one.stat()).toMatchObject({ pid, parent: process.pid, threads: 1 });
  expect(one.status()?.uid).toBe(process.getuid?.());
  expect(one.executableName()).toBeTruthy();
  expect(one.cgroup()).toBeTruthy();
  child.kill();
  await once(child, 'exit');
  expect(one.stat()).toBeUndefined();
  expect(one.commandLine(512)).toBeUndefined();
});

test('of a process that is not ours the short name', () => {
  const tree = new FileTree()
    .write({ 'proc/7/comm': 'kworker/0:1\n' })
    .directory('proc/self')
    .directory('proc/07');
  const paths = { ...REAL, proc: `${tree.path}/proc` };
  expect(new Pid(paths, 7).executableName()).toBe('kworker/0:1');
  tree.link('proc/7/exe', '/usr/bin/python3.12 (deleted)');
  expect(new Pid(paths, 7).executableName()).toBe('python3.12');
  expect(readPids(paths)).toEqual([7]);
  expect(secondsRunning({ startTicks: 500 }, 12)).toBe(7);
  expect(secondsRunning({ startTicks: 5_000 }, 12)).toBe(0);
  tree.remove();
});
