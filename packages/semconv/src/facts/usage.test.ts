import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { disjointUsage, type ReportedUsage } from './usage.ts';

const reported = (more: Partial<ReportedUsage>): ReportedUsage => ({
  input: undefined,
  output: undefined,
  total: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  inputIncludesCache: true,
  outputIncludesReasoning: true,
  ...more,
});

describe('disjoint classes', () => {
  test.each([
    ['cache inside the input', { input: 120, output: 30, cacheRead: 64 }, [56, 64, 0, 30, 0]],
    [
      'cache beside the input',
      { input: 56, output: 30, cacheRead: 64, inputIncludesCache: false },
      [56, 64, 0, 30, 0],
    ],
    [
      'a cache larger than the input cannot be inside it',
      { input: 3, output: 1, cacheRead: 10_000 },
      [3, 10_000, 0, 1, 0],
    ],
    [
      'the total says the cache is beside',
      { input: 56, output: 30, cacheRead: 64, total: 150 },
      [56, 64, 0, 30, 0],
    ],
    [
      'the total says the cache is inside',
      { input: 120, output: 30, cacheRead: 64, total: 150, inputIncludesCache: false, trustTotal: true },
      [56, 64, 0, 30, 0],
    ],
    [
      'a total that an emitter added up itself proves nothing',
      { input: 500, output: 30, cacheRead: 64, total: 530, inputIncludesCache: false },
      [500, 64, 0, 30, 0],
    ],
    ['reasoning inside the output', { input: 10, output: 30, reasoning: 8 }, [10, 0, 0, 22, 8]],
    [
      'reasoning beside the output',
      { input: 10, output: 30, reasoning: 8, outputIncludesReasoning: false },
      [10, 0, 0, 30, 8],
    ],
    [
      'the total says reasoning is beside',
      { input: 10, output: 30, reasoning: 8, total: 48 },
      [10, 0, 0, 30, 8],
    ],
    [
      'reasoning larger than the output cannot be inside it',
      { input: 10, output: 5, reasoning: 8 },
      [10, 0, 0, 5, 8],
    ],
    [
      'read and written cache',
      { input: 130, output: 30, cacheRead: 64, cacheWrite: 10 },
      [56, 64, 10, 30, 0],
    ],
    ['output from the total', { input: 100, total: 130 }, [100, 0, 0, 30, 0]],
    ['input from the total', { output: 30, total: 130 }, [100, 0, 0, 30, 0]],
    ['a cache equal to the input', { input: 64, output: 1, cacheRead: 64 }, [0, 64, 0, 1, 0]],
  ] as const)('%s', (_name, given, [input, cacheRead, cacheWrite, output, reasoning]) => {
    expect(disjointUsage(reported(given))).toEqual({ input, cacheRead, cacheWrite, output, reasoning });
  });

  test('nothing reported is nothing known', () => {
    expect(disjointUsage(reported({}))).toBeUndefined();
    expect(disjointUsage(reported({ total: 120 }))).toBeUndefined();
  });

  test('any report gives counts that are not negative and no larger than reported', () => {
    const count = fc.option(fc.integer({ min: 0, max: 0xff_ff_ff_ff }), { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({
          input: count,
          output: count,
          total: count,
          cacheRead: count,
          cacheWrite: count,
          reasoning: count,
          inputIncludesCache: fc.boolean(),
          outputIncludesReasoning: fc.boolean(),
        }),
        (given) => {
          const usage = disjointUsage(given);
          if (usage === undefined) return;
          for (const tokens of Object.values(usage)) expect(tokens).toBeGreaterThanOrEqual(0);
          if (given.input !== undefined) expect(usage.input).toBeLessThanOrEqual(given.input);
          if (given.output !== undefined) expect(usage.output).toBeLessThanOrEqual(given.output);
          expect(usage.cacheRead).toBe(given.cacheRead ?? 0);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
