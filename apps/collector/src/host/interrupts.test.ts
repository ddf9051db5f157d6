import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FileTree, SourceRun, valuesBy } from '../fixtures/source-run.ts';
import { InterruptSums, interruptName, interrupts, OTHER, parseInterrupts } from './interrupts.ts';

/** Rows of the kinds that x86 and Arm hosts show; the CPU numbers have a hole, as after switching one off. */
const TABLE = `            CPU0       CPU1       CPU3
   1:         10          0          5  IO-APIC   1-edge      i8042
  16:        100          1          2  IO-APIC  16-fasteoi   ehci_hcd:usb1, ahci[0000:00:1f.2]
  19:          0          0          0  IO-APIC   4-edge
  27:          7          8          9     GICv3  27 Level     arch_timer
 120:         20         30         40 PCI-MSIX-0000:01:00.0   0-edge      nvme0q0
 121:          1          2          3 PCI-MSIX-0000:01:00.0   1-edge      mlx5_comp
 122:          4          5          6 PCI-MSIX-0000:01:00.1   1-edge      mlx5_comp
 NMI:          1          2          3   Non-maskable interrupts
IPI0:          3          2          1       Rescheduling interrupts
 ERR:          4
`;

const trees: FileTree[] = [];
const treeOf = (text: string): FileTree => {
  const tree = new FileTree().write({ 'proc/interrupts': text });
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

describe('parseInterrupts', () => {
  it('reads names and counts of every kind of row', () => {
    const table = parseInterrupts(TABLE);
    expect(table?.cpus).toEqual([0, 1, 3]);
    expect(table?.rows.map(({ id, name, counts }) => [id, name, counts])).toEqual([
      ['1', 'i8042', [10, 0, 5]],
      ['16', 'ahci[0000:00:1f.2]', [100, 1, 2]],
      ['19', '19', [0, 0, 0]],
      ['27', 'arch_timer', [7, 8, 9]],
      ['120', 'nvme0q0', [20, 30, 40]],
      ['121', 'mlx5_comp', [1, 2, 3]],
      ['122', 'mlx5_comp', [4, 5, 6]],
      ['NMI', 'NMI', [1, 2, 3]],
      ['IPI0', 'IPI0', [3, 2, 1]],
      ['ERR', 'ERR', [4]],
    ]);
  });

  it('takes the id where no device is named', () => {
    expect(interruptName('4', '  IO-APIC   4-edge  ')).toBe('4');
    expect(interruptName('4', '')).toBe('4');
    expect(interruptName('LOC', '  Local timer interrupts')).toBe('LOC');
    expect(interruptName('9', `  IO-APIC   9-fasteoi   ${'x'.repeat(10_000)}`).length).toBeLessThan(200);
  });

  it('leaves out a row that was cut off, and refuses what has no line of CPUs', () => {
    expect(parseInterrupts(TABLE.slice(0, TABLE.indexOf('nvme0q0')))?.rows.at(-1)?.name).toBe('arch_timer');
    expect(parseInterrupts('')).toBeUndefined();
    expect(parseInterrupts('1: 2 3\n')).toBeUndefined();
    expect(parseInterrupts('CPU0 CPU99999999\n')).toBeUndefined();
  });

  it('survives any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (rest) => {
        const table = parseInterrupts(`CPU0 CPU1\n${rest}\n`);
        for (const { counts, name } of table?.rows ?? []) {
          expect(counts.length).toBeLessThanOrEqual(2);
          expect(counts.every(Number.isFinite)).toBe(true);
          expect(name.length).toBeLessThanOrEqual(120);
        }
      }),
    );
  });
});

describe('InterruptSums', () => {
  const grid = (cpus: number[], ...rows: [string, string, number[]][]) => ({
    cpus,
    rows: rows.map(([id, name, counts]) => ({ id, name, counts })),
  });

  it('goes on over the wrap of a 32-bit count, a reset and a CPU that was away', () => {
    const sums = new InterruptSums(false);
    sums.add(grid([0, 1], ['LOC', 'LOC', [2 ** 32 - 10, 100]]));
    const after = sums.add(grid([0, 1], ['LOC', 'LOC', [5, 110]]));
    expect(after.get('LOC')?.total).toBe(2 ** 32 - 10 + 15 + 110);
    sums.add(grid([0], ['LOC', 'LOC', [5]]));
    expect(sums.add(grid([0, 1], ['LOC', 'LOC', [5, 120]])).get('LOC')?.total).toBe(2 ** 32 + 5 + 120);
    expect(sums.add(grid([0, 1], ['LOC', 'LOC', [7, 3]])).get('LOC')?.total).toBe(2 ** 32 + 7 + 120 + 3);
  });

  it('bounds the names and keeps them in their places', () => {
    const sums = new InterruptSums(false);
    const rows = Array.from({ length: 1_500 }, (_, i): [string, string, number[]] => [
      `${i}`,
      `dev${i}`,
      [1],
    ]);
    const first = sums.add(grid([0], ...rows));
    expect(first.size).toBe(1_001);
    expect(first.get(OTHER)?.total).toBe(500);
    const again = sums.add(grid([0], ...rows.toReversed()));
    expect(again.get('dev0')?.total).toBe(1);
    expect(again.get(OTHER)?.total).toBe(500);
  });
});

describe('the source', () => {
  it('sums interrupts of one name', async () => {
    const run = new SourceRun(interrupts, treeOf(TABLE));
    expect(await run.source.start()).toEqual({ state: 'ready' });
    const values = valuesBy(await run.observe(), 'system.interrupt.count', 'system.interrupt.name');
    expect(values).toMatchObject({ mlx5_comp: 21, nvme0q0: 90, NMI: 6, ERR: 4, '19': 0 });
  });

  it('tells CPUs apart when asked, leaving out those that took none', async () => {
    const run = new SourceRun(interrupts, treeOf(TABLE), { OTEL_HOST_INTERRUPTS_PER_CPU: 'true' });
    const points = await run.observe();
    const values = valuesBy(points, 'system.interrupt.count', 'system.interrupt.name', 'cpu.logical_number');
    expect(values).toMatchObject({
      'mlx5_comp/0': 5,
      'mlx5_comp/3': 9,
      'i8042/0': 10,
      'i8042/3': 5,
      'ERR/': 4,
    });
    expect(values).not.toHaveProperty('i8042/1');
    expect(values).not.toHaveProperty('19/');
    expect(points.length).toBe(new Set(points.map(({ attributes }) => JSON.stringify(attributes))).size);
  });

  it('is unavailable without the table', async () => {
    const started = await new SourceRun(interrupts, treeOf('no table')).source.start();
    expect(started.state).toBe('unavailable');
  });
});
