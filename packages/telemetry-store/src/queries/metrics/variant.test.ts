import { describe, expect, it } from 'vitest';
import { pointUnitOf } from './variant.ts';

describe('what measurements are in', () => {
  it.each([
    ['system.cpu.utilization', 'gauge', '1', '1'],
    ['hw.fan.speed_ratio', 'gauge', '1', '1'],
    ['DCGM_FI_PROF_SM_OCCUPANCY', 'gauge', '1', '1'],
    ['cache.hit_ratio', 'histogram', '1', '1'],
    ['cacheHitRatio', 'gauge', '1', '1'],
    // Plain numbers, of which 2,000 are not 200,000 %.
    ['queue.length', 'gauge', '1', ''],
    ['batch.size', 'histogram', '1', ''],
    ['operations.pending', 'gauge', '1', ''],
    ['gc.generation', 'gauge', '1', ''],
    ['hw.gpu.allocated', 'gauge', '1', ''],
    ['requests', 'sum', '1', ''],
    ['pool.utilization', 'sum', '1', ''],
    ['http.server.request.duration', 'histogram', 's', 's'],
    ['orders', 'sum', '{order}', '{order}'],
  ] as const)('of %s, a %s in %s: %s', (metric, kind, unit, expected) => {
    expect(pointUnitOf(metric, { kind, unit })).toBe(expected);
  });
});
