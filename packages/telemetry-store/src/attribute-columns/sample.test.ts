import { describe, expect, it } from 'vitest';
import { typeFor, unaskedTypeFor } from './sample.ts';

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

describe('the column that suits a key that nobody asked for', () => {
  const spread = { ...sample, rows: 80_000, half: 5, halfRows: 40_000 };
  it.each([
    ['few values', {}, 'LowCardinality(String)'],
    ['as many as a dictionary holds', { many: 8_000, half: 7_900 }, 'LowCardinality(String)'],
    ['more that come back: 65,536 addresses', { many: 45_600, half: 29_400 }, 'String'],
    ['more that come back less', { many: 50_000, half: 29_400 }, undefined],
    ['more that are long', { many: 45_600, half: 29_400, mean: 17 }, undefined],
    ['a dictionary not seen whole', { many: 7_000, half: 4_500 }, 'String'],
    ['ids', { many: 80_000, half: 40_000 }, undefined],
    ['ids of sessions', { many: 1_600, half: 800 }, undefined],
    ['texts', { many: 45_600, half: 29_400, longest: 1_001 }, undefined],
    ['few texts', { longest: 1_001 }, undefined],
    ['a key that nobody has', { rows: 0, many: 0, half: 0, halfRows: 0 }, undefined],
  ] as const)('%s', (_what, changes, type) => {
    expect(unaskedTypeFor({ ...spread, ...changes }, 8_000)).toBe(type);
  });
});
