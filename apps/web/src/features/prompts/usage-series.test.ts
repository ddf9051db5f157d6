import { describe, expect, it } from 'vitest';
import { usageSeries } from './usage-series.ts';

const rows = [
  { day: '2026-07-02', version: '1.0.0', source: 'api', count: 3 },
  { day: '2026-07-01', version: '1.0.0', source: 'sdk', count: 1 },
  { day: '2026-07-01', version: '1.0.0', source: 'api', count: 2 },
  { day: '2026-07-01', version: '1.1.0', source: 'sdk', count: 9 },
];
const day = (date: number) => Date.UTC(2026, 6, date);

describe('fetches of a prompt as series', () => {
  it('adds up what is told apart by what is not asked for, the largest first', () => {
    expect(usageSeries(rows, 'version')).toEqual([
      { key: 'version 1.1.0', label: '1.1.0', points: [{ timeMs: day(1), value: 9 }] },
      {
        key: 'version 1.0.0',
        label: '1.0.0',
        points: [
          { timeMs: day(1), value: 3 },
          { timeMs: day(2), value: 3 },
        ],
      },
    ]);
    expect(usageSeries(rows, 'source').map(({ label }) => label)).toEqual(['sdk', 'api']);
    expect(usageSeries([], 'version')).toEqual([]);
  });
});
