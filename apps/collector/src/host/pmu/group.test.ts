import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CounterGroup, parseReading, type Reading, scaledGrowth } from './group.ts';
import { loadPerf, PerfOpenError } from './native.ts';

const reading = (enabled: number, running: number, ...values: (number | bigint)[]): Reading => ({
  enabled: BigInt(enabled),
  running: BigInt(running),
  values: values.map(BigInt),
});

describe('scaledGrowth', () => {
  it('takes what was counted for the whole time since the last reading', () => {
    expect(scaledGrowth(reading(100, 100, 10, 20), reading(200, 200, 30, 60))).toEqual([20, 40]);
    expect(scaledGrowth(reading(100, 100, 10, 20), reading(200, 125, 30, 60))).toEqual([80, 160]);
  });

  it('does not fall when the share of turns falls', () => {
    // Scaled over the whole life these would read 1000 × 1000/500 = 2000, then 1001 × 2000/1500 = 1335.
    const before = reading(1_000, 500, 1_000);
    expect(scaledGrowth(before, reading(2_000, 1_500, 1_001))).toEqual([1]);
  });

  it('knows nothing without a turn in between', () => {
    expect(scaledGrowth(reading(100, 50, 10), reading(200, 50, 10))).toBeUndefined();
    expect(scaledGrowth(reading(100, 50, 10), reading(100, 50, 10))).toBeUndefined();
  });

  it('keeps small growth of counts beyond 2^53, and never falls', () => {
    expect(scaledGrowth(reading(1, 1, 2n ** 60n), reading(2, 2, 2n ** 60n + 3n))).toEqual([3]);
    const natural = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(natural, natural, natural, natural, natural, natural, (a, b, c, d, e, f) => {
        const grown = scaledGrowth(
          { enabled: a, running: b, values: [c] },
          { enabled: d, running: e, values: [f] },
        );
        for (const one of grown ?? []) expect(one >= 0 && Number.isFinite(one)).toBe(true);
      }),
    );
  });
});

describe('parseReading', () => {
  it('reads the layout of a group and refuses any other', () => {
    const bytes = Buffer.alloc(40);
    for (const [index, value] of [2n, 100n, 50n, 7n, 2n ** 63n].entries())
      bytes.writeBigUInt64LE(value, index * 8);
    expect(parseReading(bytes, 40, 2)).toEqual({ enabled: 100n, running: 50n, values: [7n, 2n ** 63n] });
    expect(parseReading(bytes, 0, 2)).toBeUndefined();
    expect(parseReading(bytes, 32, 2)).toBeUndefined();
    expect(parseReading(bytes, 40, 1)).toBeUndefined();
  });
});

/** Counters the kernel keeps itself: they are there on every machine. */
const SOFTWARE = 1;
const CPU_CLOCK = { type: SOFTWARE, config: 0n };
const CONTEXT_SWITCHES = { type: SOFTWARE, config: 3n };
const NONE = { type: 0xffff, config: 0n };

async function tryOpen(
  events: Parameters<typeof CounterGroup.open>[1],
): Promise<CounterGroup | PerfOpenError> {
  const open = await loadPerf();
  try {
    return CounterGroup.open(open, events, 0);
  } catch (thrown) {
    if (thrown instanceof PerfOpenError) return thrown;
    throw thrown;
  }
}

const probe = process.platform === 'linux' ? await tryOpen([CPU_CLOCK]) : undefined;
if (probe instanceof CounterGroup) probe.close();
const refused = !(probe instanceof CounterGroup);

describe.skipIf(refused)('CounterGroup, by the system call', () => {
  it('counts the time of a CPU in nanoseconds, and switches beside it', async () => {
    const group = await tryOpen([CPU_CLOCK, CONTEXT_SWITCHES]);
    if (!(group instanceof CounterGroup)) throw group;
    const began = process.hrtime.bigint();
    for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    const [clock = 0, switches = 0] = group.grown() ?? [];
    const passed = Number(process.hrtime.bigint() - began);
    group.close();
    expect(clock).toBeGreaterThan(passed * 0.5);
    expect(clock).toBeLessThan(passed * 2);
    expect(switches).toBeGreaterThanOrEqual(0);
  });

  it('leaves out what this machine does not have, and says so when that is all', async () => {
    const group = await tryOpen([NONE, CPU_CLOCK]);
    if (!(group instanceof CounterGroup)) throw group;
    expect(group.members).toEqual([1]);
    group.close();
    const failed = await tryOpen([NONE]);
    expect(failed).toBeInstanceOf(PerfOpenError);
    expect((failed as PerfOpenError).code).toBe('ENOENT');
  });
});
