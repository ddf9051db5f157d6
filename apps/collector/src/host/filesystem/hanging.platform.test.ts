import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { HangingMount } from '../../fixtures/hanging-mount.ts';
import { createLog } from '../../log.ts';
import { MAX_STUCK } from '../../patient-thread.ts';
import { stuckThreads } from '../../stuck-threads.ts';
import { LinuxFilesystems } from './linux.ts';

const impossible = HangingMount.impossible();
if (impossible !== undefined) {
  process.stderr.write(`\nSKIPPED: file systems that hang were not tried: ${impossible}\n\n`);
}
const PATHS = { proc: '/proc', sys: '/sys', etc: '/etc', root: '/' };
const mounts: HangingMount[] = [];

afterEach(() => {
  for (const mount of mounts.splice(0)) mount.release();
});

const hang = (count: number): readonly HangingMount[] => {
  for (let made = 0; made < count; made += 1) mounts.push(new HangingMount());
  return mounts;
};

async function places(filesystems: LinuxFilesystems): Promise<string[]> {
  const found: string[] = [];
  filesystems.refresh();
  await filesystems.read(({ mountPoint }) => found.push(mountPoint), AbortSignal.timeout(5_000));
  return found;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 200; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(holds()).toBe(true);
}

test.skipIf(impossible !== undefined)(
  'a mount that hangs is told of once, costs a thread of its own, and is asked again when it is back',
  async () => {
    const [mount] = hang(1);
    const logged: string[] = [];
    const filesystems = new LinuxFilesystems(
      PATHS,
      [],
      createLog('info', (line) => logged.push(line)),
    );
    const first = await places(filesystems);
    expect(first).toContain('/');
    expect(first).not.toContain(mount?.path);
    expect(stuckThreads()).toBe(1);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('does not answer');

    await places(filesystems);
    expect(stuckThreads()).toBe(1);
    expect(logged).toHaveLength(1);

    mount?.abort();
    await until(() => stuckThreads() === 0);
    expect(logged[1]).toContain('answers again');
    await filesystems.stop();
  },
);

test.skipIf(impossible !== undefined)(
  'many that hang take a bounded number of threads and none of the pool',
  async () => {
    hang(MAX_STUCK + 2);
    const logged: string[] = [];
    const filesystems = new LinuxFilesystems(
      PATHS,
      [],
      createLog('warn', (line) => logged.push(line)),
    );
    expect(await places(filesystems)).toContain('/');
    expect(await places(filesystems)).toContain('/');
    expect(stuckThreads()).toBe(MAX_STUCK);
    expect(logged.filter((line) => line.includes('too many'))).toHaveLength(1);
    // The pool has four threads: these would wait for ever.
    const reads = await Promise.all(Array.from({ length: 8 }, () => readFile('/proc/uptime', 'utf8')));
    expect(reads).toHaveLength(8);
    for (const mount of mounts) mount.abort();
    await until(() => stuckThreads() === 0);
    await filesystems.stop();
  },
);

test.skipIf(impossible !== undefined)(
  'the agent ends though a mount hangs, and with its own code',
  async () => {
    hang(1);
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../main.ts', import.meta.url)), '--once'],
      {
        env: { PATH: process.env['PATH'] ?? '', PLATFORM_CLOUD_DETECT: 'false' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const [output, errors, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
    ]);
    expect(errors).toContain('does not answer');
    expect(output).toContain('system.filesystem.usage');
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  },
);
