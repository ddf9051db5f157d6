import { openSync, readdirSync, readlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FileTree } from '../fixtures/source-run.ts';
import { createLog } from '../log.ts';
import { CpuRing, parseCpuLines, SLOTS, startCpuRing } from './cpu-ring.ts';

const quiet = createLog('none', () => undefined);
const trees: FileTree[] = [];
const rings: CpuRing[] = [];
afterEach(() => {
  for (const ring of rings.splice(0)) ring.stop();
  for (const tree of trees.splice(0)) tree.remove();
});

function treeWith(stat: string): FileTree {
  const tree = new FileTree().write({ 'proc/stat': stat });
  trees.push(tree);
  return tree;
}

function ringOn(tree: FileTree, periodMs?: number): CpuRing {
  const ring = new CpuRing(join(tree.path, 'proc/stat'), quiet, periodMs);
  rings.push(ring);
  return ring;
}

const STAT = `cpu  300 30 100 4000 5 6 7 8 9 10
cpu0 100 10 50 2000 1 2 3 4 5 6
cpu2 200 20 50 2000 4 4 4 4 4 4
intr 123 4 5
ctxt 99
`;

/** Waits until the ring holds something that it does not at first. */
async function until<T>(read: () => T | undefined): Promise<T> {
  for (let i = 0; i < 500; i += 1) {
    const value = read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the ring never got there');
}

describe('parseCpuLines', () => {
  it('reads the lines of CPUs, without their sum', () => {
    expect(parseCpuLines(STAT)).toMatchObject([
      { cpu: 'cpu0', user: 1, idle: 20 },
      { cpu: 'cpu2', user: 2, idle: 20 },
    ]);
  });

  it('takes fields that old kernels lack as 0', () => {
    expect(parseCpuLines('cpu  1 2\ncpu0 1 2 3 4')).toMatchObject([
      { cpu: 'cpu0', idle: 0.04, guestNice: 0 },
    ]);
    expect(parseCpuLines('')).toEqual([]);
    expect(parseCpuLines('intr 1 2 3\n')).toEqual([]);
    expect(parseCpuLines('cpu99999 1 2 3\ncpu4096 1 2 3')).toEqual([]);
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const all = Buffer.concat([Buffer.from('cpu0 1 2\ncpu'), bytes]).toString('latin1');
        for (const times of parseCpuLines(all)) expect(Number.isFinite(times.user)).toBe(true);
      }),
    );
  });
});

describe('CpuRing', () => {
  it('gives times in seconds by the number of the CPU', () => {
    const [sample] = ringOn(treeWith(STAT)).samples();
    expect(sample?.times).toEqual([
      {
        cpu: 'cpu0',
        user: 1,
        nice: 0.1,
        system: 0.5,
        idle: 20,
        iowait: 0.01,
        irq: 0.02,
        softirq: 0.03,
        steal: 0.04,
        guest: 0.05,
        guestNice: 0.06,
      },
      expect.objectContaining({ cpu: 'cpu2', user: 2 }),
    ]);
    expect(sample?.timestamp).toBe(new Date(sample?.timestamp ?? '').toISOString());
  });

  it('keeps the newest, oldest first, and no more than its slots', async () => {
    const tree = treeWith(STAT);
    const ring = ringOn(tree, 1);
    await until(() => (ring.samples().length === SLOTS ? true : undefined));
    tree.write({ 'proc/stat': STAT.replace('cpu0 100', 'cpu0 900') });
    const samples = await until(() => {
      const all = ring.samples();
      return all.at(-1)?.times[0]?.user === 9 ? all : undefined;
    });
    expect(samples).toHaveLength(SLOTS);
    const users = samples.map(({ times }) => times[0]?.user ?? 0);
    expect(users).toEqual(users.toSorted((x, y) => x - y));
    // At several places of the ring: at its seam alone they would be in order anyway.
    for (let i = 0; i < 8; i += 1) {
      const stamps = ring.samples().map(({ timestamp }) => timestamp);
      expect(stamps).toEqual(stamps.toSorted());
      await new Promise((resolve) => setTimeout(resolve, 13));
    }
  });

  it('follows CPUs that go, come and are added', async () => {
    const tree = treeWith(STAT);
    const ring = ringOn(tree, 5);
    const cpusOfLast = () =>
      ring
        .samples()
        .at(-1)
        ?.times.map(({ cpu }) => cpu)
        .join(' ');
    tree.write({ 'proc/stat': 'cpu  1 1\ncpu0 500 1 1 1\nintr 0\n' });
    await until(() => (cpusOfLast() === 'cpu0' ? true : undefined));
    tree.write({ 'proc/stat': 'cpu  1 1\ncpu0 500 1 1 1\ncpu1 1 1 1 1\ncpu7 700 1 1 1\nintr 0\n' });
    await until(() => (cpusOfLast() === 'cpu0 cpu1 cpu7' ? true : undefined));
    const samples = ring.samples();
    expect(samples[0]?.times.map(({ cpu, user }) => [cpu, user])).toEqual([
      ['cpu0', 1],
      ['cpu2', 2],
    ]);
    expect(samples.at(-1)?.times.map(({ user }) => user)).toEqual([5, 0.01, 7]);
  });

  it('passes over a moment in which the file says nothing', async () => {
    const tree = treeWith(STAT);
    const ring = ringOn(tree, 5);
    const descriptor = openSync(join(tree.path, 'proc/stat'), 'w');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = ring.samples().length;
    writeSync(descriptor, STAT);
    await until(() => (ring.samples().length > before ? true : undefined));
    expect(ring.samples().every(({ times }) => times.length === 2)).toBe(true);
  });

  it('reads a machine with more CPUs than fit into the first buffer', () => {
    const lines = Array.from({ length: 1_000 }, (_, cpu) => `cpu${cpu} ${cpu + 1} 2 3 4 5 6 7 8 9 10`);
    const ring = ringOn(treeWith(`cpu  1 2 3\n${lines.join('\n')}\nintr 5\n`));
    const [sample] = ring.samples();
    expect(sample?.times).toHaveLength(1_000);
    expect(sample?.times.at(-1)).toMatchObject({ cpu: 'cpu999', user: 10 });
  });

  it('leaves out what stands behind the lines of CPUs in a file that became shorter', async () => {
    const tree = treeWith(`${STAT}${'x'.repeat(300)}\ncpu9 1 2 3 4\nintr 7\n`);
    const ring = ringOn(tree, 5);
    tree.write({ 'proc/stat': STAT });
    const count = ring.samples().length;
    await until(() => (ring.samples().length > count + 2 ? true : undefined));
    expect(ring.samples().every(({ times }) => times.length === 2)).toBe(true);
  });

  it('says why there is none, and leaves nothing open', () => {
    const paths = (tree: FileTree) => ({
      proc: join(tree.path, 'proc'),
      sys: '/sys',
      etc: '/etc',
      root: '/',
    });
    const empty = treeWith('nothing\n');
    expect(startCpuRing(paths(empty), quiet)).toMatchObject({
      state: 'unavailable',
      reason: expect.stringContaining('names no CPU'),
    });
    const gone = treeWith('');
    gone.remove('proc');
    expect(startCpuRing(paths(gone), quiet).state).toBe('unavailable');
    if (process.platform === 'linux') {
      const open = readdirSync('/proc/self/fd').map((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`);
        } catch {
          return '';
        }
      });
      expect(open.filter((path) => path.startsWith(empty.path))).toEqual([]);
    }
  });
});
