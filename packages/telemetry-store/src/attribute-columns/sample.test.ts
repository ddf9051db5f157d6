import { describe, expect, it } from 'vitest';
import { typeFor } from './sample.ts';

const sample = { rows: 200_000, many: 5, longest: 20, mean: 10, share: 0.4 };

describe('the column that suits the values of a key', () => {
  it.each([
    ['few values', {}, 'LowCardinality(String)'],
    ['as many as a dictionary holds', { many: 8_000 }, 'LowCardinality(String)'],
    ['more', { many: 8_001 }, 'String'],
    ['more that are short texts', { many: 8_001, longest: 4_000, mean: 160 }, 'String'],
    ['more that are long', { many: 8_001, mean: 161 }, undefined],
    ['few that are long', { mean: 161 }, 'LowCardinality(String)'],
    ['documents', { longest: 4_001 }, undefined],
    ['ids', { many: 100_001 }, undefined],
    ['ids of sessions', { many: 100_000 }, 'String'],
    ['ids on few of the rows', { many: 200_000, share: 0.05 }, 'String'],
    ['texts on few of the rows', { many: 200_000, share: 0.05, mean: 161 }, undefined],
    ['ids on a few rows more', { many: 200_000, share: 0.051 }, undefined],
    ['as many values as rows, where rows are few', { rows: 100, many: 100 }, 'LowCardinality(String)'],
    ['ids, where rows are few', { rows: 150, many: 140 }, undefined],
    ['a key that nobody has', { rows: 0, many: 0 }, undefined],
  ] as const)('%s', (_what, changes, type) => {
    expect(typeFor({ ...sample, ...changes }, 8_000)).toBe(type);
  });
});
