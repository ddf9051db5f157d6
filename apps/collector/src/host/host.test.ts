import { describe, expect, test } from 'vitest';
import { captured } from '../fixtures/captured.ts';
import { FileTree, SourceRun, valuesBy } from '../fixtures/source-run.ts';
import { paging, parseVmstat } from './paging.ts';
import { parseUptime, uptime } from './uptime.ts';

const MEMINFO = 'MemTotal: 100 kB\nMemFree: 10 kB\n';

describe('paging', () => {
  test('a real file has all counters; a cut row is none', () => {
    expect([...parseVmstat(captured('vm', 'proc/vmstat')).keys()]).toEqual([
      'pgfault',
      'pgmajfault',
      'pswpin',
      'pswpout',
    ]);
    expect(parseVmstat('xpgfault 1\npgfault 2\npgmajfault 3')).toEqual(new Map([['pgfault', 2n]]));
  });

  test('minor faults are those that are not major, and never fewer than before', async () => {
    const tree = new FileTree().write({
      'proc/vmstat': 'pgfault 100\npgmajfault 10\n',
      'proc/meminfo': MEMINFO,
    });
    const run = new SourceRun(paging, tree);
    await run.source.start();
    const faults = async () =>
      valuesBy(await run.observe(), 'system.paging.faults', 'system.paging.fault.type');
    expect(await faults()).toEqual({ major: 10, minor: 90 });
    tree.write({ 'proc/vmstat': 'pgfault 100\npgmajfault 11\n' });
    expect(await faults()).toEqual({ major: 11, minor: 90 });
    tree.write({ 'proc/vmstat': 'pgfault 103\npgmajfault 11\n' });
    expect(await faults()).toEqual({ major: 11, minor: 92 });
    tree.remove();
  });

  test('swap is told of where there is any', async () => {
    const tree = new FileTree().write({
      'proc/vmstat': 'pgfault 1\npgmajfault 1\npswpin 7\npswpout 9\n',
      'proc/meminfo': `${MEMINFO}SwapTotal: 0 kB\nSwapFree: 0 kB\n`,
    });
    const run = new SourceRun(paging, tree);
    await run.source.start();
    expect(valuesBy(await run.observe(), 'system.paging.usage', 'system.paging.state')).toEqual({});
    tree.write({ 'proc/meminfo': `${MEMINFO}SwapTotal: 1000 kB\nSwapFree: 750 kB\n` });
    const points = await run.observe();
    expect(valuesBy(points, 'system.paging.usage', 'system.paging.state')).toEqual({
      used: 256_000,
      free: 768_000,
    });
    expect(valuesBy(points, 'system.paging.utilization', 'system.paging.state')).toEqual({ used: 0.25 });
    expect(valuesBy(points, 'system.paging.operations', 'system.paging.direction')).toEqual({
      in: 7,
      out: 9,
    });
    tree.remove();
  });
});

test('uptime', async () => {
  expect(parseUptime('993.02 826.33')).toBe(993.02);
  for (const line of ['', 'x', '993.02', '-1.00 2.00', '993 826']) expect(parseUptime(line)).toBeUndefined();
  const tree = new FileTree();
  expect((await new SourceRun(uptime, tree).source.start()).state).toBe('unavailable');
  tree.write({ 'proc/uptime': '12.50 3.00\n' });
  const run = new SourceRun(uptime, tree);
  await run.source.start();
  expect(valuesBy(await run.observe(), 'system.uptime')).toEqual({ '': 12.5 });
  tree.remove();
});
