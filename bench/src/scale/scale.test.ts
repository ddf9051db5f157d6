import { describe, expect, it } from 'vitest';
import { MEASURED, ORDINARY, planFor } from './model.ts';
import { simulate } from './simulate.ts';

const HOUR = { seconds: 3_600, outage: { from: 1_500, until: 2_100 }, burst: 1.5, seed: 50 };

describe('the capacity model', () => {
  it('reckons in the units that it names', () => {
    const plan = planFor(10_000);
    expect(plan.ingestCores).toBeCloseTo((25_000 * MEASURED.ingestCpuUs) / 1e6 / 0.6, 9);
    expect(plan.keptBytes).toBe(10_000 * 120 * 86_400 * 30);
    expect(plan.networkInBytes).toBe(25_000 * 897);
    expect(plan.shards).toBe(Math.max(...Object.values(plan.shardsBy)));
  });

  it('never needs less for more', () => {
    let before = 0;
    for (const rate of [1, 100, 10_000, 1_000_000, 10_000_000]) {
      const { machines } = planFor(rate);
      expect(machines).toBeGreaterThanOrEqual(before);
      before = machines;
    }
    expect(planFor(1_000_000, { ...ORDINARY, kept: 0.1 }).shards).toBeLessThan(planFor(1_000_000).shards);
  });

  it.each([10_000, 1_000_000, 10_000_000])('holds an hour at %d spans a second', (spansPerSecond) => {
    const outcome = simulate(planFor(spansPerSecond), ORDINARY, { ...HOUR, spansPerSecond });
    expect(outcome).toMatchObject({ refused: 0, drained: true });
    expect(outcome.stored).toBeCloseTo(outcome.arrived, -2);
    expect(outcome.worstBusy).toBeLessThanOrEqual(1.01);
  });

  it('breaks with a tenth of the shards that are needed', () => {
    const plan = planFor(10_000_000);
    const outcome = simulate({ ...plan, shards: Math.ceil(plan.shardsBy.cpu / 10) }, ORDINARY, {
      ...HOUR,
      spansPerSecond: 10_000_000,
    });
    expect(outcome.refused).toBeGreaterThan(0);
  });
});
