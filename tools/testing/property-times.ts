import type fastCheck from 'fast-check';
import { vi } from 'vitest';
import { PROPERTY_TIMES } from './times.ts';

// What fast-check exports cannot be changed in place.
vi.mock('fast-check', async (original) => {
  const { default: real } = await original<{ readonly default: typeof fastCheck }>();
  /** What it runs where a test names no number. */
  const { numRuns: usual = 100 } = real.readConfigureGlobal();
  const assert = (property: fastCheck.IRawProperty<unknown>, settings?: fastCheck.Parameters<unknown>) =>
    real.assert(property, { ...settings, numRuns: (settings?.numRuns ?? usual) * PROPERTY_TIMES });
  return { default: { ...real, assert } };
});
